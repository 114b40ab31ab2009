import { describe, expect, test } from 'vitest'
import type { Operation } from './operations.ts'
import { FairQueue, type QueuedTask as WaitingFor } from './queue.ts'

type Waiting = WaitingFor<Operation, object>
const maxBatch = 256
const limits = { tasks: maxBatch, tasksOfOneOrg: 64, work: 2_000, workOfOneOrg: 256 }
const newQueue = () => new FairQueue<Operation, object>(limits, () => 1)

const waiting = (orgId: string): Waiting => {
  const task: Operation = {
    orgId,
    plan: () => ({ command: { type: 'release', holdId: '' } }),
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

/** A queue to which tasks of any work can be added. */
function weighed(size = limits) {
  const works = new Map<Operation, number>()
  const queue = new FairQueue<Operation, object>(size, (task) => works.get(task)!)
  const add = (orgId: string, work: number) => {
    const each = waiting(orgId)
    works.set(each.task, work)
    queue.add(each)
    return each
  }
  const workOf = (batch: readonly Waiting[]) => {
    const sums: Record<string, number> = {}
    for (const { task } of batch) sums[task.orgId] = (sums[task.orgId] ?? 0) + works.get(task)!
    return sums
  }
  return { queue, add, workOf }
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
    const { queue, add } = weighed({ tasks: 10, tasksOfOneOrg: 10, work: 10, workOfOneOrg: 10 })
    const all = [25, 6, 4, 1].map((work) => add('a', work))
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

describe('turns by work', () => {
  test('one organization whose requests are heavy has no larger share than one with many light ones', () => {
    const { queue, add, workOf } = weighed()
    for (let i = 0; i < 1_000; i++) add('heavy', 100)
    for (let i = 0; i < 40_000; i++) add('light', 4)
    const done = { heavy: 0, light: 0 }
    for (let i = 0; i < 100; i++) {
      const { heavy = 0, light = 0 } = workOf(queue.take())
      expect(heavy).toBeLessThanOrEqual(limits.workOfOneOrg + 100)
      done.heavy += heavy
      done.light += light
    }
    expect(done.heavy).toBeLessThanOrEqual(done.light)
    expect(done.heavy).toBeGreaterThan(done.light * 0.9)
  })

  test('a request of a thousand rows waits until its shares have covered it, while others wait', () => {
    const { queue, add, workOf } = weighed()
    for (let i = 0; i < 64; i++) add('heavy', 1_001)
    for (let i = 0; i < 1_000; i++) add('light', 4)
    const batches = Array.from({ length: 8 }, () => workOf(queue.take()))
    expect(batches.map(({ heavy = 0 }) => heavy)).toEqual([0, 0, 0, 1_001, 0, 0, 0, 1_001])
    for (const { light } of batches) expect(light).toBe(256)
  })

  test('a request that is heavier than anybody may have at once goes as soon as nobody else waits', () => {
    const { queue, add, workOf } = weighed()
    for (let i = 0; i < 3; i++) add('heavy', 1_001)
    expect(workOf(queue.take())).toEqual({ heavy: 1_001 })
    add('light', 4)
    expect(workOf(queue.take())).toEqual({ light: 4 })
    expect(workOf(queue.take())).toEqual({ heavy: 1_001 })
  })

  test('a batch has at most 2,000 rows, of however many organizations', () => {
    const { queue, add, workOf } = weighed()
    for (let org = 0; org < 50; org++) for (let i = 0; i < 20; i++) add(`org ${org}`, 90)
    const served = new Set<string>()
    while (queue.size > 0) {
      const sums = workOf(queue.take())
      expect(Object.values(sums).reduce((sum, work) => sum + work, 0)).toBeLessThanOrEqual(2_000)
      for (const orgId of Object.keys(sums)) served.add(orgId)
    }
    expect(served.size).toBe(50)
  })

  test('nobody who waits is left out: every organization is served within its rounds, whatever the others weigh', () => {
    const { queue, add } = weighed()
    for (let org = 0; org < 30; org++) for (let i = 0; i < 10; i++) add(`org ${org}`, 1 + org * 40)
    const last = new Map<string, number>()
    for (let batch = 1; queue.size > 0; batch++)
      for (const { task } of queue.take()) {
        expect(batch - (last.get(task.orgId) ?? 0)).toBeLessThanOrEqual(60)
        last.set(task.orgId, batch)
      }
    expect(last.size).toBe(30)
  })

  test('shares are not saved for later: after a long wait of light requests a turn is worth one share', () => {
    const { queue, add, workOf } = weighed()
    for (let i = 0; i < 200; i++) {
      add('a', 4)
      add('b', 4)
      queue.take()
    }
    for (let i = 0; i < 300; i++) add('a', 10)
    add('b', 4)
    expect(workOf(queue.take())).toEqual({ a: 250, b: 4 })
  })

  test('the backlog of one organization says nothing of how long another one would wait', () => {
    const { queue, add } = weighed()
    for (let i = 0; i < 500; i++) add('heavy', 1_001)
    expect(queue.batchesBefore('heavy')).toBeGreaterThan(200)
    expect(queue.batchesBefore('light')).toBe(0)
    for (let i = 0; i < 100; i++) add('light', 4)
    expect(queue.batchesBefore('light')).toBeLessThanOrEqual(2)
    expect(queue.sizeOf('light')).toBe(100)
  })
})
