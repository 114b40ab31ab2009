import { sql as raw } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { services } from '../../scripts/private-services.ts'
import type { App } from '../../src/contract/routes.ts'
import type { Platform } from '../../src/platform/infra/platform.ts'
import { useServer } from '../support/harness.ts'
import { eventually } from '../support/processes.ts'
import { useTcpProxy } from '../support/tcp-proxy.ts'

const postgres = useTcpProxy(() => services().postgres)
const redis = useTcpProxy(() => services().redis)

function querying(app: App, { sql }: Platform) {
  app.get('/v1/test/query', { config: { open: true }, schema: { operationId: 'query' } }, async () => {
    const { rows } = await raw<{ one: number }>`select 1 as one`.execute(sql.db)
    return rows[0]!
  })
}

const through = (url: string, port: number) => Object.assign(new URL(url), { port: String(port) }).href
const server = useServer({
  domain: querying,
  environment: (database) => ({
    SVC_DATABASE_URL: through(database.appUrl, postgres.port),
    SVC_REDIS_URL: through(services().redis.url, redis.port),
  }),
})

const ready = async () => {
  const response = await fetch(`${server.url}/readyz`)
  return { status: response.status, body: (await response.json()) as { checks: { redis: string } } }
}

afterEach(() => {
  postgres.mend()
  redis.mend()
})

test('without PostgreSQL the answer is service_unavailable, and it recovers by itself', async () => {
  expect((await fetch(`${server.url}/v1/test/query`)).status).toBe(200)
  postgres.cut()
  for (let i = 0; i < 5; i++) {
    const response = await fetch(`${server.url}/v1/test/query`)
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ error: { code: 'service_unavailable', details: {} } })
  }
  expect(await ready()).toEqual({
    status: 503,
    body: { status: 'unavailable', checks: { postgres: 'away', redis: 'ok', clock: 'unknown' } },
  })
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  expect((await fetch(`${server.url}/v1/meta/errors`)).status).toBe(200)
  postgres.mend()
  await eventually(async () => (await fetch(`${server.url}/v1/test/query`)).status === 200)
  expect((await ready()).status).toBe(200)
})

test('without Redis the service stays ready, says so, tells the log once, and recovers by itself', async () => {
  await eventually(async () => (await ready()).body.checks.redis === 'ok')
  const before = server.logs.length
  const told = (text: string) => server.logs.slice(before).filter(({ message }) => message === text)
  redis.cut()
  await eventually(async () => (await ready()).body.checks.redis === 'away')
  expect(await ready()).toEqual({
    status: 200,
    body: { status: 'ready', checks: { postgres: 'ok', redis: 'away', clock: 'ok' } },
  })
  redis.mend()
  await eventually(async () => (await ready()).body.checks.redis === 'ok')
  expect(told('redis cannot be reached')).toHaveLength(1)
  expect(told('redis can be reached again')).toHaveLength(1)
})
