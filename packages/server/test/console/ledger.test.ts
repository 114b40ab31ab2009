import { beforeAll, expect, test } from 'vitest'
import { useConsole, visitAsMember } from '../support/console.ts'
import { call } from '../support/tenants.ts'

const { server, tenant, owner, ask } = useConsole()
let budgetId: string
beforeAll(async () => {
  budgetId = String(
    (await api('POST', '/budgets', { name: 'All', scope_kind: 'org', limit_usd: '50', period: 'month' }))['id'],
  )
})
const api = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).json
const spent = async () => (await api('GET', `/budgets/${budgetId}`))['spent_usd']

test('An adjustment with its reason changes what the budget shows, and is listed', async () => {
  const fields = { limit_id: budgetId, amount_usd: '12.5', reason: 'Before <b>Weir</b>' }
  const { location } = await owner.postForm('/console/ledger/adjustments/new', fields)
  expect(location).toBe('/console/ledger/adjustments?done=adjusted')
  await owner.postForm('/console/ledger/adjustments/new', { ...fields, amount_usd: '-$2.50', reason: 'Refund' })
  expect(await spent()).toBe('10')
  const { html, text } = await owner.openConsole('/console/ledger/adjustments')
  expect(html).toContain('Before &lt;b&gt;Weir')
  expect(text).toContain('+$12.50 spent')
  expect(text).toContain('−$2.50 spent')
})

test('An adjustment without a reason, or of no amount, comes back with the message at its field', async () => {
  const refused = await owner.postForm('/console/ledger/adjustments/new', { limit_id: budgetId, amount_usd: 'much' })
  expect(refused.status).toBe(422)
  expect(refused.html).toContain('id="f-amount_usd-e"')
  expect(refused.html).toContain('id="f-reason-e"')
  expect(await spent()).toBe('10')
})

test('Movements are shown and filtered by limit and kind', async () => {
  await call(server.url, 'POST', '/v1/edge/decision', {
    key: tenant.key,
    body: { model: 'gpt-4o', input_tokens: 1_000, max_output_tokens: 10 },
  })
  const all = (await owner.openConsole('/console/ledger')).text
  expect(all).toMatch(/Held.*Adjusted/s)
  const held = await owner.openConsole(`/console/ledger?kind=hold&limit_id=${budgetId}`)
  expect(held.text).toContain('held')
  expect(held.text).not.toContain('Refund')
  expect((await owner.openConsole('/console/ledger?kind=release')).text).toContain('No movement matches')
})

test('A movement of many runs lists the first counters that it changed, and says how many there are', async () => {
  const users = Array.from({ length: 24 }, (_, i) => `user-${i}`)
  for (const user of users)
    await api('POST', '/budgets', {
      name: user,
      scope_kind: 'user',
      scope_id: user,
      limit_usd: '5',
      period: 'month',
    })
  const { status } = await call(server.url, 'POST', '/v1/runs/bulk', {
    key: tenant.key,
    body: {
      runs: users.map((user_id) => ({
        model: 'gpt-4o',
        user_id,
        external_id: `of-${user_id}`,
        input_tokens: 10,
        output_tokens: 1,
        cost_usd: '0.01',
        status: 'succeeded',
      })),
    },
  })
  expect(status).toBeLessThan(300)
  const movementsOf = async (query: string) =>
    (await api('GET', `/ledger?kind=charge&limit=1${query}`))['data'] as { changes: object[]; change_count: number }[]
  const [whole] = await movementsOf('')
  const [cut] = await movementsOf('&max_changes=2')
  expect(whole?.change_count).toBe(whole?.changes.length)
  expect(whole?.change_count).toBeGreaterThan(users.length)
  expect(cut).toEqual({ ...whole, changes: whole?.changes.slice(0, 2) })
  const count = Number(whole?.change_count)
  const { text } = await owner.openConsole('/console/ledger?kind=charge')
  expect(text).toContain(`on ${count} counters`)
  expect(text).toContain(`and ${count - 20} more`)
  const ofBudget = await owner.openConsole(`/console/ledger?kind=charge&limit_id=${budgetId}`)
  expect(ofBudget.text).toContain('+$0.2400 spent')
  expect(ofBudget.text).not.toContain('counters')
  expect((await ask('GET', '/ledger?max_changes=0')).status).toBe(422)
})

test('A viewer sees the ledger, is offered no adjustment, and is refused one', async () => {
  const viewer = await visitAsMember(server.url, tenant, 'viewer')
  const { status, html } = await viewer.openConsole('/console/ledger/adjustments')
  expect(status).toBe(200)
  expect(html).not.toContain('/console/ledger/adjustments/new')
  const fields = { limit_id: budgetId, amount_usd: '-9', reason: 'Mine' }
  const before = await spent()
  expect((await viewer.postUnseen('/console/ledger/adjustments', fields)).status).toBe(403)
  expect(await spent()).toBe(before)
})
