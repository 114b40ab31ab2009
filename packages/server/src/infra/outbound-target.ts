import { isIP } from 'node:net'
import { networks } from '../values/network.ts'
import { isPublicAddress } from '../values/public-address.ts'
import type { PortRange } from '../values/setting-parsers.ts'

/** Where requests on behalf of others may go: what can be said of a URL without asking anybody. */
export interface TargetRules {
  readonly allowedCidrs: readonly string[]
  readonly allowedPorts: readonly PortRange[]
}

/** Why a URL is refused, with the code of a field error. */
export interface TargetFault {
  readonly code: 'too_long' | 'invalid_format' | 'invalid_value'
  readonly message: string
}

export const maxUrlLength = 2_048

export const refusedAddress = 'The host has an address that is not public.'

export interface Targets {
  readonly isAllowedAddress: (address: string) => boolean
  /** A name is only as good as the addresses it has when it is connected to, so names are not judged here. */
  readonly parse: (url: string) => URL | TargetFault
}

export const isFault = (parsed: URL | TargetFault): parsed is TargetFault => 'code' in parsed

/** The host as an address, without the brackets of IPv6; undefined where it is a name. */
export const addressIn = ({ hostname }: Pick<URL, 'hostname'>) => {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return isIP(bare) === 0 ? undefined : bare
}

export const portOf = ({ port, protocol }: Pick<URL, 'port' | 'protocol'>) =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

export function createTargets({ allowedCidrs, allowedPorts }: TargetRules): Targets {
  const allowed = networks(allowedCidrs)
  // No network of any list can name an interface of this machine.
  const isAllowedAddress = (address: string) =>
    isPublicAddress(address) || (!address.includes('%') && allowed.contains(address))
  const isAllowedPort = (port: number) => allowedPorts.some(({ first, last }) => port >= first && port <= last)

  function parse(text: string): URL | TargetFault {
    if (text.length > maxUrlLength) {
      return { code: 'too_long', message: `Must have at most ${maxUrlLength} characters.` }
    }
    // Parsers drop white space and control characters without a word, so that two readers could see two hosts. Every odd
    // notation of an IPv4 address is the plain one after parsing.
    const url = /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) ? URL.parse(text) : null
    if (url === null) {
      const message = /^https?:/i.test(text)
        ? 'Is not a URL as it should be: check the host, and encode blanks and control characters.'
        : 'Must be a URL that begins with http:// or https://.'
      return { code: 'invalid_format', message }
    }
    // Written out, as it is kept and sent to, it has up to nine characters for one.
    if (url.href.length > maxUrlLength) {
      return { code: 'too_long', message: `Must have at most ${maxUrlLength} characters once it is percent-encoded.` }
    }
    if (url.username !== '' || url.password !== '') {
      return { code: 'invalid_value', message: 'Must not hold a user name or password.' }
    }
    if (!isAllowedPort(portOf(url))) {
      return { code: 'invalid_value', message: `Port ${portOf(url)} is not allowed.` }
    }
    const address = addressIn(url)
    if (address !== undefined && !isAllowedAddress(address)) return { code: 'invalid_value', message: refusedAddress }
    return url
  }

  return { isAllowedAddress, parse }
}
