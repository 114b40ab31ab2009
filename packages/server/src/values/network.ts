import { BlockList, isIP } from 'node:net'
import { present } from './present.ts'

/** IP addresses and CIDR ranges, IPv4 and IPv6; an IPv4 address written as IPv6 is the same address. */

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

export const plainAddress = (address: string) => mapped.exec(address)?.[1] ?? address

function parseNetwork(text: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } | undefined {
  // A zone names an interface of one machine; an address with a zone would match nothing.
  if (text.includes('%')) return undefined
  const [address = '', prefixText, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return undefined
  const bits = version === 4 ? 32 : 128
  if (prefixText !== undefined && !/^(0|[1-9]\d{0,2})$/.test(prefixText)) return undefined
  const prefix = prefixText === undefined ? bits : Number(prefixText)
  if (prefix > bits) return undefined
  const inner = mapped.exec(address)?.[1]
  // A mapped range stands for the IPv4 range inside it.
  if (inner !== undefined) return prefix < 96 ? undefined : { address: inner, prefix: prefix - 96, family: 'ipv4' }
  return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' }
}

const ipv6Words = 8
const blockWords = 4

/** Returns the block of addresses that one customer controls: an IPv4 address itself, or the /64 network of an IPv6 address. */
export function addressBlock(address: string): string {
  const plain = plainAddress(address)
  if (isIP(plain) !== 6) return plain
  const [head = '', tail] = plain.replace(/%.*$/s, '').split('::')
  const words = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  // An IPv4 address at the end stands for two words.
  const lastWords = last.length + (last.at(-1)?.includes('.') ? 1 : 0)
  const zeros = tail === undefined ? 0 : ipv6Words - words.length - lastWords
  const all = [...words, ...Array<string>(Math.max(0, zeros)).fill('0'), ...last]
  const block = all.slice(0, blockWords).map((word) => Number.parseInt(word, 16).toString(16))
  return `${block.join(':')}::/64`
}

export const isNetwork = (text: string) => parseNetwork(text) !== undefined

/** Returns the canonical spelling of a range: no bits beyond its prefix, and no prefix for a single address. */
export function canonicalNetwork(text: string): string {
  const { address, prefix, family } = present(parseNetwork(text))
  const bits = family === 'ipv4' ? 32 : 128
  const beyond = BigInt(bits - prefix)
  const first = (valueOf(address, family) >> beyond) << beyond
  return prefix === bits ? formatAddress(first, family) : `${formatAddress(first, family)}/${prefix}`
}

function valueOf(address: string, family: 'ipv4' | 'ipv6'): bigint {
  if (family === 'ipv4') return address.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n)
  // The URL parser accepts every spelling of an address and writes it without an IPv4 part.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = (side: string) => (side === '' ? [] : side.split(':'))
  const before = groups(head)
  const after = groups(tail ?? '')
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...zeros, ...after].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}

function formatAddress(value: bigint, family: 'ipv4' | 'ipv6'): string {
  const [count, size, base] = family === 'ipv4' ? [4, 8n, 10] : [8, 16n, 16]
  const groups = Array.from({ length: count }, (_, i) =>
    ((value >> (size * BigInt(count - 1 - i))) & ((1n << size) - 1n)).toString(base),
  )
  return family === 'ipv4' ? groups.join('.') : new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

export interface NetworkMatcher {
  readonly contains: (address: string) => boolean
}

export function createNetworkMatcher(list: readonly string[]): NetworkMatcher {
  const block = new BlockList()
  for (const text of list) {
    const network = parseNetwork(text)
    if (!network) throw new Error('not an address or network')
    block.addSubnet(network.address, network.prefix, network.family)
  }
  return {
    contains: (address) => {
      const plain = plainAddress(address)
      const version = isIP(plain)
      return version !== 0 && block.check(plain, version === 4 ? 'ipv4' : 'ipv6')
    },
  }
}
