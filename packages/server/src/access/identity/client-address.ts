import { isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { type NetworkMatcher, plainAddress } from '../../values/network.ts'
import { present } from '../../values/present.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The cell at which a request has arrived that was forwarded here, and what it vouches for; undefined for every other. */
    forwarded: ForwardedFrom | undefined
    /** True for a request that another cell answers, or would. */
    isHandedOn: boolean
  }
}

/** Origin of a request that another cell has forwarded. */
export interface ForwardedFrom {
  readonly cell: string
  readonly clientAddress: string
}

/**
 * Returns the client's address: of a forwarded request, what the other cell says; else the peer, or behind trusted proxies the last address in `X-Forwarded-For` that is not one of
 * them. Claims of an untrusted peer are not read at all.
 */
export function clientAddress(
  {
    socket,
    headers,
    forwarded: from,
  }: Pick<FastifyRequest, 'socket' | 'headers'> & Partial<Pick<FastifyRequest, 'forwarded'>>,
  trusted: NetworkMatcher,
): string {
  if (from) return from.clientAddress
  let address = withoutZone(plainAddress(socket.remoteAddress ?? ''))
  const forwarded = headers['x-forwarded-for']
  if (forwarded === undefined || !trusted.contains(address)) return address
  const hops = [forwarded].flat().join(',').split(',')
  while (hops.length > 0) {
    address = withoutZone(plainAddress(withoutPort(present(hops.pop()).trim())))
    if (!trusted.contains(address)) break
  }
  return address
}

/** Removes the port that some proxies add: `192.0.2.7:443`, `[2001:db8::1]:443`. */
function withoutPort(hop: string): string {
  const [, bracketed, plain] = /^(?:\[([0-9a-fA-F:.]+)\](?::\d{1,5})?|(\d+(?:\.\d+){3}):\d{1,5})$/.exec(hop) ?? []
  if (bracketed !== undefined) return isIPv6(bracketed) ? bracketed : hop
  return plain ?? hop
}

/** Removes the zone: the interface of a link-local address concerns this machine only. */
const withoutZone = (address: string) => address.replace(/%.*$/s, '')
