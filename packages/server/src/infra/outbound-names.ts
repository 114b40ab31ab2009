import type { LookupAddress, LookupOptions } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { refusedAddress } from './outbound-target.ts'

/** Names become addresses here, and only the addresses that were judged are handed on to be connected to. */

export class RefusedAddress extends Error {
  constructor() {
    super(refusedAddress)
  }
}

export class UnknownName extends Error {}

export interface Names {
  /** Every address of a name; rejects with `UnknownName` where it has none. */
  readonly addresses: (hostname: string) => Promise<string[]>
  /** For sockets that try one address after another: all that it yields is allowed. */
  readonly lookup: LookupFunction
}

/** A name may have any number of addresses, and each would be a connection attempt against somebody. */
const triedAddresses = 8

export function createNames(
  nameServers: readonly string[] | undefined,
  isAllowedAddress: (address: string) => boolean,
): Names {
  const resolve = nameServers === undefined ? askSystem() : askServers(nameServers)
  /** Questions on their way, by name: connections opened together ask once. Nothing is kept beyond the answer. */
  const asked = new Map<string, Promise<string[]>>()

  async function ask(hostname: string) {
    try {
      const addresses = await resolve(hostname)
      if (addresses.length === 0) throw new UnknownName('the name has no address')
      return addresses
    } finally {
      asked.delete(hostname)
    }
  }

  function addresses(hostname: string) {
    const known = asked.get(hostname)
    if (known) return known
    const question = ask(hostname)
    asked.set(hostname, question)
    return question
  }

  async function allowedAddresses(hostname: string) {
    const all = await addresses(hostname)
    // One forbidden address spoils the name: whoever controls it would only have to wait for the others to fail.
    if (!all.every(isAllowedAddress)) throw new RefusedAddress()
    return all.slice(0, triedAddresses).map((address) => ({ address, family: isIP(address) }))
  }

  return { addresses, lookup: callbackify<string, LookupOptions, LookupAddress[]>(allowedAddresses) }
}

const unknownName = (error: unknown) => new UnknownName((error as NodeJS.ErrnoException).code ?? 'unknown')

/**
 * The system's own look-up does a few at a time for the whole process, so that some names which nobody answers for would hold
 * up all others. Its servers are asked directly; what they do not know, and names of one word, may stand in its hosts file.
 */
function askSystem() {
  const askItsServers = askServers(undefined)
  return (hostname: string) =>
    hostname.includes('.')
      ? askItsServers(hostname).catch((error: unknown) => {
          if (error instanceof UnknownName && unknownCodes.has(error.message)) return lookUp(hostname)
          throw error
        })
      : lookUp(hostname)
}
const unknownCodes = new Set(['ENOTFOUND', 'ENODATA'])

async function lookUp(hostname: string) {
  const found = await lookup(hostname, { all: true, order: 'verbatim' }).catch((error: unknown) => {
    throw unknownName(error)
  })
  return found.map(({ address }) => address)
}

/** Answers of one kind do: many name servers fail when asked for IPv6 addresses that they do not have. */
function askServers(nameServers: readonly string[] | undefined) {
  // It learns how fast its servers answer and waits for little longer; a name that has to be looked up far away needs
  // the later tries.
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
