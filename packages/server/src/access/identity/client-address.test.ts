import { expect, test } from 'vitest'
import { createNetworkMatcher } from '../../values/network.ts'
import { clientAddress } from './client-address.ts'

const trusted = createNetworkMatcher(['10.0.0.0/8', 'fd00::/8'])
const addressOf = (peer: string, forwarded?: string) =>
  clientAddress(
    { socket: { remoteAddress: peer } as never, headers: { ...(forwarded && { 'x-forwarded-for': forwarded }) } },
    trusted,
  )

test.each([
  ['10.0.0.1', '192.0.2.7', '192.0.2.7'],
  ['10.0.0.1', '192.0.2.7:443', '192.0.2.7'],
  ['10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
  ['10.0.0.1', '[2001:db8::1]', '2001:db8::1'],
  ['10.0.0.1', '2001:db8::1', '2001:db8::1'],
  ['10.0.0.1', '2001:db8::1:443', '2001:db8::1:443'],
  ['10.0.0.1', '::ffff:192.0.2.7', '192.0.2.7'],
  ['10.0.0.1', '[::ffff:192.0.2.7]:8080', '192.0.2.7'],
  ['10.0.0.1', '192.0.2.7:443, 10.0.0.2:8080', '192.0.2.7'],
  ['10.0.0.1', '192.0.2.7, [fd00::2]:8080', '192.0.2.7'],
  ['fe80::1%eth0', undefined, 'fe80::1'],
  ['198.51.100.1', '192.0.2.7', '198.51.100.1'],
])('the client behind %s that says %s is %s', (peer, forwarded, expected) => {
  expect(addressOf(peer, forwarded)).toBe(expected)
})

test.each(['unknown', '_hidden', '192.0.2.7:port', '192.0.2.7:', '[192.0.2.7]:80', '[2001:db8::1'])(
  '%s names no address, and is in no network',
  (forwarded) => {
    expect(createNetworkMatcher(['0.0.0.0/0', '::/0']).contains(addressOf('10.0.0.1', forwarded))).toBe(false)
  },
)
