/** How a Redis Cluster spreads keys over its nodes, as its specification says. */

const slotCount = 16_384

/** The slot of all keys that carry this hash tag: CRC16 (XMODEM) of it. */
export function hashSlot(tag: string): number {
  let crc = 0
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  }
  return (crc & 0xffff) % slotCount
}

/** Which master holds each slot, from the answer to CLUSTER SLOTS. A node that does not know its own name has none. */
export function parseSlots(answer: unknown, askedAddress: string): readonly (string | undefined)[] {
  const holders = Array.from<string | undefined>({ length: slotCount })
  for (const [from, to, [host, port]] of answer as [number, number, [string | null, number]][]) {
    holders.fill(`${host || hostOf(askedAddress)}:${port}`, from, to + 1)
  }
  return holders
}

export interface Redirection {
  readonly address: string
  /** The slot is on its way to another node: only this command goes there. */
  readonly isTemporary: boolean
}

export function redirectionOf(error: unknown, askedAddress: string): Redirection | undefined {
  const match = error instanceof Error ? /^(MOVED|ASK) \d+ (.*):(\d+)$/.exec(error.message) : null
  if (!match) return undefined
  const [, kind, host, port] = match
  return { address: `${host || hostOf(askedAddress)}:${port}`, isTemporary: kind === 'ASK' }
}

const hostOf = (address: string) => address.slice(0, address.lastIndexOf(':'))
