import { expect, test } from 'vitest'
import { useConsole, visitAsMember, visitWithKey } from '../support/console.ts'
import { tenantOf } from '../support/tenants.ts'

const { server, operator, tenant, owner, ask } = useConsole()
const api = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).json
const packs = async () => (await api('GET', '/credit-packs'))['data'] as { id: string; status: string }[]

test('The limit of a customer is set, frozen and removed on its page, whatever its id is', async () => {
  const id = '<b>acme & co/1'
  const path = `/console/customers/${encodeURIComponent(id)}`
  expect((await owner.openConsole(path)).text).toContain('No limit of its own')
  const set = await owner.postForm(`${path}/limit`, { limit_usd: '20', period: 'day', thresholds: '80' })
  expect(set.location).toBe(`${path}?done=set`)
  expect(await api('GET', `/customers/${encodeURIComponent(id)}/limit`)).toMatchObject({
    customer_id: id,
    limit_usd: '20',
    period: 'day',
    thresholds: [80],
  })
  const list = await owner.openConsole('/console/customers')
  expect(list.text).toContain('1 customer with a limit')
  expect(list.html).toContain('&lt;b&gt;acme')
  const link = (await owner.openConsole(path)).html.match(/href="([^"]*\/freeze[^"]*)"/)?.[1] ?? ''
  const frozen = await owner.postForm(link, { reason: 'Does not pay' })
  expect(frozen.location).toBe(`${path}?done=frozen`)
  expect((await owner.openConsole(path)).text).toContain('Does not pay')
  await owner.postForm(`${path}/limit/delete`)
  expect(await api('GET', `/customers/${encodeURIComponent(id)}/limit`)).toMatchObject({ id: null })
})

test('A refused limit comes back with the message at its field', async () => {
  const refused = await owner.postForm('/console/customers/acme/limit', { limit_usd: '2,000' })
  expect(refused.status).toBe(422)
  expect(refused.html).toMatch(/id="f-limit_usd-e">.*without commas: 2000/)
  const pack = await owner.postForm('/console/customers/acme/packs/new', { amount_usd: '', priority: 'first' })
  expect(pack.status).toBe(422)
  expect(pack.html).toContain('id="f-amount_usd-e"')
  expect(pack.html).toContain('id="f-priority-e"')
  expect(await packs()).toEqual([])
})

test('A credit pack is created, and void after a question', async () => {
  await owner.postForm('/console/customers/acme/packs/new', {
    amount_usd: '50',
    name: 'Autumn',
    expires_at: '2999-01-31',
  })
  const [pack] = await packs()
  expect(pack).toMatchObject({ name: 'Autumn', amount_usd: '50', expires_at: '2999-01-31T00:00:00.000+00:00' })
  expect((await owner.openConsole('/console/customers/acme')).text).toContain('Autumn')
  await owner.postForm(`/console/customers/acme/packs/${pack!.id}/void`)
  expect(await packs()).toMatchObject([{ status: 'voided' }])
})

test('The default of customers is set and removed, and a search without a match leads to the customer', async () => {
  await owner.postForm('/console/customer-default', { limit_usd: '5', period: 'week', max_new_customers_per_day: '7' })
  expect(await api('GET', '/customer-limit-default')).toMatchObject({ limit_usd: '5', max_new_customers_per_day: 7 })
  expect((await owner.openConsole('/console/customers/nobody')).text).toContain('$5')
  expect((await owner.openConsole('/console/customers?customer_id=nobody')).html).toContain(
    'href="/console/customers/nobody"',
  )
  await owner.postForm('/console/customer-default/delete')
  expect(await api('GET', '/customer-limit-default')).toMatchObject({ id: null })
})

test('A viewer is offered no change, and refused; a foreign pack is not found', async () => {
  const viewer = await visitAsMember(server.url, tenant, 'viewer')
  for (const path of ['/console/customers', '/console/customers/acme'])
    expect((await viewer.openConsole(path)).html).not.toMatch(/href="[^"]*\/(limit|packs\/new|delete|void|freeze)["?]/)
  expect((await viewer.postUnseen('/console/customers/acme/limit', { limit_usd: '1' })).status).toBe(403)
  expect((await viewer.postUnseen('/console/customers/acme/packs', { amount_usd: '1' })).status).toBe(403)
  const other = await tenantOf(server, operator.key, 'Other')
  const stranger = await visitWithKey(server.url, other.key)
  const [pack] = await packs()
  expect((await stranger.openConsole(`/console/customers/acme/packs/${pack!.id}/void`)).status).toBe(404)
  expect((await stranger.postUnseen(`/console/customers/acme/packs/${pack!.id}/void`)).status).toBe(404)
})
