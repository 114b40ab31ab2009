import { beforeAll, describe, expect, test } from 'vitest'
import { type ConsoleVisitor, useConsole, visitAsMember, visitWithKey } from '../support/console.ts'
import { call, tenantOf } from '../support/tenants.ts'

const { server, operator, tenant, owner, ask } = useConsole()
let viewer: ConsoleVisitor
beforeAll(async () => {
  viewer = await visitAsMember(server.url, tenant, 'viewer')
})

const api = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).json
const created = async (path: string, body: unknown) => String((await api('POST', path, body))['id'])
const frozenTargets = async () =>
  ((await api('GET', '/freezes'))['data'] as { target_id: string; reason: string }[]).map(
    ({ target_id, reason }) => `${target_id}: ${reason}`,
  )

describe('the daily spend cap', () => {
  test('is set, changed and removed by forms, as the API then shows', async () => {
    const page = '/console/limits/spend-cap'
    expect((await owner.openConsole('/console/limits')).text).toContain('No cap is set')
    expect((await owner.postForm(page, { cap_usd: '900', timezone: 'Europe/Berlin' })).status).toBe(303)
    expect(await api('GET', '/spend-cap')).toMatchObject({ cap_usd: '900', timezone: 'Europe/Berlin' })
    expect((await owner.openConsole('/console/limits')).text).toContain('of $900')
    await owner.postForm(page, { cap_usd: '$12.50' })
    expect(await api('GET', '/spend-cap')).toMatchObject({ cap_usd: '12.5' })
    const { location } = await owner.postForm('/console/limits/spend-cap/delete')
    expect(location).toBe('/console/limits?done=removed')
    expect(await api('GET', '/spend-cap')).toMatchObject({ cap_usd: null })
  })

  test('comes back with the message at its field when it is refused', async () => {
    const refused = await owner.postForm('/console/limits/spend-cap', { cap_usd: '1,450' })
    expect(refused.status).toBe(422)
    expect(refused.html).toMatch(/id="f-cap_usd-e">.*Write the amount without commas: 1450/)
    expect((await owner.postForm('/console/limits/spend-cap', { cap_usd: '' })).status).toBe(422)
    expect(await api('GET', '/spend-cap')).toMatchObject({ cap_usd: null })
  })
})

describe('runs at once', () => {
  test('are limited, changed and no longer limited by forms', async () => {
    const path = '/console/limits/concurrency'
    const fields = { scope_kind: 'workflow', scope_id: 'reports', name: '<i>Reports</i>', max_runs: '3' }
    expect((await owner.postForm(`${path}/new`, fields, path)).location).toBe(`${path}?done=set`)
    const [limit] = (await api('GET', '/concurrency-limits'))['data'] as { id: string }[]
    const { html, text } = await owner.openConsole(path)
    expect(text).toContain('0 of 3')
    expect(html).toContain('&lt;i&gt;Reports')
    await owner.postForm(`${path}/${limit!.id}/edit`, { max_runs: '7' })
    expect(await api('GET', `/concurrency-limits/${limit!.id}`)).toMatchObject({ max_runs: 7 })
    const refused = await owner.postForm(`${path}/${limit!.id}/edit`, { max_runs: 'many' })
    expect(refused.status).toBe(422)
    expect(refused.html).toContain('id="f-max_runs-e"')
    await owner.postForm(`${path}/${limit!.id}/delete`)
    expect((await api('GET', '/concurrency-limits'))['data']).toEqual([])
  })

  test('have a default that is set and removed', async () => {
    const path = '/console/limits/concurrency-defaults/user'
    await owner.postForm(`${path}/edit`, { max_runs: '5' })
    expect(await api('GET', '/concurrency-defaults/user')).toMatchObject({ max_runs: 5 })
    await owner.postForm(`${path}/delete`)
    expect(await api('GET', '/concurrency-defaults/user')).toMatchObject({ max_runs: null })
  })
})

test('A default budget is set by its form, shows who has used it, and is removed', async () => {
  const path = '/console/limits/defaults/department'
  const fields = { limit_usd: '500', period: 'week', thresholds: '80, 95', enforcement: 'alert' }
  expect((await owner.postForm(`${path}/edit`, fields)).location).toBe(`${path}?done=set`)
  expect(await api('GET', '/budget-defaults/department')).toMatchObject({
    limit_usd: '500',
    period: 'week',
    thresholds: [80, 95],
    enforcement: 'alert',
  })
  await call(server.url, 'POST', '/v1/edge/decision', {
    key: tenant.key,
    body: { model: 'gpt-4o', department_id: 'payments', estimated_cost_usd: '2' },
  })
  expect((await owner.openConsole(path)).text).toContain('payments')
  await owner.postForm(`${path}/delete`)
  expect(await api('GET', '/budget-defaults/department')).toMatchObject({ id: null })
})

