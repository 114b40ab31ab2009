import { beforeAll, describe, expect, test } from 'vitest'
import type { RunRecord } from '../../src/records/run-log/run-log.ts'
import { requireId } from '../../src/values/id.ts'
import { formatUsd, parseUsd } from '../../src/values/money.ts'
import { type ConsoleVisitor, visitAsMember, visitWithKey } from '../support/console.ts'
import { csvRows } from '../support/csv.ts'
import { useServer } from '../support/harness.ts'
import { useSuperuser } from '../support/money.ts'
import { firstSeed, Random } from '../support/random.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'
import { insertUsage, randomRun } from '../support/usage.ts'

const server = useServer({ environment: { SVC_EXPENSIVE_READ_BURST_MS: '600000' } })
const database = useSuperuser(server.database)
const seed = firstSeed()
console.info(`seed ${seed}`)
const random = new Random(seed)
const now = new Date()
const monthMs = (back: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)
const monthAt = (back: number) => new Date(monthMs(back)).toISOString().slice(0, 7)
const hostile = '=cmd|<i>team</i>'

let tenant: Tenant
let owner: ConsoleVisitor
/** Runs of the last month and of the one before. */
let months: readonly (readonly RunRecord[])[]
beforeAll(async () => {
  tenant = await tenantOf(server, (await operatorOf(server)).key, 'Northwind')
  months = [1, 2].map((back) => Array.from({ length: 120 }, () => randomRun(random, monthMs(back), monthMs(back - 1))))
  const [first] = months[0]!
  Object.assign(first!.about, { department_id: hostile, customer_id: hostile })
  await insertUsage(database.client, requireId('org', tenant.id), months.flat(), random)
  owner = await visitWithKey(server.url, tenant.key)
})
const sumOf = (runs: readonly RunRecord[]) => runs.reduce((sum, { costNano }) => sum + costNano, 0n)
const fileOf = async (visitor: ConsoleVisitor, query: string) => {
  const [header = [], ...lines] = csvRows((await visitor.openConsole(`/console/showback/showback.csv?${query}`)).html)
  return lines.map((line) => Object.fromEntries(header.map((name, i) => [name, line[i] ?? ''])))
}

