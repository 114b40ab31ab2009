import { expect, test } from 'vitest'
import type { App } from '../../src/contract/routes.ts'
import { useServer } from '../support/harness.ts'
import { eventually } from '../support/processes.ts'

const waiting: (() => void)[] = []
const open = (operationId: string) => ({ config: { open: true } as const, schema: { operationId } })

function slowRoutes(app: App) {
  app.get('/v1/test/slow', open('slow'), () => new Promise((resolve) => waiting.push(() => resolve({}))))
  app.post(
    '/v1/test/decision',
    { config: { open: true, urgency: 'decision' }, schema: { operationId: 'decide' } },
    () => ({}),
  )
}

const server = useServer({ domain: slowRoutes, environment: { SVC_MAX_IN_FLIGHT: '10' } })

test('less urgent requests are shed first, decisions last, and all pass again afterwards', async () => {
  const read = () => fetch(`${server.url}/v1/meta/errors`)
  const decide = () => fetch(`${server.url}/v1/test/decision`, { method: 'POST' })
  // A share of 0.6 of ten: the seventh read at once is one too many.
  const held = Array.from({ length: 6 }, () => fetch(`${server.url}/v1/test/slow`))
  await eventually(() => waiting.length === 6)

  const refused = await read()
  expect(refused.status).toBe(503)
  expect(await refused.json()).toMatchObject({ error: { code: 'service_unavailable', details: {} } })
  expect((await decide()).status).toBe(200)
  for (const path of ['/healthz', '/readyz', '/metrics']) expect((await fetch(server.url + path)).status).toBe(200)
  expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('svc_shed_requests_total{urgency="read"} 1')

  for (const answer of waiting) answer()
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  await eventually(async () => (await read()).status === 200)
})

test('a caller that hangs up does not count as in flight any longer', async () => {
  const before = waiting.length
  const abort = new AbortController()
  const call = fetch(`${server.url}/v1/test/slow`, { signal: abort.signal }).catch(() => 'gone')
  await eventually(() => waiting.length === before + 1)
  abort.abort()
  expect(await call).toBe('gone')
  await eventually(async () =>
    (await (await fetch(`${server.url}/metrics`)).text()).includes('route="/v1/test/slow",status="499"} 1'),
  )
  const exposition = await (await fetch(`${server.url}/metrics`)).text()
  expect(exposition).toMatch(/^svc_http_requests_in_flight 1$/m)
})
