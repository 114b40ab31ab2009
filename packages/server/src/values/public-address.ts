import { isIP } from 'node:net'
import { createNetworkMatcher, plainAddress } from './network.ts'

/** Ranges that the IANA special-purpose registries exclude from general use, and those withdrawn from it since. */
const specialRanges = createNetworkMatcher([
  '0.0.0.0/8', // this network
  '10.0.0.0/8',
  '100.64.0.0/10', // shared by carriers, and where clouds keep services of their own
  '127.0.0.0/8',
  '169.254.0.0/16', // link-local, with the metadata services of clouds
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16',
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4', // reserved, and broadcast
  '2001::/23', // protocol assignments, with Teredo, which wraps IPv4 addresses
  '2001:db8::/32',
  '2002::/16', // 6to4, which wraps IPv4 addresses
  '3fff::/20',
])

/** The allocated part of IPv6; loopback, link-local, unique local, multicast and NAT64 lie outside of it. */
const allocatedIpv6 = createNetworkMatcher(['2000::/3'])
const mappedIpv4 = createNetworkMatcher(['::ffff:0:0/96'])

/** True when an address is reachable from the public Internet; an IPv4 address written as IPv6 counts as IPv4. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(plainAddress(address))
  // A zone names an interface of this machine.
  if (version === 0 || address.includes('%')) return false
  if (version === 6 && !mappedIpv4.contains(address) && !allocatedIpv6.contains(address)) return false
  return !specialRanges.contains(address)
}
