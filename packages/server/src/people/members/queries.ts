import { sql as raw } from 'kysely'
import type { PageRequest } from '../../contract/lists.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'
import type { MemberRole, MemberStatus } from './schema.ts'

const columns = [
  'org_id',
  'id',
  'person_id',
  'email',
  'name',
  raw<MemberRole>`role`.as('role'),
  'user_name',
  'external_id',
  'created_at',
  'updated_at',
  'accepted_at',
  'deactivated_at',
  'removed_at',
] as const

interface NewMember {
  readonly id: string
  readonly person_id: string
  readonly email: string
  readonly email_key: string
  readonly name: string
  readonly role: MemberRole
  readonly user_name: string | null
  readonly external_id: string | null
  readonly invited_by_key: string | null
  readonly invited_by_member: string | null
  readonly isAccepted: boolean
}

/** Stores a member; undefined when the organization has somebody with this address, or this person, already. */
export const insertMember = (tx: Tx, orgId: string, { isAccepted, ...member }: NewMember) =>
  tx
    .insertInto('memberships')
    .values({ ...member, org_id: orgId, accepted_at: isAccepted ? raw`clock_timestamp()` : null })
    .onConflict((conflict) => conflict.doNothing())
    .returning(columns)
    .executeTakeFirst()

export type MemberRow = NonNullable<Awaited<ReturnType<typeof insertMember>>>

const membersOf = (tx: Tx, orgId: string) => tx.selectFrom('memberships').select(columns).where('org_id', '=', orgId)

/** Finds a member, also one who was removed lately. */
export const findMember = (tx: Tx, orgId: string, id: string): Promise<MemberRow | undefined> =>
  membersOf(tx, orgId).where('id', '=', id).executeTakeFirst()

/** Locks a member until the transaction ends. */
export const lockMember = (tx: Tx, orgId: string, id: string): Promise<MemberRow | undefined> =>
  membersOf(tx, orgId).where('id', '=', id).forUpdate().executeTakeFirst()

export const findMemberByEmailKey = (tx: Tx, orgId: string, emailKey: string): Promise<MemberRow | undefined> =>
  membersOf(tx, orgId).where('email_key', '=', emailKey).where('removed_at', 'is', null).executeTakeFirst()

const inStatus: Record<MemberStatus, ReturnType<typeof raw<boolean>>> = {
  removed: raw<boolean>`removed_at is not null`,
  deactivated: raw<boolean>`removed_at is null and deactivated_at is not null`,
  invited: raw<boolean>`removed_at is null and deactivated_at is null and accepted_at is null`,
  active: raw<boolean>`removed_at is null and deactivated_at is null and accepted_at is not null`,
}

export interface MemberFilters {
  readonly status?: MemberStatus | undefined
  readonly role?: MemberRole | undefined
  readonly emailKey?: string | undefined
}

export async function listMembers(
  tx: Tx,
  orgId: string,
  page: PageRequest<'created_at'>,
  { status, role, emailKey }: MemberFilters,
) {
  let query = tx
    .selectFrom('memberships')
    .select([...columns, raw<string>`created_at::text`.as('sort_value')])
    .where('org_id', '=', orgId)
    .where(status === undefined ? raw<boolean>`removed_at is null` : inStatus[status])
  if (role !== undefined) query = query.where('role', '=', role)
  if (emailKey !== undefined) query = query.where('email_key', '=', emailKey)
  return keysetPage(query, { sort: page.sort, id: 'id' }, page).execute()
}

export interface MemberFields {
  readonly email: string
  readonly email_key: string
  readonly name: string
  readonly role: MemberRole
  readonly user_name: string | null
  readonly external_id: string | null
}

const update = (tx: Tx, { org_id, id }: Pick<MemberRow, 'org_id' | 'id'>) =>
  tx.updateTable('memberships').where('org_id', '=', org_id).where('id', '=', id)

