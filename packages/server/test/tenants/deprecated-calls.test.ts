import { beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { manualLifecycle } from '../../src/platform/infra/lifecycle.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { openPlatform } from '../../src/platform/infra/platform.ts'
import { addCalls } from '../../src/tenants/deprecated-calls/queries.ts'
import { requireId } from '../../src/values/id.ts'
import { visitAsMember } from '../support/console.ts'
import { environmentFor, useServer } from '../support/harness.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const server = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' } })
let operator: string
beforeAll(async () => {
  operator = (await operatorOf(server)).key
})

interface Entry {
  readonly method: string
  readonly route: string
  readonly caller_id: string
  readonly name: string | null
  readonly calls: number
  readonly first_day: string
  readonly last_called_at: string
}

const listed = async (org: Tenant, { query = '', key = org.key } = {}) => {
  const { json } = await call(server.url, 'GET', `/v1/orgs/${org.id}/deprecated-calls${query}`, { key })
  return json as unknown as { data: Entry[]; next_cursor: string | null }
}
/** Returns who has called what, how often. */
const counts = async (org: Tenant, options: { query?: string; key?: string } = {}) =>
  (await listed(org, options)).data
    .map(({ method, route, caller_id, calls }) => `${caller_id} ${method} ${route} ${calls}`)
    .sort()
const forecast = (key: string, method = 'GET') => call(server.url, method, '/v1/forecast', { key })
const newOrg = () => tenantOf(server, operator)

