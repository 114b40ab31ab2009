import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import type { Platform } from '../platform/infra/platform.ts'
import type { RateLimiter } from '../platform/infra/rate-limiter.ts'
import { heldTokensOf, isRunHold } from '../records/run-log/run-log.ts'
import { limitCall } from '../tenants/rate-limits/rate-limits.ts'
import { newUuid, requireId } from '../values/id.ts'
import type { DecisionLog } from './decision-log.ts'
import { prepareDecision } from './decisions.ts'
import { type DecidedOperation, type Lanes, StaleOperation } from './lanes/lanes.ts'
import { runOperation } from './operation-reply.ts'
import { releaseOperation, reservationOf } from './operations.ts'
import { findRaisableHold, type RaisePlan, raisedRequest, raiseOperation } from './raises.ts'
import { defaultLeaseSeconds, type ExtendInput } from './schema.ts'

const maxAttempts = 5

type Extension = FastifyRequest<{ Params: { reservation_id: string }; Body: ExtendInput | undefined }>

/** Creates the handler that extends reservations, and raises those that ask for more. */
export function createReservationExtender(platform: Platform, lanes: Lanes, records: DecisionLog, rates: RateLimiter) {
  return async (request: Extension, reply: FastifyReply) => {
    const { caller, body = {} } = request
    const id = requireId('reservation', request.params.reservation_id)
    const leaseMs = (body.lease_seconds ?? defaultLeaseSeconds) * 1_000
    const extend = () =>
      runOperation(lanes, request, reply, releaseOperation(caller, id, { type: 'extend', leaseMs }), reservationOf)
    let tokensLeft: bigint | null | undefined
    for (let attempt = 1; ; attempt++) {
      if (body.max_output_tokens === undefined && body.estimated_cost_usd === undefined) return extend()
      const held = await findRaisableHold(platform.sql, caller, id)
      if (held && isRunHold(held))
        throw new ApiError('conflict', {}, { message: 'This is a started run: extend the run instead.' })
      const input = held && raisedRequest(held, body)
      if (!held || !input) return extend()
      const asked = { id: newUuid(), orgId: caller.orgId }
      const { throwIfRefused, onFailure, tokens } = prepareDecision(platform, records, asked, input)
      if (tokensLeft === undefined)
        tokensLeft = await limitCall(rates, caller, input, request.route.template, async () =>
          Math.max(0, tokens(await lanes.orgConfigOf(caller.orgId)) - Number(heldTokensOf(held))),
        )
      const left = tokensLeft
      const answer = (decided: DecidedOperation<RaisePlan>) => {
        throwIfRefused(decided, left)
        return reservationOf(decided)
      }
      try {
        const task = raiseOperation(caller, held, input, leaseMs)
        return await runOperation(lanes, request, reply, task, answer, { onFailure })
      } catch (error) {
        if (!(error instanceof StaleOperation)) throw error
        if (attempt === maxAttempts) throw new ApiError('service_unavailable', {}, { cause: error })
      }
    }
  }
}
