import { type RawBuilder, sql as raw } from 'kysely'
import type { TimeWindow } from '../../contract/lists.ts'
import type { StoredAttempt } from '../../governance/policies/policies.ts'
import { partitionBounds } from '../../platform/infra/partitions.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import type { Admission } from '../../records/run-log/run-log.ts'
import { one } from '../../values/present.ts'

/** A finished run, with the fields that rules and limits can read. */
export interface StoredRun {
  readonly id: string
  readonly model: string
  readonly provider: string | null
  readonly operation: string | null
  readonly action: string | null
  readonly workflow_id: string | null
  readonly deployment_id: string | null
  readonly department_id: string | null
  readonly customer_id: string | null
  readonly user_id: string | null
  readonly chain_id: string | null
  readonly depth: number | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly cost_nano: bigint
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string | number | boolean>> | null
  readonly admission: Admission | null
}

export interface RunRange {
  readonly classes: readonly number[]
  readonly window: TimeWindow
}

/** Makes the planner read pages along the key, never by scanning and sorting a whole table. */
export async function forceKeyScans(tx: Tx) {
  await raw`select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
                   set_config('enable_sort', 'off', true)`.execute(tx)
}

/** Returns the lowest ID of a time. No ID is from before 1970. */
const minIdAt = (at: Date) => partitionBounds.uuid(new Date(Math.max(0, at.getTime())))

const runsClause = (orgId: string, { classes, window }: RunRange) => raw`
  from runs where org_id = ${orgId}::uuid and class = any(${classes}::smallint[])
   and id >= ${minIdAt(window.from)}::uuid and id < ${minIdAt(window.to)}::uuid`

/**
 * Reads a page as one text, which is parsed where it is processed: thousands of row objects that live together would survive the
 * first garbage collection, and each collection would block the process. Rows are arrays without field names, because the names
 * cost the database the most.
 */
const pageOf = async <Extra extends object>(
  tx: Tx,
  { columns, page, order }: Record<'columns' | 'page' | 'order', RawBuilder<unknown>>,
  extra = raw``,
): Promise<{ readonly rows: readonly string[] } & Extra> => {
  const { rows } = await raw<{ text: string | null } & Extra>`
    select string_agg(json_build_array(${columns})::text, ${separator} order by ${order}) as text ${extra}
      from (${page}) as page`.execute(tx)
  const [answer] = rows
  const { text, ...more } = answer!
  // The driver's timers keep the result referenced for a while after it is read.
  answer!.text = null
  return { rows: text === null ? [] : text.split(separator), ...(more as unknown as Extra) }
}

/** A separator that occurs in no JSON. */
const separator = '\u001e'

/** Reads the next runs of a window, in the order in which they started, each as JSON, with the keys that started them. */
export const readRuns = (tx: Tx, orgId: string, range: RunRange, after: string | undefined, limit: number) =>
  pageOf<{ readonly key_ids: readonly string[] | null }>(
    tx,
    {
      columns: raw`id, model, provider, operation, action, workflow_id, deployment_id, department_id, customer_id, chain_id,
                   depth, input_tokens, output_tokens, cost_nano::text, tags, metadata, admission, user_id`,
      page: raw`select * ${runsClause(orgId, range)} ${after === undefined ? raw`` : raw`and id > ${parseRun(after).id}::uuid`}
                 order by id limit ${limit}`,
      order: raw`id`,
    },
    raw`, array_agg(distinct (admission ->> 'key_id') collate "C") filter (where admission is not null) as key_ids`,
  )

type Text = string | null
type RunCells = [
  ...[id: string, model: string, provider: Text, operation: Text, action: Text, workflow: Text, deployment: Text],
  ...[department: Text, customer: Text, chain: Text, depth: number | null, input: number | null, output: number | null],
  ...[cost: string, tags: string[], metadata: StoredRun['metadata'], admission: Admission | null, user: Text],
]

export function parseRun(text: string): StoredRun {
  const [id, model, provider, operation, action, workflow_id, deployment_id, ...more] = JSON.parse(text) as RunCells
  const [department_id, customer_id, chain_id, depth, input_tokens, output_tokens, cost, ...rest] = more
  const [tags, metadata, admission, user_id] = rest
  return {
    id,
    model,
    provider,
    operation,
    action,
    workflow_id,
    deployment_id,
    department_id,
    customer_id,
    user_id,
    chain_id,
    depth,
    input_tokens,
    output_tokens,
    cost_nano: BigInt(cost),
    tags,
    metadata,
    admission,
  }
}

/** An attempt that rules refused, with the number of times that it was made within a minute. */
export interface RecordedRefusal {
  readonly id: string
  readonly minute: string
  readonly rule_id: string
  readonly set_version: string
  readonly outcome: string
  readonly attempt_hash: string
  readonly attempt: StoredAttempt
  readonly count: number
}

const refusalsClause = (orgId: string, { from, to }: TimeWindow) => raw`
  from policy_matches where org_id = ${orgId}::uuid and not shadow
   and minute >= ${from.toISOString()}::timestamptz and minute < ${to.toISOString()}::timestamptz`

/** Reads the next recorded refusals of a window, minute by minute, each as JSON. */
export function readRefusals(tx: Tx, orgId: string, window: TimeWindow, after: string | undefined, limit: number) {
  const last = after === undefined ? undefined : parseRefusal(after)
  const beyond = last
    ? raw`and minute >= ${last.minute}::timestamptz and (minute, rule_id, shadow, set_version, attempt_hash) >
            (${last.minute}::timestamptz, ${last.rule_id}::uuid, false, ${last.set_version}::bigint, ${last.attempt_hash}::bytea)`
    : raw``
  return pageOf(tx, {
    columns: raw`id, minute, rule_id, set_version::text, outcome, attempt_hash::text, attempt, count`,
    page: raw`select * ${refusalsClause(orgId, window)} ${beyond}
               order by minute, rule_id, shadow, set_version, attempt_hash limit ${limit}`,
    order: raw`minute, rule_id, set_version, attempt_hash`,
  })
}

type RefusalCells = [
  ...[id: string, minute: string, rule: string, setVersion: string, outcome: string],
  ...[hash: string, attempt: StoredAttempt, count: number],
]

export function parseRefusal(text: string): RecordedRefusal {
  const [id, minute, rule_id, set_version, outcome, attempt_hash, attempt, count] = JSON.parse(text) as RefusalCells
  return { id, minute, rule_id, set_version, outcome, attempt_hash, attempt, count }
}

/** Returns the row count that the planner estimates: free, and accurate enough to report progress. */
async function estimateRows(tx: Tx, from: RawBuilder<unknown>): Promise<number> {
  const { rows } = await raw<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>`
    explain (format json) select 1 ${from}`.execute(tx)
  return one(rows)['QUERY PLAN'][0].Plan['Plan Rows']
}

export const estimateRuns = (tx: Tx, orgId: string, range: RunRange) => estimateRows(tx, runsClause(orgId, range))
export const estimateRefusals = (tx: Tx, orgId: string, window: TimeWindow) =>
  estimateRows(tx, refusalsClause(orgId, window))

export const findKeys = (tx: Tx, orgId: string, ids: readonly string[]) =>
  tx
    .selectFrom('api_keys')
    .select(['id', 'role', 'scopes'])
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .execute()
