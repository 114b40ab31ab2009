import type { IncomingMessage } from 'node:http'
import { RequestFault } from '../dialects/dialect.ts'
import type { Model } from '../models/models.ts'
import type { ClientKind } from '../refusals/client-kinds.ts'
import { faultRefusal, type Refusal, refusalWith } from '../refusals/refusals.ts'
import type { Upstream } from '../upstreams/upstream.ts'
import { isForeignKey, keyOf } from '../weir/caller-keys.ts'
import { callNameOf } from './call-name.ts'
import { callerOf, callerRefusal, takesForeign } from './checked-caller.ts'
import type { GatewayParts } from './gateway-parts.ts'
import type { IncomingCall } from './incoming-call.ts'
import { labelsOf } from './labels.ts'
import { BodyRefused, parseBody, readBytes } from './request-body.ts'
import { isMeant, isRoute, type ServingRoute, servedModel } from './served-model.ts'
import { ownProviders } from './stored-answer.ts'

export interface CallRoute extends ServingRoute {
  readonly path: string
  readonly query: string
}

export const isRefusal = (value: object): value is Refusal => 'code' in value

/** Returns what a caller is to be told of an error; undefined for a defect. */
export function refusalFor(error: unknown): Refusal | undefined {
  if (error instanceof RequestFault) return faultRefusal(error)
  if (!(error instanceof BodyRefused)) return undefined
  if (error.reason === 'too_large')
    return refusalWith(413, 'payload_too_large', 'the request is larger than this gateway allows.')
  return refusalWith(503, 'service_unavailable', 'the gateway has no memory for this request.', 1)
}

/** A call that was read, and the model that it asks for. */
export interface Prepared extends IncomingCall {
  /** The model that is asked for; undefined where a route is to choose it. */
  readonly model: Model | undefined
  readonly route: CallRoute
}

/** Bytes of a request up to which it is read before its key is known to be one of Weir's: the memory for longer ones is not for anybody. */
const trustedBytes = 1_048_576

/** Reads a request, and what it asks for. */
export async function prepare(
  parts: GatewayParts,
  route: CallRoute,
  request: IncomingMessage,
  client: ClientKind,
  held: { bytes: number },
): Promise<Prepared | Refusal> {
  const { dialect, path, provider, deployment, place, facts = {} } = route
  const key = keyOf(request.headers, takesForeign(parts))
  if (key === undefined)
    return refusalWith(401, 'unauthorized', 'a key of Weir is needed where the key of the provider would be.')
  const caller = callerOf(parts, key, request)
  const isLong = !(Number(request.headers['content-length']) <= trustedBytes)
  // A key that Weir has taken before is judged when the run starts.
  const isDoubtful = isForeignKey(key)
    ? !parts.organizations.knows(caller)
    : isLong && !(await parts.organizations.takes(caller))
  const unwanted = isDoubtful ? await callerRefusal(parts, request) : undefined
  if (unwanted) return unwanted
  const bytes = await readBytes(request, parts.config.limits?.body_bytes ?? 67_108_864, parts.buffered, held)
  const body = parseBody(bytes)
  const named = deployment === undefined ? body.value : { ...body.value, model: deployment }
  const asked = dialect.analyse(named, facts)
  return {
    dialect,
    asked,
    body,
    headers: request.headers,
    caller,
    labels: labelsOf(request.headers),
    name: callNameOf(request.headers, key, [JSON.stringify([path, provider, deployment, facts, place]), body.text]),
    client,
    // A path that names a model itself means one of a provider.
    model: isRoute(asked.model) && isNamedByBody(route) ? undefined : servedModel(parts, asked.model, route),
    route,
  }
}

/** True for a route whose path leaves it to the body which model is meant. */
export const isNamedByBody = ({ deployment, facts, place }: CallRoute) =>
  deployment === undefined && facts?.model === undefined && place === undefined

/** The providers of a model that can serve a call, in order. */
export function providersOf(
  parts: GatewayParts,
  { dialect, body, caller, route }: Prepared,
  model: Model,
): readonly Upstream[] {
  const speaking = model.providers.flatMap((name) => {
    const upstream = parts.upstreams.get(name)
    const canServe = upstream?.serves(model.name) === true && isMeant(route, upstream.config)
    return canServe ? [upstream] : []
  })
  return ownProviders(parts, dialect.stored?.(body.value) ?? [], caller.key, speaking)
}
