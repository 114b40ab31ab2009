import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/platform/infra/clock.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { createMetrics } from '../../src/platform/infra/metrics.ts'
import { createRateLimiter, type OnUnavailable, type RateLimitWindow } from '../../src/platform/infra/rate-limiter.ts'
import { openRedis } from '../../src/platform/infra/redis.ts'
import { secret } from '../../src/values/secret.ts'
import { eventually, suspend } from '../support/processes.ts'
import { freePort, startRedis } from '../support/redis-servers.ts'

const window: RateLimitWindow = { name: 'w', limit: 8, windowSeconds: 60, cost: 1, shape: 'sliding' }
const opened: { close: () => Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((redis) => redis.close()))
})

function connect(url: string, processes = 1) {
  const log = createLog({ level: 'fatal', role: 'test' }, new Writable({ write: (_chunk, _encoding, done) => done() }))
  const redis = openRedis({ url: secret(url), log })
  opened.push(redis)
  const metrics = createMetrics({ version: '0', role: 'test' })
  const limits = createRateLimiter({ redis, metrics, clock: systemClock, log }, () => processes)
  const orgId = randomUUID()
  return {
    redis,
    take: (onUnavailable: OnUnavailable, more: Partial<RateLimitWindow> = {}) =>
      limits.take(orgId, [{ ...window, ...more }], onUnavailable),
    countFailure: limits.countFailure,
    fallbacks: async (mode: OnUnavailable) => {
      const { values } = await metrics.getSingleMetric('svc_rate_limit_fallback_total')!.get()
      return values.find(({ labels }) => labels['mode'] === mode)!.value
    },
  }
}

async function outcomes(times: number, take: () => Promise<{ outcome: string }>) {
  const all: string[] = []
  for (let i = 0; i < times; i++) all.push((await take()).outcome)
  return all
}

describe('while Redis is away', () => {
  test('local: this process admits its share of the limit and not more', async () => {
    const { take, fallbacks } = connect(`redis://127.0.0.1:${await freePort()}`, 4)
    expect(await outcomes(4, () => take('local'))).toEqual(['admitted', 'admitted', 'refused', 'refused'])
    expect(await take('local')).toMatchObject({ by: 'local', windows: [{ used: 2, remaining: 0 }] })
    expect(await fallbacks('local')).toBe(5)
  })

  test('local: a limit below the number of processes still lets one through', async () => {
    const { take } = connect(`redis://127.0.0.1:${await freePort()}`, 100)
    expect(await outcomes(2, () => take('local'))).toEqual(['admitted', 'refused'])
  })

  test('deny and allow do what they say, and each use is counted', async () => {
    const { take, fallbacks } = connect(`redis://127.0.0.1:${await freePort()}`)
    expect(await outcomes(20, () => take('deny'))).toEqual(Array(20).fill('unavailable'))
    expect(await outcomes(20, () => take('allow'))).toEqual(Array(20).fill('unchecked'))
    expect([await fallbacks('deny'), await fallbacks('allow'), await fallbacks('local')]).toEqual([20, 20, 0])
  })

  test('failed verifications of an address are still counted', async () => {
    const { countFailure } = connect(`redis://127.0.0.1:${await freePort()}`)
    const answers = []
    for (let i = 0; i < 4; i++) answers.push(await countFailure('192.0.2.1', 3))
    expect(answers.map(({ overLimit }) => overLimit)).toEqual([false, false, false, true])
    expect(answers[3]!.retryAfterSeconds).toBeGreaterThanOrEqual(1)
    expect(answers[3]!.retryAfterSeconds).toBeLessThanOrEqual(61)
    expect((await countFailure('2001:db8::1', 3)).overLimit).toBe(false)
  })
})

test('a Redis that was restarted decides again, by itself', async () => {
  const first = await startRedis()
  const { redis, take } = connect(first.url)
  await eventually(() => redis.isReachable())
  expect(await take('local')).toMatchObject({ outcome: 'admitted', by: 'redis' })
  await first.kill()
  expect(await take('local')).toMatchObject({ by: 'local' })
  const again = await startRedis({ port: first.port })
  const startedMs = performance.now()
  await eventually(async () => 'by' in (await take('allow')))
  expect(performance.now() - startedMs).toBeLessThan(10_000)
  await again.kill()
})

test('a Redis that hangs costs the first callers a moment and the others nothing, and is used again afterwards', async () => {
  const server = await startRedis()
  const { redis, take } = connect(server.url)
  await eventually(() => redis.isReachable())
  await suspend(server.process)
  const stalledMs = performance.now()
  const first = await Promise.all(Array.from({ length: 200 }, () => take('deny')))
  expect(new Set(first.map(({ outcome }) => outcome))).toEqual(new Set(['unavailable']))
  const laterMs = performance.now()
  for (let i = 0; i < 500; i++) expect((await take('deny')).outcome).toBe('unavailable')
  expect(performance.now() - laterMs).toBeLessThan(laterMs - stalledMs + 5_000)
  server.process.kill('SIGCONT')
  await eventually(async () => (await take('deny', { cost: 0 })).outcome !== 'unavailable')
})

test('a connection that went dead without a word is replaced', async () => {
  const server = await startRedis()
  const proxy = await startMutingProxy(server.port)
  const { redis, take } = connect(`redis://127.0.0.1:${proxy.port}`)
  await eventually(() => redis.isReachable())
  proxy.mute()
  const mutedMs = performance.now()
  expect(await take('deny')).toEqual({ outcome: 'unavailable' })
  await eventually(async () => 'by' in (await take('allow')))
  expect(performance.now() - mutedMs).toBeLessThan(20_000)
  proxy.close()
})

/** Passes everything on until it is muted: from then on what is connected hears nothing more; new connections work. */
async function startMutingProxy(target: number) {
  const sockets: Socket[] = []
  const proxy = createServer((client) => {
    const upstream = connectTcp(target, '127.0.0.1')
    sockets.push(client, upstream)
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    port: (proxy.address() as AddressInfo).port,
    mute: () => {
      for (const socket of sockets) socket.unpipe().pause()
    },
    close: () => {
      proxy.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

test('keys expire by themselves, and a window never holds more than its ring', async () => {
  const server = await startRedis()
  const { redis, take } = connect(server.url)
  await eventually(() => redis.isReachable())
  const probe = { text: 'local k = redis.call("KEYS", "*") return #k > 0 and redis.call("HLEN", k[1]) or 0', sha1: '0' }
  // A machine that stands still for a moment makes an answer late, which is nothing to find here.
  const fields = async () => {
    for (;;) {
      const found = await redis.run(probe, 'any', [], []).catch(() => undefined)
      if (found !== undefined) return Number(found)
      await eventually(() => redis.isReachable())
    }
  }
  const endMs = performance.now() + 2_500
  let most = 0
  while (performance.now() < endMs) {
    await take('deny', { limit: 1e9, windowSeconds: 1 })
    most = Math.max(most, await fields())
  }
  expect(most).toBeLessThanOrEqual(61 + 3)
  await eventually(async () => (await fields()) === 0)
})
