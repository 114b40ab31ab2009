import { beforeAll, expect, test } from 'vitest'
import { type ConsoleVisitor, visitAsMember, visitWithKey } from '../support/console.ts'
import { type MoneyOrg, useMoney } from '../support/money.ts'

const money = useMoney({ SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' })
const hostile = '<img src=x onerror=alert(1)>'
let org: MoneyOrg
let owner: ConsoleVisitor
let budgetId: string
beforeAll(async () => {
  org = await money.org()
  owner = await visitWithKey(money.server.url, org.key)
  budgetId = (await org.budget('100', { name: hostile })).id
  const path = `/console/budgets/${budgetId}/edit`
  await owner.postForm(path, { limit_usd: '120', reason: `Für den Piloten, 100% ${hostile}` }, path)
})

test('the list and an entry show who changed what, and the reason that a form asked for', async () => {
  const list = await owner.openConsole(`/console/audit-log?target_id=${budgetId}`)
  expect(list.html).not.toContain('<img')
  expect(list.text).toContain(`Für den Piloten, 100% ${hostile}`)
  const link = list.links.find(({ text }) => text === 'budget.updated')
  const entry = await owner.openConsole(link?.href ?? '')
  expect(entry.status).toBe(200)
  expect(entry.html).not.toContain('<img')
  expect(entry.text).toContain('limit usd 100 120')
  expect(entry.text).toContain(`Why Für den Piloten, 100% ${hostile}`)
})

test('a verification is said in words', async () => {
  expect((await owner.openConsole('/console/audit-log?verify=1')).text).toContain('The log is sound.')
  const { superuser } = money
  await superuser.client.query(`update audit_log set reason = 'forged' where org_id = $1 and reason is not null`, [
    org.uuid,
  ])
  const { text } = await owner.openConsole('/console/audit-log?verify=1')
  expect(text).toMatch(/The log cannot be trusted from entry \d+ on: the entry, or the one before it, differs/)
})

test('the export is a file', async () => {
  const { status, headers, html } = await owner.openConsole('/console/audit-log/export?format=csv')
  expect(status).toBe(200)
  expect(headers.get('content-disposition')).toBe('attachment; filename="audit-log.csv"')
  expect(html).toContain('budget.updated')
})

test('the export has no text that a spreadsheet would run as a formula', async () => {
  const path = `/console/budgets/${budgetId}/edit`
  await owner.postForm(path, { limit_usd: '125', reason: '=HYPERLINK("https://evil.example","Look")' }, path)
  const { html } = await owner.openConsole('/console/audit-log/export?format=csv')
  expect(html).toContain(`"'=HYPERLINK(""https`)
  expect(html).not.toMatch(/(^|,|,")[=+@]/m)
})

test('a viewer is not shown the log; an entry that is not there is 404', async () => {
  const viewer = await visitAsMember(money.server.url, org, 'viewer')
  expect((await viewer.openConsole('/console/audit-log')).text).not.toContain('budget.updated')
  expect((await viewer.openConsole('/console/audit-log/export')).status).toBe(403)
  expect((await owner.openConsole('/console/audit-log/1?at=2020-01-01')).status).toBe(404)
})

test('an id leads to what it names; a name finds budgets, as text', async () => {
  const { status, location } = await owner.openConsole(`/console/search?q=${budgetId}`)
  expect({ status, location }).toEqual({ status: 303, location: `/console/budgets/${budgetId}` })
  const { text, html } = await owner.openConsole('/console/search?q=onerror')
  expect(text).toContain(hostile)
  expect(html).not.toContain('<img')
  expect((await owner.openConsole('/console/search?q=zzz')).text).toContain('Nothing has this name')
})
