import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../contract/errors.ts'
import { isHeld, type Lanes } from '../decisions/lanes/lanes.ts'
import type { CallEvaluator, Ruling } from '../governance/policies/policies.ts'
import type { Admitted, Governance, RefusedStart } from './governance.ts'
import { createQuote, type Eligible, type RoutingResult, routeToModel, suggestFittingModel } from './routing/routing.ts'
import type { ApplyRuling } from './ruling-handler.ts'
import { startOperation } from './run-start.ts'
import type { ResolvedStart, StartInput } from './schema.ts'

type RoutedInput = Omit<StartInput, 'model' | 'input'> & { readonly route: string }

/** Chooses the model of a start by its route. The rules are evaluated for each model that may be chosen. */
export function createRoutedStart(lanes: Lanes, governance: Governance, applyRuling: ApplyRuling) {
  return async (
    request: FastifyRequest,
    said: RoutedInput,
    rulings: CallEvaluator,
    nowMs: number,
  ): Promise<Admitted | RefusedStart> => {
    const caller = request.caller
    const { orgId } = caller
    const routing = await governance.routing.get(orgId)
    const { prices } = await lanes.orgConfigOf(orgId)
    const { route: _route, sticky: _sticky, ...rest } = said
    const withModel = ({ model, provider }: { model: string; provider: string | null }): ResolvedStart => ({
      ...rest,
      model,
      ...(provider !== null && { provider }),
    })
    const refusals = new Map<unknown, Ruling>()
    const policy = (model: Eligible['model'], quotedNano: bigint) => {
      const ruling = rulings.evaluate(model, quotedNano)
      if (ruling.refusal) refusals.set(ruling.refusal, ruling)
      return ruling.refusal ?? null
    }
    const priced = (of: Admitted | RefusedStart): Admitted | RefusedStart =>
      'refusal' in of ? of : { ...of, admittedBy: { ...of.admittedBy, prices } }

    let routed: RoutingResult
    try {
      const quote = createQuote(prices, said, nowMs)
      routed = await routeToModel(routing, said, { quote, policy, nowMs, ticket: Math.random() })
    } catch (error) {
      // The rules refuse every model that passes; an approval that they require for one of them may have been granted.
      const ruling = refusals.get(error)
      if (!ruling) throw error
      const { model, provider } = ruling.attempt
      return priced(await applyRuling(ruling, rulings, withModel({ model, provider: provider || null }), request))
    }
    const ruling = rulings.evaluate(routed.model, routed.quotedNano)
    const admitted = priced(await applyRuling(ruling, rulings, withModel(routed.model), request))
    if ('refusal' in admitted) return admitted
    const hasRoom = async ({ model }: Eligible) => {
      const task = startOperation(caller, { ...withModel(model), dry_run: true }, { hash: '' })
      return isHeld(await lanes.submit(task))
    }
    const refused = async (error: ApiError) => {
      await suggestFittingModel(error, routed.cheaper, hasRoom)
      return admitted.completeRefusal(error)
    }
    return { ...admitted, completeRefusal: refused }
  }
}
