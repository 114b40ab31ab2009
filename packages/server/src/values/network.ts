import { BlockList, isIP } from 'node:net'

/** Addresses and CIDR networks, IPv4 and IPv6; an IPv4 address written as IPv6 is the same address. */

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

export const plainAddress = (address: string) => mapped.exec(address)?.[1] ?? address

function parts(text: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } | undefined {
  const [address, prefixText, ...rest] = text.split('/')
  const version = isIP(address!)
  if (version === 0 || rest.length > 0) return undefined
  const bits = version === 4 ? 32 : 128
  if (prefixText !== undefined && !/^(0|[1-9]\d{0,2})$/.test(prefixText)) return undefined
  const prefix = prefixText === undefined ? bits : Number(prefixText)
  if (prefix > bits) return undefined
  const inner = mapped.exec(address!)?.[1]
  // A mapped network means the IPv4 network inside it.
  if (inner !== undefined) return prefix < 96 ? undefined : { address: inner, prefix: prefix - 96, family: 'ipv4' }
  return { address: address!, prefix, family: version === 4 ? 'ipv4' : 'ipv6' }
}

export const isNetwork = (text: string) => parts(text) !== undefined

export interface Networks {
  readonly contains: (address: string) => boolean
}

export function networks(list: readonly string[]): Networks {
  const block = new BlockList()
  for (const text of list) {
    const network = parts(text)
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
