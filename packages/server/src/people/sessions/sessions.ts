import { hash } from 'node:crypto'
import type { ChangeTools } from '../../access/changes/changes.ts'
import {
  type Caller,
  keysOfLineage,
  makerColumns,
  makerIn,
  makerText,
  makerTextOrNull,
  mintLinkCode,
  mintSessionToken,
  powersOfPerson,
  requireCanEnd,
  type SessionWay,
} from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { findKey, powersOf } from '../../tenants/keys/keys.ts'
import { formatId, operatorsOrgId } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { timestamp, timestampOrNull } from '../../values/timestamp.ts'
import { sessionBounds } from '../session-policy/session-policy.ts'
import {
  deleteLinksOf,
  endOldest,
  insertLink,
  insertSession,
  lockSession,
  revokeSession,
  revokeSessions,
  roleOfMember,
  type SessionRow,
} from './queries.ts'
import type { SessionStatus, SessionView } from './schema.ts'

export { findSession, listSessions, type SessionRow } from './queries.ts'
export type { SessionView } from './schema.ts'

/** Live sessions that one key or grant can have; a further sign-in ends the oldest. */
const maxPerOwner = 100
/** Ended sessions of one key or grant that are remembered. */
const maxEndedPerOwner = 1_000
const maxUserAgent = 300

const statusOf = (row: SessionRow, now: Date): SessionStatus => {
  if (row.revoked_at !== null) return 'revoked'
  const idleEndMs = row.last_used_at.getTime() + row.idle_seconds * 1_000
  return row.expires_at <= now || idleEndMs <= now.getTime() ? 'expired' : 'active'
}

/** Returns a session as `/v1` shows it to a caller. */
export const sessionView = (row: SessionRow, now: Date, caller: Pick<Caller, 'session'>): SessionView => ({
  id: formatId('session', row.id),
  org_id: row.org_id === operatorsOrgId ? null : formatId('org', row.org_id),
  key_id: makerTextOrNull(makerIn(row)),
  member_id: row.member_id === null ? null : formatId('member', row.member_id),
  way: row.way,
  connection_id: row.connection_id === null ? null : formatId('connection', row.connection_id),
  status: statusOf(row, now),
  is_current: row.id === caller.session?.id,
  address: row.address,
  user_agent: row.user_agent,
  last_used_at: timestamp(row.last_used_at),
  expires_at: timestamp(row.expires_at),
  revoked_at: timestampOrNull(row.revoked_at),
  created_at: timestamp(row.created_at),
})

/** The columns that say as whom a session or a link acts. */
const ownerColumns = (caller: Pick<Caller, 'kind' | 'id'>) => ({
  ...makerColumns(caller),
  member_id: caller.kind === 'person' ? caller.id : null,
})

/** Opens a session that acts as a caller. Its token is given to the browser and stored as a hash only. */
export async function openSession(
  { config, clock }: Platform,
  { tx, audit, accessChanged }: Pick<ChangeTools, 'tx' | 'audit' | 'accessChanged'>,
  caller: Caller,
  from: { address: string; userAgent: string; way: SessionWay; connectionId?: string | undefined },
): Promise<{ token: string; seconds: number }> {
  const { idleSeconds, maxSeconds } = await sessionBounds(config, tx, caller, from.way)
  const minted = mintSessionToken(config)
  const row = await insertSession(tx, caller.orgId, {
    id: minted.id,
    ...ownerColumns(caller),
    way: from.way,
    connection_id: from.connectionId ?? null,
    digest: hash('sha256', minted.secret, 'buffer'),
    address: from.address,
    user_agent: from.userAgent.slice(0, maxUserAgent),
    idle_seconds: idleSeconds,
    maxSeconds,
  })
  const most = { live: maxPerOwner, ended: maxEndedPerOwner }
  const ended = await endOldest(tx, caller.orgId, caller.id, most, clock.now())
  const { is_current: _, ...after } = sessionView(row, clock.now(), caller)
  audit({ action: 'session.created', target: { kind: 'session', id: after.id }, after })
  for (const id of ended) audit({ action: 'session.revoked', target: { kind: 'session', id: formatId('session', id) } })
  if (ended.length > 0) accessChanged()
  return { token: minted.text, seconds: maxSeconds }
}

/** Ends a session; repeating it has no effect. */
export async function endSession(
  { clock }: Platform,
  { tx, audit, accessChanged }: Pick<ChangeTools, 'tx' | 'audit' | 'accessChanged'>,
  caller: Caller,
  id: string,
  mayEnd: (tx: Tx, row: SessionRow) => Promise<boolean>,
): Promise<SessionView> {
  const { orgId } = caller
  const found = await lockSession(tx, orgId, id)
  if (!found || !(await mayEnd(tx, found))) throw new ApiError('not_found')
  const now = clock.now()
  const before = sessionView(found, now, caller)
  // One that seems idle may have been used on another process just now.
  if (found.revoked_at !== null || found.expires_at <= now) return before
  const after = sessionView(await revokeSession(tx, orgId, id), now, caller)
  audit({ action: 'session.revoked', target: { kind: 'session', id: after.id }, before, after })
  accessChanged()
  return after
}