describe('showback', () => {
  test.each(['department_id', 'customer_id', 'workflow_id', 'user_id'] as const)(
    'by %s has every part of a month and the one before, what nobody named, and exactly what was used',
    async (by) => {
      const rows = await fileOf(owner, `by=${by}&month=${monthAt(1)}`)
      const ofKind = (kind: string) => rows.filter((row) => row['kind'] === kind)
      const [total] = ofKind('total')
      expect([total!['cost_usd'], total!['month_before_cost_usd']]).toEqual(
        months.map((runs) => formatUsd(sumOf(runs))),
      )
      const valueOf = ({ about }: RunRecord) => about[by as 'department_id'] ?? ''
      for (const row of [...ofKind('part'), ...ofKind('unallocated')]) {
        const name = row['name']!.replace(/^'/, '')
        const spent = months.map((runs) => formatUsd(sumOf(runs.filter((run) => valueOf(run) === name))))
        expect([name, row['cost_usd'], row['month_before_cost_usd']]).toEqual([name, ...spent])
      }
      const parts = [...ofKind('part'), ...ofKind('unallocated')]
      expect(formatUsd(parts.reduce((sum, row) => sum + parseUsd(row['cost_usd']!), 0n))).toBe(total!['cost_usd'])
      const named = new Set(months.flat().map(valueOf).filter(Boolean))
      expect([ofKind('part').length, ofKind('unallocated').length]).toEqual([named.size, 1])
    },
  )

  test('has the totals of /v1 usage, to the nano-dollar', async () => {
    const window = `from=${new Date(monthMs(1)).toISOString()}&to=${new Date(monthMs(0)).toISOString()}`
    const { json } = await call(server.url, 'GET', `/v1/orgs/${tenant.id}/usage?${window}`, { key: tenant.key })
    const total = (await fileOf(owner, `month=${monthAt(1)}`)).find((row) => row['kind'] === 'total')
    expect(total!['cost_usd']).toBe((json['totals'] as Record<string, string>)['cost_usd'])
  })

  test('shows exact amounts that add up, and names as text', async () => {
    const { text, html } = await owner.openConsole(`/console/showback?month=${monthAt(1)}`)
    expect(text).toContain(hostile)
    expect(html).not.toContain('<i>team')
    const table = html.slice(html.indexOf('Spend by team'), html.indexOf('</table>'))
    const costs = [...table.matchAll(/data-l="Cost"><b><span class="nowrap">\$([\d,.]+)/g)].map(([, usd]) =>
      parseUsd(usd!.replaceAll(',', '')),
    )
    const total = costs.pop()
    expect(costs.reduce((sum, one) => sum + one, 0n)).toBe(total)
    expect(total).toBe(sumOf(months[0]!))
    expect(text).toContain('Not allocated')
  })

  test('keeps adjustments and credits apart from what was spent', async () => {
    const post = (path: string, body: object) =>
      call(server.url, 'POST', `/v1/orgs/${tenant.id}${path}`, { key: tenant.key, body })
    const budget = await post('/budgets', { name: 'All', scope_kind: 'org', limit_usd: '100', period: 'month' })
    await post('/ledger/adjustments', { limit_id: budget.json['id'], amount_usd: '12.5', reason: '=Refund 4711' })
    await post('/customers/c-1/credit-packs', { name: 'Start', amount_usd: '30' })
    const { text } = await owner.openConsole('/console/showback')
    expect(text).toMatch(/Adjustments: \$12\.50\. Credits given: \$30\.00/)
    expect(text).toContain('none of them is in the sums above')
    const rows = await fileOf(owner, `month=${monthAt(0)}`)
    expect(rows.filter(({ kind }) => kind === 'adjustment' || kind === 'credit')).toMatchObject([
      { kind: 'adjustment', cost_usd: '12.5', reason: "'=Refund 4711" },
      { kind: 'credit', name: 'customer c-1', cost_usd: '30' },
    ])
    expect(rows.find(({ kind }) => kind === 'total')).toMatchObject({ cost_usd: '0' })
  })

  test('of a pinned key is of its part alone, and tells it no customers, as the API does not', async () => {
    const pinned = await keyOf(server, tenant.id, {
      role: 'viewer',
      scopes: ['usage:read'],
      pins: { department_id: 'sales' },
    })
    const visitor = await visitWithKey(server.url, pinned.key)
    const total = (await fileOf(visitor, `month=${monthAt(1)}`)).find((row) => row['kind'] === 'total')
    expect(total!['cost_usd']).toBe(formatUsd(sumOf(months[0]!.filter(({ about }) => about.department_id === 'sales'))))
    const customers = await visitor.openConsole('/console/showback?by=customer_id')
    expect(customers.text).toContain('not kept by customer')
    expect(customers.text).not.toContain('c-1')
    const { text } = await visitor.openConsole('/console/showback')
    expect(text).toContain('You may not see limits')
  })
})

describe('a bill of a provider', () => {
  const day = new Date(monthMs(1)).toISOString().slice(0, 10)
  const bill = (names: readonly string[]) =>
    [
      'usage_date_utc,model,cost_usd,cost_type',
      ...names.map((name) => `${day},"${name.replaceAll('"', '""')}",2.5,token`),
    ].join('\n')
  const send = async (visitor: ConsoleVisitor, fields: Record<string, string>) =>
    visitor.postForm('/console/reconciliations/new', fields, /new/)

  test('is compared from a form, shown with its differences, filtered, and handed out as CSV', async () => {
    const sent = await send(owner, { text: bill(['claude-a', 'claude-b']) })
    expect(sent.status).toBe(303)
    const page = sent.location!
    const { text } = await owner.openConsole(page)
    expect(text).toContain('$5.00')
    expect(text).toMatch(/Missing here/)
    const filtered = await owner.openConsole(`${page}?model=claude-b`)
    expect(filtered.text).toContain('1 difference of')
    const rows = csvRows((await owner.openConsole(`${page}/differences.csv?reason=missing_here`)).html)
    expect(rows.map(([date, model, , reason, billed]) => [date, model, reason, billed]).slice(1, 3)).toEqual([
      [day, 'claude-a', 'missing_here', '2.5'],
      [day, 'claude-b', 'missing_here', '2.5'],
    ])
    expect((await owner.openConsole('/console/reconciliations')).text).toContain('Anthropic')
  })

  test('cannot bring markup or formulas in by the names of its models', async () => {
    const names = ['<script>pwned()</script>', '=HYPERLINK("//x")', '@sum', '"><img src=x onerror=pwned()>']
    const page = (await send(owner, { text: bill(names) })).location!
    const { html, text } = await owner.openConsole(page)
    expect(html).not.toMatch(/<script>pwned|<img src=x/)
    expect(text).toContain('<script>pwned()')
    const cells = csvRows((await owner.openConsole(`${page}/differences.csv`)).html).flat()
    expect(cells.filter((cell) => /^[=+@]|^-(?!\d)/.test(cell))).toEqual([])
  })

  test('that is none is refused at its field, and what was typed stays', async () => {
    const { status, text, html } = await send(owner, { text: 'no bill', tolerance_usd: '0.5' })
    expect(status).toBe(422)
    expect(text).toContain('is no export that is known')
    expect(html).toContain('value="0.5"')
    expect((await send(owner, { text: '' })).status).toBe(422)
  })

  test('is read by those who see usage, sent by administrators, and nobody else’s', async () => {
    const page = (await send(owner, { text: bill(['claude-a']) })).location!
    const viewer = await visitAsMember(server.url, tenant, 'viewer')
    expect((await viewer.openConsole(page)).status).toBe(200)
    expect((await viewer.openConsole('/console/reconciliations')).text).not.toContain('Compare a bill')
    expect((await viewer.postUnseen('/console/reconciliations/new', { text: bill(['claude-a']) })).status).toBe(403)
    const other = await tenantOf(server, (await operatorOf(server)).key, 'Fabrikam')
    const stranger = await visitWithKey(server.url, other.key)
    expect((await stranger.openConsole(page)).status).toBe(404)
    expect((await stranger.openConsole(`${page}/differences.csv`)).status).toBe(404)
  })
})
