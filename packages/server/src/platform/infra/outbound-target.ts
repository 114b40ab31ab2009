import { isIP } from 'node:net'
import { createNetworkMatcher } from '../../values/network.ts'
import { isPublicAddress } from '../../values/public-address.ts'
import type { PortRange } from '../../values/setting-parsers.ts'

/** Rules for the targets of outbound requests that can be checked without a lookup. */
export interface TargetRules {
  readonly allowedCidrs: readonly string[]
  readonly allowedPorts: readonly PortRange[]
}

/** Reason for refusing a URL, with the code of a field error. */
export interface TargetFault {
  readonly code: 'too_long' | 'invalid_format' | 'invalid_value'
  readonly message: string
}

export const maxUrlLength = 2_048

export const refusedAddressMessage = 'The host has an address that is not public.'

export interface Targets {
  readonly isAllowedAddress: (address: string) => boolean
  /** Parses and checks a URL. Names are not resolved here: only the addresses at connect time count. */
  readonly parse: (url: string) => URL | TargetFault
}

export const isTargetFault = (parsed: URL | TargetFault): parsed is TargetFault => 'code' in parsed

/** Returns the host as an address, without the brackets of IPv6; undefined when it is a name. */
export const addressIn = ({ hostname }: Pick<URL, 'hostname'>) => {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return isIP(bare) === 0 ? undefined : bare
}

export const portOf = ({ port, protocol }: Pick<URL, 'port' | 'protocol'>) =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

export function createTargets({ allowedCidrs, allowedPorts }: TargetRules): Targets {
  const allowed = createNetworkMatcher(allowedCidrs)
  // No configured range can match an interface of this machine.
  const isAllowedAddress = (address: string) =>
    isPublicAddress(address) || (!address.includes('%') && allowed.contains(address))
  const isAllowedPort = (port: number) => allowedPorts.some(({ first, last }) => port >= first && port <= last)

  function parse(text: string): URL | TargetFault {
    if (text.length > maxUrlLength) {
      return { code: 'too_long', message: `Must have at most ${maxUrlLength} characters.` }
    }
    // Parsers silently drop white space and control characters, so that two readers could see two hosts. Parsing normalizes
    // every unusual notation of an IPv4 address.
    const url = /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) ? URL.parse(text) : null
    if (url === null) {
      const message = /^https?:/i.test(text)
        ? 'Must be a valid URL: check the host, and percent-encode spaces and control characters.'
        : 'Must be a URL that begins with http:// or https://.'
      return { code: 'invalid_format', message }
    }
    // Percent-encoded, as it is stored and requested, one character becomes up to nine.
    if (url.href.length > maxUrlLength) {
      return { code: 'too_long', message: `Must have at most ${maxUrlLength} characters once percent-encoded.` }
    }
    if (url.username !== '' || url.password !== '') {
      return { code: 'invalid_value', message: 'Must not contain a user name or password.' }
    }
    if (!isAllowedPort(portOf(url))) {
      return { code: 'invalid_value', message: `Port ${portOf(url)} is not allowed.` }
    }
    const address = addressIn(url)
    if (address !== undefined && !isAllowedAddress(address))
      return { code: 'invalid_value', message: refusedAddressMessage }
    return url
  }

  return { isAllowedAddress, parse }
}
