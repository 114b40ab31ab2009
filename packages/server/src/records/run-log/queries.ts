import { type BoundStatement, statement } from '../../platform/infra/pipelined-connection.ts'
import { arrayOf, incoming, names, parameterCount, parametersOf, type RunWrite } from './column-queries.ts'
import type { EndedRun, Tokens } from './rows.ts'
import { type CountedRun, usageDeltas } from './usage-deltas.ts'
import { type UsageDetail, usageNames } from './usage-schema.ts'

const insertStatement = statement('insert_runs', `insert into runs (${names}) ${incoming}`)
export const insertRuns = (runs: readonly RunWrite[]): BoundStatement => ({
  statement: insertStatement,
  values: parametersOf(runs),
})

const claimStatement = statement(
  'claim_runs',
  `with incoming as (${incoming}),
   wanted as materialized (
     select org_id, key collate "C" as key, run_id, hash, place
       from unnest($${parameterCount + 1}::uuid[], $${parameterCount + 2}::text[], $${parameterCount + 3}::uuid[], $${parameterCount + 4}::text[])
            with ordinality as k (org_id, key, run_id, hash, place)),
   claimed as (
     insert into run_keys (org_id, key, run_id, content_hash, seen_on)
     select org_id, key, run_id, decode(hash, 'hex'), (clock_timestamp() at time zone 'UTC')::date from wanted
      order by org_id, key, place
     on conflict do nothing returning run_id, key),
   recorded as (
     insert into runs (${names}) select ${names} from incoming i
      where i.external_id is null or exists (select from claimed c where c.run_id = i.id))
   select w.org_id, w.key from wanted w where not exists (select from claimed c where c.run_id = w.run_id and c.key = w.key)`,
)
export interface RunKey {
  readonly orgId: string
  readonly key: string
  readonly runId: string
  /** Hash of the content that was sent; null for a started run. */
  readonly hash: string | null
}

/**
 * Claims run keys, in order, and records the runs whose keys were free or that have none. Returns the keys that other runs have;
 * of two runs with the same keys the first gets all of them. Before any lock: it waits for a key that another transaction is
 * claiming. The runs come as `buildParameters` returns them.
 */
export const claimRuns = (runs: readonly string[], keys: readonly RunKey[]): BoundStatement => ({
  statement: claimStatement,
  values: [
    ...runs,
    arrayOf(keys.map(({ orgId }) => orgId)),
    arrayOf(keys.map(({ key }) => key)),
    arrayOf(keys.map(({ runId }) => runId)),
    arrayOf(keys.map(({ hash }) => hash)),
  ],
})

const tryKeysStatement = statement(
  'try_run_keys',
  'select org_id, key from try_run_keys($1::uuid[], $2::text[], $3::uuid[], $4::text[])',
)
/** Claims run keys without waiting. Returns those that another transaction is claiming now: they may be tried again. */
export const tryRunKeys = (keys: readonly RunKey[]): BoundStatement => ({
  statement: tryKeysStatement,
  values: [
    arrayOf(keys.map(({ orgId }) => orgId)),
    arrayOf(keys.map(({ key }) => key)),
    arrayOf(keys.map(({ runId }) => runId)),
    arrayOf(keys.map(({ hash }) => hash)),
  ],
})

export interface KnownKeyRow {
  readonly org_id: string
  readonly key: string
  readonly run_id: string
  readonly content_hash: Buffer | null
}

const knownKeysStatement = statement(
  'known_run_keys',
  `select t.org_id, k.* from unnest($1::uuid[], $2::text[]) as t (org_id, wanted) cross join lateral (
     select key, run_id, content_hash from run_keys where org_id = t.org_id and key = t.wanted collate "C" limit 1) k`,
)
export const readRunKeys = (keys: readonly { orgId: string; key: string }[]): BoundStatement => ({
  statement: knownKeysStatement,
  values: [keys.map(({ orgId }) => orgId), keys.map(({ key }) => key)],
})

export interface EndedRunRow extends Record<keyof Tokens, bigint | null> {
  readonly org_id: string
  readonly id: string
  readonly status: EndedRun['status']
  readonly model: string
  readonly provider: string | null
  readonly cost_nano: bigint
  readonly cost_basis: EndedRun['costBasis']
  readonly value_nano: bigint | null
  readonly usage_detail: UsageDetail | null
  readonly started_at: Date
  readonly ended_at: Date | null
}

