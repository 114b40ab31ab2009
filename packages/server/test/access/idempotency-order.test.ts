import { beforeAll, describe, expect, test } from 'vitest'
import { type ApiRoute, honoursIdempotencyKey } from '../../src/contract/routes.ts'
import { formatId, type IdKind, newUuid } from '../../src/values/id.ts'
import { useServer } from '../support/harness.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** An idempotency key is looked at before anything that was sent with it is judged. */

const server = useServer()
let operator: string
let tenant: Tenant

beforeAll(async () => {
  operator = (await operatorOf(server)).key
  tenant = await tenantOf(server, operator)
})

const budget = { name: 'b', scope_kind: 'org', limit_usd: '5', period: 'day' }
const send = (body: unknown, key: string, path = 'budgets') =>
  call(server.url, 'POST', `/v1/orgs/${tenant.id}/${path}`, {
    key: tenant.key,
    body,
    headers: { 'idempotency-key': key },
  })
const saying = ({ status, json }: Awaited<ReturnType<typeof call>>) => `${status} ${json.error?.code}`
const conflict = '409 idempotency_key_conflict'

test('another body under a used key is a conflict, however wrong it is', async () => {
  expect((await send(budget, 'k1')).status).toBe(201)
  const others: unknown[] = [{ ...budget, name: 'c' }, { ...budget, limit_usd: 'abc' }, {}, '{', '[]', '"\\ud800"', '']
  for (const other of others) expect([other, saying(await send(other, 'k1'))]).toEqual([other, conflict])
  expect(saying(await send(budget, 'k1', 'budgets?x=1'))).toBe(conflict)
  expect(saying(await send({ url: 'nowhere' }, 'k1', 'webhooks'))).toBe(conflict)
  expect(saying(await send({}, 'k1', 'keys/not-an-id/revoke'))).toBe(conflict)
  expect(saying(await send({}, 'k1', `keys/${formatId('key', newUuid())}/revoke`))).toBe(conflict)
  // The one that the key stands for is still answered as before.
  expect((await send(budget, 'k1')).headers.get('idempotent-replayed')).toBe('true')
})

test('without such a key, what is wrong is told, and the key is free for the right request', async () => {
  expect(saying(await send({ ...budget, limit_usd: 'abc' }, 'k2'))).toBe('422 validation_failed')
  expect((await send({ ...budget, scope_kind: 'workflow', scope_id: 'w' }, 'k2')).status).toBe(201)
})

describe('on every route', () => {
  const kinds: Record<string, IdKind> = {
    key_id: 'key',
    rule_id: 'rule',
    budget_id: 'budget',
    sub_id: 'subscription',
    run_id: 'run',
    reservation_id: 'reservation',
    grant_id: 'grant',
  }
  const pathOf = ({ template }: ApiRoute) =>
    template.replace(/\{(\w+)\}/g, (_whole, name: string) => {
      if (name === 'id' || name === 'org_id') return tenant.id
      return kinds[name] ? formatId(kinds[name], newUuid()) : 'some'
    })
  const changing = () => server.routes.filter(({ method }) => method !== 'GET')
  const used = 'used-everywhere'

  /** What a route says of a body that is no JSON, under a key that another request has used. */
  async function answers(key: string) {
    const told = new Map<string, string>()
    for (const route of changing()) {
      const answer = await call(server.url, route.method, pathOf(route), {
        key: route.declaration.role === 'operator' ? operator : tenant.key,
        body: '{',
        headers: { 'idempotency-key': key },
      })
      told.set(`${route.method} ${route.template}`, saying(answer))
    }
    return told
  }

  test('that honours the header a used key is a conflict before its body is read as JSON; elsewhere the header is ignored', async () => {
    await send({ ...budget, scope_kind: 'workflow', scope_id: 'x' }, used)
    await call(server.url, 'POST', '/v1/admin/orgs', {
      key: operator,
      body: { name: 'Used' },
      headers: { 'idempotency-key': used },
    })
    const [told, odd] = [await answers(used), await answers('not one but two')]
    const honouring = changing().filter(({ method, declaration }) => honoursIdempotencyKey(method, declaration))
    expect(honouring.length).toBeGreaterThan(50)
    for (const { method, template, declaration } of changing()) {
      const name = `${method} ${template}`
      const honours = honoursIdempotencyKey(method, declaration)
      expect([name, told.get(name)]).toEqual([name, honours ? conflict : '422 validation_failed'])
      expect([name, odd.get(name)]).toEqual([name, '422 validation_failed'])
    }
    const ignoring = changing().filter((route) => !honouring.includes(route))
    expect(ignoring.map(({ method, template }) => `${method} ${template}`).sort()).toEqual([
      // A link is shown once: another one is another link.
      'POST /v1/me/sign-in-links',
      'POST /v1/orgs/{id}/content-safety/test',
      'POST /v1/orgs/{id}/policies/backtest',
      'POST /v1/orgs/{id}/policies/evaluate',
      'POST /v1/orgs/{id}/prices/compare',
      'POST /v1/orgs/{id}/sso-connections/{connection_id}/test',
      'POST /v1/otlp/v1/logs',
      'POST /v1/otlp/v1/metrics',
      'POST /v1/otlp/v1/traces',
    ])
  })

  test('the documentation has the header exactly where it is honoured', async () => {
    const { json } = await call(server.url, 'GET', '/v1/openapi.json')
    const paths = json['paths'] as Record<string, Record<string, { parameters?: { $ref?: string }[] }>>
    for (const { method, template, declaration } of server.routes) {
      const { parameters = [] } = paths[template]![method.toLowerCase()]!
      const isDocumented = parameters.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey')
      expect([template, isDocumented]).toEqual([template, honoursIdempotencyKey(method, declaration)])
    }
  })
})
