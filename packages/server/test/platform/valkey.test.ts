import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { environmentFor, useDatabase } from '../support/harness.ts'
import { eventually, startApi } from '../support/processes.ts'
import { takeTogether } from '../support/rate-takers.ts'
import { type RedisServer, startRedis } from '../support/redis-servers.ts'

/** A real Valkey in the place of Redis. */
const database = useDatabase()
const root = fileURLToPath(new URL('../../../..', import.meta.url))
let folder: string
let valkey: RedisServer

const cli = (...words: string[]) =>
  execFileSync(join(folder, 'usr/bin/valkey-cli'), ['-p', String(valkey.port), ...words], { encoding: 'utf8' })

beforeAll(async () => {
  const packages = ['bookworm-backports', 'valkey-server', 'valkey-tools']
  folder = execFileSync(join(root, 'scripts/unpacked-packages'), packages, { encoding: 'utf8' }).trim()
  valkey = await startRedis({ program: join(folder, 'usr/bin/valkey-server') })
})

test('counts for several processes at once, and admits exactly the limit', async () => {
  expect(cli('info', 'server')).toContain('server_name:valkey')
  const { takes, admitted, notByRedis } = await takeTogether(4, {
    redisUrl: valkey.url,
    limit: 200,
    windowSeconds: 600,
    maxCost: 1,
    takes: 250,
    forMs: 120_000,
    concurrency: 8,
    maxPauseMs: 0,
  })
  expect({ takes, notByRedis, admitted: admitted.length }).toEqual({ takes: 1_000, notByRedis: 0, admitted: 200 })
})

test('is what a process is ready with, and a process outlives it', async () => {
  const api = await startApi(environmentFor(database, { SVC_REDIS_URL: valkey.url }))
  const redisCheck = async () => {
    const response = await fetch(`${api.url}/readyz`)
    const { checks } = (await response.json()) as { checks: { redis: unknown } }
    return { status: response.status, redis: checks.redis }
  }
  await eventually(async () => (await redisCheck()).redis === 'ok')
  await valkey.kill()
  await eventually(async () => (await redisCheck()).redis !== 'ok')
  expect((await redisCheck()).status).toBe(200)
  await startRedis({ port: valkey.port, program: join(folder, 'usr/bin/valkey-server') })
  await eventually(async () => (await redisCheck()).redis === 'ok')
  api.process.kill()
  expect(await api.exit).toBe(0)
})
