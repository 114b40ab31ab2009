import { idempotencyOf, replay } from '../access/idempotency/idempotency.ts'
import { type Caller, isPinned, lineagesOf, type Maker } from '../access/identity/identity.ts'
import { asJsonText } from '../contract/envelope.ts'
import { ApiError, validationFailed } from '../contract/errors.ts'
import { readNdjson } from '../contract/ndjson.ts'
import { type App, includesRole } from '../contract/routes.ts'
import type { DecisionLog } from '../decisions/decisions.ts'
import { faultsOf, type IngestResult, type IngestTask, type Lanes } from '../decisions/lanes/lanes.ts'
import { limitErrors } from '../money/limit-kinds.ts'
import type { Platform } from '../platform/infra/platform.ts'
import { formatId, requireId } from '../values/id.ts'
import { elementAt, present } from '../values/present.ts'
import { ingestTask } from './bulk.ts'
import { BulkAnswer, BulkInput, type BulkRun, isSettlement, maxBulkRuns } from './bulk-schema.ts'
import { recordRefusedRuns } from './refused-runs.ts'
import { recordUnpricedRuns, recordUnpricedSettlements } from './unpriced.ts'

export function bulkRuns(app: App, platform: Platform, lanes: Lanes, records: DecisionLog) {
  const { clock } = platform
  app.post(
    '/v1/runs/bulk',
    {
      config: {
        pinned: 'filtered',
        role: 'service',
        scope: 'runs:write',
        urgency: 'ingest',
        bulk: true,
        bodyTypes: { 'application/x-ndjson': readNdjson('runs', maxBulkRuns) },
        storesOwnResponses: true,
        errors: [...limitErrors('record'), 'conflict', 'service_unavailable'],
      },
      schema: {
        operationId: 'recordRuns',
        tags: ['runs'],
        summary: 'Record runs',
        description:
          'Up to 5,000 runs that have happened, decided and recorded in one transaction. Runs with an `external_id` are recorded once, however often they are sent. A run with a `reservation_id`, or the `run_id` or `external_id` of a started run, settles it and is never refused; it needs its usage only, and keeps the labels that it was admitted with (`ignored_fields` names others that were sent). Sent again with other content it is `conflict`.',
        body: BulkInput,
        response: { 200: BulkAnswer },
      },
    },
    async (request, reply) => {
      const { caller, body } = request
      const { runs, mode = 'atomic', enforce = true, count_in } = body
      if (!enforce && !caller.scopes.has('runs:import'))
        throw new ApiError('missing_scope', { required: 'runs:import' })
      const written = (results: readonly IngestResult[]) =>
        reply.code(200).serializeInput(bulkAnswer(runs, results), '200') as string
      recordUnpricedSettlements(platform, lanes, caller.orgId, runs.filter(isSettlement))
      let kept: string | undefined
      const makers = await makersOf(platform, caller, runs)
      const how = { mode, isRecordedOnly: !enforce, isHistory: count_in === 'started_period', makers }
      const task = await ingestTask(caller, runs, how, clock.now().getTime())
      const claim = idempotencyOf(request)
      const idempotency = claim && {
        ...claim,
        answer: (found: readonly IngestResult[]) => {
          kept = atomicRefusal(runs, found, mode) ? undefined : written(found)
          return kept
        },
      }
      const ingesting = lanes.ingest({ ...task, idempotency }, request.raw.socket)
      ingesting.catch((error: unknown) => recordUnpricedRuns(platform, task.orgId, runs, error))
      const { results, replay: earlier } = await ingesting
      if (earlier !== undefined) return replay(reply, 200, earlier)
      recordRefusedRuns(records, caller, runs, results, clock.now())
      const refusal = atomicRefusal(runs, results, mode)
      if (refusal) throw refusal
      return asJsonText(reply, 200).send(kept ?? written(results))
    },
  )
}

/**
 * Returns the keys whose history runs are. Whoever may make keys, and is bound to no part of the organization, may say what they did before
 * they were made here.
 */
