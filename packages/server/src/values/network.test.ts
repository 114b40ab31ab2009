import { describe, expect, test } from 'vitest'
import { addressBlock, createNetworkMatcher, isNetwork } from './network.ts'

describe('networks contain', () => {
  test.each([
    ['10.0.0.0/8', '10.1.2.3', true],
    ['10.0.0.0/8', '11.1.2.3', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '192.0.2.8', false],
    ['192.0.2.7', '::FFFF:192.0.2.7', true],
    ['2001:db8::/32', '2001:db8:1::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:DB8:0:0::1', '2001:db8::1', true],
    ['0.0.0.0/0', '198.51.100.1', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['10.0.0.0/8', 'nonsense', false],
  ])('%s, %s: %s', (network, address, expected) => {
    expect(createNetworkMatcher([network]).contains(address)).toBe(expected)
  })
})

test.each([
  '10.0.0.0/33',
  '10.0.0/8',
  '0x0a000001',
  '010.0.0.1',
  '10.0.0.1/08',
  '::/129',
  '::ffff:10.0.0.0/8',
  'localhost',
  '',
  '10.0.0.1/8/9',
  'fe80::1%eth0',
  'fe80::1%eth0/64',
])('%j is no network', (text) => {
  expect(isNetwork(text)).toBe(false)
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1::2:3:4:5:6', '1:0:0:2::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['1:2:3:4:5:6:192.0.2.7', '1:2:3:4::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['nonsense', 'nonsense'],
])('%s stands for %s', (address, block) => {
  expect(addressBlock(address)).toBe(block)
})