/** Returns the keys whose sessions are the caller's own: its key and those before and after it in rotation; or its grant. */
export const ownersOf = async (tx: Tx, { kind, id, orgId, lineageId }: Caller): Promise<string[]> =>
  kind === 'key' ? keysOfLineage(tx, orgId, lineageId) : [id]

/** True when a session is the caller's own. */
export const isOwn = (caller: Caller) => async (tx: Tx, row: SessionRow) =>
  (await ownersOf(tx, caller)).includes(row.key_id ?? row.grant_id ?? present(row.member_id))

/** Lets an administrator end sessions of keys and members that do not exceed its own powers; throws for those of others. */
export const isWithinPower = (caller: Caller) => async (tx: Tx, row: SessionRow) => {
  const key = row.key_id === null ? undefined : await findKey(tx, row.org_id, row.key_id)
  const role = row.member_id === null ? undefined : await roleOfMember(tx, row.org_id, row.member_id)
  if (key) requireCanEnd(caller, powersOf(key))
  if (role) requireCanEnd(caller, powersOfPerson(role))
  return true
}

/** Ends all sessions of the caller, the current one included, and uses up its links. */
export const endOwnSessions = async (platform: Platform, tools: ChangeTools, caller: Caller) =>
  endSessionsOf(platform, tools, caller.orgId, await ownersOf(tools.tx, caller))

/** Ends the sessions that were opened through a connection: of one member, or of all. */
export async function endSessionsOfConnection(
  { clock }: Pick<Platform, 'clock'>,
  { tx, audit, accessChanged }: Pick<ChangeTools, 'tx' | 'audit' | 'accessChanged'>,
  orgId: string,
  connectionId: string,
  memberId?: string,
) {
  const ownerIds = memberId === undefined ? undefined : [memberId]
  const ids = await revokeSessions(tx, orgId, { ownerIds, connectionId }, clock.now())
  for (const id of ids) audit({ action: 'session.revoked', target: { kind: 'session', id: formatId('session', id) } })
  if (ids.length > 0) accessChanged()
}

/** Ends all sessions of keys, grants or members, and uses up their links. */
export async function endSessionsOf(
  { clock }: Platform,
  { tx, audit, accessChanged }: Pick<ChangeTools, 'tx' | 'audit' | 'accessChanged'>,
  orgId: string,
  owners: readonly string[],
): Promise<{ revoked: number }> {
  const ids = await revokeSessions(tx, orgId, { ownerIds: owners }, clock.now())
  await deleteLinksOf(tx, orgId, owners)
  for (const id of ids) audit({ action: 'session.revoked', target: { kind: 'session', id: formatId('session', id) } })
  if (ids.length > 0) accessChanged()
  return { revoked: ids.length }
}

const linkSeconds = 300
const maxLinksPerOwner = 20

/** Makes a link that signs a browser in once, as a key, a grant or a member. */
async function makeLink(
  { addresses }: Platform,
  tx: Tx,
  owner: Pick<Caller, 'orgId' | 'kind' | 'id'>,
  { seconds, keep }: { seconds: number; keep: number },
): Promise<{ url: string; expires_at: string }> {
  const code = mintLinkCode()
  const digest = hash('sha256', code.secret, 'buffer')
  const link = { id: code.id, ...ownerColumns(owner), digest, seconds }
  const expires_at = timestamp(await insertLink(tx, owner.orgId, link, keep))
  return { url: `${addresses.publicUrl()}/console/signin?code=${code.text}`, expires_at }
}

const invitationSeconds = 7 * 86_400

/** Makes the link with which an invited member signs in for the first time; it replaces the one before. */
export const makeInvitation = (platform: Platform, tx: Tx, orgId: string, memberId: string) =>
  makeLink(platform, tx, { orgId, kind: 'person', id: memberId }, { seconds: invitationSeconds, keep: 1 })

/**
 * Makes a link that signs a browser in once, as the caller. A session cannot make one: it would outlive its own end by signing in
 * again and again.
 */
export async function makeSignInLink(
  platform: Platform,
  { tx, audit }: ChangeTools,
  caller: Caller,
): Promise<{ url: string; expires_at: string }> {
  if (caller.session) throw new ApiError('forbidden', {}, { message: 'Only a key itself can make a link to sign in.' })
  const link = await makeLink(platform, tx, caller, { seconds: linkSeconds, keep: maxLinksPerOwner })
  const target = { kind: caller.kind === 'key' ? 'key' : 'support_grant', id: makerText(caller) }
  audit({ action: 'sign_in_link.created', target, after: { expires_at: link.expires_at } })
  return link
}
