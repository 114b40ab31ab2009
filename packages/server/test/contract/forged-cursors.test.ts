import { beforeAll, expect, test } from 'vitest'
import { formatId, type IdKind, newUuid } from '../../src/values/id.ts'
import { useServer } from '../support/harness.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const server = useServer()
let operator: string
let tenant: Tenant
let subscriptionId: string

beforeAll(async () => {
  operator = (await operatorOf(server)).key
  tenant = await tenantOf(server, operator)
  const { json } = await call(server.url, 'POST', `/v1/orgs/${tenant.id}/webhooks`, {
    key: tenant.key,
    body: { url: 'https://192.0.78.9/' },
  })
  subscriptionId = String(json['id'])
})

interface Listed {
  readonly template: string
  readonly sorts: readonly string[]
}

/** Every list of the contract, with the sorts that it offers. */
const lists = (): Listed[] =>
  server.routes.flatMap(({ method, template, schema }) => {
    const { querystring } = schema as { querystring?: { properties?: Record<string, { enum?: string[] }> } }
    const { cursor, sort } = querystring?.properties ?? {}
    return method === 'GET' && cursor ? [{ template, sorts: sort?.enum ?? ['created_at'] }] : []
  })

const kinds: Record<string, IdKind> = { key_id: 'key', chain_id: 'chain', rule_id: 'rule', cohort_id: 'cohort' }
const pathOf = (template: string) =>
  template.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    if (name === 'id' || name === 'org_id') return tenant.id
    if (name === 'sub_id') return subscriptionId
    if (name === 'scope_kind') return 'workflow'
    if (name === 'dimension') return 'department_id'
    return name === 'customer_id' ? 'customer-1' : formatId(kinds[name]!, newUuid())
  })

const queryOf = (sorts: readonly string[], sort: string, cursor: string) =>
  sorts.length > 1 ? `sort=${sort}&cursor=${cursor}` : `cursor=${cursor}`
const keyFor = (template: string) => (template.startsWith('/v1/admin/') ? operator : tenant.key)

/** Two pages of a list that every organization has, and one that is open to everybody. */
async function genuine(path: string, key: string): Promise<string> {
  const { json } = await call(server.url, 'GET', `${path}?limit=1`, { key })
  return String(json['next_cursor'])
}

test('nobody can read or forge a cursor, on any list and any sort', async () => {
  const asked = lists()
  expect(asked.length).toBeGreaterThan(15)
  const foreign = await genuine(`/v1/orgs/${tenant.id}/keys`, tenant.key)
  const failures: string[] = []
  for (const { template, sorts } of asked) {
    for (const sort of sorts) {
      const plain = JSON.stringify([sort, '2026-01-01 00:00:00+00', newUuid()])
      for (const cursor of ['', 'x', plain, Buffer.from(plain).toString('base64url'), foreign]) {
        const query = queryOf(sorts, sort, encodeURIComponent(cursor))
        if (template === '/v1/orgs/{id}/keys' && cursor === foreign) continue
        const { status, json } = await call(server.url, 'GET', `${pathOf(template)}?${query}`, {
          key: keyFor(template),
        })
        const fields = (json['error'] as { details?: { fields?: { field: string }[] } } | undefined)?.details?.fields
        if (status !== 422 || !fields?.some(({ field }) => field === 'cursor'))
          failures.push(`${template} ${query}: ${status}`)
      }
    }
  }
  expect(failures).toEqual([])
})

test('a cursor leads on in its own list only: not in that of another organization, nor changed by a bit', async () => {
  const path = `/v1/orgs/${tenant.id}/keys`
  await keyOf(server, tenant.id)
  const cursor = await genuine(path, tenant.key)
  const ask = async (other: string, at = path, key = tenant.key) =>
    (await call(server.url, 'GET', `${at}?limit=1&cursor=${other}`, { key })).status
  expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain('created_at')
  expect(await ask(cursor)).toBe(200)
  const neighbour = await tenantOf(server, operator)
  expect(await ask(cursor, `/v1/orgs/${neighbour.id}/keys`, neighbour.key)).toBe(422)
  const bytes = Buffer.from(cursor, 'base64url')
  for (let at = 0; at < bytes.length; at += 7) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    expect(await ask(changed.toString('base64url'))).toBe(422)
  }
  for (const length of [0, 1, 20, 25, 40]) expect(await ask(bytes.subarray(0, length).toString('base64url'))).toBe(422)
})

test('an export that broke off goes on after a line by its cursor, and by no other', async () => {
  const path = `/v1/orgs/${tenant.id}/audit-log/export`
  const lines = async (query = '') => {
    const { text, status } = await call(server.url, 'GET', `${path}${query}`, { key: tenant.key })
    return status === 200 ? text.trim().split('\n').filter(Boolean) : [String(status)]
  }
  const all = await lines()
  const { cursor } = JSON.parse(all[0]!) as { cursor: string }
  expect((await lines(`?cursor=${cursor}`)).length).toBe(all.length - 1)
  const plain = Buffer.from(JSON.stringify(['2026-11-15T10:00:00.123456+00:00', '1'])).toString('base64url')
  expect(await lines(`?cursor=${plain}`)).toEqual(['422'])
})
