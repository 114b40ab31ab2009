import { beforeAll, describe, expect, test } from 'vitest'
import { type MoneyOrg, useMoney } from '../support/money.ts'
import { call, keyOf, operatorOf } from '../support/tenants.ts'

const money = useMoney({ SVC_WEBHOOK_ALLOWED_CIDRS: '203.0.113.0/24' })
let org: MoneyOrg
beforeAll(async () => {
  org = await money.org()
})

type Options = NonNullable<Parameters<typeof keyOf>[2]>
const made = (options: Options) => keyOf(money.server, org.id, options)
const send = (key: string, path: string, body: object, idempotencyKey: string) =>
  call(money.server.url, 'POST', path, { key, body, headers: { 'idempotency-key': idempotencyKey } })
const isReplayed = ({ headers }: { headers: Headers }) => headers.get('idempotent-replayed') === 'true'

test('an answer with a secret that is shown again is on record, and other answers are not', async () => {
  const maker = await made({ role: 'admin', scopes: ['keys:write', 'orgs:write'] })
  const path = `/v1/orgs/${org.id}/keys`
  const wanted = { name: 'n', role: 'viewer', scopes: ['keys:write'] }
  for (let i = 0; i < 3; i++) await send(maker.key, path, wanted, 'shown-again')
  const change = { method: 'PUT', body: { ip_allow_list: [] }, headers: { 'idempotency-key': 'not-shown' } }
  for (let i = 0; i < 2; i++)
    await call(money.server.url, change.method, `/v1/orgs/${org.id}/ip-allow-list`, { key: maker.key, ...change })
  const { json } = await org.ask('GET', `/audit-log?actor_id=${maker.id}&action=answer.replayed`)
  const entry = {
    actor: { id: maker.id },
    target: { kind: 'request', id: `POST ${path}` },
    after: { idempotency_key: 'shown-again' },
    outcome: 'allowed',
  }
  expect(json['data']).toMatchObject([entry, entry])
})

describe('an Idempotency-Key is its caller’s own', () => {
  test('an answer with a secret is not shown to another caller', async () => {
    const path = `/v1/orgs/${org.id}/keys`
    const owners = { name: 'root', role: 'owner', scopes: ['orgs:write', 'keys:write'] }
    expect((await send(org.key, path, owners, 'mint-1')).status).toBe(201)
    const admin = await made({ role: 'admin', scopes: ['keys:write', 'orgs:write'] })
    const refused = await send(admin.key, path, owners, 'mint-1')
    expect({ code: refused.json.error?.code, isReplayed: isReplayed(refused) }).toEqual({
      code: 'forbidden',
      isReplayed: false,
    })
    const scoped = { name: 'x', role: 'viewer', scopes: ['limits:write'] }
    expect((await send(org.key, path, scoped, 'mint-2')).status).toBe(201)
    expect((await send(admin.key, path, scoped, 'mint-2')).json.error?.code).toBe('missing_scope')
  })

  test('a support grant is not shown the signing secret that the organization was', async () => {
    const subscription = await org.ask('POST', '/webhooks', { url: 'https://203.0.113.7/hook' })
    const path = `/v1/orgs/${org.id}/webhooks/${String(subscription.json['id'])}/signing/rotate`
    const rotated = await send(org.key, path, {}, 'rotate-1')
    expect(rotated.status).toBe(200)
    const grant = await call(money.server.url, 'POST', '/v1/admin/support-grants', {
      key: (await operatorOf(money.server)).key,
      body: { org_id: org.id, scope: 'configuration', reason: 'A test.', duration_seconds: 600 },
    })
    const supported = await send(String(grant.json['token']), path, {}, 'rotate-1')
    expect(isReplayed(supported)).toBe(false)
    expect(supported.text).not.toContain(rotated.json['secret'])
  })

  test('services that number their calls never meet: each decision is held on its own limits', async () => {
    const scopes = ['edge:decide']
    const [first, second] = [
      await made({ role: 'service', scopes, pins: { workflow_id: 'w1' } }),
      await made({ role: 'service', scopes, pins: { workflow_id: 'w2' } }),
    ]
    await org.ask('POST', '/budgets', {
      name: 'w2',
      scope_kind: 'workflow',
      scope_id: 'w2',
      period: 'month',
      limit_usd: '0',
    })
    const decide = (key: string) =>
      send(key, '/v1/edge/decision', { model: 'gpt-4o', estimated_cost_usd: '5' }, 'call-17')
    expect((await decide(first.key)).status).toBe(200)
    expect((await decide(second.key)).json.error?.code).toBe('budget_exceeded')
    const third = await made({ role: 'service', scopes, pins: { workflow_id: 'w3' } })
    const answers = await Promise.all([decide(first.key), decide(third.key)])
    expect(answers.map(isReplayed)).toEqual([true, false])
    const [one, other] = answers.map(({ json }) => json['reservation_id'])
    expect(one).not.toBe(other)
  })

  test('at the same moment, too: nobody is told that another’s request is under way', async () => {
    const scopes = ['runs:write']
    const keys = await Promise.all(Array.from({ length: 12 }, () => made({ role: 'service', scopes })))
    const started = await Promise.all(
      keys.map(({ key }) => send(key, '/v1/runs', { model: 'gpt-4o', estimated_cost_usd: '0.01' }, 'run-1')),
    )
    expect(started.map(({ status }) => status)).toEqual(keys.map(() => 201))
    expect(new Set(started.map(({ json }) => json['id'])).size).toBe(keys.length)
    const recorded = await Promise.all(
      keys.map(({ key }) => send(key, '/v1/runs/bulk', { runs: [{ model: 'gpt-4o', cost_usd: '0.01' }] }, 'bulk-1')),
    )
    expect(recorded.map(({ status, headers }) => [status, headers.get('idempotent-replayed')])).toEqual(
      keys.map(() => [200, null]),
    )
  })

  test('a rotated key goes on with the keys of the one before', async () => {
    const old = await made({ role: 'admin', scopes: ['keys:write', 'edge:decide', 'runs:write'] })
    const decision = { model: 'gpt-4o', estimated_cost_usd: '0.01' }
    const bulk = { runs: [{ model: 'gpt-4o', cost_usd: '0.01' }] }
    const viewer = { name: 'v', role: 'viewer', scopes: ['runs:write'] }
    const all = (key: string) =>
      Promise.all([
        send(key, '/v1/edge/decision', decision, 'decision'),
        send(key, '/v1/runs/bulk', bulk, 'bulk'),
        send(key, `/v1/orgs/${org.id}/keys`, viewer, 'mint'),
      ])
    const first = await all(old.key)
    expect(first.map(({ status }) => status)).toEqual([200, 200, 201])
    const { json } = await send(old.key, `/v1/orgs/${org.id}/keys/${old.id}/rotate`, {}, 'rotate')
    const again = await all(String(json['secret']))
    expect(again.map(isReplayed)).toEqual([true, true, true])
    expect(again.map(({ text }) => text)).toEqual(first.map(({ text }) => text))
  })
})
