/** Key distribution of a Redis Cluster, as its specification defines it. */

const slotCount = 16_384

/** Returns the slot of the keys with this hash tag: its CRC16 (XMODEM). */
export function hashSlot(tag: string): number {
  let crc = 0
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  }
  return (crc & 0xffff) % slotCount
}

/**
 * Returns the address of the master of each slot, from the reply to CLUSTER SLOTS. An empty host means the node that was asked.
 */
export function parseSlots(answer: unknown, askedAddress: string): readonly (string | undefined)[] {
  const owners = Array.from<string | undefined>({ length: slotCount })
  for (const [from, to, [host, port]] of answer as [number, number, [string | null, number]][]) {
    owners.fill(`${host || hostOf(askedAddress)}:${port}`, from, to + 1)
  }
  return owners
}

export interface Redirection {
  readonly address: string
  /** True when the slot is migrating: only this command goes to the other node. */
  readonly isTemporary: boolean
}

export function parseRedirection(error: unknown, askedAddress: string): Redirection | undefined {
  const match = error instanceof Error ? /^(MOVED|ASK) \d+ (.*):(\d+)$/.exec(error.message) : null
  if (!match) return undefined
  const [, kind, host, port] = match
  return { address: `${host || hostOf(askedAddress)}:${port}`, isTemporary: kind === 'ASK' }
}

const hostOf = (address: string) => address.slice(0, address.lastIndexOf(':'))
