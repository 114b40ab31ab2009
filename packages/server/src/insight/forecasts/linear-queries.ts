import { sql as raw } from 'kysely'
import type { TimeWindow } from '../../contract/lists.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { present } from '../../values/present.ts'

export interface ReturnsRead {
  readonly window: TimeWindow
  readonly deploymentId: string | undefined
  readonly limit: number
  readonly descending: boolean
  /** The last deployment of the previous page. */
  readonly after: string | undefined
}

export interface ReturnRow {
  /** Empty for runs that named no deployment. */
  readonly deploymentId: string
  readonly runs: bigint
  readonly departments: bigint
  readonly valueNano: bigint
  readonly costNano: bigint
}

/** The statement timeout, so that no snapshot is held for long. */
const maxReadMs = 4_500

/**
 * Reads cost and value of the runs of a window by deployment, one row more than the page holds. Folded and pending usage are
 * added in one statement, so that each run counts once; a window this recent is never folded to days.
 */
export async function readReturns(tx: Tx, orgId: string, read: ReturnsRead): Promise<ReturnRow[]> {
  await raw`select set_config('statement_timeout', ${String(maxReadMs)}, true)`.execute(tx)
  const { window, deploymentId, limit, descending, after } = read
  const only = deploymentId === undefined ? raw`` : raw`and deployment_id = ${deploymentId}`
  const beyond =
    after === undefined ? raw`` : raw`and deployment_id collate "C" ${descending ? raw`<` : raw`>`} ${after}`
  const wanted = raw`
    org_id = ${orgId} and bucket >= ${window.from} and bucket < ${window.to} ${only} ${beyond}`
  const { rows } = await raw<Record<string, string | bigint>>`
    with counted as (
      select deployment_id, department_id, runs, value_nano, cost_nano from usage_15m where ${wanted}
      union all
      select deployment_id, department_id, runs, value_nano, cost_nano from usage_deltas
       where customer_id is null and ${wanted}),
    departments as (
      select deployment_id collate "C" as deployment_id, department_id, sum(runs) as runs, sum(value_nano) as value_nano,
             sum(cost_nano) as cost_nano
        from counted group by 1, 2)
    select deployment_id, sum(runs) as runs, sum(value_nano) as value_nano, sum(cost_nano) as cost_nano,
           count(*) filter (where department_id <> '' and runs > 0) as departments
      from departments group by 1 having sum(runs) > 0
     order by 1 ${descending ? raw`desc` : raw`asc`} limit ${limit + 1}`.execute(tx)
  return rows.map((row) => ({
    deploymentId: row['deployment_id'] as string,
    runs: BigInt(present(row['runs'])),
    departments: BigInt(present(row['departments'])),
    valueNano: BigInt(present(row['value_nano'])),
    costNano: BigInt(present(row['cost_nano'])),
  }))
}
