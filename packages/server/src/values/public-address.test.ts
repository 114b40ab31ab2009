import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPublicAddress } from './public-address.ts'

describe('first and last addresses of what is kept from general use, and their neighbours', () => {
  test.each([
    ['0.0.0.0', false],
    ['0.255.255.255', false],
    ['1.0.0.0', true],
    ['9.255.255.255', true],
    ['10.0.0.0', false],
    ['10.255.255.255', false],
    ['11.0.0.0', true],
    ['100.63.255.255', true],
    ['100.64.0.0', false],
    ['100.100.100.200', false],
    ['100.127.255.255', false],
    ['100.128.0.0', true],
    ['126.255.255.255', true],
    ['127.0.0.0', false],
    ['127.255.255.255', false],
    ['128.0.0.0', true],
    ['169.253.255.255', true],
    ['169.254.0.0', false],
    ['169.254.169.254', false],
    ['169.255.0.0', true],
    ['172.15.255.255', true],
    ['172.16.0.0', false],
    ['172.31.255.255', false],
    ['172.32.0.0', true],
    ['191.255.255.255', true],
    ['192.0.0.0', false],
    ['192.0.0.255', false],
    ['192.0.1.0', true],
    ['192.0.2.0', false],
    ['192.0.3.0', true],
    ['192.88.98.255', true],
    ['192.88.99.1', false],
    ['192.88.100.0', true],
    ['192.167.255.255', true],
    ['192.168.0.0', false],
    ['192.168.255.255', false],
    ['192.169.0.0', true],
    ['198.17.255.255', true],
    ['198.18.0.0', false],
    ['198.19.255.255', false],
    ['198.20.0.0', true],
    ['198.51.100.7', false],
    ['203.0.113.255', false],
    ['203.0.114.0', true],
    ['223.255.255.255', true],
    ['224.0.0.0', false],
    ['239.255.255.255', false],
    ['240.0.0.0', false],
    ['255.255.255.255', false],
    ['8.8.8.8', true],
  ])('%s: %s', (address, expected) => {
    expect(isPublicAddress(address)).toBe(expected)
  })

  test.each([
    ['::', false],
    ['::1', false],
    ['::8.8.8.8', false],
    ['::808:808', false],
    ['::ffff:127.0.0.1', false],
    ['::ffff:7f00:1', false],
    ['::FFFF:10.1.2.3', false],
    ['0:0:0:0:0:ffff:a9fe:a9fe', false],
    ['::ffff:8.8.8.8', true],
    ['::ffff:808:808', true],
    ['::ffff:0:8.8.8.8', false],
    ['64:ff9b::7f00:1', false],
    ['64:ff9b::808:808', false],
    ['64:ff9b:1::1', false],
    ['100::1', false],
    ['1fff:ffff::', false],
    ['2000::', true],
    ['2001::1', false],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', false],
    ['2001:1ff:ffff::', false],
    ['2001:200::', true],
    ['2001:db7:ffff::', true],
    ['2001:db8::1', false],
    ['2001:db9::', true],
    ['2001:4860:4860::8888', true],
    ['2002:7f00:1::', false],
    ['2002:808:808::1', false],
    ['2003::1', true],
    ['2606:4700:4700::1111', true],
    ['3ffe:ffff::', true],
    ['3fff::1', false],
    ['3fff:fff:ffff::', false],
    ['3fff:1000::', true],
    ['4000::', false],
    ['5f00::1', false],
    ['fc00::1', false],
    ['fd00:ec2::254', false],
    ['fe80::1', false],
    ['fe80::1%eth0', false],
    ['2606:4700:4700::1111%eth0', false],
    ['fec0::1', false],
    ['ff02::1', false],
  ])('%s: %s', (address, expected) => {
    expect(isPublicAddress(address)).toBe(expected)
  })
})

test('an IPv4 address is judged the same in every notation of IPv6', () => {
  const octet = fc.integer({ min: 0, max: 255 })
  fc.assert(
    fc.property(octet, octet, octet, octet, (a, b, c, d) => {
      const plain = `${a}.${b}.${c}.${d}`
      const hex = `::ffff:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
      expect(isPublicAddress(hex)).toBe(isPublicAddress(plain))
      expect(isPublicAddress(`::ffff:${plain}`)).toBe(isPublicAddress(plain))
    }),
  )
})

test.each(['', 'localhost', '127.1', '0x7f.0.0.1', '8.8.8.8 ', '08.8.8.8', '[::1]', '8.8.8.8:80', '8.8.8.0/24'])(
  '%j is no address, and so not public',
  (text) => {
    expect(isIP(text)).toBe(0)
    expect(isPublicAddress(text)).toBe(false)
  },
)