describe('calls of deprecated routes', () => {
  test('are counted by key, and no organization sees those of another', async () => {
    const [acme, other] = [await newOrg(), await newOrg()]
    const second = await keyOf(server, acme.id, { role: 'viewer', scopes: ['forecasts:read'] })
    for (const key of [acme.key, second.key, second.key, other.key]) expect((await forecast(key)).status).toBe(200)
    await call(server.url, 'GET', `/v1/admin/orgs/${acme.id}/webhook-secret`, { key: acme.key })
    await expect
      .poll(() => counts(acme))
      .toEqual(
        [
          `${acme.keyId} GET /v1/admin/orgs/{org_id}/webhook-secret 1`,
          `${acme.keyId} GET /v1/forecast 1`,
          `${second.id} GET /v1/forecast 2`,
        ].sort(),
      )
    await expect.poll(() => counts(other)).toEqual([`${other.keyId} GET /v1/forecast 1`])
    expect((await listed(acme, { query: `?caller_id=${second.id}` })).data).toEqual([
      {
        method: 'GET',
        route: '/v1/forecast',
        since: '2026-07-22',
        sunset: 'Wed, 31 Dec 2036 23:59:59 GMT',
        replacement: '/v1/capacity/forecasts',
        documentation: expect.stringMatching(/\/deprecations#forecast$/),
        caller_id: second.id,
        name: 'test',
        calls: 2,
        first_day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        last_called_at: expect.any(String),
      },
    ])
    const foreign = await call(server.url, 'GET', `/v1/orgs/${acme.id}/deprecated-calls`, { key: other.key })
    expect(foreign.status).toBe(404)
    const rows = await server.platform.sql.asOrgs([requireId('org', other.id)], (tx) =>
      tx.selectFrom('deprecated_calls').select('org_id').distinct().execute(),
    )
    expect(rows).toEqual([{ org_id: requireId('org', other.id) }])
  })

  test('count with HEAD as with GET, and whatever their answer is', async () => {
    const org = await newOrg()
    expect((await forecast(org.key, 'HEAD')).status).toBe(200)
    expect((await call(server.url, 'GET', '/v1/forecast?teams=none', { key: org.key })).status).toBe(422)
    await expect.poll(() => counts(org)).toEqual([`${org.keyId} GET /v1/forecast 2`])
  })

  test('count for nobody without a key, with one that may not make them, by an operator, or of other routes', async () => {
    const org = await newOrg()
    const secret = `/v1/admin/orgs/${org.id}/webhook-secret`
    const mayNot = await keyOf(server, org.id, { role: 'viewer', scopes: ['runs:read'] })
    expect((await fetch(`${server.url}/v1/forecast`)).status).toBe(401)
    expect((await forecast(`${org.key.slice(0, -4)}AAAA`)).status).toBe(401)
    expect((await forecast(mayNot.key)).status).toBe(403)
    expect((await call(server.url, 'GET', secret, { key: operator })).status).toBe(200)
    expect((await call(server.url, 'GET', '/v1/me', { key: org.key })).status).toBe(200)
    expect((await call(server.url, 'POST', `${secret}/rotate`, { key: org.key })).status).toBe(200)
    await expect.poll(() => counts(org)).toEqual([`${org.keyId} POST /v1/admin/orgs/{org_id}/webhook-secret/rotate 1`])
  })

  test('of a member in a session are the member’s, without a name', async () => {
    const org = await newOrg()
    const viewer = await visitAsMember(server.url, org, 'viewer')
    const answer = await fetch(`${server.url}/v1/forecast`, { headers: { cookie: viewer.session.cookie } })
    expect(answer.status).toBe(200)
    await expect.poll(() => counts(org)).toEqual([`${viewer.memberId} GET /v1/forecast 1`])
    expect((await listed(org)).data[0]!.name).toBeNull()
  })

  test('made a moment before a process ends are there when another goes on', async () => {
    const org = await newOrg()
    const { config } = readConfig(environmentFor(server.database))
    const platform = await openPlatform(config, 'api', createLog({ level: 'fatal', role: 'api' }))
    const { app } = await buildApp(platform, manualLifecycle, server.registry)
    const headers = { authorization: `Bearer ${org.key}` }
    for (let i = 0; i < 3; i++) await app.inject({ url: '/v1/forecast', headers })
    await app.close()
    await platform.close()
    expect(await counts(org)).toEqual([`${org.keyId} GET /v1/forecast 3`])
  })
})

describe('the list', () => {
  const startedMs = Date.now()
  const daysAgo = (days: number) => new Date(startedMs - days * 86_400_000).toISOString()
  const dayOf = (days: number) => daysAgo(days).slice(0, 10)

  /** Stores calls as if they had been counted some days ago, and as many as said. */
  const store = (org: Tenant, calls: readonly (readonly [keyId: string, days: number, count: number])[]) => {
    const orgId = requireId('org', org.id)
    const rows = calls.map(([keyId, days, count]) => ({
      org_id: orgId,
      day: dayOf(days),
      method: 'GET',
      route: '/v1/forecast',
      caller_id: requireId('key', keyId),
      caller_kind: 'key' as const,
      count,
      at: daysAgo(days),
    }))
    return server.platform.sql.asOrgs([orgId], (tx) => addCalls(tx, rows))
  }

  test('has the last 30 days, or those of a window, the latest call first, page by page', async () => {
    const org = await newOrg()
    const keys = await Promise.all([80, 20, 10, 2].map(async (days) => ({ ...(await keyOf(server, org.id)), days })))
    await store(
      org,
      keys.map(({ id, days }, i) => [id, days, i + 1]),
    )
    const order = async (query: string) =>
      (await listed(org, { query })).data.map(({ caller_id }) => keys.find(({ id }) => id === caller_id)!.days)
    const next = async (query: string) => encodeURIComponent((await listed(org, { query })).next_cursor!)
    expect(await order('')).toEqual([2, 10, 20])
    expect(await order('?sort=calls')).toEqual([20, 10, 2])
    expect(await order(`?from=${dayOf(80)}&to=${dayOf(10)}`)).toEqual([20, 80])
    expect(await order(`?limit=2&cursor=${await next('?limit=2')}`)).toEqual([20])
    expect(await order(`?limit=2&sort=-calls&cursor=${await next('?limit=1&sort=-calls')}`)).toEqual([10, 20])
  })

  test('sums the calls of a caller over days', async () => {
    const org = await newOrg()
    await store(org, [
      [org.keyId, 5, 2],
      [org.keyId, 3, 4],
    ])
    await store(org, [[org.keyId, 3, 1]])
    const { data } = await listed(org)
    expect(data).toMatchObject([{ caller_id: org.keyId, calls: 7, first_day: dayOf(5) }])
    expect(data[0]!.last_called_at.slice(0, 10)).toBe(dayOf(3))
  })

  test('shows a pinned key the callers within its pins alone', async () => {
    const org = await newOrg()
    const pins = { workflow_id: 'support' }
    const [pinned, inside, outside] = [
      await keyOf(server, org.id, { pins }),
      await keyOf(server, org.id, { pins: { ...pins, user_id: 'ada' } }),
      await keyOf(server, org.id, { pins: { workflow_id: 'sales' } }),
    ]
    await store(org, [
      [inside.id, 1, 1],
      [outside.id, 1, 1],
      [org.keyId, 1, 1],
    ])
    expect(await counts(org)).toHaveLength(3)
    expect(await counts(org, { key: pinned.key })).toEqual([`${inside.id} GET /v1/forecast 1`])
  })

  test('leaves out a route that is deprecated no more', async () => {
    const org = await newOrg()
    await forecast(org.key)
    await expect.poll(() => counts(org)).toHaveLength(1)
    const at = server.registry.findIndex(({ id }) => id === 'forecast')
    const [entry] = server.registry.splice(at, 1)
    try {
      expect(await counts(org)).toEqual([])
    } finally {
      server.registry.splice(at, 0, entry!)
    }
  })
})
