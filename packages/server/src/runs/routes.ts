import { ApiError } from '../contract/errors.ts'
import { describeTag } from '../contract/openapi.ts'
import type { App } from '../contract/routes.ts'
import { type DecisionLog, ExtendInput, runOperation } from '../decisions/decisions.ts'
import type { Lanes } from '../decisions/lanes/lanes.ts'
import { limitErrors } from '../money/limit-kinds.ts'
import type { Platform } from '../platform/infra/platform.ts'
import type { RateLimiter } from '../platform/infra/rate-limiter.ts'
import { Run } from '../records/run-log/run-log.ts'
import { requireId } from '../values/id.ts'
import { bulkRuns } from './bulk-routes.ts'
import { endedRun } from './ended-run.ts'
import type { Governance } from './governance.ts'
import { createExtendHandler } from './raise-handler.ts'
import { earlierFinish, finishedRun, finishOperation, hasEndedBefore } from './run-finish.ts'
import { findRun } from './run-history/run-history.ts'
import { DryRun, FinishedRun, FinishInput, RunPath, StartedRun, StartInput } from './schema.ts'
import { createStartHandler } from './start-handler.ts'
import { recordUnpricedSettlements } from './unpriced.ts'

interface RunServices {
  readonly lanes: Lanes
  readonly records: DecisionLog
  readonly rateLimiter: RateLimiter
  readonly governance: Governance
}

export function runs(app: App, platform: Platform, { lanes, records, rateLimiter, governance }: RunServices) {
  const { sql } = platform
  const tags = ['runs']
  describeTag(app, 'runs', 'What ran, what it cost, and what it was part of.')
  const config = { role: 'service', scope: 'runs:write', urgency: 'decision', storesOwnResponses: true } as const

  const start = createStartHandler(platform, lanes, records, rateLimiter, governance, async (orgId, id) => {
    const run = await sql.asOrgs([orgId], (tx) => findRun(tx, orgId, id))
    if (!run) throw notKept()
    return run
  })

  const extend = createExtendHandler(platform, lanes, records, rateLimiter, governance)

  app.post(
    '/v1/runs',
    {
      config: {
        pinned: 'filtered',
        ...config,
        takesInput: true,
        errors: [
          ...limitErrors('start'),
          'policy_blocked',
          'policy_expression_error',
          'content_safety_blocked',
          'no_model_passes_eval',
          'not_found',
          'conflict',
          'service_unavailable',
        ],
      },
      schema: {
        operationId: 'startRun',
        tags,
        summary: 'Start a run',
        description:
          'Asks the rules of the organization, the detectors about `input`, the `route` for a model, and then every limit, and holds the worst case on all of them or on none. Finish the run with what it used; one that is not finished before its lease ends is charged what was held. With an `external_id` a repeated start is the same run.',
        body: StartInput,
        response: { 200: DryRun, 201: StartedRun },
      },
    },
    (request, reply) => start(request, reply),
  )

  app.post(
    '/v1/runs/:run_id/finish',
    {
      config: { ...config, errors: ['conflict', 'service_unavailable'], pinned: 'filtered' },
      schema: {
        operationId: 'finishRun',
        tags,
        summary: 'Finish a run',
        description:
          'Settles the run at `cost_usd`, else at what its tokens cost; where neither is given, at what was held, marked `estimated`. What was admitted is never refused: cost above the reservation is shown as `overrun_usd`. The run keeps the labels of its start. Another `model` that ran instead is recorded, and its tokens cost what that model did when the run was admitted. Finishing again in the same way answers the first result, in another way is `conflict`; only an estimate is replaced, once: that of an expired run, and one that was reported as `estimated`.',
        params: RunPath,
        body: FinishInput,
        response: { 200: FinishedRun },
      },
    },
    (request, reply) => {
      const { caller } = request
      const id = requireId('run', request.params.run_id)
      const { body } = request
      const task = finishOperation(caller, id, body)
      recordUnpricedSettlements(platform, lanes, caller.orgId, [body])
      return runOperation(lanes, request, reply, task, (decided) => finishedRun(decided, body), {
        findEarlier: (result) =>
          result.type === 'decided' && hasEndedBefore(result.outcome)
            ? endedRun(sql, caller, id).then((run) => earlierFinish(run, body, result.plan))
            : undefined,
      })
    },
  )

  app.post(
    '/v1/runs/:run_id/extend',
    {
      config: {
        ...config,
        errors: [
          ...limitErrors('start'),
          'policy_blocked',
          'policy_expression_error',
          'conflict',
          'service_unavailable',
        ],
        pinned: 'filtered',
      },
      schema: {
        operationId: 'extendRun',
        tags,
        summary: 'Extend a run',
        description:
          'Only while it runs, 24 hours in all. Extend at half the lease. A run whose lease ends is charged its reservation until it is finished, so its call need not be stopped. With `max_output_tokens` or `estimated_cost_usd` it also raises what is reserved: rules, rates and every limit are asked for the whole run as at a start, by what is in force now, and count what it has reserved as free. A refusal is that of a start, and leaves reservation and lease as they were.',
        params: RunPath,
        body: ExtendInput,
        response: { 200: Run },
      },
    },
    (request, reply) => extend(request, reply),
  )

  bulkRuns(app, platform, lanes, records)
}

/** The external_id of a run is stored longer than the run itself. */
const notKept = () => new ApiError('conflict', {}, { message: 'The run with this external_id is no longer kept.' })
