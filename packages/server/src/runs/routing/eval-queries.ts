import { sql as raw } from 'kysely'
import type { PageRequest } from '../../contract/lists.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Tx } from '../../platform/infra/sql.ts'

const columns = [
  'id',
  'suite',
  'model',
  'provider',
  'score',
  'samples',
  'latency_ms',
  'measured_at',
  'created_at',
] as const

const results = (tx: Tx, orgId: string) => tx.selectFrom('eval_results').select(columns).where('org_id', '=', orgId)

export const findResult = (tx: Tx, orgId: string, id: string) =>
  results(tx, orgId).where('id', '=', id).executeTakeFirst()

export type EvalResultRow = NonNullable<Awaited<ReturnType<typeof findResult>>>

export async function listResults(
  tx: Tx,
  orgId: string,
  page: PageRequest<'created_at'>,
  filters: { suite?: string; model?: string; provider?: string },
) {
  let query = results(tx, orgId).select(raw<string>`created_at::text`.as('sort_value'))
  for (const name of ['suite', 'model', 'provider'] as const) {
    const value = filters[name]
    if (value !== undefined) query = query.where(name, '=', value)
  }
  return keysetPage(query, { sort: page.sort, id: 'id' }, page).execute()
}

export type NewResult = Omit<EvalResultRow, 'created_at'>

export const insertEvalResults = (tx: Tx, orgId: string, rows: readonly NewResult[]): Promise<EvalResultRow[]> =>
  tx
    .insertInto('eval_results')
    .values(rows.map((row) => ({ ...row, org_id: orgId })))
    .returning(columns)
    .execute()

export const deleteResult = (tx: Tx, orgId: string, id: string) =>
  tx.deleteFrom('eval_results').where('org_id', '=', orgId).where('id', '=', id).execute()

export interface EvalKey {
  readonly suite: string
  readonly model: string
  readonly provider: string | null
}

/** Returns the latest result of each, with one index lookup per model, however many results it has. */
export async function latestResults(tx: Tx, orgId: string, keys: readonly EvalKey[]): Promise<EvalResultRow[]> {
  if (keys.length === 0) return []
  const { rows } = await raw<EvalResultRow>`
    select e.* from json_to_recordset(${JSON.stringify(keys)}) as m (suite text, model text, provider text)
     cross join lateral (
       select id, suite, model, provider, score, samples, latency_ms, measured_at, created_at from eval_results
        where org_id = ${orgId} and suite = m.suite and model = m.model
          and coalesce(provider, '') = coalesce(m.provider, '')
        order by measured_at desc, id desc limit 1) e`.execute(tx)
  return rows
}

export async function orgsWithRoutes(tx: Tx, after: string, most: number): Promise<string[]> {
  const { rows } = await raw<{ org_id: string }>`select org_id from orgs_with_routes(${after}, ${most})`.execute(tx)
  return rows.map(({ org_id }) => org_id)
}

export interface EvalExpiry {
  readonly route_id: string
  readonly eval_id: string
}

/** Records which expiries are announced, and returns those that had not been recorded before. A deleted route has none. */
export async function recordExpiries(tx: Tx, orgId: string, expiries: readonly EvalExpiry[]): Promise<EvalExpiry[]> {
  const { rows } = await raw<EvalExpiry>`
    insert into eval_expiries (org_id, route_id, eval_id)
    select r.org_id, r.id, x.eval_id
      from json_to_recordset(${JSON.stringify(expiries)}) as x (route_id uuid, eval_id uuid)
      join routes r on r.org_id = ${orgId} and r.id = x.route_id
       for key share of r
    on conflict do nothing returning route_id, eval_id`.execute(tx)
  return rows
}
