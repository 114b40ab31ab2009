import type { PageTools } from '../../access/changes/changes.ts'
import { type Caller, powersOfPerson, requireCanEnd, requireCanHandOut } from '../../access/identity/identity.ts'
import { ApiError, validationFailed } from '../../contract/errors.ts'
import { includesRole } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { revocationEvent, revokeKeysOfMember } from '../../tenants/keys/keys.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { timestamp, timestampOrNull } from '../../values/timestamp.ts'
import { endSessionsOf } from '../sessions/sessions.ts'
import { isEmail, normalEmail } from './email.ts'
import {
  countMembers,
  countOtherOwners,
  deleteInvitationsBy,
  deleteSlackLinksOf,
  findMemberByEmailKey,
  insertMember,
  type MemberFields,
  type MemberRow,
  revokeTokensShownTo,
  setPersonOf,
  stampMember,
  updateMember,
  wasRemovedByKey,
} from './queries.ts'
import type { MemberRole, MemberStatus, MemberView } from './schema.ts'

export { isEmail, normalEmail } from './email.ts'
export { findMember, listMembers, lockMember, type MemberRow } from './queries.ts'
export type { MemberRole, MemberStatus, MemberView } from './schema.ts'

const maxMembers = 100_000

export const memberStatus = (row: Pick<MemberRow, 'removed_at' | 'deactivated_at' | 'accepted_at'>): MemberStatus => {
  if (row.removed_at !== null) return 'removed'
  if (row.deactivated_at !== null) return 'deactivated'
  return row.accepted_at === null ? 'invited' : 'active'
}

