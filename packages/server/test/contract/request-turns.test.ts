import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import type { App } from '../../src/contract/routes.ts'
import { requireId } from '../../src/values/id.ts'
import { useServer } from '../support/harness.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** The organizations whose requests began, by turn of the event loop. */
let turns: string[][] = []
let current: string[] | undefined

function counted(app: App) {
  app.get(
    '/v1/test/counted',
    { config: { role: 'viewer', scope: 'orgs:read', pinned: 'unaffected' }, schema: { operationId: 'counted' } },
    ({ principal }) => {
      if (!current) {
        turns.push((current = []))
        setImmediate(() => (current = undefined))
      }
      current.push(principal!.orgId)
      return {}
    },
  )
}

const server = useServer({ domain: counted })
let loud: Tenant
let quiet: Tenant
beforeAll(async () => {
  const operator = (await operatorOf(server)).key
  loud = await tenantOf(server, operator, 'loud')
  quiet = await tenantOf(server, operator, 'quiet')
  for (const { key } of [loud, quiet]) await call(server.url, 'GET', '/v1/test/counted', { key })
})

/** Requests on connections of their own that have all arrived before the server looks at any of them. */
async function askAtOnce(tenants: readonly Tenant[]) {
  const calls = await Promise.all(
    tenants.map(async ({ key }) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      const ask = () =>
        socket.write(`GET /v1/test/counted HTTP/1.1\r\nHost: weir\r\nAuthorization: Bearer ${key}\r\n\r\n`)
      // The server accepts one connection a turn.
      ask()
      await once(socket, 'data')
      return { socket, ask }
    }),
  )
  turns = []
  for (const { ask } of calls) ask()
  const statuses = await Promise.all(
    calls.map(async ({ socket }) => {
      const [chunk] = (await once(socket, 'data')) as [Buffer]
      socket.destroy()
      return chunk.toString('latin1', 9, 12)
    }),
  )
  expect(new Set(statuses)).toEqual(new Set(['200']))
}

test('no more than a few requests of an organization begin in one turn while others ask, and the others are not behind them', async () => {
  await call(server.url, 'GET', '/v1/test/counted', { key: quiet.key })
  await askAtOnce([...Array.from({ length: 60 }, () => loud), quiet])
  const loudId = requireId('org', loud.id)
  const quietId = requireId('org', quiet.id)
  // Eight of a turn, and those that wait for the next begin with it, before the count does.
  expect(Math.max(...turns.map((turn) => turn.filter((orgId) => orgId === loudId).length))).toBeLessThanOrEqual(16)
  // All of the noise was there before it.
  const before = turns.flat().indexOf(quietId)
  expect(before).toBeLessThan(40)
  expect(turns.flat()).toHaveLength(61)
})

test('an organization that asks alone begins as many as have arrived', async () => {
  await expect
    .poll(
      async () => {
        await askAtOnce(Array.from({ length: 60 }, () => loud))
        return Math.max(...turns.map(({ length }) => length))
      },
      { timeout: 120_000, interval: 500 },
    )
    .toBeGreaterThan(16)
})
