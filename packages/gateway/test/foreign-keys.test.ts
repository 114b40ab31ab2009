import { hash, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseForeignKey } from '../../server/src/access/identity/key-format.ts'
import { eventually } from '../../server/test/support/programs.ts'
import { call, keyOf, operatorOf, tenantOf } from '../../server/test/support/tenants.ts'
import { systemClock } from '../src/infra/clock.ts'
import { isForeignKey } from '../src/weir/caller-keys.ts'
import { Organizations } from '../src/weir/organizations.ts'
import { httpTransport } from '../src/weir/transport.ts'
import { Weir } from '../src/weir/weir.ts'
import { ask } from './support/callers.ts'
import { useGateway } from './support/gateway.ts'

/** Clients that keep the key of another gateway, through the real gateway to the real Weir. */
const client = { kind: 'openai', label: 'openai', credential: { client: true } } as const
const under = useGateway((base) => ({
  ...base,
  weir: { ...base.weir, foreign_keys: true },
  providers: { ...base.providers, callers: { ...client, base_url: base.providers['openai']!.base_url! } },
  models: [...(base.models ?? []), { name: 'gpt-5-mini', provider: 'callers' }],
}))
const closed = useGateway()

const newKey = () => `sk-${randomBytes(16).toString('base64url')}`
const chat = { model: 'gpt-4o', max_tokens: 16, messages: [{ role: 'user', content: 'hi' }] }
async function registered(old: string, more: object = {}) {
  const body = { keys: [{ sha256: hash('sha256', old), name: 'agent', ...more }] }
  const path = `/v1/orgs/${under.orgId}/foreign-keys`
  const { json, text, status } = await call(under.weir.url, 'POST', path, { key: under.ownerKey, body })
  expect(status, text).toBe(200)
  return (json['data'] as { id: string; key_id: string }[])[0]!
}
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

test.each([
  ['/v1/chat/completions', chat, (key: string) => bearer(key)],
  [
    '/v1/messages',
    { ...chat, model: 'claude-sonnet-4-5' },
    (key: string) => ({ authorization: 'none', 'x-api-key': key }),
  ],
])('a client of %s keeps its old key, and the provider never sees it', async (path, body, headersOf) => {
  const old = newKey()
  await registered(old)
  const before = under.provider.books.entries.length
  const answer = await ask(under, path, body, headersOf(old))
  expect(answer.status).toBe(200)
  const entries = under.provider.books.entries.slice(before)
  expect(entries).toHaveLength(1)
  expect(JSON.stringify(entries)).not.toContain(old)
})

test('a client is refused by the limit of the key that the old one stands for, and at the end of the grace', async () => {
  const old = newKey()
  const { id } = await registered(old, { pins: { department_id: 'tiny' } })
  const budget = `/v1/orgs/${under.orgId}/scoped-budget?scope_kind=department&scope_id=tiny&period=month`
  await call(under.weir.url, 'PUT', budget, { key: under.ownerKey, body: { name: 'Tiny', limit_usd: '0.000001' } })
  expect((await ask(under, '/v1/chat/completions', chat, bearer(old))).status).toBe(402)
  const end = `/v1/orgs/${under.orgId}/foreign-keys/${id}/end`
  await call(under.weir.url, 'POST', end, { key: under.ownerKey, body: {} })
  await eventually(async () => {
    const answer = await ask(under, '/v1/chat/completions', chat, bearer(old))
    return answer.status === 401 && (await answer.text()).includes('key_expired')
  })
})

test('an old key that has ended counts no tokens and reads nothing either, though it was in use', async () => {
  const old = newKey()
  const { id } = await registered(old)
  const messages = [{ role: 'user', content: 'hi' }]
  const count = () => ask(under, '/v1/messages/count_tokens', { model: 'claude-sonnet-4-5', messages }, bearer(old))
  expect((await ask(under, '/v1/chat/completions', chat, bearer(old))).status).toBe(200)
  expect((await count()).status).toBe(200)
  const end = `/v1/orgs/${under.orgId}/foreign-keys/${id}/end`
  await call(under.weir.url, 'POST', end, { key: under.ownerKey, body: {} })
  expect((await count()).status).toBe(401)
})

