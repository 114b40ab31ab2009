import { hash, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { useServer } from '../support/harness.ts'
import { eventually } from '../support/processes.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** Keys of another gateway that stand for keys of ours, against those inside and outside of the organization who would gain by them. */
const server = useServer()
let acme: Tenant
let globex: Tenant

beforeAll(async () => {
  const { key } = await operatorOf(server)
  acme = await tenantOf(server, key)
  globex = await tenantOf(server, key, 'Globex')
})

const newKey = () => `sk-${randomBytes(16).toString('base64url')}`
const sha256 = (text: string) => hash('sha256', text)
const soon = (ms: number) => new Date(Date.now() + ms).toISOString()
const ask = (method: string, path: string, body?: unknown, key = acme.key) =>
  call(server.url, method, path, { key, ...(body !== undefined && { body }) })
const register = (keys: readonly object[], { id, key }: { id: string; key: string } = acme) =>
  ask('POST', `/v1/orgs/${id}/foreign-keys`, { keys }, key)
const registered = async (old: string, more: object = {}, tenant: { id: string; key: string } = acme) => {
  const answer = await register([{ sha256: sha256(old), name: 'agent', ...more }], tenant)
  expect(answer.status, answer.text).toBe(200)
  return (answer.json['data'] as { id: string; key_id: string; created: boolean; status: string; uses: number }[])[0]!
}
const me = (key: string) => call(server.url, 'GET', '/v1/me', { key })
const code = async (key: string) => {
  const { status, json } = await me(key)
  return json.error ? `${status} ${json.error.code}` : status
}
const key = (id: string, action: string, body: object = {}) =>
  ask('POST', `/v1/orgs/${acme.id}/keys/${id}/${action}`, body)

describe('a client with an old key', () => {
  test('keeps it: with the pins and limits of the key that it stands for, told in each answer when it ends, and counted', async () => {
    const old = newKey()
    await ask('PUT', `/v1/orgs/${acme.id}/scoped-budget?scope_kind=department&scope_id=sales&period=month`, {
      name: 'Sales',
      limit_usd: '1',
    })
    const { id, key_id } = await registered(old, { pins: { department_id: 'sales' } })
    const run = (estimated_cost_usd: string) => ask('POST', '/v1/runs', { model: 'gpt-4o', estimated_cost_usd }, old)
    const started = await run('0.75')
    expect(started.status, started.text).toBe(201)
    expect(started.headers.get('x-svc-foreign-key-ends')).toMatch(/^20\d\d-\d\d-\d\dT/)
    expect((await run('0.75')).json.error).toMatchObject({ code: 'budget_exceeded', details: { limit_usd: '1' } })
    expect((await me(old)).json).toMatchObject({ id: key_id, role: 'service' })
    const shown = () => ask('GET', `/v1/orgs/${acme.id}/foreign-keys/${id}`)
    await eventually(async () => (await shown()).json['uses'] === 3)
    expect((await shown()).json).toMatchObject({ key_id, status: 'active', pins: { department_id: 'sales' } })
    const used = async (since: string) =>
      (await ask('GET', `/v1/orgs/${acme.id}/foreign-keys?used_since=${encodeURIComponent(since)}`)).json['data']
    expect(await used(soon(-60_000))).toMatchObject([{ id }])
    expect(await used(soon(60_000))).toEqual([])
  })

  test('gets 401 key_expired at the end of the grace, in every process that remembers it', async () => {
    const old = newKey()
    await registered(old, { ends_at: soon(1_500) })
    expect(await code(old)).toBe(200)
    await eventually(async () => (await code(old)) === '401 key_expired')
  })

  test('is refused at the next request when the key is revoked, and when somebody ends the old key', async () => {
    const [revoked, ended] = [newKey(), newKey()]
    const first = await registered(revoked)
    const second = await registered(ended)
    for (const old of [revoked, ended]) expect(await code(old)).toBe(200)
    await key(first.key_id, 'revoke')
    expect(await code(revoked)).toBe('410 gone')
    const path = `/v1/orgs/${acme.id}/foreign-keys/${second.id}`
    expect((await ask('POST', `${path}/end`, {})).json).toMatchObject({ status: 'ended' })
    expect(await code(ended)).toBe('401 key_expired')
    expect((await ask('POST', `${path}/end`, {})).json).toEqual((await ask('GET', path)).json)
  })

  test('has the overlap of a rotation to change to the new secret', async () => {
    const old = newKey()
    const { key_id } = await registered(old)
    const rotated = await key(key_id, 'rotate', { overlap_seconds: 3600 })
    expect([await code(String(rotated.json['secret'])), await code(old)]).toEqual([200, 200])
    const other = newKey()
    await key((await registered(other)).key_id, 'rotate')
    expect(await code(other)).toBe('401 key_expired')
  })
})

test('registering the same keys again changes nothing, whoever else does so at once', async () => {
  const keys = Array.from({ length: 20 }, (_, i) => ({ sha256: sha256(newKey()), name: `agent ${i}` }))
  const answers = await Promise.all(Array.from({ length: 4 }, () => register(keys)))
  const lists = answers.map(({ json }) => json['data'] as { id: string; key_id: string; created: boolean }[])
  for (const [i] of keys.entries()) {
    expect(new Set(lists.map((list) => list[i]!.key_id)).size).toBe(1)
    expect(lists.filter((list) => list[i]!.created)).toHaveLength(1)
  }
})

describe('somebody who knows a digest', () => {
  test('of another organization gains nothing by it, and neither learns of the other: it works for nobody', async () => {
    const old = newKey()
    const mine = await registered(old)
    expect(await code(old)).toBe(200)
    const theirs = await registered(old, {}, globex)
    expect(theirs).toMatchObject({ created: true, status: 'active' })
    // At once, although the process remembers whose it was.
    expect(await code(old)).toBe('401 unauthorized')
    const shown = await ask('GET', `/v1/orgs/${acme.id}/foreign-keys/${mine.id}`)
    expect(shown.json).toMatchObject({ status: 'active' })
    expect(shown.text).not.toContain(sha256(old))
    const path = (id: string) => `/v1/orgs/${acme.id}/foreign-keys/${id}`
    expect((await ask('GET', path(theirs.id))).status).toBe(404)
    expect((await ask('POST', `${path(theirs.id)}/end`, {})).status).toBe(404)
    await ask('POST', `/v1/orgs/${globex.id}/foreign-keys/${theirs.id}/end`, {}, globex.key)
    expect((await me(old)).json).toMatchObject({ id: mine.key_id })
  })

  test('cannot call with it', async () => {
    const old = newKey()
    await registered(old)
    for (const text of [sha256(old), `sk-${sha256(old)}`, old.slice(0, -1), `${old}A`, old.toUpperCase()])
      expect(await code(text)).toBe('401 unauthorized')
  })

  test('of a key that everybody knows is told so, and such a key is never taken', async () => {
    const answer = await register([
      { sha256: sha256(newKey()), name: 'good' },
      { sha256: sha256('sk-1234'), name: 'the default of LiteLLM' },
    ])
    expect(answer.json.error).toMatchObject({
      code: 'validation_failed',
      details: { fields: [{ field: 'keys.1.sha256', code: 'invalid_value' }] },
    })
    for (const thoughtUp of ['sk-our-team', `sk-${'ab'.repeat(12)}`]) {
      await registered(thoughtUp)
      expect(await code(thoughtUp)).toBe('401 unauthorized')
    }
  })
})

describe('authority', () => {
  test('whoever cannot make such a key cannot register one for it', async () => {
    const old = { sha256: sha256(newKey()), name: 'k' }
    const as = async (options: Parameters<typeof keyOf>[2]) => {
      const { key: secret } = await keyOf(server, acme.id, options)
      return (await register([old], { id: acme.id, key: secret })).json.error?.code
    }
    expect(await as({ role: 'admin', scopes: ['keys:write'] })).toBe('missing_scope')
    expect(await as({ role: 'member', scopes: ['keys:write', 'edge:decide', 'runs:write'] })).toBe('forbidden')
    expect(await as({ role: 'admin', pins: { department_id: 'sales' } })).toBe('forbidden')
    expect((await register([old], { id: globex.id, key: acme.key })).status).toBe(404)
    expect(await as({ role: 'admin' })).toBeUndefined()
  })

  test('an old key can spend, and nothing else, however powerful whoever registered it is', async () => {
    const old = newKey()
    await registered(old)
    for (const path of ['keys', 'foreign-keys', 'budgets', 'audit-log'])
      expect((await ask('GET', `/v1/orgs/${acme.id}/${path}`, undefined, old)).status).toBe(403)
    const page = await fetch(`${server.url}/console/signin`, {
      method: 'POST',
      body: new URLSearchParams({ key: old }),
      headers: { origin: server.url, 'sec-fetch-site': 'same-origin' },
      redirect: 'manual',
    })
    expect(page.headers.get('set-cookie') ?? '').not.toContain('weirsession')
  })

  test('the grace is bounded by the installation', async () => {
    const answer = await register([{ sha256: sha256(newKey()), name: 'k', ends_at: soon(91 * 86_400_000) }])
    expect(answer.json.error?.details).toMatchObject({ fields: [{ field: 'keys.0.ends_at', code: 'out_of_range' }] })
  })
})