async function makersOf({ sql }: Platform, caller: Caller, runs: readonly BulkRun[]): Promise<Map<string, Maker>> {
  const ids = new Map(runs.flatMap(({ key_id }) => (key_id === undefined ? [] : [[requireId('key', key_id), key_id]])))
  if (ids.size === 0) return new Map()
  if (!includesRole(caller.role, 'admin'))
    throw new ApiError('forbidden', {}, { message: 'key_id takes the role admin, as making keys does.' })
  if (!caller.scopes.has('keys:write')) throw new ApiError('missing_scope', { required: 'keys:write' })
  if (isPinned(caller))
    throw new ApiError('forbidden', {}, { message: 'This key is pinned, and key_id extends beyond its pins.' })
  const lineages = await sql.asOrgs([caller.orgId], (tx) => lineagesOf(tx, caller.orgId, [...ids.keys()]))
  return new Map(
    [...lineages].map(([id, lineageId]) => [present(ids.get(id)), { kind: 'key', id, lineageId } as const]),
  )
}

/** Returns the refusal of an atomic batch, with the settlements that were recorded in any case. */
function atomicRefusal(
  runs: readonly BulkRun[],
  results: readonly IngestResult[],
  mode: IngestTask['mode'],
): ApiError | undefined {
  if (mode !== 'atomic') return undefined
  const index = results.findIndex(({ error, failedWithBatch }) => error !== undefined && failedWithBatch !== true)
  if (index < 0) return undefined
  const error = present(elementAt(results, index).error)
  if (error.code === 'conflict') return conflictsIn(runs, results)
  const isInvalid = error.code === 'validation_failed'
  // A field error of one run is a field error of the request, under the run's own index.
  const refusal = isInvalid ? validationFailed(faultsOf(error, index)) : error
  if (Object.keys(refusal.details).length > 0) {
    const settled = results.flatMap(({ runId, isDuplicate }, i) =>
      runId === null || isDuplicate ? [] : [{ index: i, run_id: formatId('run', runId) }],
    )
    Object.assign(refusal.details, { ...(!isInvalid && { index }), ...(settled.length > 0 && { settled }) })
  }
  return refusal
}

const maxNamed = 20

/**
 * The conflicts of a batch. The details of a conflict are empty by contract, so its message says which runs are in conflict, and
 * with what.
 */
function conflictsIn(runs: readonly BulkRun[], results: readonly IngestResult[]): ApiError {
  const all = results.flatMap(({ error, failedWithBatch }, index) =>
    error?.code === 'conflict' && failedWithBatch !== true
      ? [`runs.${index}${nameOf(elementAt(runs, index))}: ${error.message}`]
      : [],
  )
  const more = all.length > maxNamed ? [`${all.length - maxNamed} more runs are in conflict.`] : []
  return new ApiError('conflict', {}, { message: [...all.slice(0, maxNamed), ...more].join(' ') })
}

function nameOf(run: BulkRun): string {
  const named = (['external_id', 'reservation_id', 'run_id'] as const).find((name) => run[name] !== undefined)
  return named === undefined ? '' : ` (${named} ${JSON.stringify(run[named])})`
}

function bulkAnswer(runs: readonly BulkRun[], results: readonly IngestResult[]): BulkAnswer {
  const items = results.map(({ runId, isDuplicate, error, ignored = [] }, index) => ({
    index,
    run_id: runId === null ? null : formatId('run', runId),
    external_id: elementAt(runs, index).external_id ?? null,
    duplicate: isDuplicate,
    ...(ignored.length > 0 && { ignored_fields: [...ignored] }),
    ...(error && { error: { code: error.code, message: error.message, details: error.details } }),
  }))
  const refused = items.filter((one) => 'error' in one).length
  const duplicates = items.filter(({ duplicate }) => duplicate).length
  return { accepted: items.length - refused - duplicates, duplicates, refused, results: items }
}
