import { expect, test } from 'vitest'
import { useMoney } from '../support/money.ts'
import { call, operatorOf } from '../support/tenants.ts'

const money = useMoney()
const price = (model: string, usd: string) => ({ model, input_usd_per_million: usd, output_usd_per_million: usd })
const eventsOf = (org: Awaited<ReturnType<typeof money.org>>) => org.events('price.changed')

test('an organization is told once of each change of its own prices, and what it changed', async () => {
  const org = await money.org()
  await org.set('PUT', '/prices', { prices: [price('kept', '1'), price('dearer', '1'), price('gone', '1')] })
  await org.set('PUT', '/prices', { prices: [price('kept', '1'), price('dearer', '2'), price('new', '3')] })
  const [first, second] = await eventsOf(org)
  expect(first).toMatchObject({ added: 3, changed: 0, removed: 0 })
  expect(second).toMatchObject({ added: 1, changed: 1, removed: 1 })
  expect(second?.['prices']).toMatchObject([
    { change: 'changed', model: 'dearer', provider: null, input_usd_per_million: '2' },
    { change: 'added', model: 'new', output_usd_per_million: '3' },
    { change: 'removed', model: 'gone', input_usd_per_million: '1' },
  ])

  const { json } = await org.ask('POST', '/prices', price('single', '1'))
  await org.set('PATCH', `/prices/${String(json['id'])}`, { units_usd: { web_search: '1' } })
  expect((await org.ask('DELETE', `/prices/${String(json['id'])}`)).status).toBe(204)
  expect((await eventsOf(org)).slice(2)).toMatchObject(
    ['added', 'changed', 'removed'].map((change) => ({ prices: [{ change, price_id: json['id'] }] })),
  )
})

test('a request that changes no price is not told', async () => {
  const org = await money.org()
  const prices = [price('same', '1')]
  await org.set('PUT', '/prices', { prices })
  await org.set('PUT', '/prices', { prices })
  await org.set('PATCH', '/prices', { default_max_output_tokens: 9 })
  expect((await org.ask('PUT', '/prices', { prices: [price('same', '-1')] })).status).toBe(422)
  expect(await eventsOf(org)).toHaveLength(1)
})

test('an event stays small, however many prices change', async () => {
  const org = await money.org()
  await org.set('PUT', '/prices', { prices: Array.from({ length: 1_000 }, (_, i) => price(`many-${i}`, '1')) })
  const [event] = await eventsOf(org)
  expect(event).toMatchObject({ added: 1_000 })
  expect(event?.['prices']).toHaveLength(20)
})

test('prices that operators set for everybody are told to nobody, however many organizations there are', async () => {
  const org = await money.org()
  const { key } = await operatorOf(money.server)
  const body = { prices: [price('everybodys', '1')] }
  expect((await call(money.server.url, 'PUT', '/v1/admin/prices', { key, body })).status).toBe(200)
  expect(await eventsOf(org)).toEqual([])
  expect((await org.ask('GET', '/prices')).json['installation_updated_at']).not.toBeNull()
})
