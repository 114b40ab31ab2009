import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'

const columns = ['id', 'display_name', 'external_id', 'created_at', 'updated_at'] as const

interface GroupFields {
  readonly display_name: string
  readonly name_key: string
  readonly external_id: string | null
}

/** Stores a group; undefined when another has its name. */
export const insertGroup = (tx: Tx, orgId: string, group: GroupFields & { id: string }) =>
  tx
    .insertInto('scim_groups')
    .values({ org_id: orgId, ...group })
    .onConflict((conflict) => conflict.columns(['org_id', 'name_key']).doNothing())
    .returning(columns)
    .executeTakeFirst()

export type GroupRow = NonNullable<Awaited<ReturnType<typeof insertGroup>>>

export const findGroup = (tx: Tx, orgId: string, id: string): Promise<GroupRow | undefined> =>
  tx.selectFrom('scim_groups').select(columns).where('org_id', '=', orgId).where('id', '=', id).executeTakeFirst()

export const findGroupNamed = (tx: Tx, orgId: string, nameKey: string): Promise<GroupRow | undefined> =>
  tx
    .selectFrom('scim_groups')
    .select(columns)
    .where('org_id', '=', orgId)
    .where('name_key', '=', nameKey)
    .executeTakeFirst()

/** Returns all groups of an organization, which are bounded in number, in the order of their making. */
export const listGroups = (tx: Tx, orgId: string): Promise<GroupRow[]> =>
  tx.selectFrom('scim_groups').select(columns).where('org_id', '=', orgId).orderBy('created_at').orderBy('id').execute()

export async function countGroups(tx: Tx, orgId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('scim_groups')
    .select(raw<number>`count(*)::integer`.as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow()
  return count
}

export const updateGroup = (tx: Tx, orgId: string, id: string, fields: Partial<GroupFields>): Promise<GroupRow> =>
  tx
    .updateTable('scim_groups')
    .set({ ...fields, updated_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()

export async function deleteGroup(tx: Tx, orgId: string, id: string) {
  await tx.deleteFrom('scim_groups').where('org_id', '=', orgId).where('id', '=', id).execute()
}

/** Returns those ids that members have who were not removed. */
export async function existingMembers(tx: Tx, orgId: string, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await raw<{ id: string }>`
    select id from memberships where org_id = ${orgId} and id = any (${ids}::uuid[]) and removed_at is null`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

/** Puts members into a group; returns those who were not in it. */
export async function addGroupMembers(tx: Tx, orgId: string, groupId: string, ids: readonly string[]) {
  const { rows } = await raw<{ member_id: string }>`
    insert into scim_group_members (org_id, group_id, member_id)
    select ${orgId}, ${groupId}, id from unnest(${ids}::uuid[]) as named (id)
    on conflict do nothing returning member_id`.execute(tx)
  return rows.map(({ member_id }) => member_id)
}

/** Takes members out of a group: these, or all but these; returns those who were in it. */
export async function removeGroupMembers(
  tx: Tx,
  orgId: string,
  groupId: string,
  named: { readonly ids: readonly string[] } | { readonly allBut: readonly string[] },
) {
  const which =
    'ids' in named
      ? raw<boolean>`member_id = any (${named.ids}::uuid[])`
      : raw<boolean>`not member_id = any (${named.allBut}::uuid[])`
  const removed = await tx
    .deleteFrom('scim_group_members')
    .where('org_id', '=', orgId)
    .where('group_id', '=', groupId)
    .where(which)
    .returning('member_id')
    .execute()
  return removed.map(({ member_id }) => member_id)
}

export async function countGroupMembers(tx: Tx, orgId: string, groupIds: readonly string[]) {
  const { rows } = await raw<{ group_id: string; count: number }>`
    select group_id, count(*)::integer as count from scim_group_members
     where org_id = ${orgId} and group_id = any (${groupIds}::uuid[]) group by group_id`.execute(tx)
  return new Map(rows.map(({ group_id, count }) => [group_id, count]))
}

export interface GroupMemberRow {
  readonly group_id: string
  readonly member_id: string
  readonly display: string
}

/** Returns the members of groups who were not removed, ordered by id. */
export async function membersOfGroups(tx: Tx, orgId: string, groupIds: readonly string[]): Promise<GroupMemberRow[]> {
  const { rows } = await raw<GroupMemberRow>`
    select gm.group_id, gm.member_id, coalesce(m.user_name, m.email) as display
      from scim_group_members gm join memberships m on m.org_id = gm.org_id and m.id = gm.member_id
     where gm.org_id = ${orgId} and gm.group_id = any (${groupIds}::uuid[]) and m.removed_at is null
     order by gm.group_id, gm.member_id`.execute(tx)
  return rows
}

/** Returns in which groups these members are. */
export async function groupsOfMembers(tx: Tx, orgId: string, memberIds: readonly string[]) {
  const { rows } = await raw<{ group_id: string; member_id: string }>`
    select group_id, member_id from scim_group_members
     where org_id = ${orgId} and member_id = any (${memberIds}::uuid[])`.execute(tx)
  return rows
}
