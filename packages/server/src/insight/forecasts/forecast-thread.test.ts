import { afterEach, describe, expect, test } from 'vitest'
import { ForecastThread, type ThreadLimits } from './forecast-thread.ts'
import { ResponseCache } from './response-cache.ts'
import type { ForecastTask } from './task.ts'

/** A program that echoes, hangs or dies, as its task says. */
const program = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', (task) => {
      if (task === 'hang') for (;;);
      if (task === 'die') process.exit(3)
      if (task === 'throw') throw new Error('thrown')
      if (task === 'fail') return parentPort.postMessage({ failed: 'told so' })
      const bytes = new TextEncoder().encode(task)
      parentPort.postMessage({ bytes }, [bytes.buffer])
    })`)}`,
)
const threads: ForecastThread[] = []
const threadWith = (limits: Partial<ThreadLimits> = {}) => {
  const thread = new ForecastThread({ program, ...limits })
  threads.push(thread)
  return async (task: string, org = 'org') => (await thread.run(org, task as unknown as ForecastTask)).toString()
}
afterEach(async () => {
  await Promise.all(threads.splice(0).map((thread) => thread.close()))
})
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: Error & { code?: string }) => error.code ?? error.message,
  )

describe('the thread', () => {
  test('answers one after the other', async () => {
    const run = threadWith()
    expect(await Promise.all(['a', 'b', 'c'].map((task) => run(task)))).toEqual(['a', 'b', 'c'])
  })

  test('that hangs is replaced, and whoever waits is answered by the next', async () => {
    const run = threadWith({ taskMs: 300 })
    const found = [codeOf(run('hang')), run('after')]
    expect(await Promise.all(found)).toEqual(['service_unavailable', 'after'])
  })

  test.each(['die', 'throw'])('that does %s fails its own task only', async (task) => {
    const run = threadWith()
    const [own, next] = await Promise.all([codeOf(run(task)), run('after')])
    expect(own).toBe('the forecast thread exited')
    expect(next).toBe('after')
  })

  test('tells what has failed', async () => {
    const run = threadWith()
    expect(await codeOf(run('fail'))).toBe('a forecast failed: told so')
    expect(await run('after')).toBe('after')
  })

  test('refuses more than may wait, of all and of one organization', async () => {
    const run = threadWith({ maxWaiting: 2, maxWaitingPerOrg: 2 })
    const found = ['a', 'a', 'a', 'b', 'c'].map((org, i) => codeOf(run(String(i), org)))
    // One at work, two waiting: the third of `a` is one too many of its own, that of `c` one too many of all.
    expect(await Promise.all(found)).toEqual([
      'answered',
      'answered',
      'service_unavailable',
      'answered',
      'service_unavailable',
    ])
    expect(await codeOf(run('later', 'c'))).toBe('answered')
  })

  test('ends with everybody refused who waits', async () => {
    const run = threadWith({ taskMs: 60_000 })
    const found = [codeOf(run('hang')), codeOf(run('waiting'))]
    await threads[0]!.close()
    expect(await Promise.all([...found, codeOf(run('late'))])).toEqual(Array(3).fill('service_unavailable'))
  })
})

describe('kept answers', () => {
  const make = (made: string[], size: number) => (name: string) => async () => {
    made.push(name)
    return Buffer.alloc(size, name)
  }

  test('are made once for all who ask at once, and again when what they are made from has changed', async () => {
    const made: string[] = []
    const kept = new ResponseCache(1_000)
    const maker = make(made, 10)
    await Promise.all([kept.get('q', '1', maker('a')), kept.get('q', '1', maker('b')), kept.get('q', '1', maker('c'))])
    await kept.get('q', '2', maker('d'))
    // What it was made from once is no longer what it is made from.
    await kept.get('q', '1', maker('e'))
    expect(made).toEqual(['a', 'd', 'e'])
    expect(kept.size).toBe(10)
  })

  test('take no more than they may: those asked for longest ago go', async () => {
    const made: string[] = []
    const kept = new ResponseCache(30)
    const maker = make(made, 10)
    for (const name of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) {
      await kept.get(name, '1', maker(name))
      expect(kept.size).toBeLessThanOrEqual(30)
    }
    expect(made).toEqual(['a', 'b', 'c', 'd', 'b'])
    await kept.get('large', '1', make(made, 31)('x'))
    expect(kept.size).toBeLessThanOrEqual(30)
  })

  test('keep no failure', async () => {
    const kept = new ResponseCache(30)
    await expect(kept.get('q', '1', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect((await kept.get('q', '1', async () => Buffer.from('yes'))).toString()).toBe('yes')
    expect(kept.size).toBe(3)
  })
})
