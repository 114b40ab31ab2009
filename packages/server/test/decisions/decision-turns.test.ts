import { beforeAll, expect, test } from 'vitest'
import type { App } from '../../src/contract/routes.ts'
import { requireId } from '../../src/values/id.ts'
import { useServer } from '../support/harness.ts'
import { eventually } from '../support/processes.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const held = new Map<string, (() => void)[]>()

/** Decisions that last until a test ends them. */
function slowDecisions(app: App) {
  app.post(
    '/v1/test/decision',
    { config: { role: 'service', scope: 'edge:decide', urgency: 'decision' }, schema: { operationId: 'slowDecision' } },
    ({ principal }) =>
      new Promise((resolve) => held.set(principal!.orgId, [...(held.get(principal!.orgId) ?? []), () => resolve({})])),
  )
}

const server = useServer({
  domain: slowDecisions,
  environment: { SVC_DECISIONS_PER_ORG: '3', SVC_DECISION_QUEUE_TIMEOUT_MS: '1000' },
})
let tenants: Tenant[]
beforeAll(async () => {
  const operator = (await operatorOf(server)).key
  tenants = await Promise.all(['loud', 'quiet', 'alone'].map((name) => tenantOf(server, operator, name)))
})

const decide = ({ key }: Tenant) => call(server.url, 'POST', '/v1/test/decision', { key })
const heldOf = ({ id }: Tenant) => held.get(requireId('org', id)) ?? []
async function endAll(tenant: Tenant, count: number) {
  for (let ended = 0; ended < count; ended++) {
    await eventually(() => heldOf(tenant).length > ended)
    heldOf(tenant)[ended]!()
  }
}

test('an organization that asks alone has no bound; beside others it has a few at a time and they go first', async () => {
  const [loud, quiet, alone] = tenants as [Tenant, Tenant, Tenant]
  const many = Array.from({ length: 8 }, () => decide(alone))
  await eventually(() => heldOf(alone).length === 8)
  await endAll(alone, 8)
  await Promise.all(many)

  const first = decide(quiet)
  await eventually(() => heldOf(quiet).length === 1)
  const noise = Array.from({ length: 8 }, () => decide(loud))
  await eventually(() => heldOf(loud).length === 3)
  const second = decide(quiet)
  await eventually(() => heldOf(quiet).length === 2)
  expect(heldOf(loud)).toHaveLength(3)
  await endAll(quiet, 2)
  expect([(await first).status, (await second).status]).toEqual([200, 200])
  // On a machine that pauses, those that wait may be refused before it is their turn.
  const ending = setInterval(() => heldOf(loud).forEach((end) => end()), 10)
  const statuses = (await Promise.all(noise)).map(({ status }) => status)
  clearInterval(ending)
  expect(statuses.filter((status) => status !== 503).length).toBeGreaterThanOrEqual(3)
  expect(statuses.filter((status) => status !== 503 && status !== 200)).toEqual([])
})

test('a decision that waits too long is refused with 503, and its organization goes on afterwards', async () => {
  const [loud, quiet] = tenants as [Tenant, Tenant]
  const before = heldOf(loud).length
  const other = decide(quiet)
  const noise = Array.from({ length: 3 }, () => decide(loud))
  await eventually(() => heldOf(loud).length === before + 3)
  const refused = await decide(loud)
  expect([refused.status, refused.json.error?.code]).toEqual([503, 'service_unavailable'])
  for (const tenant of [loud, quiet]) for (const end of heldOf(tenant)) end()
  await Promise.all([other, ...noise])
  const next = decide(loud)
  await eventually(() => heldOf(loud).length > before + 3)
  heldOf(loud).at(-1)!()
  expect((await next).status).toBe(200)
})
