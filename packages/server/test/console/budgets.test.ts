import { beforeAll, describe, expect, test } from 'vitest'
import { type ConsoleVisitor, visitAsMember, visitWithKey } from '../support/console.ts'
import { startRun } from '../support/governed.ts'
import { costing, type MoneyOrg, useMoney } from '../support/money.ts'

const money = useMoney({ SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' })
const hostile = '<img src=x onerror=alert(1)>'
const path = '/console/budgets'
let org: MoneyOrg
let owner: ConsoleVisitor
beforeAll(async () => {
  org = await money.org()
  owner = await visitWithKey(money.server.url, org.key)
})

const workflow = (id: string, more: Record<string, unknown> = {}) => ({
  name: `${id} ${hostile}`,
  scope_kind: 'workflow',
  scope_id: id,
  ...more,
})
const pageOf = (id: string, visitor = owner) => visitor.openConsole(`${path}/${id}`)

/** Refuses a call, and waits until the budget says so. */
async function refuse(budgetId: string, usd: string, workflowId: string) {
  expect((await org.decide(costing(usd, { workflow_id: workflowId }))).status).toBe(402)
  await expect.poll(async () => (await org.readBudget(budgetId))['exhausted_at']).not.toBeNull()
}

describe('the state of a budget', () => {
  test('says over which amount calls are refused, while something is free', async () => {
    const { id } = await org.budget('10', workflow('large'))
    await refuse(id, '25', 'large')
    const { text, html } = await pageOf(id)
    expect(text).toContain('Refuses calls over $10.00')
    expect(text).not.toMatch(/Stopped:|budget used up/)
    expect(html).not.toContain('<img')
    const list = await owner.openConsole(`${path}?scope_id=large`)
    expect(list.text).toContain('Refuses calls over $10.00')
    expect(list.text).not.toContain('Stopped: budget used up')
  })

  test('is Stopped when nothing is free', async () => {
    const { id } = await org.budget('10', workflow('full'))
    await org.hold('10', { workflow_id: 'full' })
    await refuse(id, '0.01', 'full')
    expect((await pageOf(id)).text).toContain('Stopped: budget used up')
  })

  test('is a filter of the list', async () => {
    const names = async (state: string) => (await owner.openConsole(`${path}?state=${state}`)).text
    const { id } = await org.budget('10', workflow('calm'))
    expect(await names('stopped')).toContain('full <img')
    expect(await names('stopped')).not.toMatch(/large <img|calm <img/)
    expect(await names('nearly')).toContain('large <img')
    expect(await names('calm')).toContain('calm <img')
    expect(await names('calm')).not.toContain('full <img')
    await org.set('POST', `/limits/${id}/freeze`, { reason: 'Looks wrong' })
    expect(await names('frozen')).toContain('calm <img')
    expect(await names('calm')).not.toContain('calm <img')
  })
})

describe('the page of a budget', () => {
  test('lists its latest refusals with what they needed, each with a link to why', async () => {
    const { id } = await org.budget('5', workflow('listed'))
    await refuse(id, '6.25', 'listed')
    await expect.poll(async () => (await pageOf(id)).text).toContain('Latest refusals')
    const { text, links } = await pageOf(id)
    expect(text).toMatch(/listed, gpt-4o \$6\.25 1 ×/)
    const why = links.find(({ href }) => href.includes('&id=rfs_') || href.includes('&amp;id=rfs_'))
    expect((await owner.openConsole(why?.href ?? '')).text).toContain('listed')
    const other = await org.budget('5', workflow('unrefused'))
    expect((await pageOf(other.id)).text).not.toContain('Latest refusals')
  })

  test('names the wider budgets that bind its calls too', async () => {
    const whole = await org.budget('1000', { name: 'Whole house' })
    const half = await org.budget('50', workflow('paired'))
    const pair = await org.budget(
      '20',
      workflow('paired', { name: 'Pair', and_scope_kind: 'model', and_scope_id: 'o1' }),
    )
    const of = async (id: string) =>
      (await pageOf(id)).links.map(({ href }) => href).filter((href) => /^\/console\/budgets\/bud_\w+$/.test(href))
    expect(await of(pair.id)).toEqual([`${path}/${whole.id}`, `${path}/${half.id}`])
    expect(await of(half.id)).toEqual([`${path}/${whole.id}`])
    expect(await of(whole.id)).toEqual([])
  })
})

describe('a limit is tested on past runs', () => {
  test('before it is saved, and nothing is saved', async () => {
    const run = (await startRun(org, { workflow_id: 'tested', department_id: 'growth <u>' })).json['id'] as string
    await org.post(`/v1/runs/${run}/finish`, { status: 'succeeded', cost_usd: '0.75' })
    const { id } = await org.budget('100', workflow('tested'))
    const page = await owner.openConsole(`${path}/${id}/edit`)
    expect(page.html).toContain(`formaction="${path}/${id}/check"`)
    const form = page.forms.find(({ action }) => action === `${path}/${id}/edit`)!
    const low = await owner.postUnseen(`${path}/${id}/check`, { ...form.fields, limit_usd: '0.5' })
    expect(low.status).toBe(200)
    expect(low.text).toMatch(/It would have refused 1 of \d+ runs?, which cost \$0\.7500/)
    expect(low.text).toContain('growth <u> 1 run')
    expect(low.forms.find(({ action }) => action === `${path}/${id}/edit`)?.fields).toMatchObject({ limit_usd: '0.5' })
    const high = await owner.postUnseen(`${path}/${id}/check`, { ...form.fields, limit_usd: '5' })
    expect(high.text).toContain('It would have refused 0 of')
    expect(await org.readBudget(id)).toMatchObject({ limit_usd: '100' })
    const fresh = { ...form.fields, scope_kind: 'workflow', scope_id: 'tested', limit_usd: '0.5' }
    expect((await owner.postUnseen(`${path}/check`, fresh)).text).toContain('It would have refused 1 of')
  })

  test('with messages at the fields of a draft at fault', async () => {
    const refused = await owner.postUnseen(`${path}/check`, { scope_kind: 'org', period: 'month', limit_usd: '1,5' })
    expect(refused.status).toBe(422)
    expect(refused.html).toMatch(/id="f-limit_usd"[^>]*aria-invalid="true"/)
  })

  test('where the API can: not on a model, and not for viewers', async () => {
    const model = await org.budget('5', { name: 'M', scope_kind: 'model', scope_id: 'o1' })
    expect((await owner.openConsole(`${path}/${model.id}/edit`)).html).not.toContain('formaction')
    const viewer = await visitAsMember(money.server.url, org, 'viewer')
    expect((await viewer.postUnseen(`${path}/${model.id}/check`, { limit_usd: '1', period: 'month' })).text).toContain(
      'cannot be tested',
    )
  })
})
