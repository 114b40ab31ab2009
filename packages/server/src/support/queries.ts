import { sql as raw } from 'kysely'
import type { PageRequest } from '../contract/lists.ts'
import { keysetPage } from '../infra/keyset.ts'
import type { Sql, Tx } from '../infra/sql.ts'

const visible = [
  'org_id',
  'id',
  'operator_key_id',
  'scope',
  'reason',
  'expires_at',
  'revoked_at',
  'created_at',
  'updated_at',
] as const

interface NewGrant {
  readonly id: string
  readonly operator_key_id: string
  readonly scope: string
  readonly reason: string
  readonly mac: Buffer
  readonly mac_key_id: string
  readonly durationSeconds: number
}

export const insertGrant = (tx: Tx, orgId: string, { durationSeconds, ...grant }: NewGrant) =>
  tx
    .insertInto('support_grants')
    .values({ ...grant, org_id: orgId, expires_at: raw`clock_timestamp() + make_interval(secs => ${durationSeconds})` })
    .returning(visible)
    .executeTakeFirstOrThrow()

export type GrantRow = Awaited<ReturnType<typeof insertGrant>>

export const lockGrant = (tx: Tx, orgId: string, id: string): Promise<GrantRow | undefined> =>
  tx
    .selectFrom('support_grants')
    .select(visible)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export const revokeGrant = (tx: Tx, orgId: string, id: string, by: unknown) =>
  tx
    .updateTable('support_grants')
    .set({ revoked_at: raw`clock_timestamp()`, updated_at: raw`clock_timestamp()`, revoked_by: JSON.stringify(by) })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(visible)
    .executeTakeFirstOrThrow()

const asOperator = (tx: Tx) => raw`select set_config('app.operator', 'on', true)`.execute(tx)

/** Which organization a grant is for: an operator names the grant alone. */
export const orgOfGrant = (sql: Sql, id: string): Promise<string | undefined> =>
  sql.asOrgs([], async (tx) => {
    await asOperator(tx)
    const row = await tx.selectFrom('support_grants').select('org_id').where('id', '=', id).executeTakeFirst()
    return row?.org_id
  })

/** Those of one organization, or for operators those of all. */
export async function listGrants(tx: Tx, orgId: string | undefined, page: PageRequest<'created_at'>) {
  if (orgId === undefined) await asOperator(tx)
  let query = tx.selectFrom('support_grants').select([...visible, raw<string>`created_at::text`.as('sort_value')])
  if (orgId !== undefined) query = query.where('org_id', '=', orgId)
  return keysetPage(query, { sort: page.sort, id: 'id' }, page).execute()
}