test('what a foreign key stands for is asked again after a minute: it may be a key of another organization by then', async () => {
  const old = newKey()
  const { id } = await registered(old)
  const operator = (await operatorOf(under.weir)).key
  const other = await tenantOf(under.weir, operator, 'Elsewhere')
  const { key } = await keyOf(under.weir, under.orgId, { role: 'service', scopes: ['runs:manage'] })
  const http = httpTransport(under.weir.url)
  let nowMs = 0
  const weir = new Weir(http.send, systemClock, 60_000)
  const organizations = new Organizations(
    weir,
    () => ({ key, address: '127.0.0.1' }),
    () => nowMs,
  )
  const manages = () => organizations.manages({ key: old, address: '127.0.0.1' })
  expect(await manages()).toBe(true)
  const post = (path: string, as: string, body: object = {}) => call(under.weir.url, 'POST', path, { key: as, body })
  await post(`/v1/orgs/${under.orgId}/foreign-keys/${id}/end`, under.ownerKey)
  const keys = [{ sha256: hash('sha256', old), name: 'agent' }]
  const made = await post(`/v1/orgs/${other.id}/foreign-keys`, other.key, { keys })
  const [moved] = made.json['data'] as { id: string }[]
  const award = `/v1/admin/orgs/${other.id}/foreign-keys/${moved?.id}/award`
  expect((await post(award, operator)).json).toMatchObject({ status: 'active' })
  nowMs = 60_000
  expect(await manages()).toBe(false)
  await http.close()
})

describe('what is no key', () => {
  test('is the same to a gateway as to Weir', () => {
    const texts = fc.oneof(
      fc.stringMatching(/^sk-[0-9A-Za-z_-]{18,22}$/),
      fc.stringMatching(/^sk-[0-9A-Za-z_-]{198,202}$/),
      fc.stringMatching(/^sk-[a-d]{15,30}[e-j]{0,5}$/),
      fc.stringMatching(/^.{0,3}sk-[ -~\n]{20,30}$/),
    )
    fc.assert(
      fc.property(texts, (text) => {
        expect(isForeignKey(text)).toBe(parseForeignKey(text) !== undefined)
      }),
    )
  })

  test('never reaches Weir where it does not look like one, and rarely where it does', async () => {
    let asked = 0
    const find = under.weir.platform.sql.pool.query.bind(under.weir.platform.sql.pool) as (
      ...args: unknown[]
    ) => unknown
    under.weir.platform.sql.pool.query = ((...args: unknown[]) => {
      if (JSON.stringify(args[0]).includes('foreign')) asked++
      return find(...args)
    }) as typeof under.weir.platform.sql.pool.query
    for (const garbage of ['sk-1234', `sk-${'a'.repeat(40)}`, 'sk-with spaces in it and more of them', 'nonsense'])
      expect((await ask(under, '/v1/chat/completions', chat, bearer(garbage))).status).toBe(401)
    expect(asked).toBe(0)
    const unknown = newKey()
    for (let i = 0; i < 5; i++)
      expect((await ask(under, '/v1/chat/completions', chat, bearer(unknown))).status).toBe(401)
    expect(asked).toBeLessThanOrEqual(2)
  })

  test('a credential of the provider goes to it, and not to Weir, beside a key of Weir', async () => {
    const [old, own] = [newKey(), newKey()]
    await registered(old)
    const before = under.provider.books.entries.length
    const both = { ...bearer(own), 'x-weir-key': old }
    expect((await ask(under, '/v1/chat/completions', { ...chat, model: 'gpt-5-mini' }, both)).status).toBe(200)
    const alone = await ask(under, '/v1/chat/completions', { ...chat, model: 'gpt-5-mini' }, bearer(old))
    expect(alone.status).toBeLessThan(500)
    expect(JSON.stringify(under.provider.books.entries.slice(before))).not.toContain(old)
  })

  test('no gateway takes any unless it is told to', async () => {
    const answer = await ask(closed, '/v1/chat/completions', chat, bearer(newKey()))
    expect(answer.status).toBe(401)
  })
})
