import { beforeAll, expect, test, vi } from 'vitest'
import { type ConsoleVisitor, visitAsMember, visitWithKey } from '../support/console.ts'
import { type MoneyOrg, useMoney } from '../support/money.ts'

const money = useMoney({ SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' })
const hostile = '<img src=x onerror=alert(1)>'
let org: MoneyOrg
let owner: ConsoleVisitor
let budgetId: string
let refusalIds: string[]

const asked = { model: 'claude-sonnet-4-6', input_tokens: 24_000, max_output_tokens: 32_000 }

beforeAll(async () => {
  org = await money.org()
  budgetId = (await org.budget('0.3', { name: hostile, scope_kind: 'workflow', scope_id: 'customs' })).id
  await org.set('POST', '/policies', {
    name: 'No o1',
    effect: 'block',
    target: 'model',
    priority: 1,
    expression: 'run.model == "o1"',
    reason: `Too dear ${hostile}`,
  })
  owner = await visitWithKey(money.server.url, org.key)
  for (let i = 0; i < 2; i++) await org.decide({ ...asked, workflow_id: 'customs' })
  await org.post('/v1/runs', { model: 'o1', workflow_id: 'copy', input_tokens: 1, max_output_tokens: 1 })
  refusalIds = await vi.waitFor(async () => {
    const { json } = await org.ask('GET', '/refusals')
    const found = json['data'] as { id: string; error_code: string }[]
    if (new Set(found.map(({ error_code }) => error_code)).size < 2) throw new Error('not written yet')
    return found.map(({ id }) => id)
  }, 20_000)
})

test('a refusal by a budget says why, what would fit, and each limit as it was read', async () => {
  const { text, html, links } = await owner.openConsole(`/console/refusals?limit_id=${budgetId}`)
  expect(html).not.toContain('<img')
  expect(text).toContain(
    `Refused because ${hostile} had $0.3000 left and this call could have cost $0.6240, $0.3240 too much.`,
  )
  expect(text).toContain('The same call with at most 10,400 output tokens')
  expect(text).toContain('The same call with a limit of $0.6240 or more')
  expect(links.map(({ href }) => href)).toContain(`/console/budgets/${budgetId}/edit`)
  expect(text).not.toContain('Blocked by a rule copy')
})

test('what is said to fit does fit', async () => {
  const { status } = await org.decide({ ...asked, workflow_id: 'customs', max_output_tokens: 10_400, dry_run: true })
  expect(status).toBe(200)
  const more = await org.decide({ ...asked, workflow_id: 'customs', max_output_tokens: 10_401, dry_run: true })
  expect(more.status).toBe(402)
})

test('a refusal by a rule shows its reason as text, and leads to the rule', async () => {
  const { text, html, links } = await owner.openConsole('/console/refusals?error_code=policy_blocked')
  expect(html).not.toContain('<img')
  expect(text).toContain(`Refused: blocked by a rule. Too dear ${hostile}`)
  expect(links.some(({ href }) => href.startsWith('/console/rules/rul_'))).toBe(true)
})

test('counts by day have every reason', async () => {
  await expect
    .poll(async () => (await owner.openConsole('/console/refusals')).text)
    .toMatch(/By day .*Budget used up 2, Blocked by a rule 1 3/)
})

test('a chosen refusal is in the address, and a viewer is offered no change of the limit', async () => {
  const viewer = await visitAsMember(money.server.url, org, 'viewer')
  for (const id of refusalIds) {
    const { status, links } = await viewer.openConsole(`/console/refusals?id=${id}`)
    expect(status).toBe(200)
    expect(links.filter(({ href }) => href.endsWith('/edit'))).toEqual([])
  }
})

test('a refusal of another organization is not there; an organization without any is told what comes here', async () => {
  const stranger = await visitWithKey(money.server.url, (await money.org()).key)
  expect((await stranger.openConsole(`/console/refusals?id=${refusalIds[0]}`)).status).toBe(404)
  expect((await stranger.openConsole('/console/refusals')).text).toContain('Nothing was refused')
})