const endedRunsStatement = statement(
  'ended_runs',
  `select t.org_id, r.* from unnest($1::uuid[], $2::uuid[]) as t (org_id, wanted) cross join lateral (
     select id, status, model, provider, ${usageNames.join(', ')}, usage_detail, cost_nano, cost_basis, value_nano, started_at, ended_at
       from runs where org_id = t.org_id and id = t.wanted and status <> 'expired' limit 1) r`,
)
/** Reads runs that a caller has ended; one that has expired can still be ended. */
export const readEndedRuns = (runs: readonly { orgId: string; id: string }[]): BoundStatement => ({
  statement: endedRunsStatement,
  values: [runs.map(({ orgId }) => orgId), runs.map(({ id }) => id)],
})

export const endedRunOf = (row: EndedRunRow): EndedRun => ({
  status: row.status,
  model: row.model,
  provider: row.provider ?? undefined,
  usage: Object.fromEntries(usageNames.flatMap((name) => (row[name] === null ? [] : [[name, Number(row[name])]]))),
  usageDetail: row.usage_detail ?? undefined,
  costNano: row.cost_nano,
  costBasis: row.cost_basis,
  valueNano: row.value_nano,
  startedAtMs: row.started_at.getTime(),
  endedAtMs: row.ended_at?.getTime() ?? null,
})

const deleteKeysStatement = statement(
  'forget_run_keys',
  `with wanted as (
     select t.org_id, t.wanted, k.run_id from unnest($1::uuid[], $2::text[], $3::uuid[]) as t (org_id, wanted, run_id)
       cross join lateral (select run_id from run_keys where org_id = t.org_id and key = t.wanted collate "C" limit 1) k
      where k.run_id = t.run_id)
   delete from run_keys k using wanted w where k.org_id = w.org_id and k.key = w.wanted collate "C"`,
)
/** Deletes run keys that were claimed in this transaction for runs which do not take place. */
export const deleteRunKeys = (keys: readonly RunKey[]): BoundStatement => ({
  statement: deleteKeysStatement,
  values: [keys.map(({ orgId }) => orgId), keys.map(({ key }) => key), keys.map(({ runId }) => runId)],
})

const deleteRunsStatement = statement(
  'forget_runs',
  `delete from runs r using unnest($1::uuid[], $2::uuid[]) as t (org_id, wanted) where r.org_id = t.org_id and r.id = t.wanted`,
)
export const deleteRuns = (runs: readonly { orgId: string; id: string }[]): BoundStatement => ({
  statement: deleteRunsStatement,
  values: [runs.map(({ orgId }) => orgId), runs.map(({ id }) => id)],
})

const replaceStatement = statement(
  'replace_runs',
  `update runs r set status = n.status, model = n.model, provider = n.provider, input_tokens = n.input_tokens, output_tokens = n.output_tokens,
            cache_read_input_tokens = n.cache_read_input_tokens, cache_creation_input_tokens = n.cache_creation_input_tokens,
            reasoning_output_tokens = n.reasoning_output_tokens, usage_detail = n.usage_detail, cost_nano = n.cost_nano, cost_basis = n.cost_basis,
            overrun_nano = n.overrun_nano, value_nano = n.value_nano, ended_at = n.ended_at, updated_at = n.updated_at
       from (${incoming}) n where r.org_id = n.org_id and r.id = n.id`,
)
/** Replaces runs that had expired, charged by estimate, and were finished after all; a row may be gone already. */
export const replaceRuns = (runs: readonly RunWrite[]): BoundStatement => ({
  statement: replaceStatement,
  values: parametersOf(runs),
})

const deltasStatement = statement(
  'insert_usage_deltas',
  `insert into usage_deltas (org_id, id, bucket, model, provider, workflow_id, deployment_id, department_id, key_id, user_id, customer_id, runs,
     failed_runs, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens, reasoning_output_tokens,
     cost_nano, estimated_nano, overrun_nano, value_nano, duration_ms, timed_runs)
   select org_id, id, bucket, model, provider, workflow_id, deployment_id, department_id, key_id, user_id, customer_id, runs,
     failed_runs, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens, reasoning_output_tokens,
     cost_nano, estimated_nano, overrun_nano, value_nano, duration_ms, timed_runs
     from json_to_recordset($1) as d (org_id uuid, id uuid, bucket timestamptz, model text, provider text, workflow_id text,
       deployment_id text, department_id text, key_id text, user_id text, customer_id text, runs bigint, failed_runs bigint, input_tokens bigint,
       output_tokens bigint, cache_read_input_tokens bigint, cache_creation_input_tokens bigint, reasoning_output_tokens bigint,
       cost_nano numeric, estimated_nano numeric, overrun_nano numeric, value_nano numeric, duration_ms bigint, timed_runs bigint)`,
)
export const countUsage = (counted: readonly CountedRun[]): BoundStatement => ({
  statement: deltasStatement,
  values: [JSON.stringify(usageDeltas(counted))],
})
