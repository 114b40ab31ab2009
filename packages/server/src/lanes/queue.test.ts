import { describe, expect, test } from 'vitest'
import { FairQueue, type Waiting as WaitingFor } from './queue.ts'
import type { Task } from './tasks.ts'

type Waiting = WaitingFor<Task, object>
const maxBatch = 256
const newQueue = () => new FairQueue<Task, object>({ most: maxBatch, mostOfOneOrg: 64 })

const waiting = (orgId: string): Waiting => {
  const task: Task = {
    orgId,
    bind: () => ({ type: 'release', holdId: '' }),
  }
  return { task, enqueuedMs: 0, attempts: 0, resolve: () => undefined, reject: () => undefined }
}

function filled(counts: Readonly<Record<string, number>>) {
  const queue = newQueue()
  const added = Object.entries(counts).flatMap(([orgId, count]) => Array.from({ length: count }, () => waiting(orgId)))
  for (const each of added) queue.add(each)
  return { queue, added }
}

const countsOf = (batch: readonly Waiting[]) => {
  const counts: Record<string, number> = {}
  for (const { task } of batch) counts[task.orgId] = (counts[task.orgId] ?? 0) + 1
  return counts
}

describe('the queue of a lane', () => {
  test('is served in the order in which its requests came', () => {
    const { queue, added } = filled({ a: 3 })
    expect(queue.take()).toEqual(added)
    expect(queue.take()).toEqual([])
  })

  test('gives at most a full batch, and loses nobody', () => {
    const { queue, added } = filled({ a: 600 })
    const batches = [queue.take(), queue.take(), queue.take()]
    expect(batches.map(({ length }) => length)).toEqual([maxBatch, maxBatch, 600 - 2 * maxBatch])
    expect(batches.flat()).toEqual(added)
    expect(queue.size).toBe(0)
  })

  test('does not let one organization with 10,000 waiting delay another beyond the next batch', () => {
    const { queue } = filled({ greedy: 10_000 })
    for (let i = 0; i < 20; i++) {
      queue.add(waiting(`modest ${i}`))
      const batch = queue.take()
      expect(countsOf(batch)).toEqual({ greedy: 64, [`modest ${i}`]: 1 })
    }
    expect(countsOf(queue.take())).toEqual({ greedy: maxBatch })
  })

  test('takes at most 64 of one organization while others wait', () => {
    const { queue } = filled({ a: 500, b: 500, c: 10 })
    expect(countsOf(queue.take())).toEqual({ a: 64, b: 64, c: 10 })
  })

  test('gives everybody a turn before anybody has a second one', () => {
    const { queue } = filled({ a: 100, b: 100, c: 100, d: 100, e: 100, f: 100 })
    expect(countsOf(queue.take())).toEqual({ a: 64, b: 64, c: 64, d: 64 })
    expect(countsOf(queue.take())).toEqual({ e: 64, f: 64, a: 36, b: 36, c: 36, d: 20 })
  })

  test('serves a thousand organizations in four batches', () => {
    const { queue } = filled(Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`org ${i}`, 1])))
    const served = new Set(
      Array.from({ length: 4 }, () => queue.take()).flatMap((batch) => Object.keys(countsOf(batch))),
    )
    expect(served.size).toBe(1_000)
    expect(queue.size).toBe(0)
  })

  test('takes one organization alone when asked, and leaves the others where they stand', () => {
    const { queue } = filled({ a: 2, b: 3 })
    expect(countsOf(queue.take('b'))).toEqual({ b: 3 })
    expect(queue.take('b')).toEqual([])
    expect(queue.take('unknown')).toEqual([])
    expect(queue.size).toBe(2)
    expect(countsOf(queue.take())).toEqual({ a: 2 })
  })

  test('counts whoever waits, through everything', () => {
    const { queue } = filled({ a: 70, b: 1 })
    expect(queue.size).toBe(71)
    const batch = queue.take()
    expect(queue.size).toBe(71 - batch.length)
    queue.putBack(batch)
    expect(queue.size).toBe(71)
  })
})

describe('what is put back', () => {
  test('goes before what came later, in its order', () => {
    const { queue, added } = filled({ a: 3 })
    const batch = queue.take()
    const later = waiting('a')
    queue.add(later)
    queue.putBack(batch)
    const again = queue.take()
    expect(again.map((each) => [...added, later].indexOf(each))).toEqual([0, 1, 2, 3])
  })

  test('keeps its order when only a part of a batch goes again, of several organizations', () => {
    const queue = newQueue()
    const all = Array.from({ length: 8 }, (_, i) => waiting(i % 2 === 0 ? 'a' : 'b'))
    for (const each of all) queue.add(each)
    queue.putBack(queue.take().filter((each) => all.indexOf(each) >= 2))
    const again = queue.take().map((each) => all.indexOf(each))
    expect(again.filter((i) => i % 2 === 0)).toEqual([2, 4, 6])
    expect(again.filter((i) => i % 2 === 1)).toEqual([3, 5, 7])
  })

  test('counts what a task is worth, and never cuts one: the first goes however much it is', () => {
    const queue = new FairQueue<Task, object>({ most: 10, mostOfOneOrg: 10 })
    const heavy = (weight: number) => ({ ...waiting('a'), task: { ...waiting('a').task, weight } })
    const all = [heavy(25), heavy(6), heavy(4), heavy(1)]
    for (const each of all) queue.add(each)
    expect(queue.take()).toEqual([all[0]])
    expect(queue.take()).toEqual([all[1], all[2]])
    expect(queue.take()).toEqual([all[3]])
  })

  test('does not outlive its turn: nothing put back is nothing waiting', () => {
    const { queue } = filled({ a: 1 })
    queue.take()
    queue.putBack([])
    expect(queue.size).toBe(0)
    expect(queue.take()).toEqual([])
  })
})
