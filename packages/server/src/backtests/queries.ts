import { type RawBuilder, sql as raw } from 'kysely'
import type { Window } from '../contract/lists.ts'
import { bounds } from '../infra/partitions.ts'
import type { Tx } from '../infra/sql.ts'
import type { StoredAttempt } from '../policies/policies.ts'
import type { Admission } from '../run-log/run-log.ts'

/** A run that has ended, as far as rules and limits can ask about it. */
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
  readonly chain_id: string | null
  readonly depth: number | null
  readonly input_tokens: bigint | null
  readonly output_tokens: bigint | null
  readonly cost_nano: bigint
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string | number | boolean>> | null
  readonly admission: Admission | null
}

export interface RunRange {
  readonly classes: readonly number[]
  readonly window: Window
}

/** Pages are read along the key, never by reading a whole table and sorting it. */
export async function readAlongKeys(tx: Tx) {
  await raw`select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
                   set_config('enable_sort', 'off', true)`.execute(tx)
}

/** No id is from before 1970. */
const leastId = (at: Date) => bounds.uuid(new Date(Math.max(0, at.getTime())))

const runsIn = (orgId: string, { classes, window }: RunRange) => raw`
  from runs where org_id = ${orgId}::uuid and class = any(${classes}::smallint[])
   and id >= ${leastId(window.from)}::uuid and id < ${leastId(window.to)}::uuid`

/** The next runs of a window, in the order in which they started. */
export async function readRuns(
  tx: Tx,
  orgId: string,
  range: RunRange,
  after: StoredRun | undefined,
  limit: number,
): Promise<StoredRun[]> {
  const beyond = after ? raw`and id > ${after.id}::uuid` : raw``
  const { rows } = await raw<StoredRun>`
    select id, model, provider, operation, action, workflow_id, deployment_id, department_id, customer_id, chain_id, depth,
           input_tokens, output_tokens, cost_nano, tags, metadata, admission
      ${runsIn(orgId, range)} ${beyond} order by id limit ${limit}`.execute(tx)
  return rows
}

/** An attempt that rules refused, as often as it was made within a minute. */
export interface RecordedRefusal {
  readonly id: string
  readonly minute: Date
  readonly rule_id: string
  readonly set_version: bigint
  readonly outcome: string
  readonly attempt_hash: Buffer
  readonly attempt: StoredAttempt
  readonly count: bigint
}

const refusalsIn = (orgId: string, { from, to }: Window) => raw`
  from policy_matches where org_id = ${orgId}::uuid and not shadow
   and minute >= ${from.toISOString()}::timestamptz and minute < ${to.toISOString()}::timestamptz`

/** The next recorded refusals of a window, minute by minute. */
export async function readRefusals(
  tx: Tx,
  orgId: string,
  window: Window,
  after: RecordedRefusal | undefined,
  limit: number,
): Promise<RecordedRefusal[]> {
  const minute = after?.minute.toISOString()
  const beyond = after
    ? raw`and minute >= ${minute}::timestamptz and (minute, rule_id, shadow, set_version, attempt_hash) >
            (${minute}::timestamptz, ${after.rule_id}::uuid, false, ${after.set_version}::bigint, ${after.attempt_hash}::bytea)`
    : raw``
  const { rows } = await raw<RecordedRefusal>`
    select id, minute, rule_id, set_version, outcome, attempt_hash, attempt, count
      ${refusalsIn(orgId, window)} ${beyond}
     order by minute, rule_id, shadow, set_version, attempt_hash limit ${limit}`.execute(tx)
  return rows
}

/** How many rows the planner expects: free, and near enough to say how far a test has come. */
async function expectedRows(tx: Tx, from: RawBuilder<unknown>): Promise<number> {
  const { rows } = await raw<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>`
    explain (format json) select 1 ${from}`.execute(tx)
  return rows[0]!['QUERY PLAN'][0].Plan['Plan Rows']
}

export const expectedRuns = (tx: Tx, orgId: string, range: RunRange) => expectedRows(tx, runsIn(orgId, range))
export const expectedRefusals = (tx: Tx, orgId: string, window: Window) => expectedRows(tx, refusalsIn(orgId, window))

export const findKeys = (tx: Tx, orgId: string, ids: readonly string[]) =>
  tx
    .selectFrom('api_keys')
    .select(['id', 'role', 'scopes'])
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .execute()
