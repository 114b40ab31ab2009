import type { FastifyReply, FastifyRequest } from 'fastify'
import { idempotencyOf } from '../access/idempotency/idempotency.ts'
import { withPins } from '../access/identity/identity.ts'
import { ApiError } from '../contract/errors.ts'
import { type DecisionLog, prepareDecision, type ReservePlan, runOperation } from '../decisions/decisions.ts'
import {
  type DecidedOperation,
  type Lanes,
  type NamedRun,
  type Operation,
  StaleOperation,
} from '../decisions/lanes/lanes.ts'
import { hasText } from '../governance/policies/policies.ts'
import type { Platform } from '../platform/infra/platform.ts'
import type { RateLimiter } from '../platform/infra/rate-limiter.ts'
import type { Run } from '../records/run-log/run-log.ts'
import { limitCall } from '../tenants/rate-limits/rate-limits.ts'
import { formatId } from '../values/id.ts'
import { createAdmission } from './admission.ts'
import type { Admitted, Governance, RefusedStart } from './governance.ts'
import { dryRun, earlierStart, refusedStartOperation, startedRun, startHash, startOperation } from './run-start.ts'
import type { StartInput } from './schema.ts'

type StartResponse = ReturnType<typeof runOperation>

const maxAttempts = 5
/** Attempts for which prices must be unchanged: prices that change all the time must not keep anybody from running. */
const maxPriceChecks = 3

/** Returns the configuration that must still be in force when an admitted start is decided. */
const requirementsOf = ({ rules, prices }: Admitted['admittedBy'], attempt: number): Operation['requires'] => ({
  policySet: rules,
  ...(prices && attempt <= maxPriceChecks && { prices }),
})

/** Creates the handler that starts runs: the checks before the limits, in order, then the limits. */
export function createStartHandler(
  platform: Platform,
  lanes: Lanes,
  records: DecisionLog,
  speedLimits: RateLimiter,
  governance: Governance,
  findRun: (orgId: string, runId: string) => Promise<Run>,
) {
  const admit = createAdmission(platform, lanes, records, governance)

  return async (request: FastifyRequest<{ Body: StartInput }>, reply: FastifyReply): StartResponse => {
    const caller = request.caller
    const said = withPins(request.body, caller)
    const hash = startHash(said)
    const options = {
      status: said.dry_run === true ? 200 : 201,
      findEarlier: (result: DecidedOperation | NamedRun) =>
        result.type === 'existing' ? findRun(caller.orgId, earlierStart(result, hash)) : undefined,
    } as const
    /** Tokens that rates leave after this start; undefined until it was counted. */
    let tokensLeft: bigint | null | undefined

    /** Answers a retry under the same external_id or key with the earlier response, whatever the rules say now. */
    const refuse = async ({ refusal, onConfirmed }: RefusedStart): StartResponse => {
      // The external_id does not cover the input that detectors inspect; the idempotency key does.
      const named = refusal.code === 'content_safety_blocked' ? { ...said, external_id: undefined } : said
      const task = refusedStartOperation(caller.orgId, named, hash, refusal)
      if (task.runKey || idempotencyOf(request)) {
        try {
          return await runOperation(lanes, request, reply, task, () => ({}), options)
        } catch (error) {
          if (error !== refusal) throw error
        }
      }
      await onConfirmed()
      throw refusal
    }

    const start = async (admitted: Admitted, attempt: number, [grant, ...others] = admitted.grants): StartResponse => {
      const { input, admittedBy, onConfirmed, completeRefusal } = admitted
      const admission = admitted.admission && {
        ...admitted.admission,
        ...(grant && { approval_id: formatId('approval', grant.id) }),
      }
      const asked = startOperation(caller, input, { hash, admission, grant, hasInput: hasText(said.input) })
      const { task, throwIfRefused, onFailure, tokens } = prepareDecision(platform, records, asked, input)
      if (tokensLeft === undefined)
        tokensLeft = await limitCall(speedLimits, caller, input, request.route.template, async () =>
          tokens(await lanes.orgConfigOf(task.orgId)),
        )
      const left = tokensLeft
      const answer = (decided: DecidedOperation<ReservePlan>) => {
        throwIfRefused(decided, left)
        onConfirmed()
        return input.dry_run === true ? dryRun(decided, input) : startedRun(decided)
      }
      const required = { ...task, requires: requirementsOf(admittedBy, attempt) }
      try {
        return await runOperation(lanes, request, reply, required, answer, { ...options, onFailure })
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        // A concurrent start has used up this grant; another may have an amount left.
        if (error.code === 'policy_approval_required' && others.length > 0) return start(admitted, attempt, others)
        throw await completeRefusal(error)
      }
    }

    for (let attempt = 1; ; attempt++) {
      try {
        const admitted = await admit(request, said, { isRetry: attempt > 1 }).catch(asRefusal)
        return await ('refusal' in admitted ? refuse(admitted) : start(admitted, attempt))
      } catch (error) {
        if (!(error instanceof StaleOperation)) throw error
        if (attempt === maxAttempts) throw new ApiError('service_unavailable', {}, { cause: error })
      }
    }
  }
}

function asRefusal(error: unknown): RefusedStart {
  if (!(error instanceof ApiError)) throw error
  return { refusal: error, onConfirmed: async () => undefined }
}
