import { beforeAll, describe, expect, test } from 'vitest'
import { useServer } from '../support/harness.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const server = useServer()
let acme: Tenant
beforeAll(async () => {
  acme = await tenantOf(server, (await operatorOf(server)).key)
})

type Options = NonNullable<Parameters<typeof keyOf>[2]>
const made = (options: Options) => keyOf(server, acme.id, options)
const send = (key: string, path: string, body: object = {}) =>
  call(server.url, 'POST', `/v1/orgs/${acme.id}/keys${path}`, { key, body })
const seen = async (id: string) =>
  (await call(server.url, 'GET', `/v1/orgs/${acme.id}/keys/${id}`, { key: acme.key })).json

const keeper = ['keys:read', 'keys:write', 'runs:read']
const inAnHour = () => new Date(Date.now() + 3_600_000)

describe('what a key may do to another', () => {
  const cases: { more: string; caller: Options; target: Options; code: string; details?: object }[] = [
    {
      more: 'a role above',
      caller: { role: 'admin', scopes: keeper },
      target: { role: 'owner', scopes: ['runs:read'] },
      code: 'forbidden',
    },
    {
      more: 'another scope',
      caller: { role: 'admin', scopes: keeper },
      target: { role: 'service', scopes: ['runs:read', 'limits:write'] },
      code: 'missing_scope',
      details: { required: 'limits:write' },
    },
    {
      more: 'no pin where it has one',
      caller: { role: 'admin', scopes: keeper, pins: { workflow_id: 'demo' } },
      target: { role: 'service', scopes: ['runs:read'] },
      code: 'forbidden',
    },
    {
      more: 'a pin to something else',
      caller: { role: 'admin', scopes: keeper, pins: { workflow_id: 'demo' } },
      target: { role: 'service', scopes: ['runs:read'], pins: { workflow_id: 'other' } },
      code: 'forbidden',
    },
  ]
  for (const { more, caller, target, code, details = {} } of cases)
    test(`a key with ${more} is neither rotated nor revoked by it`, async () => {
      const [who, whom] = [await made(caller), await made(target)]
      for (const verb of ['rotate', 'revoke']) {
        const { status, json } = await send(who.key, `/${whom.id}/${verb}`)
        expect({ verb, status, ...json.error }).toMatchObject({ verb, status: 403, code, details })
      }
      expect(await seen(whom.id)).toMatchObject({ status: 'active', expires_at: null, rotated_to: null })
    })

  test('a key that ends later is revoked by it, and not rotated', async () => {
    const who = await made({ role: 'admin', scopes: keeper, expiresAt: inAnHour() })
    const whom = await made({ role: 'service', scopes: ['runs:read'] })
    expect((await send(who.key, `/${whom.id}/rotate`)).json.error?.code).toBe('forbidden')
    expect((await send(who.key, `/${whom.id}/revoke`)).json).toMatchObject({ status: 'revoked' })
  })

  test('a key within its own is rotated and revoked by it', async () => {
    const who = await made({ role: 'admin', scopes: keeper, pins: { workflow_id: 'demo' } })
    const whom = await made({
      role: 'service',
      scopes: ['runs:read'],
      pins: { workflow_id: 'demo', customer_id: 'c' },
      expiresAt: inAnHour(),
    })
    const { status, json } = await send(who.key, `/${whom.id}/rotate`)
    expect({ status, ...json }).toMatchObject({
      status: 'active',
      pins: { workflow_id: 'demo', customer_id: 'c' },
      minted_by: who.id,
      rotated_from: whom.id,
    })
    expect((await send(who.key, `/${String(json['id'])}/revoke`)).status).toBe(200)
  })

  test('a key always rotates and revokes itself', async () => {
    const own = await made({
      role: 'admin',
      scopes: keeper,
      pins: { workflow_id: 'demo' },
      expiresAt: inAnHour(),
    })
    const { json } = await send(own.key, `/${own.id}/rotate`)
    const successor = json['secret'] as string
    expect(json).toMatchObject({ role: 'admin', scopes: keeper, pins: { workflow_id: 'demo' } })
    expect((await send(successor, `/${String(json['id'])}/revoke`)).status).toBe(200)
  })
})

