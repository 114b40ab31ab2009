import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../contract/errors.ts'
import type { Lanes } from '../lanes/lanes.ts'
import type { Ruling, Rulings } from '../policies/policies.ts'
import { type Eligible, nameFitting, quoteWith, type Routed, route } from '../routing/routing.ts'
import type { Admitted, Governance, Refused } from './governance.ts'
import type { Obeyed } from './obeying.ts'
import type { ResolvedStart, StartInput } from './schema.ts'
import { startTask } from './starting.ts'

type RoutedInput = Omit<StartInput, 'model' | 'input'> & { readonly route: string }

/** Chooses the model of a start by its route. The rules are evaluated for each model that may be chosen. */
export function routedStarts(lanes: Lanes, governance: Governance, obeyed: Obeyed) {
  return async (
    request: FastifyRequest,
    said: RoutedInput,
    rulings: Rulings,
    nowMs: number,
  ): Promise<Admitted | Refused> => {
    const caller = request.principal!
    const { orgId } = caller
    const routing = await governance.routing.of(orgId)
    const { prices } = await lanes.definitionsOf(orgId)
    const { route: _route, sticky: _sticky, ...rest } = said
    const withModel = ({ model, provider }: { model: string; provider: string | null }): ResolvedStart => ({
      ...rest,
      model,
      ...(provider !== null && { provider }),
    })
    const refusals = new Map<unknown, Ruling>()
    const policy = (model: Eligible['model'], quotedNano: bigint) => {
      const ruling = rulings.on(model, quotedNano)
      if (ruling.refusal) refusals.set(ruling.refusal, ruling)
      return ruling.refusal ?? null
    }
    const priced = (of: Admitted | Refused): Admitted | Refused =>
      'refusal' in of ? of : { ...of, by: { ...of.by, prices } }

    let routed: Routed
    try {
      const quote = quoteWith(prices, said, nowMs)
      routed = await route(routing, said, { quote, policy, nowMs, ticket: Math.random() })
    } catch (error) {
      // The rules refuse every model that passes; an approval that they require for one of them may have been granted.
      const ruling = refusals.get(error)
      if (!ruling) throw error
      const { model, provider } = ruling.attempt
      return priced(await obeyed(ruling, rulings, withModel({ model, provider: provider || null }), request))
    }
    const ruling = rulings.on(routed.model, routed.quotedNano)
    const admitted = priced(await obeyed(ruling, rulings, withModel(routed.model), request))
    if ('refusal' in admitted) return admitted
    const hasRoom = async ({ model }: Eligible) => {
      const task = startTask(caller, { ...withModel(model), dry_run: true }, { hash: '' })
      return (await lanes.submit(task)).verdict.type === 'held'
    }
    const refused = async (error: ApiError) => {
      await nameFitting(error, routed.cheaper, hasRoom)
      return admitted.refused(error)
    }
    return { ...admitted, refused }
  }
}
