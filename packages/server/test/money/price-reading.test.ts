import { expect, test } from 'vitest'
import { useServer } from '../support/harness.ts'
import { call, keyOf, operatorOf, tenantOf } from '../support/tenants.ts'

const server = useServer()

const own = (model: string) => ({ model, input_usd_per_million: '2', output_usd_per_million: '8' })

async function organization() {
  const tenant = await tenantOf(server, (await operatorOf(server)).key)
  const path = `/v1/orgs/${tenant.id}/prices`
  const prices = [own('ours'), own('gpt-4o-2024-08-06'), own('azure/gpt-4o')]
  expect((await call(server.url, 'PUT', path, { key: tenant.key, body: { prices } })).status).toBe(200)
  return { tenant, path }
}

test('prices are read by keys that ask for decisions, and changed by none of them', async () => {
  const { tenant, path } = await organization()
  for (const scopes of [['runs:write'], ['edge:decide'], ['limits:read']]) {
    const { key } = await keyOf(server, tenant.id, { role: 'service', scopes, pins: { workflow_id: 'w' } })
    const read = await call(server.url, 'GET', path, { key })
    expect(read.status, scopes.join()).toBe(200)
    const [entry] = read.json['prices'] as { id: string }[]
    expect((await call(server.url, 'GET', `${path}/${entry!.id}`, { key })).status).toBe(200)
    const etag = read.headers.get('etag')!
    const again = await call(server.url, 'GET', path, { key, headers: { 'if-none-match': etag } })
    expect([again.status, again.text]).toEqual([304, ''])
    expect((await call(server.url, 'PUT', path, { key, body: { prices: [] } })).status).toBe(403)
    const limits = await call(server.url, 'GET', `/v1/orgs/${tenant.id}/trust`, { key })
    expect(limits.status).toBe(scopes.includes('limits:read') ? 200 : 403)
  }
  const { key } = await keyOf(server, tenant.id, { role: 'service', scopes: ['runs:read'] })
  expect((await call(server.url, 'GET', path, { key })).json.error).toMatchObject({
    code: 'missing_scope',
    details: { required: 'limits:read' },
  })
})

test('prices of one model are found by any spelling of it, with those of the catalogue', async () => {
  const { tenant, path } = await organization()
  const of = async (model: string) => {
    const { status, json, headers } = await call(server.url, 'GET', `${path}?model=${encodeURIComponent(model)}`, {
      key: tenant.key,
    })
    expect(status).toBe(200)
    const { prices, list_prices } = json as unknown as Record<string, { model: string; id: string; source: string }[]>
    return {
      own: prices!.map((entry) => entry.model),
      list: list_prices!.map(({ id }) => id),
      sources: [...new Set(list_prices!.map(({ source }) => source))],
      tag: headers.get('etag'),
    }
  }
  const plain = await of('gpt-4o')
  expect(plain.own).toEqual(['azure/gpt-4o', 'gpt-4o-2024-08-06'])
  expect(plain.list).toEqual(expect.arrayContaining(['list:gpt-4o@2024-08-06']))
  expect(plain.list.every((id) => id.includes('gpt-4o'))).toBe(true)
  for (const spelling of ['GPT-4o ', 'openai/gpt-4o', 'gpt-4o:latest'])
    expect((await of(spelling)).own, spelling).toEqual(plain.own)
  expect((await of('ours')).own).toEqual(['ours'])
  expect(await of('grok-4')).toMatchObject({ own: [], sources: ['catalog'] })
  expect(await of('nobody-made-this')).toMatchObject({ own: [], list: [] })
  // Any change of prices is another tag: the time of the last one is shown.
  const first = (await of('ours')).tag
  const one = { key: tenant.key, body: own('gpt-4.1') }
  expect((await call(server.url, 'POST', path, one)).status).toBe(201)
  expect((await of('gpt-4o')).own).toEqual(plain.own)
  expect((await of('ours')).tag).not.toBe(first)
})
