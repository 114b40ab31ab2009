import { Writable } from 'node:stream'
import { beforeEach, describe, expect, test } from 'vitest'
import { createLog } from './log.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { WriteBehind, type WriteBehindOptions } from './write-behind.ts'

const log = createLog({ level: 'fatal', role: 'test' }, new Writable({ write: (_chunk, _encoding, done) => done() }))
let metrics: Metrics

/** A database whose writes end when the test says so. */
class SlowDatabase {
  readonly lots: (readonly string[])[] = []
  private readonly running: PromiseWithResolvers<void>[] = []

  readonly write = (items: readonly string[]) => {
    this.lots.push(items)
    const end = Promise.withResolvers<void>()
    this.running.push(end)
    return end.promise
  }

  get waiting() {
    return this.running.length
  }

  /** Ends the oldest write. */
  async end(error?: Error) {
    const oldest = this.running.shift()
    if (error) oldest?.reject(error)
    else oldest?.resolve()
    await settled()
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))
const bufferOf = (options: Partial<WriteBehindOptions<string>> & Pick<WriteBehindOptions<string>, 'write'>) =>
  new WriteBehind<string>({ log, metrics }, { name: 'test', maxWaiting: 3, ...options })
const lost = async () => {
  const line = (await metrics.metrics()).split('\n').find((text) => text.startsWith('svc_write_behind_lost_total{'))
  return Number(line?.split(' ').at(-1) ?? 0)
}

beforeEach(() => {
  metrics = createMetrics({ version: 'x', role: 'test' })
})

describe('a write-behind buffer in front of a slow database', () => {
  test('lets one lot wait for it, however often its timer fires', async () => {
    const database = new SlowDatabase()
    const buffer = bufferOf({ everyMs: 1, write: database.write, maxWaiting: 100 })
    buffer.add(1, 'first')
    await expect.poll(() => database.lots).toEqual([['first']])
    // Each further item has a timer of the same length after it, so that the buffer's own timer has fired in between.
    for (let i = 2; i <= 10; i++) {
      buffer.add(i, `item ${i}`)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    expect(database.waiting).toBe(1)
    await database.end()
    await expect.poll(() => database.lots.length).toBe(2)
    expect(database.lots[1]).toHaveLength(9)
    await database.end()
    await buffer.close()
    expect(database.lots).toHaveLength(2)
  })

  test('finds every item until its write has ended, and none after', async () => {
    const database = new SlowDatabase()
    const buffer = bufferOf({ write: database.write })
    buffer.add('a', 'in flight')
    const first = buffer.flush()
    await settled()
    buffer.add('b', 'next')
    const second = buffer.flush()
    buffer.add('c', 'waiting')
    expect(['a', 'b', 'c'].map((key) => buffer.find(key))).toEqual(['in flight', 'next', 'waiting'])
    expect(buffer.waiting('a')).toBeUndefined()
    expect(buffer.size).toBe(3)

    await database.end()
    await first
    expect(['a', 'b', 'c'].map((key) => buffer.find(key))).toEqual([undefined, 'next', 'waiting'])
    await database.end()
    await second
    expect(database.lots).toEqual([['in flight'], ['next', 'waiting']])
    expect(buffer.size).toBe(0)
  })

  test('keeps a bounded number of items, and counts and reports the others', async () => {
    const database = new SlowDatabase()
    const refused: string[] = []
    const buffer = bufferOf({ write: database.write, onLost: (items) => refused.push(...items) })
    const add = (key: number) => buffer.add(key, `item ${key}`)
    expect([1, 2, 3, 4].map(add)).toEqual([true, true, true, false])
    const flushed = buffer.flush()
    await settled()
    expect([5, 6, 7, 8].map(add)).toEqual([true, true, true, false])
    expect(refused).toEqual(['item 4', 'item 8'])
    expect(await lost()).toBe(2)
    await database.end()
    await flushed
    const closed = buffer.close()
    await settled()
    await database.end()
    await closed
    expect(database.lots.flat()).toHaveLength(6)
  })

  test('loses a lot whose write failed, says so, and writes the next', async () => {
    const database = new SlowDatabase()
    const failed: string[] = []
    const buffer = bufferOf({ write: database.write, onLost: (items) => failed.push(...items) })
    buffer.add('a', 'lost')
    const first = buffer.flush()
    await settled()
    await database.end(new Error('away'))
    await first
    expect(buffer.find('a')).toBeUndefined()
    buffer.add('b', 'kept')
    const second = buffer.flush()
    await settled()
    await database.end()
    await second
    expect(database.lots).toEqual([['lost'], ['kept']])
    expect(failed).toEqual(['lost'])
    expect(await lost()).toBe(1)
  })
})

describe('the end of a write-behind buffer', () => {
  test('waits for the lot in flight and writes what waits, due or not', async () => {
    const database = new SlowDatabase()
    const buffer = bufferOf({ write: database.write, isDue: (item) => item === 'due' })
    buffer.add('a', 'due')
    buffer.add('b', 'not due')
    void buffer.flush()
    await settled()
    expect(database.lots).toEqual([['due']])
    let isClosed = false
    const closed = buffer.close().finally(() => {
      isClosed = true
    })
    await database.end()
    expect([isClosed, database.lots]).toEqual([false, [['due'], ['not due']]])
    await database.end()
    await closed
  })

  test('counts what a failed last write put back, and all that comes too late', async () => {
    const buffer: WriteBehind<string> = bufferOf({
      write: (items) => {
        for (const item of items) buffer.add(item, item)
        return Promise.resolve()
      },
    })
    buffer.add('again', 'again')
    await buffer.close()
    expect(await lost()).toBe(1)
    expect(buffer.add('late', 'late')).toBe(false)
    expect(await lost()).toBe(2)
  })

  test('does not come in lots that are larger than they may be', async () => {
    const lots: number[] = []
    const buffer = bufferOf({
      maxWaiting: 100,
      maxLot: 40,
      write: (items) => Promise.resolve(void lots.push(items.length)),
    })
    for (let i = 0; i < 100; i++) buffer.add(i, `item ${i}`)
    await buffer.close()
    expect(lots).toEqual([40, 40, 20])
  })
})
