import { beforeAll, expect, test } from 'vitest'
import { operatorsOrgId } from '../../src/values/id.ts'
import { type ConsoleVisitor, type ShownPage, useConsole, visitAsMember, visitWithKey } from '../support/console.ts'
import { call, keyOf } from '../support/tenants.ts'

const { server, operator, tenant } = useConsole()
let visitor: ConsoleVisitor
beforeAll(async () => {
  visitor = await visitWithKey(server.url, operator.key)
})

const orgs = '/console/orgs'
const admin = async (part: string) => (await call(server.url, 'GET', `/v1/admin${part}`, { key: operator.key })).json
const secretOn = ({ text }: ShownPage) => /weir\w*_\S+/.exec(text)?.[0] ?? ''
const statusOf = async (key: string) => (await call(server.url, 'GET', '/v1/me', { key })).status

test('an organization is created with an owner’s key that is shown once', async () => {
  const refused = await visitor.postForm(`${orgs}/new`, { name: '' }, orgs)
  expect([refused.status, /id="f-name"[^>]*aria-invalid/.test(refused.html)]).toEqual([422, true])
  const shown = await visitor.postForm(`${orgs}/new`, { name: 'Northwind <b>Ltd' }, orgs)
  expect((await call(server.url, 'GET', '/v1/me', { key: secretOn(shown) })).json).toMatchObject({ role: 'owner' })
  const list = await visitor.openConsole(orgs)
  expect(list.text).toContain('Northwind <b>Ltd')
  expect(list.html).not.toContain('<b>Ltd')
  expect((await visitor.openConsole('/console')).text).toContain('Northwind <b>Ltd')
})

test('an organization is suspended with a reason and resumed', async () => {
  const own = `${orgs}/${tenant.id}`
  const { location } = await visitor.postForm(`${own}/suspend`, { reason: 'Unpaid <i>4711</i>' })
  expect((await visitor.openConsole(location!)).text).toContain('Unpaid <i>4711</i>')
  expect(await statusOf(tenant.key)).toBe(403)
  await visitor.postForm(`${own}/resume`)
  expect(await statusOf(tenant.key)).toBe(200)
})

test('plan, prepaid amount and rates are set, and refused forms come back', async () => {
  const own = `${orgs}/${tenant.id}`
  const plan = await visitor.postForm(`${own}/plan`, { name: 'Team', runs_per_month: 'lots' })
  expect([plan.status, /id="f-runs_per_month"[^>]*aria-invalid/.test(plan.html)]).toEqual([422, true])
  await visitor.postForm(`${own}/plan`, { name: 'Team', runs_per_month: '1000', overage_policy: 'allow' })
  expect(await admin(`/orgs/${tenant.id}/plan`)).toMatchObject({
    runs_per_month: 1_000,
    tokens_per_month: null,
    overage_policy: 'allow',
  })

  const topUp = await visitor.postForm(`${own}/top-up`, { amount_usd: '1,000' })
  expect([topUp.status, /id="f-amount_usd"[^>]*aria-invalid/.test(topUp.html)]).toEqual([422, true])
  await visitor.postForm(`${own}/top-up`, { amount_usd: '$12.50', name: 'Invoice 1' })
  expect((await visitor.openConsole(own)).text).toMatch(/Invoice 1 \$12\.50/)

  const rates = await visitor.postForm(`${own}/rates`, { policies: 'ten a minute' })
  expect([rates.status, /id="f-policies"[^>]*aria-invalid/.test(rates.html)]).toEqual([422, true])
  const policies = 'requests per key: 600 in 60 s\ntokens per model gpt-5: 1000 in 3600 s'
  await visitor.postForm(`${own}/rates`, { default_rates: undefined, policies, read_rpm: '5000' })
  expect(await admin(`/orgs/${tenant.id}/rate-limits`)).toMatchObject({
    default_rates: false,
    read_rpm: 5_000,
    policies: [
      { kind: 'requests', per: 'key', match: null, amount: 600, window_seconds: 60 },
      { kind: 'tokens', per: 'model', match: 'gpt-5', amount: 1_000, window_seconds: 3_600 },
    ],
  })
  expect((await visitor.openConsole(`${own}/rates`)).forms[0]!.fields['policies']).toBe(policies)
})

test('an owner’s key is made for an organization that has lost its own', async () => {
  const shown = await visitor.postForm(`${orgs}/${tenant.id}/owner-key`, { name: 'Recovery' })
  expect((await call(server.url, 'GET', '/v1/me', { key: secretOn(shown) })).json).toMatchObject({
    org_id: tenant.id,
    role: 'owner',
  })
})