export const updateMember = (tx: Tx, row: MemberRow, fields: Partial<MemberFields>): Promise<MemberRow> =>
  update(tx, row)
    .set({ ...fields, updated_at: raw`clock_timestamp()` })
    .returning(columns)
    .executeTakeFirstOrThrow()

/** Sets or clears the time at which a member accepted, was deactivated or was removed. */
export const stampMember = (
  tx: Tx,
  row: MemberRow,
  column: 'accepted_at' | 'deactivated_at' | 'removed_at',
  isSet = true,
): Promise<MemberRow> =>
  update(tx, row)
    .set({ [column]: isSet ? raw`clock_timestamp()` : null, updated_at: raw`clock_timestamp()` })
    .returning(columns)
    .executeTakeFirstOrThrow()

/** Makes a membership that of a person whom other organizations know too, unless the person is in this one already. */
export async function setPersonOf(tx: Tx, row: MemberRow, personId: string): Promise<MemberRow> {
  const other = await tx
    .selectFrom('memberships')
    .select('id')
    .where('org_id', '=', row.org_id)
    .where('person_id', '=', personId)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  if (other) return row
  return update(tx, row).set({ person_id: personId }).returning(columns).executeTakeFirstOrThrow()
}

/** Counts the active owners of an organization beside one; changes of its owners wait for each other. */
export async function countOtherOwners(tx: Tx, { org_id, id }: MemberRow): Promise<number> {
  await tx.selectFrom('orgs').select('id').where('id', '=', org_id).forNoKeyUpdate().execute()
  const { rows } = await raw<{ count: number }>`
    select count(*)::integer as count from memberships
     where org_id = ${org_id} and id <> ${id} and role = 'owner' and ${inStatus.active}`.execute(tx)
  return one(rows).count
}

/** Counts the members of an organization who are not removed. */
export async function countMembers(tx: Tx, orgId: string): Promise<number> {
  const { rows } = await raw<{ count: number }>`
    select count(*)::integer as count from memberships where org_id = ${orgId} and removed_at is null`.execute(tx)
  return one(rows).count
}

/** True when the organization has removed somebody with an address lately. */
export async function wasRemovedByKey(tx: Tx, orgId: string, emailKey: string): Promise<boolean> {
  const { rows } = await raw`
    select from memberships where org_id = ${orgId} and email_key = ${emailKey} and removed_at is not null limit 1`.execute(
    tx,
  )
  return rows.length > 0
}

/** Uses up the links of those whom a member has invited and who have not come: the member was shown them. */
export async function deleteInvitationsBy(tx: Tx, { org_id, id }: MemberRow) {
  await raw`
    delete from sign_in_links where org_id = ${org_id} and coalesce(key_id, grant_id, member_id) in (
      select id from memberships where org_id = ${org_id} and invited_by_member = ${id} and accepted_at is null)`.execute(
    tx,
  )
}

/** Sets whoever invited a member: the one who was shown the link. */
export async function setInviter(tx: Tx, row: MemberRow, { kind, id }: { kind: string; id: string }) {
  await update(tx, row)
    .set({ invited_by_key: kind === 'key' ? id : null, invited_by_member: kind === 'person' ? id : null })
    .execute()
}

/** Revokes the tokens of directories whose secret a member was shown; returns their ids. */
export async function revokeTokensShownTo(tx: Tx, { org_id, id }: MemberRow): Promise<string[]> {
  const { rows } = await raw<{ id: string }>`
    update scim_tokens set revoked_at = clock_timestamp()
     where org_id = ${org_id} and minted_by_member = ${id} and revoked_at is null returning id`.execute(tx)
  return rows.map((token) => token.id)
}

/** Deletes the links of a member to Slack users; returns their ids. */
export async function deleteSlackLinksOf(tx: Tx, row: MemberRow): Promise<string[]> {
  const { rows } = await raw<{ id: string }>`
    delete from slack_links where org_id = ${row.org_id} and member_id = ${row.id} returning id`.execute(tx)
  return rows.map(({ id }) => id)
}
