import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import type { Platform } from '../platform/infra/platform.ts'
import type { RateLimiter } from '../platform/infra/rate-limiter.ts'
import { isRunHold } from '../records/run-log/run-log.ts'
import { requireId } from '../values/id.ts'
import type { DecisionLog } from './decision-log.ts'
import { prepareRaises } from './decisions.ts'
import type { DecidedOperation, Lanes } from './lanes/lanes.ts'
import { runOperation } from './operation-reply.ts'
import { releaseOperation, reservationOf } from './operations.ts'
import { findRaisableHold, type RaisePlan, raisedRequest, raiseOperation, repeatWhileStale } from './raises.ts'
import { defaultLeaseSeconds, type ExtendInput } from './schema.ts'

type Extension = FastifyRequest<{ Params: { reservation_id: string }; Body: ExtendInput | undefined }>

/** Creates the handler that extends reservations, and raises those that ask for more. */
export function createReservationExtender(platform: Platform, lanes: Lanes, records: DecisionLog, rates: RateLimiter) {
  return async (request: Extension, reply: FastifyReply) => {
    const { caller, body = {} } = request
    const id = requireId('reservation', request.params.reservation_id)
    const leaseMs = (body.lease_seconds ?? defaultLeaseSeconds) * 1_000
    const extend = () =>
      runOperation(lanes, request, reply, releaseOperation(caller, id, { type: 'extend', leaseMs }), reservationOf)
    if (body.max_output_tokens === undefined && body.estimated_cost_usd === undefined) return extend()
    const prepare = prepareRaises({ platform, lanes, records, rates }, caller, request.route.template)
    return repeatWhileStale(async () => {
      const held = await findRaisableHold(platform.sql, caller, id)
      if (held && isRunHold(held))
        throw new ApiError('conflict', {}, { message: 'This is a started run: extend the run instead.' })
      const input = held && raisedRequest(held, body)
      if (!held || !input) return extend()
      const { throwIfRefused, onFailure } = await prepare(held, input)
      const answer = (decided: DecidedOperation<RaisePlan>) => {
        throwIfRefused(decided)
        return reservationOf(decided)
      }
      return runOperation(lanes, request, reply, raiseOperation(caller, held, input, leaseMs), answer, { onFailure })
    })
  }
}
