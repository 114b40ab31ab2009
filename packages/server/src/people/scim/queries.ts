import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'
import type { DirectoryRole } from './schema.ts'
import type { UserEmail, UserName } from './user-document.ts'

/** Facts that a directory gave about a user and that a membership has no place for. */
export interface UserAttributes {
  readonly displayName?: string
  readonly name?: UserName
  readonly emails?: readonly UserEmail[]
}

/** Every member who was not removed, whether a directory keeps them or not. */
const users = (tx: Tx, orgId: string) =>
  tx
    .selectFrom('memberships as m')
    .leftJoin('directory_users as d', (join) =>
      join.onRef('d.org_id', '=', 'm.org_id').onRef('d.member_id', '=', 'm.id'),
    )
    .select([
      'm.id',
      'm.email',
      'm.name',
      'm.user_name',
      'm.external_id',
      'm.deactivated_at',
      'm.created_at',
      raw<Date>`greatest(m.updated_at, d.updated_at)`.as('updated_at'),
      raw<UserAttributes | null>`d.attributes`.as('attributes'),
    ])
    .where('m.org_id', '=', orgId)
    .where('m.removed_at', 'is', null)

export const findUser = (tx: Tx, orgId: string, id: string) =>
  users(tx, orgId).where('m.id', '=', id).executeTakeFirst()

export type UserRow = NonNullable<Awaited<ReturnType<typeof findUser>>>

/** Lists users in the order of their making. */
export const listUsers = (tx: Tx, orgId: string, offset: number, limit: number): Promise<UserRow[]> =>
  users(tx, orgId).orderBy('m.created_at').orderBy('m.id').offset(offset).limit(limit).execute()

export async function countUsers(tx: Tx, orgId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('memberships')
    .select(raw<number>`count(*)::integer`.as('count'))
    .where('org_id', '=', orgId)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Finds the users with a user name or address in its normal form; somebody whom no directory keeps is named by the address. */
export const findUsersNamed = (tx: Tx, orgId: string, key: string): Promise<UserRow[]> =>
  users(tx, orgId)
    .where(
      raw<boolean>`m.id in (
        select member_id from directory_users where org_id = ${orgId} and user_name_key = ${key}
        union all
        select id from memberships where org_id = ${orgId} and email_key = ${key} and removed_at is null)`,
    )
    .execute()

export const findUsersByExternalId = (tx: Tx, orgId: string, externalId: string): Promise<UserRow[]> =>
  users(tx, orgId).where('m.external_id', '=', externalId).limit(100).execute()

/** Stores facts about a user, whose name nobody else has. Users of members who were removed make room. */
export async function upsertUser(
  tx: Tx,
  orgId: string,
  memberId: string,
  user: { readonly key: string; readonly attributes: UserAttributes },
) {
  await raw`
    delete from directory_users d using memberships m
     where d.org_id = ${orgId} and d.user_name_key = ${user.key} and m.org_id = d.org_id and m.id = d.member_id
       and m.removed_at is not null`.execute(tx)
  const fields = { user_name_key: user.key, attributes: JSON.stringify(user.attributes) }
  await tx
    .insertInto('directory_users')
    .values({ org_id: orgId, member_id: memberId, ...fields })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'member_id']).doUpdateSet({ ...fields, updated_at: raw`clock_timestamp()` }),
    )
    .execute()
}

/** Forgets what a directory said about a user, and their groups. */
export async function deleteUser(tx: Tx, orgId: string, memberId: string) {
  await tx.deleteFrom('directory_users').where('org_id', '=', orgId).where('member_id', '=', memberId).execute()
  await tx.deleteFrom('scim_group_members').where('org_id', '=', orgId).where('member_id', '=', memberId).execute()
}

export interface GroupedUser {
  readonly member_id: string
  readonly role: DirectoryRole
  /** Names of the groups in their normal form. */
  readonly groups: string[]
}

/** Returns users whom a directory keeps, with their role and groups; all of them, or those with these ids. */
export async function findGroupedUsers(tx: Tx, orgId: string, ids: readonly string[] | 'all'): Promise<GroupedUser[]> {
  const { rows } = await raw<GroupedUser>`
    select d.member_id, m.role,
           coalesce(array_agg(g.name_key) filter (where g.name_key is not null), '{}') as groups
      from directory_users d
      join memberships m on m.org_id = d.org_id and m.id = d.member_id
      left join scim_group_members gm on gm.org_id = d.org_id and gm.member_id = d.member_id
      left join scim_groups g on g.org_id = gm.org_id and g.id = gm.group_id
     where d.org_id = ${orgId} and m.removed_at is null
       and (${ids === 'all'} or d.member_id = any (${ids === 'all' ? [] : ids}::uuid[]))
     group by d.member_id, m.role
     order by d.member_id`.execute(tx)
  return rows
}

/** Counts the owners who can act, beside one. */
export async function countOwnersBeside(tx: Tx, orgId: string, memberId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('memberships')
    .select(raw<number>`count(*)::integer`.as('count'))
    .where('org_id', '=', orgId)
    .where('id', '<>', memberId)
    .where('role', '=', 'owner')
    .where('removed_at', 'is', null)
    .where('deactivated_at', 'is', null)
    .where('accepted_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return count
}
