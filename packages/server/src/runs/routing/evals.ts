import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError, type FieldFault, validationFailed } from '../../contract/errors.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { timestamp } from '../../values/timestamp.ts'
import { deleteResult, type EvalResultRow, findResult, insertEvalResults, type NewResult } from './eval-queries.ts'
import type { EvalsInput, EvalView, ResultInput } from './eval-schema.ts'
import type { EvalScore } from './route.ts'

/** The tolerated clock difference for `measured_at`. */
const maxAheadMs = 5 * 60_000

export const evalView = (row: EvalResultRow): EvalView => ({
  id: formatId('evalResult', row.id),
  suite: row.suite,
  model: row.model,
  provider: row.provider,
  score: row.score,
  samples: row.samples,
  latency_ms: row.latency_ms,
  measured_at: timestamp(row.measured_at),
  created_at: timestamp(row.created_at),
})

export const evalOf = (row: EvalResultRow): EvalScore => ({
  id: row.id,
  suite: row.suite,
  model: row.model,
  provider: row.provider,
  score: row.score,
  samples: row.samples,
  latencyMs: row.latency_ms,
  measuredAtMs: row.measured_at.getTime(),
})

const rowOf = (input: ResultInput, nowMs: number): NewResult => ({
  id: newUuid(),
  suite: input.suite,
  model: input.model,
  provider: input.provider ?? null,
  score: input.score,
  samples: input.samples,
  latency_ms: input.latency_ms ?? null,
  measured_at: new Date(input.measured_at ?? nowMs),
})

/** Stores results, all or none. They apply from the next choice on, in every process. */
export async function postResults(
  { tx, audit, accessChanged }: ChangeTools,
  orgId: string,
  { results }: EvalsInput,
  nowMs: number,
): Promise<{ data: EvalView[] }> {
  const rows = results.map((input) => rowOf(input, nowMs))
  const faults = rows.flatMap(({ measured_at }, i): FieldFault[] =>
    measured_at.getTime() > nowMs + maxAheadMs
      ? [{ field: `results.${i}.measured_at`, code: 'out_of_range', message: 'This must not be in the future.' }]
      : [],
  )
  if (faults.length > 0) throw validationFailed(faults)
  const kept = new Map((await insertEvalResults(tx, orgId, rows)).map((row) => [row.id, row]))
  const data = rows.map(({ id }) => evalView(present(kept.get(id))))
  audit({ action: 'evals.posted', target: { kind: 'org', id: formatId('org', orgId) }, after: { results: data } })
  accessChanged()
  return { data }
}

/** Removes a wrong result. The previous one counts again from the next choice on, in every process. */
export async function removeResult(
  { tx, audit, replaces, accessChanged }: ChangeTools,
  orgId: string,
  id: string,
): Promise<null> {
  const found = await findResult(tx, orgId, id)
  if (!found) throw new ApiError('not_found')
  const before = evalView(found)
  replaces(before)
  await deleteResult(tx, orgId, id)
  audit({ action: 'eval.deleted', target: { kind: 'eval', id: before.id }, before })
  accessChanged()
  return null
}
