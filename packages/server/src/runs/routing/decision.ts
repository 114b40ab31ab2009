import type { FastifyReply, FastifyRequest } from 'fastify'
import { idempotencyOf } from '../../access/idempotency/idempotency.ts'
import { withPins } from '../../access/identity/identity.ts'
import {
  type DecisionInput,
  type DecisionLog,
  prepareDecision,
  type ReservePlan,
  recordUnpricedModel,
  reserveOperation,
  runOperation,
} from '../../decisions/decisions.ts'
import { type DecidedOperation, isHeld, type Lanes, type Operation } from '../../decisions/lanes/lanes.ts'
import type { PolicyEvaluator } from '../../governance/policies/policies.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Cache } from '../../platform/nodes/nodes.ts'
import { formatId } from '../../values/id.ts'
import { formatUsd } from '../../values/money.ts'
import type { ChoiceInput, Eligible } from './choice.ts'
import type { RoutingDecision, RoutingInput } from './decision-schema.ts'
import { suggestFittingModel } from './fitting-model.ts'
import { retryOnPriceChange } from './price-retry.ts'
import { reasonMessage } from './reasons.ts'
import { createQuote, type OrgRouting, type RoutingResult, routeToModel } from './routing.ts'

export interface RoutingServices {
  readonly lanes: Lanes
  readonly records: DecisionLog
  readonly governance: { readonly rules: PolicyEvaluator; readonly routing: Cache<OrgRouting> }
}

const mostRunnersUp = 10

/** Chooses the model for a call and checks that every limit has room for it. Nothing is held. */
export async function decideRoute(
  platform: Platform,
  { lanes, records, governance }: RoutingServices,
  request: FastifyRequest<{ Body: RoutingInput }>,
  reply: FastifyReply,
) {
  const caller = request.caller
  const { orgId } = caller
  const input = withPins(request.body, caller)
  const nowMs = platform.clock.now().getTime()
  const routing = await governance.routing.get(orgId)
  const rulings = await governance.rules(caller, input, { atMs: nowMs })
  const policy: ChoiceInput['policy'] = (model, quotedNano) => rulings.evaluate(model, quotedNano).refusal ?? null
  const ticket = Math.random()

  return retryOnPriceChange(lanes, orgId, async (definitions, insists) => {
    const quote = createQuote(definitions.prices, input, nowMs)
    const quoteAndReport: ChoiceInput['quote'] = (model) => {
      const quoted = quote(model)
      if (quoted === null) recordUnpricedModel(platform, orgId, callOf(input, model), 'refused')
      return quoted
    }
    let routed: RoutingResult
    try {
      routed = await routeToModel(routing, input, { quote: quoteAndReport, policy, nowMs, ticket, mostRunnersUp })
    } catch (error) {
      if (!idempotencyOf(request)) throw error
      // A request repeated under the same key gets its stored response, whatever would be chosen now.
      return runOperation(lanes, request, reply, refusedOperation(orgId, error), () => ({}))
    }
    const call = callOf(input, routed.model)
    const { task, throwIfRefused, onFailure } = prepareDecision(
      platform,
      records,
      reserveOperation(caller, call, 'route'),
      call,
    )
    try {
      const required = { ...task, requires: insists ? { prices: definitions.prices } : undefined }
      const answer = (decided: DecidedOperation<ReservePlan>) => {
        throwIfRefused(decided, null)
        return viewOf(routed, task.id)
      }
      return await runOperation(lanes, request, reply, required, answer, { onFailure })
    } catch (error) {
      await suggestFittingModel(error, routed.cheaper, async ({ model }) => {
        const fitting = reserveOperation(caller, callOf(input, model), 'route')
        return isHeld(await lanes.submit(fitting))
      })
      throw error
    }
  })
}

const refusedOperation = (orgId: string, error: unknown): Operation => ({
  orgId,
  plan: () => {
    throw error
  },
})

/** Builds a dry-run decision for the call with a model. */
function callOf(
  {
    route: _route,
    sticky: _sticky,
    operation: _operation,
    action: _action,
    metadata: _metadata,
    ...call
  }: RoutingInput,
  { model, provider }: Eligible['model'],
): DecisionInput {
  return { ...call, model, ...(provider !== null && { provider }), dry_run: true }
}

const eligibleView = ({ model, quotedNano, score, latencyMs }: Eligible) => ({
  model: model.model,
  provider: model.provider,
  estimated_cost_usd: formatUsd(quotedNano),
  score,
  latency_ms: latencyMs,
})

const viewOf = (routed: RoutingResult, decisionId: string): RoutingDecision => ({
  decision_id: formatId('decision', decisionId),
  route_id: formatId('modelRoute', routed.route.id),
  route: routed.route.name,
  ...eligibleView(routed),
  runners_up: routed.choice.runnersUp.map(eligibleView),
  excluded: routed.choice.excluded.map(({ model: { model, provider }, reasons }) => ({
    model,
    provider,
    reasons: reasons.map((reason) => ({ code: reason.code, message: reasonMessage(reason) })),
  })),
})
