import { expect, test } from 'vitest'
import { useConsole, visitAsMember, visitAsSupport } from '../support/console.ts'
import { call } from '../support/tenants.ts'

const { server, operator, tenant, owner, ask } = useConsole()

const path = '/console/settings'
const read = async (part: string) => (await ask('GET', part)).json

test('name, zone and demands on calls are changed, and shown as text', async () => {
  const refused = await owner.postForm(`${path}/organization`, { timezone: 'Mars/Olympus' })
  expect([refused.status, /id="f-timezone"[^>]*aria-invalid/.test(refused.html)]).toEqual([422, true])
  await owner.postForm(`${path}/organization`, {
    name: 'Acme <b>2</b>',
    timezone: 'Europe/Berlin',
    required_dimensions: ['workflow_id', 'customer_id'],
    max_new_values_per_day: '50',
  })
  expect(await read('')).toMatchObject({
    name: 'Acme <b>2</b>',
    timezone: 'Europe/Berlin',
    required_dimensions: ['workflow_id', 'customer_id'],
    max_new_values_per_day: 50,
  })
  const { text, html } = await owner.openConsole(path)
  expect(text).toContain('Acme <b>2</b>')
  expect(text).toContain('workflow, customer')
  expect(html).not.toContain('<b>2')
  await owner.postForm(`${path}/organization`, { required_dimensions: undefined })
  expect(await read('')).toMatchObject({ required_dimensions: [] })
})

test('a list of addresses that locks its author out needs a tick of its own', async () => {
  expect((await owner.openConsole(`${path}/addresses`)).html).not.toContain('name="force"')
  const refused = await owner.postForm(`${path}/addresses`, { ip_allow_list: '203.0.113.0/24' })
  expect([refused.status, refused.html.includes('name="force"')]).toEqual([422, true])
  expect(refused.text).toContain('Must contain your own address')
  expect(refused.text).not.toContain('"force"')
  expect(await read('/ip-allow-list')).toMatchObject({ ip_allow_list: [] })
  expect((await owner.postForm(`${path}/addresses`, { ip_allow_list: '127.0.0.0/8\n::1' })).status).toBe(303)
  expect((await owner.openConsole(path)).text).toContain('127.0.0.0/8')
  await owner.postUnseen(`${path}/addresses`, { ip_allow_list: '203.0.113.0/24', force: 'true' })
  expect((await owner.openConsole(path)).status).toBe(403)
  await call(server.url, 'POST', `/v1/admin/orgs/${tenant.id}/ip-allow-list/reset`, { key: operator.key })
})

test('retention, trust, names and the mapping of spans are what the API then says', async () => {
  const days = await owner.postForm(`${path}/retention`, { raw_days: 'many' })
  expect([days.status, /id="f-raw_days"[^>]*aria-invalid/.test(days.html)]).toEqual([422, true])
  await owner.postForm(`${path}/retention`, { raw_days: '30' })
  expect(await read('/retention-policy')).toMatchObject({ raw_days: 30 })

  await owner.postForm(`${path}/calls/trust`, { reported_cost: 'ignore', start_only: 'true', max_overrun_usd: '5' })
  expect(await read('/trust')).toMatchObject({ reported_cost: 'ignore', start_only: true, max_overrun_usd: '5' })
  const shown = await owner.openConsole(`${path}/calls/trust`)
  expect(shown.forms[0]!.fields).toMatchObject({ reported_cost: 'ignore', start_only: 'true', max_overrun_usd: '5.00' })

  const names = `${path}/calls/names/department_id`
  const pattern = await owner.postForm(names, { pattern: '(' })
  expect([pattern.status, /id="f-pattern"[^>]*aria-invalid/.test(pattern.html)]).toEqual([422, true])
  await owner.postForm(names, { values: 'payments\n\n<i>growth</i>', on_unknown: 'refuse' })
  expect((await read('/dimensions/department_id'))['values']).toEqual(
    expect.arrayContaining(['payments', '<i>growth</i>']),
  )
  expect((await owner.openConsole(`${path}/calls`)).text).toContain('<i>growth</i>')

  await owner.postForm(`${path}/calls/otlp`, { workflow_id: 'service.name\napp.flow' })
  expect(await read('/otlp-mapping')).toMatchObject({ workflow_id: ['service.name', 'app.flow'], user_id: null })
})

test('support inside is named with its reason, and ended', async () => {
  const support = await visitAsSupport(server.url, operator.key, tenant.id, 'read')
  const { text, forms } = await owner.openConsole(`${path}/support`)
  expect(text).toContain('Ticket 4711')
  expect(text).toContain('Has access')
  const action = forms.find((form) => form.action.endsWith('/end'))!.action
  expect((await support.postUnseen(action)).status).toBe(403)
  expect((await owner.postForm(`${path}/support`, {}, action)).status).toBe(303)
  expect((await support.openConsole(path)).status).toBe(401)
})

test('a viewer reads settings, is offered no change, and makes none', async () => {
  const viewer = await visitAsMember(server.url, tenant, 'viewer')
  for (const part of ['', '/calls']) {
    const page = await viewer.openConsole(path + part)
    expect([page.status, page.links.filter(({ text }) => text.startsWith('Change'))]).toEqual([200, []])
  }
  expect((await viewer.openConsole(`${path}/support`)).status).toBe(403)
  for (const part of ['organization', 'addresses', 'retention', 'calls/trust', 'calls/names/user_id', 'calls/otlp']) {
    const fields = { name: 'x', timezone: 'UTC', raw_days: '1', on_unknown: 'allow', reported_cost: 'accept' }
    expect([part, (await viewer.postUnseen(`${path}/${part}`, fields)).status]).toEqual([part, 403])
  }
})
