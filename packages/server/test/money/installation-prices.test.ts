import { expect, test } from 'vitest'
import { changeEveryConfiguration } from '../../src/money/ledger/ledger.ts'
import { operatorsOrgId } from '../../src/values/id.ts'
import { type MoneyOrg, useMoney } from '../support/money.ts'
import { call, keyOf, operatorOf } from '../support/tenants.ts'

const money = useMoney()
const million = 1_000_000

const price = (model: string, usd: string) => ({ model, input_usd_per_million: usd, output_usd_per_million: usd })

async function setForAll(prices: object[]) {
  const { key } = await operatorOf(money.server)
  const answer = await call(money.server.url, 'PUT', '/v1/admin/prices', { key, body: { prices } })
  expect(answer.status, answer.text).toBe(200)
  return answer.json as unknown as { prices: { id: string; model: string }[] }
}

const held = async (org: MoneyOrg, model: string) => {
  const { json } = await org.post('/v1/runs', { model, input_tokens: million, max_output_tokens: million })
  return json['reserved_usd'] ?? json.error?.code
}

test('entries of the installation price every organization, behind its own and in front of the list', async () => {
  const [first, second] = [await money.org(), await money.org()]
  await setForAll([])
  for (const org of [first, second]) expect(await held(org, 'new-model')).toMatch(/[a-z]/)
  const listed = await held(first, 'gpt-4o')
  const { prices } = await setForAll([price('new-model', '1'), price('gpt-4o', '100')])
  for (const org of [first, second])
    expect([await held(org, 'new-model'), await held(org, 'openai/gpt-4o')]).toEqual(['2', '200'])
  await first.set('PUT', '/prices', { prices: [price('gpt-4o', '7')] })
  expect([await held(first, 'gpt-4o'), await held(second, 'gpt-4o')]).toEqual(['14', '200'])
  expect(await held(await money.org(), 'new-model')).toBe('2')

  const again = await setForAll([price('gpt-4o', '100'), price('new-model', '3')])
  expect(again.prices.map(({ id }) => id)).toContain(prices.find(({ model }) => model === 'gpt-4o')!.id)
  for (const org of [first, second]) expect(await held(org, 'new-model')).toBe('6')
  await setForAll([])
  expect([await held(second, 'gpt-4o'), await held(first, 'gpt-4o')]).toEqual([listed, '14'])
})

test('an organization sees the entry that prices a model, and the time of the last change', async () => {
  const org = await money.org()
  await setForAll([price('seen-model', '1')])
  const path = `/v1/orgs/${org.id}/prices`
  const read = (query = '', headers = {}) => call(money.server.url, 'GET', `${path}${query}`, { key: org.key, headers })
  expect((await read('?model=Seen-Model')).json['list_prices']).toMatchObject([
    { model: 'seen-model', source: 'installation', input_usd_per_million: '1' },
  ])
  const before = await read()
  const tag = before.headers.get('etag')!
  expect((await read('', { 'if-none-match': tag })).status).toBe(304)
  await setForAll([price('seen-model', '2')])
  const after = await read('', { 'if-none-match': tag })
  expect(after.status).toBe(200)
  expect(after.json['installation_updated_at']).not.toBe(before.json['installation_updated_at'])
  // What operators change does not get in the way of an organization that changes its own.
  const put = { key: org.key, body: { prices: [] }, headers: { 'if-match': tag } }
  expect((await call(money.server.url, 'PUT', path, put)).status).toBe(200)
})

