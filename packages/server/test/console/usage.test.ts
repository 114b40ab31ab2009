import { beforeAll, describe, expect, test } from 'vitest'
import { type ConsoleVisitor, visitAsMember, visitWithKey } from '../support/console.ts'
import { useServer } from '../support/harness.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const server = useServer({ environment: { SVC_EXPENSIVE_READ_BURST_MS: '600000' } })
const hostile = '=cmd|<i>team</i>'
let tenant: Tenant
let owner: ConsoleVisitor
beforeAll(async () => {
  tenant = await tenantOf(server, (await operatorOf(server)).key)
  const { status, text } = await call(server.url, 'POST', '/v1/runs/bulk', {
    key: tenant.key,
    body: {
      runs: [
        {
          external_id: 'a',
          model: 'gpt-4o',
          department_id: 'payments',
          user_id: 'ada',
          cost_usd: '20.5',
          input_tokens: 9_000,
        },
        { external_id: 'b', model: 'o3', department_id: 'payments', user_id: 'bob', cost_usd: '4.25' },
        { external_id: 'c', model: 'gpt-4o', department_id: hostile, customer_id: 'c-1', cost_usd: '1.25' },
        { external_id: 'd', model: 'gpt-4o', cost_usd: '0.5' },
      ].map((run) => ({ status: 'succeeded', ...run })),
    },
  })
  if (status !== 200) throw new Error(`runs: ${status} ${text}`)
  owner = await visitWithKey(server.url, tenant.key)
})

describe('the explorer of usage', () => {
  test('shows teams by what they spent, those without one, and all of them', async () => {
    const { text, html } = await owner.openConsole('/console/usage')
    expect(text).toContain('$26.50 in 4 runs, this month, UTC')
    const rows = /Team Cost Share.*/.exec(text)?.[0]
    expect(rows).toMatch(/payments \$24\.75.* =cmd\|<i>team<\/i> \$1\.25.* no team \$0\.5000.* All \$26\.50/)
    expect(html).not.toContain('<i>team')
    expect(html).toMatch(/aria-label="Spend by day and team, this month\. \$26\.50 in all"/)
  })

  test('leads into a team, where only its usage counts, and back', async () => {
    const { links } = await owner.openConsole('/console/usage?range=7')
    const href = links.find(({ text }) => text === 'payments')!.href
    expect(href).toContain('department_id=payments')
    expect(href).toContain('range=7')
    const detail = await owner.openConsole(href.replaceAll('&amp;', '&'))
    expect(detail.text).toContain('$24.75 in 2 runs')
    expect(detail.text).toMatch(/ada \$20\.50.* bob \$4\.25/)
    const back = detail.links.find(({ text }) => text.startsWith('Show all'))!.href.replaceAll('&amp;', '&')
    expect((await owner.openConsole(back)).text).toContain('$26.50 in 4 runs')
  })

  test('splits by two dimensions, and counts tokens', async () => {
    const { text } = await owner.openConsole('/console/usage?by=department_id&and=model&metric=tokens')
    expect(text).toMatch(/payments, gpt-4o \$20\.50.*payments, o3 \$4\.25/)
    expect(text).toMatch(/payments, gpt-4o 9,000/)
  })

  test('shows customers alone and by UTC day, whatever else the address asks for', async () => {
    const { text, status } = await owner.openConsole(
      '/console/usage?by=customer_id&and=model&department_id=payments&granularity=hour',
    )
    expect(status).toBe(200)
    expect(text).toContain('$1.25 in 1 run')
    expect(text).toContain('Usage of customers is counted by UTC day')
  })

  test.each([
    'range=dates&from=2026-02-31&to=2026-03-01',
    'range=dates&from=2020-01-01&to=2026-01-01',
    'from=x',
    'by=<script>&metric=no&granularity=century&range=forever',
    'range=90&granularity=hour',
  ])('shows something sensible of %s', async (query) => {
    expect((await owner.openConsole(`/console/usage?${query}`)).status).toBe(200)
  })

  test('hands out its rows as CSV, with names that no spreadsheet runs, and FOCUS as the API exports it', async () => {
    const rows = await owner.openConsole('/console/usage/rows.csv?by=department_id')
    expect(rows.headers.get('content-disposition')).toMatch(/^attachment; filename="usage-\d{4}-\d{2}-\d{2}\.csv"$/)
    expect(rows.html).toMatch(/^period_start,period_end,department_id,runs,/)
    expect(rows.html).toContain(`,'${hostile},1,`)
    const focus = await owner.openConsole('/console/usage/focus.csv')
    expect(focus.html).toMatch(/BilledCost/)
    expect(focus.headers.get('content-type')).toContain('text/csv')
    expect(server.logs.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('hands out all rows, however many there are', async () => {
    const count = 2_100
    const runs = Array.from({ length: count }, (_, index) => ({
      external_id: `many-${index}`,
      model: 'gpt-4o',
      workflow_id: `w${index}`,
      department_id: 'many',
      status: 'succeeded',
      cost_usd: '0.001',
    }))
    for (let start = 0; start < count; start += 700) {
      const body = { runs: runs.slice(start, start + 700), enforce: false }
      const { status, text } = await call(server.url, 'POST', '/v1/runs/bulk', { key: tenant.key, body })
      expect(status, text).toBe(200)
    }
    const path = '/console/usage/rows.csv?by=workflow_id&department_id=many'
    const { html, headers } = await owner.openConsole(path)
    const names = html.split('\r\n').flatMap((line) => /,(w\d+),/.exec(line)?.[1] ?? [])
    expect(new Set(names).size).toBe(count)
    expect(html).not.toContain('Cut after')
    expect(headers.get('content-disposition')).not.toContain('-cut')
  })

  test('says how to fill a range without usage', async () => {
    const { text } = await owner.openConsole('/console/usage?range=dates&from=2026-01-01&to=2026-01-02')
    expect(text).toContain('No usage here')
    expect(text).toContain('curl -s')
  })

  test('of a team without any is empty, and of another organization says nothing', async () => {
    const other = await tenantOf(server, (await operatorOf(server)).key)
    const visitor = await visitWithKey(server.url, other.key)
    expect((await visitor.openConsole('/console/usage?department_id=payments')).text).toContain('No usage here')
  })
})

describe('my usage', () => {
  test('shows a member their own runs and limits, and nobody else’s', async () => {
    const { key } = await keyOf(server, tenant.id, {
      role: 'member',
      scopes: ['runs:write', 'usage:read'],
      pins: { user_id: 'ada' },
    })
    await call(server.url, 'POST', `/v1/orgs/${tenant.id}/budgets`, {
      key: tenant.key,
      body: { name: 'Ada', scope_kind: 'user', scope_id: 'ada', period: 'month', limit_usd: '50' },
    })
    const { text } = await (await visitWithKey(server.url, key)).openConsole('/console/my-usage')
    expect(text).toContain('$20.50 in 1 run')
    expect(text).toMatch(/Budget user ada .*of \$50\.00/)
    expect(text).not.toContain('o3')
  })

  test('is in the navigation of everybody, and empty for who has used nothing', async () => {
    const viewer = await visitAsMember(server.url, tenant, 'viewer')
    const page = await viewer.openConsole('/console/my-usage')
    expect(page.html).toContain('href="/console/my-usage" aria-current="page"')
    expect(page.text).toContain('Nothing was used')
  })
})
