import { sql as raw } from 'kysely'
import type { PageRequest } from '../../contract/lists.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import type { DirectoryRole, ScimTokenStatus } from './schema.ts'

const columns = ['org_id', 'id', 'name', 'created_at', 'last_used_at', 'revoked_at'] as const

interface NewToken {
  readonly id: string
  readonly name: string
  readonly digest: Buffer
  readonly minted_by_key: string | null
  readonly minted_by_member: string | null
}

export const insertToken = (tx: Tx, orgId: string, token: NewToken) =>
  tx
    .insertInto('scim_tokens')
    .values({ org_id: orgId, ...token })
    .returning(columns)
    .executeTakeFirstOrThrow()

export type ScimTokenRow = Awaited<ReturnType<typeof insertToken>>

export const findToken = (tx: Tx, orgId: string, id: string): Promise<ScimTokenRow | undefined> =>
  tx.selectFrom('scim_tokens').select(columns).where('org_id', '=', orgId).where('id', '=', id).executeTakeFirst()

export async function countLiveTokens(tx: Tx, orgId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('scim_tokens')
    .select(raw<number>`count(*)::integer`.as('count'))
    .where('org_id', '=', orgId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

export const revokeToken = (tx: Tx, orgId: string, id: string): Promise<ScimTokenRow> =>
  tx
    .updateTable('scim_tokens')
    .set({ revoked_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()

export async function listTokens(
  tx: Tx,
  orgId: string,
  page: PageRequest<'created_at'>,
  status: ScimTokenStatus | undefined,
) {
  let query = tx
    .selectFrom('scim_tokens')
    .select([...columns, raw<string>`created_at::text`.as('sort_value')])
    .where('org_id', '=', orgId)
  if (status !== undefined) query = query.where('revoked_at', status === 'active' ? 'is' : 'is not', null)
  return keysetPage(query, { sort: page.sort, id: 'id' }, page).execute()
}

/** A rule that gives the members of a group a role. */
export interface DirectoryRule {
  readonly group: string
  readonly role: DirectoryRole
}

const roleColumns = [
  raw<DirectoryRule[]>`rules`.as('rules'),
  raw<DirectoryRole>`default_role`.as('default_role'),
  'created_at',
  'updated_at',
] as const

export const findRoles = (tx: Tx, orgId: string) =>
  tx.selectFrom('directory_roles').select(roleColumns).where('org_id', '=', orgId).executeTakeFirst()

export type DirectoryRolesRow = NonNullable<Awaited<ReturnType<typeof findRoles>>>

export function upsertRoles(
  tx: Tx,
  orgId: string,
  { rules, default_role }: Pick<DirectoryRolesRow, 'rules' | 'default_role'>,
): Promise<DirectoryRolesRow> {
  const fields = { rules: JSON.stringify(rules), default_role }
  return tx
    .insertInto('directory_roles')
    .values({ org_id: orgId, ...fields })
    .onConflict((conflict) => conflict.column('org_id').doUpdateSet({ ...fields, updated_at: raw`clock_timestamp()` }))
    .returning(roleColumns)
    .executeTakeFirstOrThrow()
}
