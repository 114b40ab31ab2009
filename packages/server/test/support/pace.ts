/** Reference work of about 12 ms on a free core: arithmetic, text and JSON, as in the code whose time is judged. */
function referenceWork(): number {
  let checksum = 0
  for (let round = 0; round < 40; round++) {
    const rows = Array.from({ length: 300 }, (_, i) => ({ id: `row-${round}-${i}`, amount: i * 1.5, tags: ['a', 'b'] }))
    for (const { id, amount } of JSON.parse(JSON.stringify(rows)) as typeof rows) checksum += id.length + amount
  }
  return checksum
}

const referenceMs = 12

/**
 * Measures how much slower this core is now than a free one, at least 1. CPU time grows where several machines share a core;
 * a bar of CPU time is held against the pace of the moment, so that a slow core is not taken for slow code.
 */
export function currentPace(): number {
  const before = process.threadCpuUsage()
  referenceWork()
  const { user, system } = process.threadCpuUsage(before)
  return Math.max(1, (user + system) / 1_000 / referenceMs)
}
