import { sql as raw } from 'kysely'
import type { PageRequest } from '../../contract/lists.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Tx } from '../../platform/infra/sql.ts'

const columns = ['id', 'created_at', 'created_by', 'summary'] as const

const rowsOf = (tx: Tx, orgId: string) => tx.selectFrom('reconciliations').select(columns).where('org_id', '=', orgId)

export const listReconciliations = (tx: Tx, orgId: string, page: PageRequest<'created_at'>) =>
  keysetPage(
    rowsOf(tx, orgId).select(raw<string>`created_at::text`.as('sort_value')),
    { sort: page.sort, id: 'id' },
    page,
  ).execute()

export const findReconciliation = (tx: Tx, orgId: string, id: string) =>
  rowsOf(tx, orgId).select('differences').where('id', '=', id).executeTakeFirst()

export type ReconciliationRow = NonNullable<Awaited<ReturnType<typeof findReconciliation>>>

export interface NewReconciliation {
  readonly id: string
  readonly created_by: string
  readonly summary: object
  readonly differences: object
}

/** Counts reconciliations, and keeps others from adding one until this transaction is over. */
export async function countForInsert(tx: Tx, orgId: string): Promise<number> {
  await raw`select pg_advisory_xact_lock(hashtextextended(${`reconciliations ${orgId}`}, 0))`.execute(tx)
  const { count } = await tx
    .selectFrom('reconciliations')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const insertReconciliation = (tx: Tx, orgId: string, row: NewReconciliation): Promise<ReconciliationRow> =>
  tx
    .insertInto('reconciliations')
    .values({
      ...row,
      org_id: orgId,
      summary: JSON.stringify(row.summary),
      differences: JSON.stringify(row.differences),
    })
    .returning([...columns, 'differences'])
    .executeTakeFirstOrThrow()

export const deleteReconciliation = (tx: Tx, orgId: string, id: string) =>
  tx.deleteFrom('reconciliations').where('org_id', '=', orgId).where('id', '=', id).execute()
