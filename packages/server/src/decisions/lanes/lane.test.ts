import { expect, test } from 'vitest'
import { Lane } from './lane.ts'
import type { LaneTask } from './operations.ts'

interface Named extends LaneTask {
  readonly isPoison: boolean
}

const nothing = { inc: () => undefined, observe: () => undefined }
const unlimited = { tasks: 256, tasksOfOneOrg: 64, work: 2_000, workOfOneOrg: 256 }

/** A lane whose transactions fail whenever one of their tasks cannot be written, and whose first ones find other limits than before. */
function lane({ changes = 0 } = {}) {
  const batches: (readonly Named[])[] = []
  const opened = new Lane<Named, object, never>({
    connect: async () => ({ destroy: () => undefined }) as never,
    runBatch: async (tasks) => {
      batches.push(tasks)
      await new Promise(setImmediate)
      if (tasks.some(({ isPoison }) => isPoison)) throw Object.assign(new Error('out of range'), { code: '22003' })
      const none = new Set()
      if (batches.length <= changes) {
        const changed = new Set(tasks.map(({ orgId }) => orgId))
        return { answers: new Map(), unread: 0, deferred: none, busy: none, locked: none, changed } as never
      }
      const answers = new Map(tasks.map((task) => [task, {}]))
      return { answers, unread: 0, deferred: none, busy: none, locked: none, changed: none } as never
    },
    observe: () => undefined,
    batchSize: unlimited,
    workOf: () => 1,
    maxWaiting: 1_000,
    deadlineMs: 60_000,
    configCache: { get: () => ({}), evict: () => undefined } as never,
    metrics: { rejected: nothing, wait: nothing, failures: nothing } as never,
    log: { error: () => undefined, warn: () => undefined } as never,
    writability: { recordFailure: () => undefined, recordCommit: () => undefined },
    estimatedDbTimeMs: () => 0,
    syncClock: () => undefined,
    releaseLater: () => undefined,
  })
  return { opened, batches }
}

test('an organization whose requests cannot be written costs its neighbours at most every second turn', async () => {
  const { opened, batches } = lane()
  const over = new AbortController()
  const poison = async () => {
    while (!over.signal.aborted) await opened.submit({ orgId: 'poison', isPoison: true }).catch(() => undefined)
  }
  const callers = Array.from({ length: 12 }, poison)
  // Once the failing task has been isolated.
  await opened.submit({ orgId: 'good', isPoison: false })
  const turns: number[] = []
  for (let i = 0; i < 50; i++) {
    const before = batches.length
    await opened.submit({ orgId: 'good', isPoison: false })
    turns.push(batches.length - before)
  }
  over.abort()
  await Promise.all(callers)
  expect(Math.max(...turns)).toBeLessThanOrEqual(3)
  const mixed = batches.slice(-100).filter((batch) => new Set(batch.map(({ orgId }) => orgId)).size > 1)
  expect(mixed).toEqual([])
  await opened.close()
})

test('whoever travels with a poisoned request is answered all the same', async () => {
  const { opened } = lane()
  const all = await Promise.allSettled(
    Array.from({ length: 20 }, (_, i) => opened.submit({ orgId: `o${i % 5}`, isPoison: i === 7 })),
  )
  expect(all.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))).toEqual([7])
  await opened.close()
})

test('a request is answered however often the limits change before its turn', async () => {
  const { opened, batches } = lane({ changes: 50 })
  await expect(opened.submit({ orgId: 'one', isPoison: false })).resolves.toBeDefined()
  expect(batches).toHaveLength(51)
  await opened.close()
})
