import { ApiError } from '../contract/errors.ts'
import { describeTag } from '../contract/openapi.ts'
import type { App } from '../contract/routes.ts'
import { limitErrors } from '../money/limit-kinds.ts'
import type { Platform } from '../platform/infra/platform.ts'
import type { RateLimiter } from '../platform/infra/rate-limiter.ts'
import { limitCall } from '../tenants/rate-limits/rate-limits.ts'
import { requireId } from '../values/id.ts'
import type { DecisionLog } from './decision-log.ts'
import { explain, listReservations, prepareEdgeDecision } from './decisions.ts'
import type { Lanes } from './lanes/lanes.ts'
import { runOperation } from './operation-reply.ts'
import { releaseOperation, reservationOf } from './operations.ts'
import { refusals } from './refusal-routes.ts'
import { createReservationExtender } from './reservation-extender.ts'
import {
  DecisionInput,
  DecisionPath,
  EdgeDecision,
  Explanation,
  ExtendInput,
  Reservation,
  ReservationList,
  ReservationListQuery,
  ReservationPath,
} from './schema.ts'

interface DecisionServices {
  readonly lanes: Lanes
  readonly records: DecisionLog
  readonly rateLimiter: RateLimiter
}

export function decisions(app: App, platform: Platform, { lanes, records, rateLimiter }: DecisionServices) {
  const { sql } = platform
  const tags = ['decisions']
  describeTag(app, 'decisions', 'May this call run? Asked before it, and explained afterwards.')
  const config = { role: 'service', scope: 'edge:decide', urgency: 'decision', storesOwnResponses: true } as const

  const extend = createReservationExtender(platform, lanes, records, rateLimiter)

  app.post(
    '/v1/edge/decision',
    {
      config: {
        pinned: 'filtered',
        ...config,
        quotaStatus: 402,
        errors: [...limitErrors('edge'), 'service_unavailable'],
      },
      schema: {
        operationId: 'decideAtEdge',
        tags,
        summary: 'Decide whether a call may run',
        description:
          'Holds the worst case of the call on every limit that it touches, all or none. An allowed call is reserved until it is settled, released, or its lease ends. A refusal is the error of the limit that decided, and changes nothing.',
        body: DecisionInput,
        response: { 200: EdgeDecision },
      },
    },
    async (request, reply) => {
      const { caller, body } = request
      const { task, answer, onFailure, tokens } = prepareEdgeDecision(platform, records, caller, body)
      const tokensLeft = await limitCall(rateLimiter, caller, body, request.route.template, async () =>
        tokens(await lanes.orgConfigOf(task.orgId)),
      )
      return runOperation(lanes, request, reply, task, (decided) => answer(decided, tokensLeft), { onFailure })
    },
  )

  app.post(
    '/v1/edge/reservations/:reservation_id/release',
    {
      config: { ...config, errors: ['conflict', 'service_unavailable'], pinned: 'filtered' },
      schema: {
        operationId: 'releaseReservation',
        tags,
        summary: 'Release a reservation',
        description:
          'Releases what was reserved. Releasing a released or expired reservation changes nothing; a settled one is a conflict.',
        params: ReservationPath,
        response: { 200: Reservation },
      },
    },
    (request, reply) => {
      const holdId = requireId('reservation', request.params.reservation_id)
      return runOperation(
        lanes,
        request,
        reply,
        releaseOperation(request.caller, holdId, { type: 'release' }),
        reservationOf,
      )
    },
  )

  app.post(
    '/v1/edge/reservations/:reservation_id/extend',
    {
      config: {
        ...config,
        quotaStatus: 402,
        errors: [...limitErrors('edge'), 'conflict', 'service_unavailable'],
        pinned: 'filtered',
      },
      schema: {
        operationId: 'extendReservation',
        tags,
        summary: 'Extend a reservation',
        description:
          'Only while it is open. Extend at half the lease, and stop the call when extending fails. With `max_output_tokens` or `estimated_cost_usd` it also raises what is reserved: every limit is asked for the whole call as by a decision, by what is in force now, and counts what is reserved as free. A refusal is that of a decision, and leaves reservation and lease as they were.',
        params: ReservationPath,
        body: ExtendInput,
        response: { 200: Reservation },
      },
    },
    (request, reply) => extend(request, reply),
  )

  app.get(
    '/v1/edge/reservations',
    {
      config: { role: 'viewer', scope: 'limits:read', pinned: 'filtered', expensive: true },
      schema: {
        operationId: 'listReservations',
        tags,
        summary: 'List reservations',
        description: 'Reservations for calls and runs of the last seven days, with their status.',
        querystring: ReservationListQuery,
        response: { 200: ReservationList },
      },
    },
    ({ caller, query }) => listReservations(sql, caller, query),
  )

  app.get(
    '/v1/edge/reservations/:reservation_id',
    {
      config: { role: 'viewer', scope: 'edge:decide', pinned: 'filtered' },
      schema: {
        operationId: 'getReservation',
        tags,
        summary: 'Get a reservation',
        description: 'One reservation with its status; kept for seven days.',
        params: ReservationPath,
        response: { 200: Reservation },
      },
    },
    async ({ params, caller }) => {
      const found = await explain(sql, records, caller, requireId('reservation', params.reservation_id))
      if (!found?.reservation) throw new ApiError('not_found')
      return found.reservation
    },
  )

  app.get(
    '/v1/decisions/:decision_id',
    {
      config: { role: 'viewer', scope: 'limits:read', pinned: 'filtered' },
      schema: {
        operationId: 'explainDecision',
        tags,
        summary: 'Explain a decision',
        description:
          'The request, the price that was used, every limit with what was read there, and which one decided. Kept for seven days; of refusals by one limit at most ten a second are kept.',
        params: DecisionPath,
        response: { 200: Explanation },
      },
    },
    async ({ params, caller }) => {
      const explanation = await explain(sql, records, caller, requireId('decision', params.decision_id))
      if (!explanation) throw new ApiError('not_found')
      return explanation
    },
  )

  refusals(app, platform)
}