describe('bounds of chains', () => {
  test('are set for everything and for one workflow, without touching others', async () => {
    await api('PATCH', '/chain-limits', { workflows: [{ workflow_id: 'old', max_depth: 2 }] })
    await owner.postForm('/console/limits/chains/new', { workflow_id: 'agent', max_cost_usd: '20', max_tokens: '1000' })
    await owner.postForm('/console/limits/chains/edit', { max_depth: '8' })
    expect(await api('GET', '/chain-limits')).toMatchObject({
      default: { max_cost_usd: null, max_depth: 8 },
      workflows: [
        { workflow_id: 'agent', max_cost_usd: '20', max_tokens: 1000 },
        { workflow_id: 'old', max_depth: 2 },
      ],
    })
    await owner.postForm('/console/limits/chains/delete?workflow_id=old')
    expect(await api('GET', '/chain-limits')).toMatchObject({ workflows: [{ workflow_id: 'agent' }] })
  })

  test('are not written over what somebody else has set meanwhile', async () => {
    const form = (await owner.openConsole('/console/limits/chains/new')).forms.find(
      ({ action }) => action === '/console/limits/chains',
    )!
    await api('PATCH', '/chain-limits', { workflows: [] })
    const refused = await owner.postUnseen(form.action, { ...form.fields, workflow_id: 'late', max_depth: '3' })
    expect(refused.status).toBe(422)
    expect(await api('GET', '/chain-limits')).toMatchObject({ workflows: [] })
  })

  test('say at its field what is wrong with them', async () => {
    const refused = await owner.postForm('/console/limits/chains/new', { workflow_id: 'agent', max_cost_usd: 'lots' })
    expect(refused.status).toBe(422)
    expect(refused.html).toContain('id="f-max_cost_usd-e"')
    expect((await owner.postForm('/console/limits/chains/new', { max_depth: '3' })).status).toBe(422)
  })
})

describe('freezing', () => {
  test('everything asks first, wants a reason, and is undone by thawing', async () => {
    expect((await owner.openConsole('/console/limits/freeze')).text).toContain('Every new call')
    const refused = await owner.postForm('/console/limits/freeze', { reason: '' })
    expect(refused.status).toBe(422)
    expect(refused.html).toContain('id="f-reason-e"')
    expect(await frozenTargets()).toEqual([])
    await owner.postForm('/console/limits/freeze', { reason: 'An agent <b>loops</b>' })
    expect(await frozenTargets()).toEqual([`${tenant.id}: An agent <b>loops</b>`])
    expect((await viewer.openConsole('/console/limits')).html).toContain('An agent &lt;b&gt;loops')
    await owner.postForm('/console/limits', {}, '/console/limits/thaw')
    expect(await frozenTargets()).toEqual([])
  })

  test('a key and a budget is shown where they are, and leads back there', async () => {
    const id = await created('/budgets', { name: 'All', scope_kind: 'org', limit_usd: '5', period: 'day' })
    const budget = `/console/budgets/${id}`
    const link = (await owner.openConsole(budget)).html.match(/href="([^"]*\/freeze[^"]*)"/)?.[1] ?? ''
    const { location } = await owner.postForm(link, { reason: 'Looks wrong' })
    expect(location).toBe(`${budget}?done=frozen`)
    expect((await owner.openConsole(budget)).text).toContain('Looks wrong')
    expect((await owner.openConsole('/console/budgets')).text).toContain('Frozen')
    await owner.postForm(`/console/limits/freeze?target=${tenant.keyId}`, { reason: 'Leaked' })
    expect(await frozenTargets()).toEqual([`${id}: Looks wrong`, `${tenant.keyId}: Leaked`])
    expect((await owner.openConsole('/console/limits/frozen')).text).toContain('2 things frozen')
    await owner.postForm('/console/limits/frozen', {}, `/console/limits/keys/${tenant.keyId}/thaw`)
    expect((await owner.postForm(budget, {}, `/console/limits/${id}/thaw`)).location).toBe(`${budget}?done=thawed`)
    expect(await frozenTargets()).toEqual([])
  })

  test('leads to no page outside the console', async () => {
    const { location } = await owner.postForm('/console/limits/freeze?from=//evil.example/console/', { reason: 'Now' })
    expect(location).toBe('/console/limits/frozen?done=frozen')
    const thawed = await owner.postUnseen('/console/limits/thaw', { from: 'https://evil.example/console/' })
    expect(thawed.location).toBe('/console/limits/frozen?done=thawed')
    expect(await frozenTargets()).toEqual([])
  })
})

describe('a viewer', () => {
  test('is offered nothing that changes a limit, and refused when posting by hand', async () => {
    for (const tab of ['', '/concurrency', '/defaults', '/chains', '/frozen']) {
      const { status, html, forms } = await viewer.openConsole(`/console/limits${tab}`)
      expect(status).toBe(200)
      expect(forms.filter(({ action }) => action.startsWith('/console/limits') && action.endsWith('freeze'))).toEqual(
        [],
      )
      expect(html).not.toMatch(/href="[^"]*\/(freeze|new|edit|delete|spend-cap)["?]/)
    }
    for (const [action, fields] of [
      ['/console/limits/freeze', { reason: 'No' }],
      ['/console/limits/spend-cap', { cap_usd: '1' }],
      ['/console/limits/concurrency', { name: 'x', max_runs: '1' }],
      ['/console/limits/chains', { max_depth: '1' }],
      ['/console/limits/defaults/user/edit', { limit_usd: '1', period: 'day' }],
    ] as const)
      expect([action, (await viewer.postUnseen(action, fields)).status]).toEqual([action, 403])
    expect(await frozenTargets()).toEqual([])
  })

  test('of another organization finds nothing', async () => {
    const other = await tenantOf(server, operator.key, 'Other')
    const stranger = await visitWithKey(server.url, other.key)
    const id = await created('/concurrency-limits', { name: 'Mine', scope_kind: 'org', max_runs: 1 })
    expect((await stranger.openConsole(`/console/limits/concurrency/${id}/edit`)).status).toBe(404)
    expect((await stranger.postUnseen(`/console/limits/${id}/freeze`, { reason: 'Mine' })).status).toBe(404)
  })
})
