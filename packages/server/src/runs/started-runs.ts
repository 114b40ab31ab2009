import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import { carryOut, type DecisionRecords, judge, withPins } from '../decisions/decisions.ts'
import { idempotencyOf } from '../idempotency/idempotency.ts'
import type { Platform } from '../infra/platform.ts'
import type { SpeedLimits } from '../infra/speed-limits.ts'
import type { Lanes, Result } from '../lanes/lanes.ts'
import { limitCall } from '../rate-limits/rate-limits.ts'
import { insistOnPrices, PricesChanged } from '../routing/routing.ts'
import type { Run } from '../run-log/run-log.ts'
import { admissions } from './admitting.ts'
import type { Admitted, Governance } from './governance.ts'
import type { StartInput } from './schema.ts'
import { dryRun, refusedTask, startedBefore, startedRun, startHash, startTask } from './starting.ts'

type Told = Pick<Result, 'verdict' | 'atMs'>
type Answer = ReturnType<typeof carryOut>

/** Prices that change all the time keep nobody from running. */
const maxChoices = 3

/** Starts runs: what is asked before the limits, in order, then the limits. */
export function startingRuns(
  platform: Platform,
  lanes: Lanes,
  records: DecisionRecords,
  speedLimits: SpeedLimits,
  governance: Governance,
  findRun: (orgId: string, runId: string) => Promise<Run>,
) {
  const admit = admissions(platform, lanes, records, governance)

  return async (request: FastifyRequest<{ Body: StartInput }>, reply: FastifyReply): Answer => {
    const caller = request.principal!
    const said = withPins(request.body, caller)
    const hash = startHash(said)
    const options = {
      status: said.dry_run === true ? 200 : 201,
      look: (result: Told) => {
        const id = startedBefore(result, hash)
        return id === undefined ? undefined : findRun(caller.orgId, id)
      },
    } as const

    const admitted = await admit(request, said).catch((error: unknown) => {
      // What was answered before under the same name or key is answered again, whatever rules say now.
      if (said.external_id === undefined && !idempotencyOf(request)) throw error
      return { refusal: error as Error }
    })
    if ('refusal' in admitted)
      return carryOut(
        lanes,
        request,
        reply,
        refusedTask(caller.orgId, said, hash, admitted.refusal),
        () => ({}),
        options,
      )

    const start = async ({ input, facts, refused, chosen }: Admitted, attempt = 1): Answer => {
      const asked = startTask(caller.orgId, input, { hash, ...facts })
      const { task, passed, tokens } = judge(platform, records, asked, input)
      await limitCall(speedLimits, caller, input.model, request.route.template, async () =>
        tokens(await lanes.definitionsOf(task.orgId)),
      )
      const answer = (result: Told) => {
        passed(result)
        return input.dry_run === true ? dryRun(task, result, input) : startedRun(task, result)
      }
      const insists = chosen && attempt < maxChoices
      try {
        const bound = insists ? insistOnPrices(task, chosen.by) : task
        return await carryOut(lanes, request, reply, bound, answer, options)
      } catch (error) {
        if (insists && error instanceof PricesChanged) return start(await chosen.again(), attempt + 1)
        throw error instanceof ApiError ? await refused(error) : error
      }
    }
    return start(admitted)
  }
}
