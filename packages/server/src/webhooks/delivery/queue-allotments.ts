import type { LeasedQueue } from './leased-queue.ts'

/** A number of deliveries that a queue may start now. */
export interface QueueAllotment {
  readonly queue: LeasedQueue
  readonly room: number
}

/**
 * Shares the free slots evenly, starting with the queues that have the fewest, so that no queue starves others. A queue gets
 * several at once, because reading it costs the same for one; a queue that gets none has the fewest next time.
 */
export function shareCapacity(
  queues: readonly LeasedQueue[],
  { free, degradedFree, minShare }: { free: number; degradedFree: number; minShare: number },
): readonly QueueAllotment[] {
  const allotments: QueueAllotment[] = []
  let left = free
  let degradedLeft = degradedFree
  for (const [i, queue] of queues.toSorted((a, b) => a.sending.size - b.sending.size).entries()) {
    const fair = Math.max(minShare, Math.ceil(left / (queues.length - i)))
    const room = Math.min(queue.capacity, fair, queue.isInDegradedPool ? degradedLeft : left)
    if (room <= 0) continue
    allotments.push({ queue, room })
    left -= room
    if (queue.isInDegradedPool) degradedLeft -= room
  }
  return allotments
}
