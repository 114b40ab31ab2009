import { asJsonText } from '../contract/envelope.ts'
import { ApiError } from '../contract/errors.ts'
import { readNdjson } from '../contract/ndjson.ts'
import type { App } from '../contract/routes.ts'
import { idempotencyOf, replay } from '../idempotency/idempotency.ts'
import type { Platform } from '../infra/platform.ts'
import type { IngestResult, IngestTask, Lanes } from '../lanes/lanes.ts'
import { formatId } from '../values/id.ts'
import { ingestTask, noteUnpricedRuns } from './bulk.ts'
import { BulkAnswer, BulkInput, type BulkRun, maxBulkRuns } from './bulk-schema.ts'

/** What refuses a run, wherever it is told of. */
export const limitErrors = [
  'budget_exceeded',
  'spend_cap_exceeded',
  'plan_limit_exceeded',
  'credits_exhausted',
  'chain_budget_exceeded',
] as const

export function bulkRuns(app: App, platform: Platform, lanes: Lanes) {
  const { clock } = platform
  app.post(
    '/v1/runs/bulk',
    {
      config: {
        role: 'service',
        scope: 'runs:write',
        urgency: 'ingest',
        bulk: true,
        bodyTypes: { 'application/x-ndjson': readNdjson('runs', maxBulkRuns) },
        keepsOwnAnswers: true,
        errors: [...limitErrors, { code: 'quota_exhausted', status: 402 }, 'conflict', 'service_unavailable'],
      },
      schema: {
        operationId: 'recordRuns',
        tags: ['runs'],
        summary: 'Record runs',
        description:
          'Up to 5,000 runs that have happened, decided and recorded in one transaction. Runs with an `external_id` are recorded once, however often they are sent. A run with a `reservation_id`, or the `run_id` or `external_id` of a started run, settles it and is never refused.',
        body: BulkInput,
        response: { 200: BulkAnswer },
      },
    },
    async (request, reply) => {
      const { principal, body } = request
      const { runs, mode = 'atomic', enforce = true } = body
      if (!enforce && !principal!.scopes.has('runs:import'))
        throw new ApiError('missing_scope', { required: 'runs:import' })
      const claim = idempotencyOf(request)
      const written = (results: readonly IngestResult[]) =>
        reply.code(200).serializeInput(bulkAnswer(runs, results), '200') as string
      let kept: string | undefined
      const task = await ingestTask(principal!, runs, { mode, areFacts: !enforce }, clock.now().getTime())
      const ingesting = lanes.ingest({
        ...task,
        isAbandoned: () => request.raw.socket.destroyed,
        idempotency: claim && {
          ...claim,
          answer: (found) => {
            kept = refusalIn(found, mode) ? undefined : written(found)
            return kept
          },
        },
      })
      ingesting.catch((error: unknown) => noteUnpricedRuns(platform, task.orgId, runs, error))
      const { results, replay: earlier } = await ingesting
      if (earlier !== undefined) return replay(reply, 200, earlier)
      const refusal = refusalIn(results, mode)
      if (refusal) throw refusal
      return asJsonText(reply, 200).send(kept ?? written(results))
    },
  )
}

/** Of a batch that goes all or none, what refused it, with what was recorded all the same. */
function refusalIn(results: readonly IngestResult[], mode: IngestTask['mode']): ApiError | undefined {
  if (mode !== 'atomic') return undefined
  const index = results.findIndex(({ error, isBystander }) => error !== undefined && isBystander !== true)
  if (index < 0) return undefined
  const { error } = results[index]!
  if (Object.keys(error!.details).length > 0) {
    const settled = results.flatMap(({ runId, isDuplicate }, i) =>
      runId === null || isDuplicate ? [] : [{ index: i, run_id: formatId('run', runId) }],
    )
    Object.assign(error!.details, { index, ...(settled.length > 0 && { settled }) })
  }
  return error
}

function bulkAnswer(runs: readonly BulkRun[], results: readonly IngestResult[]): BulkAnswer {
  const told = results.map(({ runId, isDuplicate, error }, index) => ({
    index,
    run_id: runId === null ? null : formatId('run', runId),
    external_id: runs[index]!.external_id ?? null,
    duplicate: isDuplicate,
    ...(error && { error: { code: error.code, message: error.message, details: error.details } }),
  }))
  const refused = told.filter((one) => 'error' in one).length
  const duplicates = told.filter(({ duplicate }) => duplicate).length
  return { accepted: told.length - refused - duplicates, duplicates, refused, results: told }
}
