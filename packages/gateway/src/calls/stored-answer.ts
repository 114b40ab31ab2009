import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Dialect, RequestFault, type StoredId } from '../dialects/dialect.ts'
import type { Upstream } from '../upstreams/upstream.ts'
import { keyOf } from '../weir/caller-keys.ts'
import { takesForeign } from './checked-caller.ts'
import { forwardAnswer } from './forwarded-answer.ts'
import type { GatewayParts } from './gateway-parts.ts'
import type { IncomingCall } from './incoming-call.ts'
import { ownerOf } from './owned-ids.ts'

export interface StoredRoute {
  readonly dialect: Dialect
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly id: string
  readonly path: string
  readonly query: string
}

/** Passes on a request about an answer that the provider keeps, to the one that made it. */
export async function forwardStored(
  parts: GatewayParts,
  { method, id, path, query }: StoredRoute,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const owned = parts.ownedIds.find(id)
  const upstream = parts.upstreams.get(owned?.provider ?? '')
  if (
    owned === undefined ||
    upstream === undefined ||
    owned.owner !== ownerOf(keyOf(request.headers, takesForeign(parts)) ?? '')
  )
    // The same words whether it exists or not.
    throw new RequestFault('not_found', `Response with id '${id}' not found`)
  const target = { path, query, model: owned.model, stream: false }
  const { headers, ...sent } = await upstream.requestOf(target, request.headers, Buffer.alloc(0))
  if (method !== 'POST') delete headers['content-length']
  await forwardAnswer(upstream, { ...sent, method, headers, body: null }, response)
}

/**
 * Returns what a request points to that another caller made, or that was not made here: the model would read it out. A provider that takes
 * the caller's own credential sees to it itself.
 */
function foreignId({ ownedIds }: GatewayParts, stored: readonly StoredId[], key: string, { name, config }: Upstream) {
  if (stored.length === 0 || 'client' in config.credential) return undefined
  const owner = ownerOf(key)
  return stored.find(({ id }) => {
    const owned = ownedIds.find(id)
    return owned?.owner !== owner || owned.provider !== name
  })
}

/** True for a provider at which a call points to nothing but what its caller made there. */
export const isOwn = (parts: GatewayParts, { dialect, body, caller }: IncomingCall, upstream: Upstream): boolean =>
  foreignId(parts, dialect.stored?.(body.value) ?? [], caller.key, upstream) === undefined

/** Returns the providers that keep all that a request points to, as its caller's own; throws where there is none. */
export function ownProviders(
  parts: GatewayParts,
  stored: readonly StoredId[],
  key: string,
  upstreams: readonly Upstream[],
): readonly Upstream[] {
  const own = upstreams.filter((upstream) => foreignId(parts, stored, key, upstream) === undefined)
  const [first] = upstreams
  const foreign = own.length === 0 && first && foreignId(parts, stored, key, first)
  if (!foreign) return own
  const { id, field } = foreign
  if (field === 'previous_response_id')
    throw new RequestFault('previous_response_not_found', `Previous response with id '${id}' not found`, field)
  throw new RequestFault(
    'not_found',
    `${field === 'conversation' ? 'Conversation' : 'Item'} with id '${id}' not found`,
    field,
  )
}
