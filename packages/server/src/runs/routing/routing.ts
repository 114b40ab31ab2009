import { ApiError } from '../../contract/errors.ts'
import { type CacheCreation, type PriceBook, quoteHold, type ServiceTier } from '../../money/prices/prices.ts'
import { runCooperatively } from '../../platform/infra/time-slice.ts'
import { parseId } from '../../values/id.ts'
import { parseUsd } from '../../values/money.ts'
import {
  type Choice,
  type ChoiceInput,
  cheaperInSteps,
  chooseInSteps,
  type Eligible,
  type ModelRefusal,
} from './choice.ts'
import type { OrgRouting } from './org-routing.ts'
import { summaryOf } from './reasons.ts'
import type { RouteDefinition } from './route.ts'
import { stickyTicket } from './weighted-draw.ts'

export type { Eligible } from './choice.ts'
export { RouteReference, Sticky } from './decision-schema.ts'
export { expiredEvalsJob } from './expiry.ts'
export { suggestFittingModel } from './fitting-model.ts'
export { createRoutingCache, type OrgRouting } from './org-routing.ts'

/** A request that names a route instead of a model. */
export interface RouteRequest {
  readonly route: string
  readonly sticky?: string | undefined
  readonly input_tokens?: number | undefined
  readonly max_output_tokens?: number | undefined
  readonly service_tier?: ServiceTier | undefined
  readonly cache_creation?: CacheCreation | undefined
  readonly estimated_cost_usd?: string | undefined
  readonly units?: Readonly<Record<string, number>> | undefined
}

export interface RoutingContext {
  readonly quote: ChoiceInput['quote']
  readonly policy: ChoiceInput['policy']
  readonly nowMs: number
  /** A random number in [0, 1); a sticky value takes precedence. */
  readonly ticket: number
  /** The number of further models to return; 0 by default. */
  readonly mostRunnersUp?: number
}

/** The result of routing a request. */
export interface RoutingResult extends Eligible {
  readonly route: RouteDefinition
  readonly choice: Choice
  /**
   * Returns cheaper models that may be chosen too, the most expensive first, at most five. Rules are evaluated for them only on
   * this call.
   */
  readonly cheaper: () => Promise<readonly Eligible[]>
}

const maxCheaper = 5

/**
 * Routes a request to a model. Throws when there is no such route, when no model passes, or, where rules refuse every model that
 * does, the refusal.
 */
export async function routeToModel(
  routing: OrgRouting,
  request: RouteRequest,
  { quote, policy, nowMs, ticket, mostRunnersUp = 0 }: RoutingContext,
): Promise<RoutingResult> {
  const found = routeByReference(routing, request.route)
  const asked: ChoiceInput = {
    route: found,
    models: routing.models,
    latestEval: (model) => (found.bar ? routing.latestEval(found.bar.suite, model) : undefined),
    quote,
    policy,
    residency: routing.residency,
    request: { inputTokens: request.input_tokens, maxOutputTokens: request.max_output_tokens },
    nowMs,
    ticket: request.sticky === undefined ? ticket : stickyTicket(found.id, request.sticky),
    mostRunnersUp,
  }
  const choice = await runCooperatively(chooseInSteps(asked))
  if (!choice.chosen) throw noModelError(found, choice)
  return {
    ...choice.chosen,
    route: found,
    choice,
    cheaper: () => runCooperatively(cheaperInSteps(choice, asked, maxCheaper)),
  }
}

function routeByReference({ routes }: OrgRouting, text: string): RouteDefinition {
  const id = parseId('modelRoute', text)
  const found = routes.find((each) => (id === undefined ? each.name === text : each.id === id))
  if (!found) throw new ApiError('not_found')
  return found
}

function noModelError(
  { name }: RouteDefinition,
  { cause, excluded }: Choice,
): ModelRefusal | ApiError<'no_model_passes_eval'> {
  if (cause instanceof ApiError) return cause
  const count = `None of ${excluded.length} ${excluded.length === 1 ? 'model' : 'models'} passes the requirements of the route ${name}`
  const message = excluded.length === 0 ? `The route ${name} has no models.` : `${count}: ${summaryOf(excluded)}.`
  return new ApiError('no_model_passes_eval', {}, { message })
}

/** Returns the function that quotes a call with a model: the most that it can cost, by which models differ below the minimum hold. */
export const createQuote =
  (prices: PriceBook, request: RouteRequest, nowMs: number): ChoiceInput['quote'] =>
  ({ model, provider }) => {
    const price = quoteHold(
      prices,
      {
        model,
        provider: provider ?? undefined,
        estimatedNano: request.estimated_cost_usd === undefined ? undefined : parseUsd(request.estimated_cost_usd),
        inputTokens: request.input_tokens,
        maxOutputTokens: request.max_output_tokens,
        serviceTier: request.service_tier,
        cacheCreation: request.cache_creation,
        units: request.units,
      },
      nowMs,
    )
    return price === 'unpriced' ? null : price.expectedNano
  }
