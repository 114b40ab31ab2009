import { Readable } from 'node:stream'
import { sql as raw } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { readClassOf } from '../../src/contract/read-bounds.ts'
import type { App } from '../../src/contract/routes.ts'
import type { Platform } from '../../src/platform/infra/platform.ts'
import { requireId } from '../../src/values/id.ts'
import { useServer } from '../support/harness.ts'
import { eventually } from '../support/processes.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const busyMs = 200
const held = new Map<string, (() => void)[]>()

/** Reads that last until a test ends them, and some that keep PostgreSQL busy for a while. */
function slowReads(app: App, { sql }: Platform) {
  const config = { role: 'viewer', scope: 'usage:read' } as const
  const expensive = { ...config, expensive: true } as const
  const hold = (orgId: string) =>
    sql.asOrgs(
      [orgId],
      () => new Promise((resolve) => held.set(orgId, [...(held.get(orgId) ?? []), () => resolve({})])),
    )
  const busy = (orgId: string) =>
    sql.asOrgs([orgId], async (tx) => {
      await raw`select pg_sleep(${busyMs / 1_000})`.execute(tx)
      return {}
    })
  async function* pages(orgId: string) {
    for (let page = 0; page < 3; page++) {
      await busy(orgId)
      yield 'page'.repeat(100_000)
    }
  }
  app.get('/v1/test/held', { config, schema: { operationId: 'heldRead' } }, ({ principal }) => hold(principal!.orgId))
  app.get('/v1/test/nested', { config, schema: { operationId: 'nestedRead' } }, ({ principal }) =>
    sql.asOrgs([principal!.orgId], () => sql.asOrgs([principal!.orgId], () => Promise.resolve({}))),
  )
  app.get('/v1/test/busy', { config: expensive, schema: { operationId: 'busyRead' } }, ({ principal }) =>
    busy(principal!.orgId),
  )
  app.get(
    '/v1/test/pages',
    { config: { ...expensive, urgency: 'export' }, schema: { operationId: 'pagesRead' } },
    ({ principal }, reply) => reply.type('text/plain').send(Readable.from(pages(principal!.orgId))),
  )
}

const server = useServer({
  domain: slowReads,
  environment: {
    SVC_READS_PER_ORG: '2',
    SVC_EXPENSIVE_READS_PER_ORG: '1',
    SVC_EXPENSIVE_READ_MS_PER_SECOND: '10',
    SVC_EXPENSIVE_READ_BURST_MS: '300',
  },
})
let operator: string
beforeAll(async () => {
  operator = (await operatorOf(server)).key
})

const read = ({ key }: Tenant, path: string) => call(server.url, 'GET', path, { key })
const heldOf = ({ id }: Tenant) => held.get(requireId('org', id)) ?? []

describe('reads of one organization', () => {
  test('have so many places at a time, and those of another are not taken by them', async () => {
    const [loud, quiet] = [await tenantOf(server, operator, 'loud'), await tenantOf(server, operator, 'quiet')]
    const reads = Array.from({ length: 5 }, () => read(loud, '/v1/test/held'))
    await eventually(() => heldOf(loud).length === 2)
    const others = [read(quiet, '/v1/test/held')]
    await eventually(() => heldOf(quiet).length === 1)
    expect(heldOf(loud)).toHaveLength(2)
    for (let ended = 0; ended < 5; ended++) {
      await eventually(() => heldOf(loud).length > ended)
      heldOf(loud)[ended]!()
    }
    heldOf(quiet)[0]!()
    const answers = await Promise.all([...reads, ...others])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  })

  test('are refused with 503 where the place takes too long', async () => {
    const loud = await tenantOf(server, operator)
    const reads = Array.from({ length: 2 }, () => read(loud, '/v1/test/held'))
    await eventually(() => heldOf(loud).length === 2)
    const { status, json } = await read(loud, `/v1/orgs/${loud.id}`)
    expect([status, json.error?.code]).toEqual([503, 'service_unavailable'])
    for (const end of heldOf(loud)) end()
    await Promise.all(reads)
    expect((await read(loud, `/v1/orgs/${loud.id}`)).status).toBe(200)
  })

  test('need one place for a transaction inside another', async () => {
    const tenant = await tenantOf(server, operator)
    const answers = await Promise.all(Array.from({ length: 4 }, () => read(tenant, '/v1/test/nested')))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })
})

describe('expensive reads', () => {
  test('use up a budget of database time, and are then told when to come again', async () => {
    const [loud, quiet] = [await tenantOf(server, operator, 'loud'), await tenantOf(server, operator, 'quiet')]
    const statuses: number[] = []
    for (let i = 0; i < 3; i++) statuses.push((await read(loud, '/v1/test/busy')).status)
    expect(statuses).toEqual([200, 200, 429])
    const refused = await read(loud, '/v1/test/busy')
    expect(refused.json.error).toMatchObject({
      code: 'rate_limited',
      details: { retry_after_seconds: Number(refused.headers.get('retry-after')) },
    })
    // 100 ms too much, at 10 ms a second.
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(5)
    expect((await read(quiet, '/v1/test/busy')).status).toBe(200)
    expect((await read(loud, `/v1/orgs/${loud.id}`)).status).toBe(200)
    expect(await (await fetch(`${server.url}/metrics`)).text()).toMatch(
      /svc_reads_refused_total\{reason="budget"\} [1-9]/,
    )
  })

  test('are charged for every page of a stream', async () => {
    const tenant = await tenantOf(server, operator)
    const { status, text } = await read(tenant, '/v1/test/pages')
    expect([status, text.length]).toEqual([200, 1_200_000])
    const refused = await read(tenant, '/v1/test/busy')
    expect(refused.status).toBe(429)
    // At least 3 × 200 ms of 300 were used.
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(25)
  })
})

test('every route that can read much is declared expensive, and every other read has a place', () => {
  const classes = new Map(
    server.routes
      .filter(({ template }) => !template.startsWith('/v1/test/'))
      .map(({ method, template, declaration }) => [`${method} ${template}`, readClassOf(method, declaration)]),
  )
  const readsMuch = /usage|export|backtest|forecast|audit-log|\/ledger$/
  const expensive = [...classes].filter(([, readClass]) => readClass === 'expensive').map(([route]) => route)
  expect(expensive).toEqual(expect.arrayContaining([...classes.keys()].filter((route) => readsMuch.test(route))))
  const unbounded = server.routes.filter(
    ({ method, declaration }) =>
      method === 'GET' && !declaration.open && readClassOf(method, declaration) === undefined,
  )
  expect(unbounded).toEqual([])
})