describe('a rotated key', () => {
  test('has one successor, and each names the other', async () => {
    const old = await made({ role: 'service', scopes: ['runs:read'] })
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => send(acme.key, `/${old.id}/rotate`, { overlap_seconds: 3600 })),
    )
    const [first, ...more] = answers.filter(({ status }) => status === 200)
    expect(more).toEqual([])
    expect(answers.filter(({ json }) => json.error?.code === 'conflict')).toHaveLength(5)
    const successor = String(first!.json['id'])
    expect(await seen(old.id)).toMatchObject({ status: 'active', rotated_from: null, rotated_to: successor })
    expect(await seen(successor)).toMatchObject({ rotated_from: old.id, rotated_to: null, minted_by: acme.keyId })
  })

  test('keeps its beginning and its end', async () => {
    const expiresAt = new Date(Date.now() + 7_200_000)
    const old = await made({ role: 'service', scopes: ['runs:read'], notBefore: inAnHour(), expiresAt })
    const before = await seen(old.id)
    const { json } = await send(acme.key, `/${old.id}/rotate`)
    expect(json).toMatchObject({
      status: 'pending',
      not_before: before['not_before'],
      expires_at: before['expires_at'],
    })
    expect((await call(server.url, 'GET', '/v1/me', { key: json['secret'] as string })).json.error?.code).toBe(
      'key_expired',
    )
  })

  test('cannot take its successor back during its overlap', async () => {
    const old = await made({ role: 'admin', scopes: keeper })
    const { json } = await send(old.key, `/${old.id}/rotate`, { overlap_seconds: 3600 })
    const successor = String(json['id'])
    expect((await send(old.key, `/${successor}/rotate`)).json.error?.code).toBe('forbidden')
    expect(await seen(successor)).toMatchObject({ status: 'active', rotated_to: null })
  })

  test('is not rotated once it has ended', async () => {
    const ended = await made({ role: 'service', scopes: ['runs:read'], expiresAt: new Date(Date.now() - 1_000) })
    expect((await send(acme.key, `/${ended.id}/rotate`)).json.error?.code).toBe('conflict')
  })
})

describe('a minted key', () => {
  const wanted = { name: 'k', role: 'service', scopes: ['runs:read'] }

  test('is bound to the pins of its maker, and to further ones that it asks for', async () => {
    const maker = await made({ role: 'admin', scopes: keeper, pins: { workflow_id: 'demo' } })
    expect((await send(maker.key, '', { ...wanted, pins: { customer_id: 'c' } })).json).toMatchObject({
      pins: { workflow_id: 'demo', customer_id: 'c' },
      minted_by: maker.id,
    })
    const { status, json } = await send(maker.key, '', { ...wanted, pins: { workflow_id: 'other' } })
    expect({ status, code: json.error?.code }).toEqual({ status: 403, code: 'forbidden' })
  })

  test('ends no later than its maker', async () => {
    const expiresAt = inAnHour()
    const maker = await made({ role: 'owner', scopes: keeper, expiresAt })
    const own = (await seen(maker.id))['expires_at']
    expect((await send(maker.key, '', wanted)).json).toMatchObject({ expires_at: own })
    const later = new Date(expiresAt.getTime() + 1_000).toISOString()
    expect((await send(maker.key, '', { ...wanted, expires_at: later })).json.error?.code).toBe('forbidden')
    const earlier = new Date(expiresAt.getTime() - 1_000).toISOString()
    expect((await send(maker.key, '', { ...wanted, expires_at: earlier })).status).toBe(201)
    const { json } = await send(maker.key, '', { ...wanted, not_before: later })
    expect(json.error?.details).toMatchObject({ fields: [{ field: 'not_before', code: 'out_of_range' }] })
    expect((await send(acme.key, '', wanted)).json).toMatchObject({ expires_at: null })
  })

  test('is not minted dead', async () => {
    const { json } = await send(acme.key, '', { ...wanted, expires_at: '2020-01-01T00:00:00Z' })
    expect(json.error).toMatchObject({
      code: 'validation_failed',
      details: { fields: [{ field: 'expires_at', code: 'out_of_range' }] },
    })
  })

  test('is pinned only to what a call could say', async () => {
    const { json } = await send(acme.key, '', { ...wanted, pins: { workflow_id: 'a\nb', customer_id: 'fine' } })
    expect(json.error).toMatchObject({ details: { fields: [{ field: 'pins.workflow_id', code: 'invalid_format' }] } })
    const long = 'x'.repeat(200)
    expect((await send(acme.key, '', { ...wanted, pins: { workflow_id: long } })).status).toBe(201)
  })
})