test('entries of the installation are for operators, on their record', async () => {
  const org = await money.org()
  const { url } = money.server
  const body = { prices: [price('forbidden', '0')] }
  for (const method of ['GET', 'PUT', 'PATCH'])
    expect(
      (await call(url, method, '/v1/admin/prices', { key: org.key, ...(method !== 'GET' && { body }) })).status,
    ).toBe(403)
  const { key: admin } = await keyOf(money.server, org.id, { role: 'admin' })
  expect((await call(url, 'PUT', '/v1/admin/prices', { key: admin, body })).status).toBe(403)
  const { key } = await operatorOf(money.server)
  const twice = { prices: [price('twice', '1'), price('TWICE', '2')] }
  expect((await call(url, 'PUT', '/v1/admin/prices', { key, body: twice })).status).toBe(422)

  await setForAll([price('recorded', '1')])
  await setForAll([price('recorded', '2')])
  await setForAll([price('recorded', '2')])
  const { rows } = await money.superuser.client.query<{ before: unknown; after: unknown }>(
    `select before, after from audit_log where org_id = $1 and action = 'installation_prices.changed' order by seq desc limit 2`,
    [operatorsOrgId],
  )
  expect(rows[0]).toMatchObject({
    before: { removed: [{ model: 'recorded', input_usd_per_million: '1' }] },
    after: { added: [{ model: 'recorded', input_usd_per_million: '2' }] },
  })
})

test('a single entry is added, read, changed and removed for every organization', async () => {
  const org = await money.org()
  await setForAll([price('beside', '5')])
  const { key } = await operatorOf(money.server)
  const ask = (method: string, path: string, body?: object, headers = {}) =>
    call(money.server.url, method, `/v1/admin/prices${path}`, { key, headers, ...(body && { body }) })
  const added = await ask('POST', '', { ...price('one-model', '1'), provider: 'acme' })
  expect([added.status, added.json]).toMatchObject([201, { model: 'one-model', provider: 'acme' }])
  expect(await held(org, 'acme/one-model')).toBe('2')
  const path = `/${String(added.json['id'])}`
  expect((await ask('GET', path)).json).toEqual(added.json)
  expect((await ask('POST', '', { ...price('ONE-model', '9'), provider: 'acme' })).status).toBe(409)

  const tag = (await ask('GET', path)).headers.get('etag')!
  const changed = await ask('PATCH', path, { output_usd_per_million: '9' }, { 'if-match': tag })
  expect(changed.json).toMatchObject({ id: added.json['id'], provider: 'acme', input_usd_per_million: '1' })
  expect(await held(org, 'acme/one-model')).toBe('10')
  expect((await ask('PATCH', path, { output_usd_per_million: '7' }, { 'if-match': tag })).status).toBe(412)
  expect((await ask('PUT', path, price('one-model', '3'))).json).toMatchObject({ provider: null })
  expect(await held(org, 'one-model')).toBe('6')
  expect((await ask('PUT', path, price('beside', '3'))).status).toBe(409)

  expect((await ask('DELETE', path)).status).toBe(204)
  expect((await ask('GET', path)).status).toBe(404)
  expect(await held(org, 'one-model')).toMatch(/[a-z]/)
  expect(await held(org, 'beside')).toBe('10')
  const { rows } = await money.superuser.client.query<{ action: string }>(
    `select action from audit_log where org_id = $1 and action like 'installation_price.%' order by seq`,
    [operatorsOrgId],
  )
  expect(rows.map(({ action }) => action)).toEqual(
    ['created', 'changed', 'changed', 'deleted'].map((what) => `installation_price.${what}`),
  )
})

test('an entry of an organization is no entry of the installation, and an installation has at most 1,000', async () => {
  const org = await money.org()
  const { json } = await org.ask('POST', '/prices', price('own-one', '1'))
  const { key } = await operatorOf(money.server)
  const foreign = `/v1/admin/prices/${String(json['id'])}`
  for (const method of ['GET', 'DELETE'])
    expect((await call(money.server.url, method, foreign, { key })).status).toBe(404)
  await setForAll(Array.from({ length: 1_000 }, (_, i) => price(`full-${i}`, '1')))
  const more = await call(money.server.url, 'POST', '/v1/admin/prices', { key, body: price('too-many', '1') })
  expect([more.status, more.text]).toEqual([422, expect.stringContaining('at most 1000 prices')])
  await setForAll([])
})

test('no organization can mark every configuration as changed', async () => {
  const org = await money.org()
  const version = async () => (await org.rows('select config_version as v from org_ledgers where org_id = $1'))[0]
  const before = await version()
  await money.server.platform.sql.asOrgs([org.uuid], (tx) => changeEveryConfiguration(tx))
  expect(await version()).toEqual(before)
})
