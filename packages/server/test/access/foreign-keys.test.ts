import { hash, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { useServer } from '../support/harness.ts'
import { eventually } from '../support/processes.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** Keys of another gateway that stand for keys of ours, against those inside and outside of the organization who would gain by them. */
const server = useServer()
let acme: Tenant
let globex: Tenant
let operator: string

beforeAll(async () => {
  operator = (await operatorOf(server)).key
  acme = await tenantOf(server, operator)
  globex = await tenantOf(server, operator, 'Globex')
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

test('every fault of every key is named at once', async () => {
  const [digest, past] = [sha256(newKey()), soon(-60_000)]
  const answer = await register([
    { sha256: sha256('sk-1234'), name: 'k', ends_at: past },
    { sha256: digest, name: 'k', expires_at: past, pins: { department_id: '\u200b' } },
    { sha256: digest, name: 'k', owner_id: 'mbr_01jbsteb4peb5vskx602h9mw4q', ends_at: soon(400 * 86_400_000) },
  ])
  const fields = answer.json.error?.details['fields'] as { field: string }[]
  expect(fields.map(({ field }) => field).toSorted()).toEqual([
    'keys.0.ends_at',
    'keys.0.sha256',
    'keys.1.expires_at',
    'keys.1.pins.department_id',
    'keys.2.ends_at',
    'keys.2.owner_id',
    'keys.2.sha256',
  ])
})

describe('an organization that claims the key of another', () => {
  const shown = async ({ id: orgId, key: secret }: Tenant, id: string) =>
    (await ask('GET', `/v1/orgs/${orgId}/foreign-keys/${id}`, undefined, secret)).json
  const status = async (tenant: Tenant, id: string) => (await shown(tenant, id))['status']
  const end = ({ id: orgId, key: secret }: Tenant, id: string) =>
    ask('POST', `/v1/orgs/${orgId}/foreign-keys/${id}/end`, {}, secret)
  const award = ({ id: orgId }: Tenant, id: string, as = operator) =>
    ask('POST', `/v1/admin/orgs/${orgId}/foreign-keys/${id}/award`, undefined, as)
  const contested = async () => {
    const { json } = await ask(
      'GET',
      '/v1/admin/contested-foreign-keys?limit=200&sort=-contested_at',
      undefined,
      operator,
    )
    return json['data'] as { id: string; org_id: string; contest_id: string; status: string }[]
  }
  const inUse = async (old: string) => {
    const mine = await registered(old)
    expect(await code(old)).toBe(200)
    await eventually(async () => (await shown(acme, mine.id))['uses'] === 1)
    return mine
  }

  test('before it is there takes over nothing: the key is nobody’s, both and the operator see it, and the operator decides', async () => {
    const old = newKey()
    const squat = await registered(old, {}, globex)
    const mine = await registered(old)
    expect(await code(old)).toBe('401 unauthorized')
    expect([await status(globex, squat.id), mine.status]).toEqual(['contested', 'contested'])
    const claims = (await contested()).filter(({ id }) => id === squat.id || id === mine.id)
    expect(new Set(claims.map(({ org_id }) => org_id))).toEqual(new Set([acme.id, globex.id]))
    expect(new Set(claims.map(({ contest_id }) => contest_id)).size).toBe(1)
    expect((await award(globex, squat.id, globex.key)).status).toBe(403)
    expect((await award(acme, mine.id)).json).toMatchObject({ status: 'active', contested_at: null })
    expect((await me(old)).json).toMatchObject({ id: mine.key_id })
    expect(await status(globex, squat.id)).toBe('ended')
    const { json } = await ask('GET', `/v1/orgs/${globex.id}/audit-log?limit=200`, undefined, globex.key)
    const entry = { action: 'foreign_key.ended', target: { kind: 'foreign_key', id: squat.id } }
    expect(json['data']).toContainEqual(expect.objectContaining(entry))
    expect((await award(globex, squat.id)).json.error?.code).toBe('conflict')
    // The owner that was awarded the key is not blocked by the next one.
    const initech = await tenantOf(server, operator, 'Initech')
    expect(await registered(old, {}, initech)).toMatchObject({ status: 'contested' })
    expect(await code(old)).toBe(200)
  })

  test('later blocks none that is in use, and learns nothing but that it is contested', async () => {
    const old = newKey()
    const mine = await inUse(old)
    const answer = await register([{ sha256: sha256(old), name: 'agent' }], globex)
    expect(answer.json['data']).toMatchObject([{ created: true, status: 'contested' }])
    expect(answer.text).not.toContain(acme.id)
    expect((await me(old)).json).toMatchObject({ id: mine.key_id })
    expect(await shown(acme, mine.id)).toMatchObject({ status: 'active', contested_at: expect.any(String) })
    expect(
      (await ask('GET', `/v1/orgs/${acme.id}/foreign-keys/${String((answer.json['data'] as { id: string }[])[0]?.id)}`))
        .status,
    ).toBe(404)
  })

  test('at the same moment gets it no more than the other', async () => {
    const old = newKey()
    const both = await Promise.all([registered(old), registered(old, {}, globex)])
    expect(await code(old)).toBe('401 unauthorized')
    expect([await status(acme, both[0].id), await status(globex, both[1].id)]).toEqual(['contested', 'contested'])
  })

  test('gets nothing when the registration of its owner ends, is revoked or expires, nor by registering again', async () => {
    const [ended, revoked, expired] = [newKey(), newKey(), newKey()]
    const mine = [await inUse(ended), await inUse(revoked)]
    await registered(expired, { ends_at: soon(1_000) })
    for (const old of [ended, revoked, expired]) await registered(old, {}, globex)
    await end(acme, mine[0]!.id)
    await key(mine[1]!.key_id, 'revoke')
    await eventually(async () => (await code(expired)) === '401 unauthorized')
    expect([await code(ended), await code(revoked)]).toEqual(['401 key_expired', '410 gone'])
    for (const old of [ended, revoked, expired])
      expect(await registered(old, {}, globex)).toMatchObject({ created: false, status: 'contested' })
    // Also a claim that is made only after the end.
    const initech = await tenantOf(server, operator, 'Initech')
    expect(await registered(ended, {}, initech)).toMatchObject({ created: true, status: 'contested' })
    expect(await code(ended)).toBe('401 key_expired')
  })

  test('while its owner is suspended takes over nothing, neither then nor afterwards', async () => {
    const victim = await tenantOf(server, operator, 'Victim')
    const [used, unused] = [newKey(), newKey()]
    const mine = await registered(used, {}, victim)
    await registered(unused, {}, victim)
    expect(await code(used)).toBe(200)
    await eventually(async () => (await shown(victim, mine.id))['uses'] === 1)
    const turn = (verb: string) => ask('POST', `/v1/admin/orgs/${victim.id}/${verb}`, {}, operator)
    expect((await turn('suspend')).status).toBe(200)
    for (const old of [used, unused]) await registered(old, {}, globex)
    expect([await code(used), await code(unused)]).toEqual(['403 org_suspended', '401 unauthorized'])
    expect((await turn('resume')).status).toBe(200)
    expect((await me(used)).json).toMatchObject({ id: mine.key_id })
    expect(await code(unused)).toBe('401 unauthorized')
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