describe('revoking a key with its descendants', () => {
  const admin = { name: 'k', role: 'admin', scopes: keeper }
  const minted = async (key: string) => {
    const { json } = await send(key, '', admin)
    return { id: String(json['id']), key: json['secret'] as string }
  }

  test('ends whatever it has minted or rotated, and nothing else', async () => {
    const leaked = await made({ role: 'admin', scopes: keeper })
    const child = await minted(leaked.key)
    const grandchild = await minted(child.key)
    const sibling = await made({ role: 'admin', scopes: keeper })
    const taken = await send(leaked.key, `/${sibling.id}/rotate`, { overlap_seconds: 600 })
    const rescued = await send(acme.key, `/${child.id}/rotate`, { overlap_seconds: 600 })
    const { json } = await send(acme.key, `/${leaked.id}/revoke`, { descendants: true })
    const ended = [child.id, grandchild.id, String(taken.json['id'])]
    expect(json).toMatchObject({ id: leaked.id, status: 'revoked' })
    expect(new Set(json['revoked_descendants'] as string[])).toEqual(new Set(ended))
    for (const id of ended) expect(await seen(id)).toMatchObject({ status: 'revoked' })
    for (const id of [sibling.id, String(rescued.json['id'])])
      expect(await seen(id)).toMatchObject({ status: 'active' })
  })

  test('leaves the key that calls', async () => {
    const maker = await made({ role: 'admin', scopes: keeper })
    const child = await minted(maker.key)
    const { json } = await send(child.key, `/${maker.id}/revoke`, { descendants: true })
    expect(json).toMatchObject({ status: 'revoked', revoked_descendants: [] })
    expect(await seen(child.id)).toMatchObject({ status: 'active' })
  })

  test('nothing is made behind its back', async () => {
    for (let round = 0; round < 5; round++) {
      const leaked = await made({ role: 'admin', scopes: keeper })
      const child = await minted(leaked.key)
      const [, ...mints] = await Promise.all([
        send(acme.key, `/${leaked.id}/revoke`, { descendants: true }),
        ...Array.from({ length: 20 }, (_, i) => send(i % 2 === 0 ? leaked.key : child.key, '', admin)),
      ])
      const secrets = mints.flatMap(({ json }) => (json['secret'] === undefined ? [] : [json['secret'] as string]))
      const uses = await Promise.all(secrets.map((key) => call(server.url, 'GET', '/v1/me', { key })))
      expect(new Set([410, ...uses.map(({ status }) => status)])).toEqual(new Set([410]))
    }
  })
})

describe('the status of a key', () => {
  const listed = async (filter: string) => {
    const { json } = await call(server.url, 'GET', `/v1/orgs/${acme.id}/keys?limit=200&${filter}`, { key: acme.key })
    return (json['data'] as { id: string; status: string }[]).map(({ id, status }) => ({ id, status }))
  }

  test('is active only while it works', async () => {
    const scopes = ['runs:read']
    const keys = {
      active: await made({ scopes }),
      pending: await made({ scopes, notBefore: inAnHour() }),
      expired: await made({ scopes, expiresAt: new Date(Date.now() - 1_000) }),
      revoked: await made({ scopes }),
    }
    await send(acme.key, `/${keys.revoked.id}/revoke`)
    const rotated = await made({ scopes })
    await send(acme.key, `/${rotated.id}/rotate`)
    expect(await seen(rotated.id)).toMatchObject({ status: 'expired' })
    for (const [status, { id }] of Object.entries(keys)) {
      expect(await seen(id)).toMatchObject({ status })
      const found = await listed(`status=${status}`)
      expect(found).toContainEqual({ id, status })
      expect(new Set(found.map((key) => key.status))).toEqual(new Set([status]))
    }
  })

  test('what a key has made is found by its id', async () => {
    const maker = await made({ role: 'admin', scopes: keeper })
    const child = await send(maker.key, '', { name: 'child', role: 'service', scopes: ['runs:read'] })
    const other = await made({ role: 'service', scopes: ['runs:read'] })
    const successor = await send(maker.key, `/${other.id}/rotate`)
    const ids = (await listed(`minted_by=${maker.id}`)).map(({ id }) => id)
    expect(new Set(ids)).toEqual(new Set([child.json['id'], successor.json['id']]))
    expect(
      (await call(server.url, 'GET', `/v1/orgs/${acme.id}/keys?minted_by=zzz`, { key: acme.key })).json.error?.details,
    ).toMatchObject({ fields: [{ field: 'minted_by', code: 'invalid_filter' }] })
  })
})
