import { sql as raw } from 'kysely'
import type { PageRequest } from '../../contract/lists.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { stoppedThreshold } from '../ledger/ledger.ts'

interface DefaultUsageRow {
  readonly key: string
  readonly subject: string
  readonly period_start: Date
  readonly period_end: Date
  readonly spent: bigint
  readonly held: bigint
  readonly overrun: bigint
  readonly late: bigint
  readonly would_refuse: bigint
  readonly refused: bigint
  readonly exhausted_at: Date | null
}

/** Returns the allowances of a default at a time, of all subjects or of one. */
export async function usageOfDefault(
  tx: Tx,
  orgId: string,
  limitId: string,
  at: Date,
  { limit, descending, after }: PageRequest,
  subject: string | undefined,
): Promise<DefaultUsageRow[]> {
  const order = descending ? raw`desc` : raw`asc`
  const beyond = after
    ? descending
      ? raw`and (a.subject, a.key) < (${after.value}, ${after.id}::uuid)`
      : raw`and (a.subject, a.key) > (${after.value}, ${after.id}::uuid)`
    : raw``
  const { rows } = await raw<DefaultUsageRow>`
    select a.key, a.subject, a.period_start, a.period_end, a.spent, a.held, a.overrun, a.late, a.would_refuse,
           coalesce(r.count, 0) as refused, e.at as exhausted_at
      from allowances a
      left join limit_refusals r on r.org_id = a.org_id and r.key = a.key
      left join threshold_events e on e.org_id = a.org_id and e.key = a.key and e.threshold = ${stoppedThreshold}
     where a.org_id = ${orgId} and a.limit_id = ${limitId} and a.kind = 'budget_default' and a.subject <> ''
       and a.period_start <= ${at} and a.period_end > ${at}
       ${subject === undefined ? raw`` : raw`and a.subject = ${subject}`} ${beyond}
     order by a.subject ${order}, a.key ${order} limit ${limit + 1}`.execute(tx)
  return rows
}
