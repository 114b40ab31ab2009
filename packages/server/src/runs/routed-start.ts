import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../contract/errors.ts'
import type { Lanes } from '../lanes/lanes.ts'
import type { Ruling, Rulings } from '../policies/policies.ts'
import { type Eligible, nameFitting, quoteWith, type Routed, route } from '../routing/routing.ts'
import { type Admitted, type Governance, unruled } from './governance.ts'
import type { Obeyed } from './obeying.ts'
import type { ResolvedStart, StartInput } from './schema.ts'
import { startTask } from './starting.ts'

type RoutedInput = Omit<StartInput, 'model' | 'input'> & { readonly route: string }

/** Chooses the model of a start by its route. Rules are asked about each model that may be chosen. */
export function routedStarts(lanes: Lanes, governance: Governance, obeyed: Obeyed) {
  return async (request: FastifyRequest, said: RoutedInput, rulings: Rulings | undefined, nowMs: number) => {
    const { orgId } = request.principal!
    const routing = await governance.routing.of(orgId)
    const { route: _route, sticky: _sticky, ...rest } = said
    const withModel = ({ model, provider }: { model: string; provider: string | null }): ResolvedStart => ({
      ...rest,
      model,
      ...(provider !== null && { provider }),
    })
    const hasRoom = async ({ model }: Eligible) => {
      const task = startTask(orgId, { ...withModel(model), dry_run: true }, { hash: '' })
      return (await lanes.submit(task)).verdict.type === 'held'
    }
    const admitted = async (routed: Routed): Promise<Admitted> => {
      const input = withModel(routed.model)
      const ruled = rulings
        ? await obeyed(rulings.on(routed.model, routed.quotedNano), rulings, input, request)
        : unruled(input)
      const refused = async (error: ApiError) => {
        await nameFitting(error, routed.cheaper, hasRoom)
        return ruled.refused(error)
      }
      return { ...ruled, refused }
    }
    const ticket = Math.random()
    const choose = async (): Promise<Admitted> => {
      const by = await lanes.definitionsOf(orgId)
      const refusals = new Map<unknown, Ruling>()
      const policy = (model: Eligible['model'], quotedNano: bigint) => {
        const ruling = rulings?.on(model, quotedNano)
        if (ruling?.refusal) refusals.set(ruling.refusal, ruling)
        return ruling?.refusal ?? null
      }
      const chosen = { by, again: choose }
      let routed: Routed
      try {
        routed = route(routing, said, { quote: quoteWith(by.prices, said, nowMs), policy, nowMs, ticket })
      } catch (error) {
        // Rules refuse every model that passes; what they want of the first may have been approved.
        const ruling = refusals.get(error)
        if (!ruling) throw error
        const { model, provider } = ruling.attempt
        const input = withModel({ model, provider: provider === '' ? null : provider })
        return { ...(await obeyed(ruling, rulings!, input, request)), chosen }
      }
      return { ...(await admitted(routed)), chosen }
    }
    return choose()
  }
}
