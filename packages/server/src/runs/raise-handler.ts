import type { FastifyReply, FastifyRequest } from 'fastify'
import { lineageOfMaker } from '../access/identity/identity.ts'
import { ApiError } from '../contract/errors.ts'
import {
  type DecisionInput,
  type DecisionLog,
  defaultLeaseSeconds,
  type ExtendInput,
  findRaisableHold,
  prepareRaises,
  type RaisableHold,
  type RaisePlan,
  raisedRequest,
  raiseOperation,
  repeatWhileStale,
  runOperation,
} from '../decisions/decisions.ts'
import type { DecidedOperation, Lanes, Operation } from '../decisions/lanes/lanes.ts'
import type { Platform } from '../platform/infra/platform.ts'
import type { RateLimiter } from '../platform/infra/rate-limiter.ts'
import { isRunHold, type StoredRunFields } from '../records/run-log/run-log.ts'
import { formatId, parseId, requireId } from '../values/id.ts'
import { estimateOf } from './admission.ts'
import type { Admitted, Governance } from './governance.ts'
import { createRefusalRecorder, createRulingHandler } from './ruling-handler.ts'
import { extendedRun, extendOperation } from './run-finish.ts'
import type { ResolvedStart } from './schema.ts'

type Extension = FastifyRequest<{ Params: { run_id: string }; Body: ExtendInput | undefined }>

/**
 * Creates the handler that extends runs. One that asks for more is asked of rules, rates and limits as a start is, except that what the
 * run holds already counts as free; a refusal leaves the run as it was.
 */
export function createExtendHandler(
  platform: Platform,
  lanes: Lanes,
  records: DecisionLog,
  rates: RateLimiter,
  governance: Governance,
) {
  const { sql, clock } = platform
  const applyRuling = createRulingHandler(governance, createRefusalRecorder(clock, records))

  /** Asks the rules about the run as it would be. */
  async function rule(request: Extension, held: RaisableHold, input: ResolvedStart, isRetry: boolean) {
    const { caller } = request
    const nowMs = clock.now().getTime()
    // Whether its input was sent along was asked when it started.
    const rulings = await governance.rules(caller, { ...input, has_input: true }, { atMs: nowMs, reload: isRetry })
    const estimatedNano =
      rulings.set.rules.length === 0
        ? 0n
        : estimateOf(input, await lanes.orgConfigOf(caller.orgId), nowMs, lineageOfMaker(held.madeBy))
    const approval = held.inputs.run?.admission?.approval_id
    const approvalId = approval === undefined ? undefined : parseId('approval', approval)
    return applyRuling(rulings.evaluate(input, estimatedNano), rulings, input, request, approvalId)
  }

  return async (request: Extension, reply: FastifyReply) => {
    const { caller, body = {} } = request
    const id = requireId('run', request.params.run_id)
    const leaseMs = (body.lease_seconds ?? defaultLeaseSeconds) * 1_000
    const extend = () => runOperation(lanes, request, reply, extendOperation(caller, id, leaseMs), extendedRun)
    const prepare = prepareRaises({ platform, lanes, records, rates }, caller, request.route.template)

    const raise = async (
      held: RaisableHold,
      input: DecisionInput,
      admitted: Admitted,
      [grant, ...others] = admitted.grants,
    ): ReturnType<typeof extend> => {
      const { admittedBy, onConfirmed, completeRefusal } = admitted
      const run = raisedRunOf(held, admitted, grant && formatId('approval', grant.id))
      const task = raiseOperation(caller, held, input, leaseMs, {
        run,
        approval: grant,
        chain: ({ chain }) => chain && { ...chain, depth: run.depth ?? 1 },
      })
      const { throwIfRefused, onFailure } = await prepare(held, input)
      const answer = (decided: DecidedOperation<RaisePlan>) => {
        throwIfRefused(decided)
        onConfirmed()
        return extendedRun(decided)
      }
      const required = { ...task, requires: { policySet: admittedBy.rules } }
      try {
        return await runOperation(lanes, request, reply, required, answer, { onFailure })
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        if (error.code === 'policy_approval_required' && others.length > 0) return raise(held, input, admitted, others)
        throw await completeRefusal(error)
      }
    }

    if (body.max_output_tokens === undefined && body.estimated_cost_usd === undefined) return extend()
    return repeatWhileStale(async (isRetry) => {
      const held = await findRaisableHold(sql, caller, id)
      const wanted = held && isRunHold(held) ? raisedRequest(held, body) : undefined
      if (!held || !wanted) return extend()
      const admitted = await rule(request, held, startOf(held, wanted), isRetry)
      if (!('refusal' in admitted)) return raise(held, wanted, admitted)
      // The response of an earlier request with the same key comes first.
      const { refusal, onConfirmed } = admitted
      try {
        return await runOperation(lanes, request, reply, refusedRaise(caller.orgId, refusal), () => ({}))
      } catch (error) {
        if (error === refusal) await onConfirmed()
        throw error
      }
    })
  }
}

const refusedRaise = (orgId: string, refusal: Error): Operation => ({
  orgId,
  plan: () => {
    throw refusal
  },
})

/** The start that would have made the run as it is to be. */
function startOf({ inputs: { run = {} } }: RaisableHold, request: DecisionInput): ResolvedStart {
  const { operation, action, chain_id, parent_run_id, tags, metadata } = run
  return {
    ...request,
    ...(operation !== undefined && { operation }),
    ...(action !== undefined && { action }),
    ...(chain_id !== undefined && { chain_id }),
    ...(parent_run_id !== undefined && { parent_run_id: formatId('run', parent_run_id) }),
    ...(tags && { tags: [...tags] }),
    ...(metadata && { metadata }),
  } as ResolvedStart
}

/** The stored fields of a run that is raised: by what it was admitted last. */
function raisedRunOf(held: RaisableHold, { admission }: Admitted, approvalId: string | undefined): StoredRunFields {
  const run = held.inputs.run as StoredRunFields
  return admission
    ? { ...run, admission: { ...admission, ...(approvalId !== undefined && { approval_id: approvalId }) } }
    : run
}
