import type { IncomingMessage } from 'node:http'
import { type Refusal, refusalOf, refusalWith } from '../refusals/refusals.ts'
import { isForeignKey, keyOf } from '../weir/caller-keys.ts'
import type { Caller } from '../weir/weir.ts'
import type { GatewayParts } from './gateway-parts.ts'

/** The caller of a request, as Weir is to see it. */
export const callerOf = ({ proxies }: GatewayParts, key: string, { socket, headers }: IncomingMessage): Caller => ({
  key,
  address: proxies.addressOf(socket.remoteAddress, headers['x-forwarded-for']),
})

/** True where keys of another gateway may stand for keys of Weir. */
export const takesForeign = ({ config }: Pick<GatewayParts, 'config'>): boolean => config.weir.foreign_keys === true

/** Checks the key of a request that costs nothing; returns what speaks against it. */
export async function callerRefusal(parts: GatewayParts, request: IncomingMessage): Promise<Refusal | undefined> {
  const key = keyOf(request.headers, takesForeign(parts))
  if (key === undefined)
    return refusalWith(401, 'unauthorized', 'a key of Weir is needed where the key of the provider would be.')
  const caller = callerOf(parts, key, request)
  const refused = await (isForeignKey(key) ? parts.organizations.foreignRefusal(caller) : parts.weir.check(caller))
  if (refused === 'unknown') return refusalWith(503, 'service_unavailable', 'the control plane cannot be reached.', 1)
  return refused && refusalOf(refused)
}