test('support access is given with a token that is shown once, says so on every page, and ends', async () => {
  const grants = '/console/support-grants'
  const refused = await visitor.postForm(`${grants}/new?org_id=${tenant.id}`, { reason: '' }, grants)
  expect([refused.status, /id="f-reason"[^>]*aria-invalid/.test(refused.html)]).toEqual([422, true])
  const shown = await visitor.postForm(`${grants}/new?org_id=${tenant.id}`, { reason: 'Ticket 1' }, grants)
  const support = await visitWithKey(server.url, secretOn(shown))
  for (const path of [
    '/console',
    '/console/settings',
    '/console/keys',
    '/console/no-such-budget',
    '/console/budgets/x',
  ])
    expect([path, (await support.openConsole(path)).html.includes('Support access to Acme')]).toEqual([path, true])
  expect((await support.openConsole('/console/profile')).text).toContain('Support access to an organization')
  const list = await visitor.openConsole(grants)
  expect(list.text).toContain('Ticket 1')
  await visitor.postForm(grants, {}, list.forms.find(({ action }) => action.endsWith('/revoke'))!.action)
  expect((await support.openConsole('/console')).status).toBe(401)
})

test('operators’ keys are made, rotated and revoked', async () => {
  const keys = '/console/operator-keys'
  const shown = await visitor.postForm(`${keys}/new`, { name: 'On call' }, keys)
  expect((await call(server.url, 'GET', '/v1/me', { key: secretOn(shown) })).json['scopes']).toEqual(['admin:read'])
  const { json } = await call(server.url, 'GET', '/v1/me', { key: secretOn(shown) })
  const rotated = await visitor.postForm(`${keys}/${String(json['id'])}/rotate`, { overlap_seconds: '0' })
  expect([await statusOf(secretOn(shown)), await statusOf(secretOn(rotated))]).toEqual([401, 200])
  const { json: next } = await call(server.url, 'GET', '/v1/me', { key: secretOn(rotated) })
  await visitor.postForm(`${keys}/${String(next['id'])}/revoke`)
  expect(await statusOf(secretOn(rotated))).toBe(410)
})

test('processes are listed, those that are gone as gone', async () => {
  const { db } = server.platform.sql
  const gone = '0192f0c8-96c4-7b3e-8c55-4a3f4f4e2b10'
  const long = new Date('2001-01-01T00:00:00Z')
  await db
    .insertInto('nodes')
    .values({ id: gone, role: 'worker', version: '0.0.9', started_at: long, lease_until: long })
    .execute()
  const { data } = (await admin('/nodes')) as unknown as { data: { id: string; role: string; status: string }[] }
  expect(data).toContainEqual(expect.objectContaining({ id: gone, role: 'worker', version: '0.0.9', status: 'gone' }))
  expect(data).toContainEqual(expect.objectContaining({ role: 'api', status: 'live' }))
  expect((await visitor.openConsole('/console/nodes')).text).toMatch(/worker 0\.0\.9 Gone/)
})

test('an operator who may only read is offered no change and makes none; nobody else sees these pages', async () => {
  const { key } = await keyOf(server, operatorsOrgId, { role: 'operator', scopes: ['admin:read'] })
  const reader = await visitWithKey(server.url, key)
  const owner = await visitAsMember(server.url, tenant, 'owner')
  const pages = [orgs, `${orgs}/${tenant.id}`, '/console/support-grants', '/console/operator-keys', '/console/nodes']
  for (const path of pages) {
    const page = await reader.openConsole(path)
    expect([path, page.status, page.forms.filter(({ method }) => method === 'post')]).toEqual([path, 200, []])
    expect((await owner.openConsole(path)).status).toBe(403)
  }
  const fields = { name: 'x', org_id: tenant.id, reason: 'x', scope: 'read', duration_seconds: '60', amount_usd: '1' }
  const forms = ['suspend', 'resume', 'plan', 'top-up', 'rates', 'owner-key'].map(
    (form) => `${orgs}/${tenant.id}/${form}`,
  )
  for (const path of [orgs, ...forms, '/console/support-grants', '/console/operator-keys'])
    for (const somebody of [reader, owner])
      expect([path, (await somebody.postUnseen(path, fields)).status]).toEqual([path, 403])
  expect(await statusOf(tenant.key)).toBe(200)
})
