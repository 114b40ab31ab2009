import { BlockList, isIP, isIPv6 } from 'node:net'

/** An address that is nobody's, for a caller whose proxy does not say a readable one. */
const nobody = '0.0.0.0'

/** Proxies before the gateway that are believed when they say whom they speak for. */
export class ProxyList {
  readonly #list = new BlockList()

  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', length] = network.split('/')
      const family = isIPv6(address) ? 'ipv6' : 'ipv4'
      if (length === undefined) this.#list.addAddress(address, family)
      else this.#list.addSubnet(address, Number(length), family)
    }
  }

  /**
   * Returns the address of a caller: its connection's, or behind proxies of the list the last in `X-Forwarded-For` that is not one of them. What
   * anybody else claims is not read at all.
   */
  addressOf(peer: string | undefined, forwarded: string | string[] | undefined): string {
    let address = plain(peer ?? '')
    if (forwarded === undefined || !this.#contains(address)) return address
    const hops = [forwarded].flat().join(',').split(',')
    while (hops.length > 0) {
      address = plain(hops.pop()?.trim() ?? '')
      if (isIP(address) === 0) return nobody
      if (!this.#contains(address)) break
    }
    return address
  }

  #contains(address: string): boolean {
    const family = isIP(address)
    return family !== 0 && this.#list.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
}

/** Removes the zone, the port that some proxies add, and the form of an IPv4 address within IPv6. */
function plain(text: string): string {
  const [, bracketed, withPort] = /^(?:\[([0-9a-fA-F:.]+)\](?::\d{1,5})?|(\d+(?:\.\d+){3}):\d{1,5})$/.exec(text) ?? []
  const address = (bracketed ?? withPort ?? text).replace(/%.*$/s, '')
  return /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1] ?? address
}

/** True for an address, or a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [address = '', length, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (family === 6 ? 128 : 32))
}
