import { parseItem } from 'structured-headers'
import { describe, expect, test } from 'vitest'
import { useServer } from '../../../test/support/harness.ts'
import { misbehavingRoutes } from '../../../test/support/misbehaving-routes.ts'
import type { DeprecatedRoute } from './registry.ts'

const server = useServer({
  domain: misbehavingRoutes,
  environment: { SVC_DOCS_URL: 'https://docs.example.com/weir', SVC_HANDLER_TIMEOUT_SECONDS: '5' },
})

const flag = (method: string, route: string, replacement?: string): DeprecatedRoute => ({
  kind: 'route',
  id: 'test',
  method,
  route,
  since: '2026-07-22',
  sunset: '2027-12-31T23:59:59Z',
  noticeClass: 'v1_api',
  migration: 'None.',
  ...(replacement && { replacement }),
})

const counted = async (route: string) => {
  const exposition = await (await fetch(`${server.url}/metrics`)).text()
  const line = exposition
    .split('\n')
    .find((text) => text.startsWith(`svc_deprecated_route_calls_total{route="${route}"}`))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}

test('the listing is a bare array of exactly the three deprecated routes', async () => {
  const response = await fetch(`${server.url}/v1/meta/deprecations`)
  const entry = (method: string, route: string, replacement: string, sunset: string, anchor: string) => ({
    route,
    method,
    since: '2026-07-22',
    sunset,
    replacement,
    documentation: `https://docs.example.com/weir/deprecations#${anchor}`,
  })
  const webhooks = 'Fri, 31 Dec 2027 23:59:59 GMT'
  expect(await response.json()).toEqual([
    entry(
      'GET',
      '/v1/admin/orgs/{org_id}/webhook-secret',
      '/v1/orgs/{id}/webhooks/{sub_id}/signing',
      webhooks,
      'org-webhook-secret',
    ),
    entry(
      'POST',
      '/v1/admin/orgs/{org_id}/webhook-secret/rotate',
      '/v1/orgs/{id}/webhooks/{sub_id}/signing/rotate',
      webhooks,
      'org-webhook-secret-rotate',
    ),
    entry('GET', '/v1/forecast', '/v1/capacity/forecasts', 'Wed, 31 Dec 2036 23:59:59 GMT', 'forecast'),
  ])
})

test('the counter begins at 0 for each deprecated route, and has no other label', async () => {
  expect(await counted('/v1/forecast')).toBe(0)
  expect(await counted('/v1/admin/orgs/{org_id}/webhook-secret')).toBe(0)
  expect(await counted('/v1/admin/orgs/{org_id}/webhook-secret/rotate')).toBe(0)
})

describe('a route flagged while the server runs is signalled at once', () => {
  test('in headers, listing, OpenAPI and counter', async () => {
    const route = '/v1/meta/errors'
    const before = await fetch(server.url + route)
    expect([...before.headers.keys()]).not.toContain('deprecation')
    expect(await counted(route)).toBeUndefined()

    server.registry.push(flag('GET', route, '/v1/meta/faults'))

    const { headers } = await fetch(server.url + route)
    const [since] = parseItem(headers.get('deprecation')!)
    expect(since).toEqual(new Date('2026-07-22T00:00:00Z'))
    expect(headers.get('sunset')).toBe('Fri, 31 Dec 2027 23:59:59 GMT')
    expect(new Date(headers.get('sunset')!)).toEqual(new Date('2027-12-31T23:59:59Z'))
    expect(headers.get('link')).toBe(
      '<https://docs.example.com/weir>; rel="deprecation", </v1/meta/faults>; rel="successor-version"',
    )

    const listing = (await (await fetch(`${server.url}/v1/meta/deprecations`)).json()) as { route: string }[]
    expect(listing.map((entry) => entry.route)).toContain(route)
    const document = (await (await fetch(`${server.url}/v1/openapi.json`)).json()) as {
      paths: Record<string, { get: { deprecated?: boolean } }>
    }
    expect(document.paths[route]!.get.deprecated).toBe(true)
    expect(document.paths['/v1/meta/deprecations']!.get.deprecated).toBeUndefined()
    expect(await counted(route)).toBe(1)
  })
})

describe('every answer of a deprecated route is signalled', () => {
  const answers: [number, string, string, RequestInit?][] = [
    [200, '/v1/test/rows', '/v1/test/rows'],
    [401, '/v1/test/closed', '/v1/test/closed'],
    [404, '/v1/test/things/{thing_id}', `/v1/test/things/${'9'.repeat(5_000)}`],
    [400, '/v1/test/bodyless', '/v1/test/bodyless?x=%zz', { method: 'POST' }],
    [
      422,
      '/v1/test/echo',
      '/v1/test/echo',
      { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } },
    ],
    [
      413,
      '/v1/test/bulk',
      '/v1/test/bulk',
      { method: 'POST', body: 'x'.repeat(17_000_000), headers: { 'content-type': 'application/json' } },
    ],
    [402, '/v1/test/throws/catalog', '/v1/test/throws/catalog'],
    [429, '/v1/test/throws/rate-limited', '/v1/test/throws/rate-limited'],
    [500, '/v1/test/throws/null', '/v1/test/throws/null'],
    [503, '/v1/test/throws/never', '/v1/test/throws/never'],
  ]
  test.each(answers)('%i', async (status, route, path, init = {}) => {
    server.registry.push(flag(init.method ?? 'GET', route))
    const response = await fetch(server.url + path, init)
    await response.arrayBuffer()
    expect(response.status).toBe(status)
    expect(response.headers.get('deprecation')).toBe('@1784678400')
    expect(response.headers.get('sunset')).toBe('Fri, 31 Dec 2027 23:59:59 GMT')
    expect(response.headers.get('link')).toBe('<https://docs.example.com/weir>; rel="deprecation"')
    expect(await counted(route)).toBe(1)
  })

  test('HEAD like GET', async () => {
    const { headers } = await fetch(`${server.url}/v1/test/rows`, { method: 'HEAD' })
    expect(headers.get('deprecation')).toBe('@1784678400')
  })

  test('another method of the same path is not', async () => {
    server.registry.push(flag('DELETE', '/v1/meta/deprecations'))
    const { headers } = await fetch(`${server.url}/v1/meta/deprecations`)
    expect(headers.get('deprecation')).toBeNull()
  })
})

test('1,000 concrete paths are counted under one template', async () => {
  const route = '/v1/test/things/{thing_id}'
  const before = (await counted(route)) ?? 0
  for (let i = 0; i < 1_000; i += 50) {
    await Promise.all(
      Array.from({ length: 50 }, async (_, j) =>
        (await fetch(`${server.url}/v1/test/things/thing_${i + j}`)).arrayBuffer(),
      ),
    )
  }
  expect(await counted(route)).toBe(before + 1_000)
  const exposition = await (await fetch(`${server.url}/metrics`)).text()
  expect(exposition).not.toContain('thing_7')
})
