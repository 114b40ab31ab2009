import { hash, randomBytes } from 'node:crypto'
import type { PageTools } from '../../access/changes/changes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { parseId } from '../../values/id.ts'
import { type ConnectionRow, findConnection } from '../connections/connections.ts'
import { maxLogoutAgeSeconds, type SignInSecrets, secretsOf } from '../oidc/oidc.ts'
import { endSessionsOfConnection } from '../sessions/sessions.ts'
import type { VouchedPerson } from './admission.ts'
import {
  claimRequest,
  insertRequest,
  lockIdentity,
  orgOfConnection,
  rememberLogout,
  setAnswer,
  takeAnsweredRequest,
  takeRequest,
} from './queries.ts'

export { admit, type VouchedPerson } from './admission.ts'
export type { AdmissionRefusal } from './admission-rules.ts'
export { createProviders } from './providers.ts'
export { personOfSaml } from './saml-person.ts'

/** Time that somebody has to sign in at their provider. */
export const signInSeconds = 600
/** Sign-ins of one organization that are under way at a time; beyond, those that began first are given up. */
const maxRequests = 5_000
const secretBytes = 32
const maxStateLength = 100

const digest = (text: string) => hash('sha256', text, 'buffer')
const newSecret = () => randomBytes(secretBytes).toString('base64url')

/** Returns the enabled connection with a public id, of whichever organization. */
export async function findEnabledConnection({ sql }: Platform, text: unknown): Promise<ConnectionRow | undefined> {
  const id = typeof text === 'string' ? parseId('connection', text) : undefined
  const orgId = id === undefined ? undefined : await orgOfConnection(sql, id)
  if (id === undefined || orgId === undefined) return undefined
  const found = await sql.asOrgs([orgId], (tx) => findConnection(tx, orgId, id))
  return found?.enabled ? found : undefined
}

/** Puts on record that a browser was sent to a provider. What completes the sign-in stays with the browser, as one secret. */
export async function beginRequest(
  { sql }: Platform,
  { org_id: orgId, id: connectionId }: ConnectionRow,
  returnTo: string | undefined,
): Promise<{ browserSecret: string; secrets: SignInSecrets }> {
  const [browserSecret, state] = [newSecret(), newSecret()]
  const request = { connectionId, stateDigest: digest(state), browserDigest: digest(browserSecret), returnTo }
  await sql.asOrgs([orgId], (tx) => insertRequest(tx, orgId, request, signInSeconds, maxRequests))
  return { browserSecret, secrets: secretsOf(browserSecret, state) }
}

/** Takes the sign-in that a browser began with a connection, once; undefined when it began none with this state. */
export async function takeBegun(
  { sql }: Platform,
  { org_id: orgId, id: connectionId }: ConnectionRow,
  state: unknown,
  browserSecret: string | undefined,
): Promise<{ secrets: SignInSecrets; returnTo: string | undefined } | undefined> {
  if (typeof state !== 'string' || state.length > maxStateLength || browserSecret === undefined) return undefined
  const request = { connectionId, stateDigest: digest(state), browserDigest: digest(browserSecret) }
  const taken = await sql.asOrgs([orgId], (tx) => takeRequest(tx, orgId, request))
  return taken && { ...taken, secrets: secretsOf(browserSecret, state) }
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

/** Puts on record that a browser was sent to a provider of SAML, with a request that its answer names. Returns the browser's secret. */
export async function beginSamlRequest(
  { sql }: Platform,
  { org_id: orgId, id: connectionId }: ConnectionRow,
  requestId: string,
  returnTo: string | undefined,
): Promise<string> {
  const browserSecret = newSecret()
  const request = { connectionId, stateDigest: digest(requestId), browserDigest: digest(browserSecret), returnTo }
  await sql.asOrgs([orgId], (tx) => insertRequest(tx, orgId, request, signInSeconds, maxRequests))
  return browserSecret
}

/** Claims the request that an answer of a provider names: true once, for one that was made for this connection. */
export const claimAnswer = ({ sql }: Platform, { org_id: orgId, id }: ConnectionRow, requestId: string) =>
  sql.asOrgs([orgId], (tx) => claimRequest(tx, orgId, id, digest(requestId)))

/**
 * Keeps the person whom an answer names, for the browser that began the sign-in. Returns the secret of the browser that brought the answer: only one
 * that is both can finish. Otherwise somebody could begin a sign-in, let another answer it at their provider, and come for the answer.
 */
export async function keepAnswer(
  { sql }: Platform,
  { org_id: orgId }: ConnectionRow,
  requestId: string,
  person: VouchedPerson,
): Promise<string> {
  const code = newSecret()
  await sql.asOrgs([orgId], (tx) => setAnswer(tx, orgId, digest(requestId), digest(code), person))
  return code
}

/** Takes the person whom the answer to a browser's sign-in names, once; undefined when it began none, or did not bring the answer. */
export async function takeAnswered(
  { sql }: Platform,
  { org_id: orgId, id }: ConnectionRow,
  browserSecret: string | undefined,
  code: unknown,
): Promise<{ person: VouchedPerson; returnTo: string | undefined } | undefined> {
  if (browserSecret === undefined || typeof code !== 'string' || code.length > maxStateLength) return undefined
  const digests = { browserDigest: digest(browserSecret), finishDigest: digest(code) }
  const row = await sql.asOrgs([orgId], (tx) => takeAnsweredRequest(tx, orgId, id, digests))
  // The answer is as `keepAnswer` wrote it.
  return row && { person: row.answer as VouchedPerson, returnTo: row.return_to ?? undefined }
}
