import { beforeAll, describe, expect, test } from 'vitest'
import { type ConsoleVisitor, visitAsMember, visitWithKey } from '../support/console.ts'
import { useServer } from '../support/harness.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const server = useServer({ environment: { SVC_EXPENSIVE_READ_BURST_MS: '600000' } })
let operator: string
let tenant: Tenant
let owner: ConsoleVisitor
beforeAll(async () => {
  operator = (await operatorOf(server)).key
  tenant = await tenantOf(server, operator)
  owner = await visitWithKey(server.url, tenant.key)
})

const hostile = '<script>alert("team")</script>'

/** Calls the API, and fails where it refuses. */
async function done(method: string, path: string, body: unknown, of: Tenant = tenant) {
  const { status, json, text } = await call(server.url, method, path, { key: of.key, body })
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
  return json
}

const runOf = (id: string, model: string, cost: string, team: string) => ({
  external_id: id,
  model,
  department_id: team,
  status: 'succeeded',
  cost_usd: cost,
})

describe('the overview', () => {
  test('leads to the first limit in three steps before anything has run, and marks those that are done', async () => {
    const before = await owner.openConsole('/console')
    expect(before.text).toContain('Three steps to the first limit')
    expect(before.text).toContain('Nothing runs through Weir yet')
    expect(before.text).not.toContain('Done:')
    const other = await tenantOf(server, operator)
    await done(
      'POST',
      `/v1/orgs/${other.id}/budgets`,
      { name: 'Demo', scope_kind: 'org', period: 'month', limit_usd: '1' },
      other,
    )
    const visitor = await visitWithKey(server.url, other.key)
    expect((await visitor.openConsole('/console')).text).toContain('Done: Demo')
  })

  test('shows what was spent by model and team, the cap, what is prepaid, what is stopped and what was refused', async () => {
    await done('PUT', `/v1/orgs/${tenant.id}/spend-cap`, { cap_usd: '900' })
    await call(server.url, 'POST', `/v1/admin/orgs/${tenant.id}/quota/top-ups`, {
      key: operator,
      body: { amount_usd: '1000' },
    })
    const budget = await done('POST', `/v1/orgs/${tenant.id}/budgets`, {
      name: 'Customs <b>documents</b>',
      scope_kind: 'workflow',
      scope_id: 'customs',
      period: 'month',
      limit_usd: '0.25',
    })
    await done('POST', '/v1/runs/bulk', {
      runs: [
        runOf('a', 'gpt-4o', '20.5', 'payments'),
        runOf('b', 'claude-sonnet-4-5', '10.25', hostile),
        { ...runOf('c', 'gpt-4o', '0.25', hostile), workflow_id: 'customs' },
      ],
    })
    for (let i = 0; i < 2; i++) {
      const refused = await call(server.url, 'POST', '/v1/edge/decision', {
        key: tenant.key,
        body: { model: 'gpt-4o', workflow_id: 'customs', input_tokens: 2_000, max_output_tokens: 1_000 },
      })
      expect(refused.status).toBe(402)
    }
    // Refusals are counted a moment after the answer.
    await expect
      .poll(async () => (await owner.openConsole('/console')).text)
      .toMatch(/Stopped since .* 2 calls refused.*Budget used up 2/)
    const page = await owner.openConsole('/console')
    expect(page.text).toContain('$31.00 of $900')
    expect(page.text).toMatch(/gpt-4o \$20\.75/)
    expect(page.text).toMatch(/claude-sonnet-4-5 \$10\.25/)
    expect(page.text).toMatch(/payments \$20\.50/)
    expect(page.text).toContain(`${hostile} $10.50`)
    expect(page.html).not.toContain('<script>alert')
    expect(page.text).toContain('$969.00 left')
    expect(page.text).toContain('Customs <b>documents</b> is stopped')
    expect(page.html).not.toContain('<b>documents</b>')
    expect(page.text).toMatch(/Refused today yesterday 0 2 calls/)
    expect(page.links).toContainEqual(
      expect.objectContaining({ href: `/console/budgets/${String(budget['id'])}/edit` }),
    )
    // The picture and its table say the same.
    expect(page.html).toMatch(/role="img" aria-label="Spend by day and model this month\. \$31\.00 until now/)
    expect(page.html).toMatch(/<title>[^<]*: \$31\.00\ngpt-4o \$20\.75\nclaude-sonnet-4-5 \$10\.25<\/title>/)
    expect(page.text).toMatch(/Show as a table Day gpt-4o claude-sonnet-4-5 Total/)
  })

  test('draws no forecast from a day of history, and says why', async () => {
    const { text, html } = await owner.openConsole('/console')
    expect(text).toMatch(/No forecast is drawn: \S+/)
    expect(html).not.toContain('class="ghost"')
  })

  test('offers a viewer nothing that changes a budget', async () => {
    const viewer = await visitAsMember(server.url, tenant, 'viewer')
    const { text, links, status } = await viewer.openConsole('/console')
    expect(status).toBe(200)
    expect(text).toContain('$31.00 of $900')
    expect(text).not.toContain('Raise')
    expect(text).not.toContain('New budget')
    expect(links.filter(({ href }) => /\/(edit|new)$/.test(href))).toEqual([])
  })

  test('shows an operator the installation, and no organization', async () => {
    const visitor = await visitWithKey(server.url, operator)
    expect((await visitor.openConsole('/console')).text).toMatch(/^Installation/)
  })
})

test('what was spent today is all of it, however many names of models somebody makes up', async () => {
  const crowded = await tenantOf(server, operator)
  await done('PATCH', `/v1/orgs/${crowded.id}`, { max_new_values_per_day: 10_000 }, crowded)
  const runs = Array.from({ length: 2_100 }, (_, i) => runOf(`crowd-${i}`, `m${i}`, '0.01', `t${i}`))
  for (let i = 0; i < runs.length; i += 300)
    await done('POST', '/v1/runs/bulk', { runs: runs.slice(i, i + 300) }, crowded)
  const visitor = await visitWithKey(server.url, crowded.key)
  await expect
    .poll(async () => (await visitor.openConsole('/console')).text, { timeout: 20_000 })
    .toMatch(/Today\D*\$21\.00/)
  expect((await visitor.openConsole('/console')).text).toContain('teams by name: there are very many')
})
