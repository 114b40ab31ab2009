import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  carryOut,
  type DecisionInput,
  type DecisionRecords,
  holdTask,
  judge,
  noteUnpricedModel,
} from '../decisions/decisions.ts'
import { idempotencyOf } from '../idempotency/idempotency.ts'
import { type Caller, withPins } from '../identity/identity.ts'
import type { Platform } from '../infra/platform.ts'
import type { Lanes, Task } from '../lanes/lanes.ts'
import type { Remembered } from '../nodes/nodes.ts'
import { formatId } from '../values/id.ts'
import { formatUsd } from '../values/money.ts'
import type { Choosing, Eligible } from './choosing.ts'
import type { RoutingDecision, RoutingInput } from './decision-schema.ts'
import { nameFitting } from './fitting.ts'
import { messageOf } from './reasons.ts'
import { insistOnPrices, rerouting } from './rerouting.ts'
import { type OrgRouting, quoteWith, type Routed, route } from './routing.ts'

/** Returns the rule check for a request, evaluated with the rules of the caller's organization. */
export type PolicyFor = (caller: Caller, input: RoutingInput, nowMs: number) => Promise<Choosing['policy']>

export interface Deciding {
  readonly platform: Platform
  readonly lanes: Lanes
  readonly records: DecisionRecords
  readonly remembered: Remembered<OrgRouting>
  readonly policyFor: PolicyFor
}

const mostRunnersUp = 10

/** Chooses the model for a call and checks that every limit has room for it. Nothing is held. */
export async function decideRoute(
  { platform, lanes, records, remembered, policyFor }: Deciding,
  request: FastifyRequest<{ Body: RoutingInput }>,
  reply: FastifyReply,
) {
  const caller = request.principal!
  const { orgId } = caller
  const input = withPins(request.body, caller)
  const nowMs = platform.clock.now().getTime()
  const routing = await remembered.of(orgId)
  const policy = await policyFor(caller, input, nowMs)
  const ticket = Math.random()

  return rerouting(lanes, orgId, async (definitions, insists) => {
    const quote = quoteWith(definitions.prices, input, nowMs)
    const noted: Choosing['quote'] = (model) => {
      const quoted = quote(model)
      if (quoted === null) noteUnpricedModel(platform, orgId, callOf(input, model))
      return quoted
    }
    let routed: Routed
    try {
      routed = await route(routing, input, { quote: noted, policy, nowMs, ticket, mostRunnersUp })
    } catch (error) {
      if (!idempotencyOf(request)) throw error
      // A request repeated under the same key gets its stored response, whatever would be chosen now.
      return carryOut(lanes, request, reply, refusedTask(orgId, error), () => ({}))
    }
    const call = callOf(input, routed.model)
    const { task, passed } = judge(platform, records, holdTask(caller, call, 'start', 'release'), call)
    try {
      return await carryOut(lanes, request, reply, insists ? insistOnPrices(task, definitions) : task, (result) => {
        passed(result)
        return viewOf(routed, task.id)
      })
    } catch (error) {
      await nameFitting(error, routed.cheaper, async ({ model }) => {
        const { verdict } = await lanes.submit(holdTask(caller, callOf(input, model), 'start', 'release'))
        return verdict.type === 'held'
      })
      throw error
    }
  })
}

const refusedTask = (orgId: string, error: unknown): Task => ({
  orgId,
  bind: () => {
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
    tags: _tags,
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

const viewOf = (routed: Routed, decisionId: string): RoutingDecision => ({
  decision_id: formatId('decision', decisionId),
  route_id: formatId('modelRoute', routed.route.id),
  route: routed.route.name,
  ...eligibleView(routed),
  runners_up: routed.choice.runnersUp.map(eligibleView),
  excluded: routed.choice.excluded.map(({ model: { model, provider }, reasons }) => ({
    model,
    provider,
    reasons: reasons.map((reason) => ({ code: reason.code, message: messageOf(reason) })),
  })),
})
