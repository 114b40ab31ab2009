import type { ProviderConfig } from '../config-schema.ts'
import { type Dialect, type PathFacts, RequestFault } from '../dialects/dialect.ts'
import type { Model, Place } from '../models/models.ts'
import type { GatewayParts } from './gateway-parts.ts'

/** Beginning of a name that stands for a route of Weir, which chooses the model. */
export const routePrefix = 'route:'

export const isRoute = (model: string) => model.startsWith(routePrefix)

/** A route, as far as it says who may serve a request. */
export interface ServingRoute {
  readonly dialect: Dialect
  readonly provider?: string
  readonly deployment?: string
  readonly facts?: PathFacts
  readonly place?: Place
}

/** True for a provider that a route can mean: it speaks the dialect, and is where the path says. */
export const isMeant = ({ dialect, place }: ServingRoute, { kind, project, region }: ProviderConfig): boolean =>
  dialect.kinds.includes(kind) && (place === undefined || (place.project === project && place.region === region))

/** Finds the model that a request asks for, by its name or by its id at a provider that the route can mean. */
export function servedModel({ models, upstreams, config }: GatewayParts, asked: string, route: ServingRoute): Model {
  const { provider, deployment, facts, place } = route
  const isId = deployment !== undefined || facts?.model !== undefined || place !== undefined
  const candidates = Object.keys(config.providers).filter(
    (name) => (provider ?? name) === name && isMeant(route, config.providers[name]!),
  )
  const model = (isId ? models.findId(asked, candidates) : undefined) ?? models.find(asked, provider)
  const upstream = upstreams.get(model?.providers[0] ?? '')
  if (model === undefined || upstream?.serves(model.name) !== true)
    throw new RequestFault('model_not_found', `the model ${asked} is not served here`, 'model')
  if (!isMeant(route, upstream.config))
    throw new RequestFault(
      'model_not_found',
      `the model ${asked} is served by a provider that does not speak this API, or is elsewhere`,
      'model',
    )
  return model
}
