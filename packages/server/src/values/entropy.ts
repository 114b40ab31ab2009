import { randomFillSync } from 'node:crypto'

const blockBytes = 4_096
const block = Buffer.allocUnsafe(blockBytes)
let used = blockBytes

/**
 * Returns random bytes for an identifier, drawn from a block: random bytes are cheap in bulk and expensive one by one. They are
 * valid until the next call. Not for secrets, whose bytes must not stay in memory.
 */
export function randomIdBytes(count: number): Buffer {
  if (used + count > blockBytes) {
    randomFillSync(block)
    used = 0
  }
  used += count
  return block.subarray(used - count, used)
}