export const memberView = (row: MemberRow): MemberView => ({
  id: formatId('member', row.id),
  org_id: formatId('org', row.org_id),
  email: row.email,
  name: row.name,
  role: row.role,
  status: memberStatus(row),
  external_id: row.external_id,
  accepted_at: timestampOrNull(row.accepted_at),
  deactivated_at: timestampOrNull(row.deactivated_at),
  removed_at: timestampOrNull(row.removed_at),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

const targetOf = (row: MemberRow) => ({ kind: 'member', id: formatId('member', row.id) })

export const findMemberByEmail = (tx: Tx, orgId: string, email: string) =>
  findMemberByEmailKey(tx, orgId, normalEmail(email))

/** True when the organization has removed somebody with an address, in the last 90 days. */
export const wasRemoved = (tx: Tx, orgId: string, email: string): Promise<boolean> =>
  wasRemovedByKey(tx, orgId, normalEmail(email))

/** A person to be made a member. */
export interface MemberSpec {
  readonly email: string
  readonly name: string
  readonly role: MemberRole
  readonly userName?: string | null
  readonly externalId?: string | null
  /** True for somebody who has just signed in, or whom a directory vouches for. */
  readonly isAccepted?: boolean
  readonly personId?: string
  /** Whoever invited them; nobody for a directory or an identity provider. */
  readonly invitedBy?: Pick<Caller, 'kind' | 'id'>
}

/** Makes somebody a member; 409 when the organization has a member with this address. */
export async function addMember(
  { tx, audit }: Pick<PageTools, 'tx' | 'audit'>,
  orgId: string,
  spec: MemberSpec,
): Promise<MemberRow> {
  if (!isEmail(spec.email))
    throw validationFailed([{ field: 'email', code: 'invalid_format', message: 'Must be an e-mail address.' }])
  if ((await countMembers(tx, orgId)) >= maxMembers)
    throw conflict(`An organization can have ${maxMembers.toLocaleString('en-US')} members. Remove one first.`)
  const row = await insertMember(tx, orgId, {
    id: newUuid(),
    person_id: spec.personId ?? newUuid(),
    email: spec.email.trim(),
    email_key: normalEmail(spec.email),
    name: spec.name,
    role: spec.role,
    user_name: spec.userName ?? null,
    external_id: spec.externalId ?? null,
    invited_by_key: spec.invitedBy?.kind === 'key' ? spec.invitedBy.id : null,
    invited_by_member: spec.invitedBy?.kind === 'person' ? spec.invitedBy.id : null,
    isAccepted: spec.isAccepted ?? false,
  })
  if (!row) throw conflict('The organization has a member with this address already.')
  audit({ action: 'member.added', target: targetOf(row), after: memberView(row) })
  return row
}

/** Refuses a caller who would give somebody more power than it has itself. */
export const requireCanGive = (caller: Caller, role: MemberRole) => requireCanHandOut(caller, powersOfPerson(role))

/** Refuses a caller who has less power than a member. */
export const requireCanManage = (caller: Caller, { role }: Pick<MemberRow, 'role'>) =>
  requireCanEnd(caller, powersOfPerson(role))

export interface MemberChanges {
  readonly email?: string
  readonly name?: string
  readonly role?: MemberRole
  readonly userName?: string | null
  readonly externalId?: string | null
}

/** Obedience to whoever asks: a directory is obeyed even where that leaves nobody in charge. */
interface Obedience {
  readonly isDirectory?: boolean
}

/**
 * Changes a member, whose row is locked. A lower role ends the administrator's keys above it; the next request on every process is
 * bound by it.
 */
export async function changeMember(
  platform: Platform,
  tools: PageTools,
  row: MemberRow,
  { email, name, role, userName, externalId }: MemberChanges,
  { isDirectory = false }: Obedience = {},
): Promise<MemberRow> {
  const { tx, audit, accessChanged } = tools
  if (email !== undefined && normalEmail(email) !== normalEmail(row.email)) {
    const other = await findMemberByEmail(tx, row.org_id, email)
    if (other && other.id !== row.id) throw conflict('The organization has a member with this address already.')
  }
  const isLowered = role !== undefined && !includesRole(role, row.role)
  if (isLowered && !isDirectory) await requireOtherOwner(tx, row)
  const fields: Partial<MemberFields> = {
    ...(email !== undefined && { email: email.trim(), email_key: normalEmail(email) }),
    ...(name !== undefined && { name }),
    ...(role !== undefined && { role }),
    ...(userName !== undefined && { user_name: userName }),
    ...(externalId !== undefined && { external_id: externalId }),
  }
  if (Object.keys(fields).length === 0) return row
  const changed = await updateMember(tx, row, fields)
  audit({ action: 'member.changed', target: targetOf(row), before: memberView(row), after: memberView(changed) })
  if (isLowered) {
    await endShown(tools, row)
    await endKeys(platform, tools, row, { above: role, isForced: isDirectory })
  }
  if (changed.role !== row.role || changed.email !== row.email) accessChanged()
  return changed
}

/** Shuts a member out, whose row is locked: ends their sessions, their links and the keys that they answer for or were shown. */
export async function endMember(
  platform: Platform,
  tools: PageTools,
  row: MemberRow,
  how: 'deactivated' | 'removed',
  { isDirectory = false }: Obedience = {},
): Promise<MemberRow> {
  const { tx, audit, accessChanged } = tools
  const status = memberStatus(row)
  if (status === 'removed' || status === how) return row
  if (!isDirectory) await requireOtherOwner(tx, row)
  const member = await stampMember(tx, row, how === 'removed' ? 'removed_at' : 'deactivated_at')
  audit({ action: `member.${how}`, target: targetOf(row), before: memberView(row), after: memberView(member) })
  await endSessionsOf(platform, tools, row.org_id, [row.id])
  for (const id of await deleteSlackLinksOf(tx, row))
    audit({ action: 'slack_link.deleted', target: { kind: 'slack_link', id: formatId('slackLink', id) } })
  await endShown(tools, row)
  await endKeys(platform, tools, row, { isForced: isDirectory })
  accessChanged()
  return member
}

/** Ends what a member was shown beside keys: links of people whom they invited, and tokens of directories. */
async function endShown({ tx, audit }: PageTools, row: MemberRow) {
  await deleteInvitationsBy(tx, row)
  for (const id of await revokeTokensShownTo(tx, row))
    audit({ action: 'scim_token.revoked', target: { kind: 'scim_token', id: formatId('scimToken', id) } })
}

async function endKeys(
  platform: Platform,
  { tx, audit, emit, accessChanged }: PageTools,
  { org_id, id }: MemberRow,
  options: { above?: MemberRole; isForced: boolean },
): Promise<void> {
  const revoked = await revokeKeysOfMember(platform, tx, org_id, id, options)
  for (const { before, after } of revoked) {
    audit({ action: 'key.revoked', target: { kind: 'key', id: after.id }, before, after })
    emit(revocationEvent(after))
  }
  if (revoked.length > 0) accessChanged()
}

/** Lets a deactivated member in again. Keys and sessions that ended stay ended. */
export async function reactivateMember({ tx, audit, accessChanged }: PageTools, row: MemberRow): Promise<MemberRow> {
  if (memberStatus(row) !== 'deactivated') return row
  const member = await stampMember(tx, row, 'deactivated_at', false)
  audit({ action: 'member.reactivated', target: targetOf(row), before: memberView(row), after: memberView(member) })
  accessChanged()
  return member
}

/**
 * Marks an invited member as having come. Somebody who is signed in elsewhere under the same address stays one person: their passkeys
 * open both organizations.
 */
export async function acceptMember(
  { tx, audit }: Pick<PageTools, 'tx' | 'audit'>,
  row: MemberRow,
  signedInAs?: { readonly id: string; readonly email: string },
): Promise<MemberRow> {
  if (memberStatus(row) !== 'invited') return row
  const accepted = await stampMember(tx, row, 'accepted_at')
  audit({ action: 'member.joined', target: targetOf(row), before: memberView(row), after: memberView(accepted) })
  return signedInAs && normalEmail(signedInAs.email) === normalEmail(row.email)
    ? setPersonOf(tx, accepted, signedInAs.id)
    : accepted
}

/** True when a member is the only active owner. Until the transaction ends no other owner goes. */
export const isLastOwner = async (tx: Tx, row: MemberRow): Promise<boolean> =>
  row.role === 'owner' && memberStatus(row) === 'active' && (await countOtherOwners(tx, row)) === 0

/** Refuses to leave an organization that has owners without one. */
async function requireOtherOwner(tx: Tx, row: MemberRow) {
  if (await isLastOwner(tx, row))
    throw conflict('This is the last owner of the organization. Make somebody else an owner first.')
}

const conflict = (message: string) => new ApiError('conflict', {}, { message })
