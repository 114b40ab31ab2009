import { beforeAll, expect, test } from 'vitest'
import { visitAsMember, visitWithKey } from '../support/console.ts'
import { useServer } from '../support/harness.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const server = useServer()
let tenant: Tenant
let other: Tenant
beforeAll(async () => {
  const operator = (await operatorOf(server)).key
  tenant = await tenantOf(server, operator)
  other = await tenantOf(server, operator, 'Other')
})

test('routes, models and results of evals are shown to a viewer, as text, and only those of the organization', async () => {
  const post = async (path: string, body: unknown, { id, key } = tenant) =>
    expect((await call(server.url, 'POST', `/v1/orgs/${id}${path}`, { key, body })).status).toBe(201)
  const viewer = await visitAsMember(server.url, tenant, 'viewer')
  expect((await viewer.openConsole('/console/routing')).text).toContain('No route yet')
  await post('/models', { model: 'gpt-4o', provider: 'openai', capabilities: ['tools'] })
  await post('/evals', {
    results: [{ suite: 'quality <i>', model: 'gpt-4o', provider: 'openai', score: 0.93, samples: 200 }],
  })
  const bar = { suite: 'quality <i>', min_score: 0.9, max_age_seconds: 86_400 }
  await post('/routes', { name: 'chat <b>x</b>', strategy: 'cheapest', bar })
  await post('/routes', { name: 'of others', strategy: 'cheapest', bar: null }, other)
  const { text, html } = await viewer.openConsole('/console/routing')
  expect(text).toContain('chat <b>x</b> The cheapest that passes quality <i> from 0.9 all models')
  expect(text).toMatch(/quality <i> gpt-4o at openai 0\.93 200/)
  expect(html).not.toContain('<b>x</b>')
  expect(text).not.toContain('of others')
})

test('a route is made, tried, changed and deleted by forms, as the API then shows', async () => {
  const path = '/console/routing'
  const owner = await visitWithKey(server.url, other.key)
  const ask = (method: string, rest: string, body?: unknown) =>
    call(server.url, method, `/v1/orgs/${other.id}${rest}`, { key: other.key, ...(body !== undefined && { body }) })
  for (const model of ['gpt-4o', 'gpt-4o-mini']) await ask('POST', '/models', { model, provider: 'openai' })
  const refused = await owner.postForm(`${path}/routes/new`, { name: 'chat <b>', suite: 'q', min_score: 'high' })
  expect([refused.status, /id="f-min_score"[^>]*aria-invalid/.test(refused.html)]).toEqual([422, true])
  const fields = {
    name: 'chat <b>',
    strategy: 'weighted',
    suite: '',
    candidates: 'gpt-4o, openai, 1\r\ngpt-4o-mini, openai, 99',
    max_price_usd: '5',
  }
  expect((await owner.postForm(`${path}/routes/new`, fields)).location).toBe(`${path}?done=set`)
  const find = async () =>
    ((await ask('GET', '/routes'))['json']['data'] as { id: string; name: string }[]).find(
      ({ name }) => name === 'chat <b>',
    )
  const route = await find()
  expect(route).toMatchObject({
    strategy: 'weighted',
    bar: null,
    candidates: [
      { model: 'gpt-4o', provider: 'openai', weight: 1 },
      { model: 'gpt-4o-mini', provider: 'openai', weight: 99 },
    ],
    constraints: { max_price_usd: '5' },
  })
  const edit = `${path}/routes/${route!.id}/edit`
  // A form that is sent as it is shown changes nothing.
  expect((await owner.postForm(edit)).status).toBe(303)
  const { updated_at: _, ...before } = route as unknown as Record<string, unknown>
  expect(await find()).toMatchObject(before)
  await owner.postForm(edit, { strategy: 'cheapest', candidates: 'gpt-4o, openai\r\ngpt-4o-mini, openai' })
  const tried = await owner.postForm(`${path}/try?route=${encodeURIComponent('chat <b>')}`, {
    max_output_tokens: '100',
  })
  expect(tried.status).toBe(200)
  expect(tried.text).toContain('gpt-4o-mini at openai would be called')
  expect(tried.text).toContain('Next in order')
  expect((await owner.postForm(`${path}/try`, { route: 'nowhere' })).status).toBe(404)
  const viewer = await visitAsMember(server.url, other, 'viewer')
  expect((await viewer.openConsole(path)).text).not.toMatch(/New route|Change/)
  expect((await viewer.postUnseen(`${path}/routes/${route!.id}/delete`)).status).toBe(403)
  await owner.postForm(`${path}/routes/${route!.id}/delete`)
  expect(await find()).toBeUndefined()
})
