import { expect, test } from 'vitest'
import { isNetwork, ProxyList } from './proxy-list.ts'

const list = new ProxyList(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'])

test.each<[string, string, string | undefined, string]>([
  ['a caller without a proxy', '203.0.113.9', undefined, '203.0.113.9'],
  ['a caller that claims another address', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['a caller behind a proxy', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['a claim before what the proxy wrote', '10.0.0.1', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
  ['two proxies', '10.0.0.1', '203.0.113.9, 192.0.2.7', '203.0.113.9'],
  ['a claim to be a proxy', '10.0.0.1', '198.51.100.1, 203.0.113.9, 10.9.9.9', '203.0.113.9'],
  ['proxies only', '10.0.0.1', '10.0.0.2', '10.0.0.2'],
  ['a proxy that says nothing', '10.0.0.1', undefined, '10.0.0.1'],
  ['a proxy within IPv6', '::ffff:10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
  ['ports', '10.0.0.1', '203.0.113.9:443', '203.0.113.9'],
  ['IPv6 with a port', '2001:db8::1', '[2001:db9::5]:443', '2001:db9::5'],
  ['what is no address', '10.0.0.1', 'unknown', '0.0.0.0'],
  ['nothing', '10.0.0.1', '', '0.0.0.0'],
  ['another header inside', '10.0.0.1', '203.0.113.9\r\nx: y', '0.0.0.0'],
])('%s', (_, peer, forwarded, address) => {
  expect(list.addressOf(peer, forwarded)).toBe(address)
})

test('networks are told from other texts', () => {
  expect(['10.0.0.0/8', '::1', '2001:db8::/32', '192.0.2.7'].every(isNetwork)).toBe(true)
  expect(['10.0.0.0/33', '10.0.0/8', 'proxy', '', '10.0.0.0/8/8', '::/129', '10.0.0.0/'].some(isNetwork)).toBe(false)
})
