import type { LookupAddress, LookupOptions } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { errorCode } from '../../values/thrown.ts'
import { refusedAddressMessage } from './outbound-target.ts'

/** Name resolution for outbound requests: only addresses that were checked are passed on to be connected to. */

export class RefusedAddress extends Error {
  constructor() {
    super(refusedAddressMessage)
  }
}

export class UnknownName extends Error {}

export interface NameResolver {
  /** Returns every address of a name; rejects with `UnknownName` when it has none. */
  readonly addresses: (hostname: string) => Promise<string[]>
  /** Lookup function for sockets that try one address after another; it yields allowed addresses only. */
  readonly lookup: LookupFunction
}

/** Limit on addresses tried per name: a name may have any number, and each would be a connection attempt against somebody. */
const maxTriedAddresses = 8

export function createNameResolver(
  nameServers: readonly string[] | undefined,
  isAllowedAddress: (address: string) => boolean,
): NameResolver {
  const resolve = nameServers === undefined ? createSystemResolver() : createServerResolver(nameServers)
  /** Lookups in progress by name, so that connections opened together share one. Results are not cached. */
  const pendingLookups = new Map<string, Promise<string[]>>()

  async function resolveName(hostname: string) {
    try {
      const addresses = await resolve(hostname)
      if (addresses.length === 0) throw new UnknownName('the name has no address')
      return addresses
    } finally {
      pendingLookups.delete(hostname)
    }
  }

  function addresses(hostname: string) {
    const known = pendingLookups.get(hostname)
    if (known) return known
    const lookupResult = resolveName(hostname)
    pendingLookups.set(hostname, lookupResult)
    return lookupResult
  }

  async function allowedAddresses(hostname: string) {
    const all = await addresses(hostname)
    // One forbidden address refuses the whole name: otherwise its owner would only have to wait for the others to fail.
    if (!all.every(isAllowedAddress)) throw new RefusedAddress()
    return all.slice(0, maxTriedAddresses).map((address) => ({ address, family: isIP(address) }))
  }

  return { addresses, lookup: callbackify<string, LookupOptions, LookupAddress[]>(allowedAddresses) }
}

const unknownName = (error: unknown) => new UnknownName(errorCode(error) ?? 'unknown')

/**
 * Returns a resolver that asks the system's name servers directly: `getaddrinfo` runs only a few lookups at a time in the whole
 * process, so names that nobody answers for would hold up all others. Unknown names and names of one word may stand in the
 * hosts file, so they fall back to it.
 */
function createSystemResolver() {
  const resolveByServers = createServerResolver(undefined)
  return (hostname: string) =>
    hostname.includes('.')
      ? resolveByServers(hostname).catch((error: unknown) => {
          if (error instanceof UnknownName && unknownCodes.has(error.message)) return resolveBySystem(hostname)
          throw error
        })
      : resolveBySystem(hostname)
}
const unknownCodes = new Set(['ENOTFOUND', 'ENODATA'])

async function resolveBySystem(hostname: string) {
  const found = await lookup(hostname, { all: true, order: 'verbatim' }).catch((error: unknown) => {
    throw unknownName(error)
  })
  return found.map(({ address }) => address)
}

/**
 * Returns a resolver that succeeds with either address family: many name servers fail when asked for IPv6 addresses that they
 * do not have.
 */
function createServerResolver(nameServers: readonly string[] | undefined) {
  // The resolver adapts its timeout to how fast its servers answer; names that are resolved far away need the later tries.
  const resolver = new Resolver({ timeout: 1_000, tries: 4, maxTimeout: 4_000 })
  if (nameServers !== undefined) resolver.setServers(nameServers)
  return async (hostname: string) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    const failed = answers.find((answer) => answer.status === 'rejected')
    if (found.length === 0 && failed) throw unknownName(failed.reason)
    return found
  }
}
