import type { FastifyRequest } from 'fastify'
import { type Networks, plainAddress } from '../values/network.ts'

/**
 * The address of the client: the peer, or behind trusted proxies the last address in `X-Forwarded-For` that is not one of
 * them. What an untrusted peer claims is not read at all.
 */
export function clientAddress(
  { socket, headers }: Pick<FastifyRequest, 'socket' | 'headers'>,
  trusted: Networks,
): string {
  let address = plainAddress(socket.remoteAddress ?? '')
  const forwarded = headers['x-forwarded-for']
  if (forwarded === undefined || !trusted.contains(address)) return address
  const hops = [forwarded].flat().join(',').split(',')
  while (hops.length > 0) {
    address = plainAddress(hops.pop()!.trim())
    if (!trusted.contains(address)) break
  }
  return address
}
