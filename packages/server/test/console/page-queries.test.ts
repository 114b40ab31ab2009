import { beforeAll, expect, test } from 'vitest'
import { type ConsoleVisitor, visitAsMember, visitWithKey } from '../support/console.ts'
import { type ConsoleRoute, consoleRoutes, crawl } from '../support/console-crawl.ts'
import { fillOrganization } from '../support/console-organization.ts'
import { useServer } from '../support/harness.ts'
import { mostQueries } from '../support/page-queries.ts'
import { isQuery, recordRequests } from '../support/recorded-statements.ts'
import { call, operatorOf, tenantOf } from '../support/tenants.ts'

/** Time after which nothing that a page keeps for its reader is still known. */
const keptMs = 60_000

const recorder = recordRequests()
const server = useServer({
  environment: {
    SVC_AUTH_BACKOFF_PER_MINUTE: '1000000',
    SVC_EXPENSIVE_READ_BURST_MS: '600000',
    SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    SVC_SSO_ALLOWED_CIDRS: '127.0.0.0/8',
  },
})
let routes: ConsoleRoute[]
let owner: ConsoleVisitor
let operator: ConsoleVisitor
let laterMs = 0
beforeAll(async () => {
  const { key } = await operatorOf(server)
  const tenant = await tenantOf(server, key)
  await fillOrganization(server.url, { operator: key, tenant, nowMs: Date.now() }, (plain) => plain)
  await recordManyModels(tenant.key)
  routes = await consoleRoutes(server)
  owner = await visitAsMember(server.url, tenant, 'owner')
  operator = await visitWithKey(server.url, key)
  const { clock } = server.platform
  const now = clock.now.bind(clock)
  Object.assign(clock, { now: () => new Date(now().getTime() + laterMs) })
}, 300_000)

/** Records more models than one page of usage has rows, whatever the day of the month. */
async function recordManyModels(key: string) {
  for (let batch = 0; batch < 5; batch++) {
    const runs = Array.from({ length: 100 }, (_, i) => ({ model: `rare-${batch}-${i}`, cost_usd: '0.01' }))
    const { status, json } = await call(server.url, 'POST', '/v1/runs/bulk', { key, body: { enforce: false, runs } })
    expect([status, json['refused']]).toEqual([200, 0])
  }
}

test.each([
  ['an owner', () => owner, 80],
  ['an operator', () => operator, 15],
] as const)('no page of %s makes more than a dozen queries', async (_who, visitorOf, least) => {
  const visitor = visitorOf()
  const { pages } = await crawl(visitor, routes)
  const many: string[] = []
  for (const [template, { address }] of pages) {
    laterMs += keptMs
    recorder.take()
    await visitor.openConsole(address)
    const queries = recorder
      .take()
      .filter((request) => request.address === address)
      .flatMap(({ statements }) => statements.filter(isQuery))
    if (queries.length > mostQueries(template))
      many.push(`${template}: ${queries.length}\n${queries.map(({ text }) => text.slice(0, 200)).join('\n')}`)
  }
  expect(many).toEqual([])
  expect(pages.size).toBeGreaterThan(least)
})
