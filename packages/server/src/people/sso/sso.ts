import { hash } from 'node:crypto'
import type { PageTools } from '../../access/changes/changes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { parseId } from '../../values/id.ts'
import { type ConnectionRow, findConnection } from '../connections/connections.ts'
import { maxLogoutAgeSeconds } from '../oidc/oidc.ts'
import { endSessionsOfConnection } from '../sessions/sessions.ts'
import { lockIdentity, orgOfConnection, rememberLogout } from './queries.ts'

export { type ArrivingBrowser, admit, type VouchedPerson } from './admission.ts'
export type { AdmissionRefusal } from './admission-rules.ts'
export { personOfSaml } from './saml-person.ts'
export { createSignIns, type SignIns, signInSeconds } from './sign-ins.ts'

const digest = (text: string) => hash('sha256', text, 'buffer')

/** Returns the enabled connection with a public id, of whichever organization. */
export async function findEnabledConnection({ sql }: Platform, text: unknown): Promise<ConnectionRow | undefined> {
  const id = typeof text === 'string' ? parseId('connection', text) : undefined
  const orgId = id === undefined ? undefined : await orgOfConnection(sql, id)
  if (id === undefined || orgId === undefined) return undefined
  const found = await sql.asOrgs([orgId], (tx) => findConnection(tx, orgId, id))
  return found?.enabled ? found : undefined
}

/** Follows a provider's wish to end the sessions of somebody, once; false for one that was followed before. */
export async function followLogout(
  platform: Platform,
  tools: PageTools,
  { org_id: orgId, id: connectionId }: ConnectionRow,
  { subject, tokenId }: { readonly subject: string; readonly tokenId: string },
): Promise<boolean> {
  if (!(await rememberLogout(tools.tx, orgId, connectionId, digest(tokenId), 2 * maxLogoutAgeSeconds))) return false
  const memberId = await lockIdentity(tools.tx, orgId, connectionId, subject)
  if (memberId !== undefined) await endSessionsOfConnection(platform, tools, orgId, connectionId, memberId)
  return true
}
