import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import { carryOut, type DecisionRecords, judge } from '../decisions/decisions.ts'
import { idempotencyOf } from '../idempotency/idempotency.ts'
import { withPins } from '../identity/identity.ts'
import type { Platform } from '../infra/platform.ts'
import type { SpeedLimits } from '../infra/speed-limits.ts'
import type { Lanes, Result, Task } from '../lanes/lanes.ts'
import { limitCall } from '../rate-limits/rate-limits.ts'
import type { Run } from '../run-log/run-log.ts'
import { formatId } from '../values/id.ts'
import { admissions } from './admitting.ts'
import type { Admitted, Governance, Refused } from './governance.ts'
import type { StartInput } from './schema.ts'
import { dryRun, refusedTask, startedBefore, startedRun, startHash, startTask } from './starting.ts'

type Told = Pick<Result, 'verdict' | 'atMs'>
type Answer = ReturnType<typeof carryOut>

const maxAttempts = 5
/** Attempts for which prices must be unchanged: prices that change all the time must not keep anybody from running. */
const insistsOnPrices = 3

/** The configuration that admitted a start is no longer in force. */
class Outdated extends Error {}

/** Wraps an operation so that it is planned only with the configuration that admitted it. */
const insisting = <T extends Task>(task: T, by: Admitted['by'], attempt: number): T => ({
  ...task,
  bind: (facts) => {
    const { policySet, prices } = facts.definitions
    const isRepriced = by.prices !== undefined && by.prices !== prices && attempt <= insistsOnPrices
    if (policySet !== by.rules || isRepriced) throw new Outdated()
    return task.bind(facts)
  },
})

/** Creates the handler that starts runs: the checks before the limits, in order, then the limits. */
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
    let isCounted = false

    /** Answers a retry under the same external_id or key with the earlier response, whatever the rules say now. */
    const refuse = async ({ refusal, happened }: Refused): Answer => {
      // The external_id does not cover the input that detectors inspect; the idempotency key does.
      const named = refusal.code === 'content_safety_blocked' ? { ...said, external_id: undefined } : said
      const task = refusedTask(caller.orgId, named, hash, refusal)
      if (task.runKey || idempotencyOf(request)) {
        try {
          return await carryOut(lanes, request, reply, task, () => ({}), options)
        } catch (error) {
          if (error !== refusal) throw error
        }
      }
      await happened()
      throw refusal
    }

    const start = async (admitted: Admitted, attempt: number, [grant, ...others] = admitted.grants): Answer => {
      const { input, by, happened, refused } = admitted
      const admission = admitted.admission && {
        ...admitted.admission,
        ...(grant && { approval_id: formatId('approval', grant.id) }),
      }
      const asked = startTask(caller, input, { hash, admission, grant })
      const { task, passed, tokens } = judge(platform, records, asked, input)
      if (!isCounted)
        await limitCall(speedLimits, caller, input, request.route.template, async () =>
          tokens(await lanes.definitionsOf(task.orgId)),
        )
      isCounted = true
      const answer = (result: Told) => {
        passed(result)
        happened()
        return input.dry_run === true ? dryRun(task, result, input) : startedRun(task, result)
      }
      try {
        return await carryOut(lanes, request, reply, insisting(task, by, attempt), answer, options)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        // A concurrent start has used up this grant; another may have an amount left.
        if (error.code === 'policy_approval_required' && others.length > 0) return start(admitted, attempt, others)
        throw await refused(error)
      }
    }

    for (let attempt = 1; ; attempt++) {
      try {
        const admitted = await admit(request, said, { isAgain: attempt > 1 }).catch(asRefusal)
        return await ('refusal' in admitted ? refuse(admitted) : start(admitted, attempt))
      } catch (error) {
        if (!(error instanceof Outdated)) throw error
        if (attempt === maxAttempts) throw new ApiError('service_unavailable', {}, { cause: error })
      }
    }
  }
}

function asRefusal(error: unknown): Refused {
  if (!(error instanceof ApiError)) throw error
  return { refusal: error, happened: async () => undefined }
}
