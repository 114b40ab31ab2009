import { execFileSync } from 'node:child_process'
import { beforeAll, describe, expect, test } from 'vitest'
import { useServer } from '../../test/support/harness.ts'
import { type Answer, call, keyOf, operatorOf, type Tenant, tenantOf } from '../../test/support/tenants.ts'
import { optInsOf } from '../access/events/events.ts'
import { configVersion } from '../money/ledger/queries.ts'
import { formatId, newUuid, requireId } from '../values/id.ts'
import { insertSubscription, updateSubscription } from './subscriptions/queries.ts'
import { enqueue } from './subscriptions/queue-queries.ts'
import { refreshOptIns } from './subscriptions/subscriptions.ts'

const server = useServer({
  environment: { SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32', SVC_WEBHOOK_ALLOWED_PORTS: '80,443,8443' },
})
let operator: string
beforeAll(async () => {
  operator = (await operatorOf(server)).key
})

const url = 'http://127.0.0.1/hook'
/** An organization of its own for each test. */
async function acme() {
  const tenant = await tenantOf(server, operator)
  const orgId = requireId('org', tenant.id)
  const ask = (method: string, below: string, body?: unknown, headers: Record<string, string> = {}) =>
    call(server.url, method, `/v1/orgs/${tenant.id}/webhooks${below}`, {
      key: tenant.key,
      headers,
      ...(body !== undefined && { body }),
    })
  return {
    tenant,
    orgId,
    ask,
    make: async (more: object = {}) => {
      const made = await ask('POST', '', { url, ...more })
      if (made.status !== 201) throw new Error(made.text)
      return String(made.json['id'])
    },
    inOrg: <T>(work: Parameters<typeof server.platform.sql.asOrgs<T>>[1]) => server.platform.sql.asOrgs([orgId], work),
  }
}
const auditOf = async (tenant: Tenant) => {
  const { json } = await call(server.url, 'GET', `/v1/orgs/${tenant.id}/audit-log?sort=created_at`, { key: tenant.key })
  return (json['data'] as { action: string; before: unknown; after: unknown }[]).filter(({ action }) =>
    action.startsWith('webhook'),
  )
}
const faultsOf = ({ status, json }: Answer) => [
  status,
  json.error?.code,
  (json.error?.details['fields'] as { field: string; code: string }[] | undefined)?.map(
    ({ field, code }) => `${field} ${code}`,
  ),
]

describe('subscriptions', () => {
  test('begin as asked, signed by the organization’s secret, with nothing to tell of their health', async () => {
    const { tenant, ask } = await acme()
    const { status, json } = await ask('POST', '', {
      url: 'http://127.0.0.1:80/a?b#c',
      events: ['key.*', 'run.finished'],
      description: 'pages me',
      ordered: true,
    })
    expect(status).toBe(201)
    expect(json).toEqual({
      id: expect.stringMatching(/^sub_/),
      org_id: tenant.id,
      url: 'http://127.0.0.1/a?b#c',
      destination: { kind: 'https', format: 'weir' },
      unconfirmed_recipients: [],
      events: ['key.*', 'run.finished'],
      description: 'pages me',
      ordered: true,
      enabled: true,
      disabled_reason: null,
      created_by_grant: null,
      disabled_at: null,
      signing_version: 1,
      health: {
        status: 'idle',
        consecutive_failures: 0,
        failing_since: null,
        last_attempt_at: null,
        last_success_at: null,
        latency_ms: null,
        pending: 0,
        oldest_pending_at: null,
      },
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    expect((await ask('GET', `/${String(json['id'])}`)).json).toEqual(json)
    const plain = await ask('POST', '', { url })
    expect(plain.json).toMatchObject({ events: [], description: '', ordered: false, enabled: true })
  })

  test('are listed page by page, and by whether they are enabled', async () => {
    const { ask, make } = await acme()
    const ids = [await make(), await make({ enabled: false }), await make()]
    const idsOf = ({ json }: Answer) => (json['data'] as { id: string }[]).map(({ id }) => id)
    expect(idsOf(await ask('GET', ''))).toEqual(ids.toReversed())
    expect(idsOf(await ask('GET', '?sort=created_at'))).toEqual(ids)
    expect(idsOf(await ask('GET', '?enabled=false'))).toEqual([ids[1]])
    const first = await ask('GET', '?limit=2')
    const second = await ask('GET', `?limit=2&cursor=${String(first.json['next_cursor'])}`)
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids.toReversed())
    expect(faultsOf(await ask('GET', '?enabled=maybe&sort=url'))).toEqual([
      422,
      'validation_failed',
      ['sort unknown_sort_field', 'enabled invalid_filter'],
    ])
  })

  const urls: [string, string, string][] = [
    ['a private address', 'http://10.0.0.1/', 'url invalid_value'],
    ['the loopback of IPv6', 'http://[::1]/', 'url invalid_value'],
    ['an address written as one number', 'http://2130706434/', 'url invalid_value'],
    ['a port that is not allowed', 'https://127.0.0.1:22/', 'url invalid_value'],
    ['a password', 'https://user:secret@127.0.0.1/', 'url invalid_value'],
    ['another protocol', 'ftp://127.0.0.1/', 'url invalid_format'],
    ['a path only', 'hooks', 'url invalid_format'],
    ['nothing', '', 'url empty'],
    ['too much', `http://127.0.0.1/${'x'.repeat(2_048)}`, 'url too_long'],
  ]
  test.each(urls)('are not saved with %s as the URL', async (_name, hostile, fault) => {
    const { ask, make } = await acme()
    const id = await make()
    expect(faultsOf(await ask('POST', '', { url: hostile }))).toEqual([422, 'validation_failed', [fault]])
    expect(faultsOf(await ask('PATCH', `/${id}`, { url: hostile }))).toEqual([422, 'validation_failed', [fault]])
    expect((await ask('GET', `/${id}`)).json['url']).toBe(url)
  })

  test('every faulty field is named', async () => {
    const { ask } = await acme()
    const faulty = { events: ['key.created', 'key.creation', 'keys.*', 'KEY'], description: 'x'.repeat(501), color: 1 }
    expect(faultsOf(await ask('POST', '', faulty))).toEqual([
      422,
      'validation_failed',
      expect.arrayContaining(['url required', 'color unknown_field', 'description too_long']),
    ])
    expect(faultsOf(await ask('POST', '', {}))).toEqual([422, 'validation_failed', ['url required']])
    expect(faultsOf(await ask('POST', '', { url, events: faulty.events }))).toEqual([
      422,
      'validation_failed',
      ['events.1 invalid_value', 'events.2 invalid_value', 'events.3 invalid_value'],
    ])
    const twice = { url, events: ['key.created', 'key.created'] }
    expect(faultsOf(await ask('POST', '', twice))).toEqual([422, 'validation_failed', ['events invalid_value']])
    const many = { url, events: Array.from({ length: 51 }, (_, i) => `key.k${i}`) }
    expect(faultsOf(await ask('POST', '', many))).toEqual([422, 'validation_failed', ['events too_many']])
  })

  test('change in the fields that are given; what is as asked already stays untouched and unrecorded', async () => {
    const { tenant, ask, make } = await acme()
    const id = await make({ events: ['key.*'] })
    const before = (await ask('GET', `/${id}`)).json
    const same = await ask('PATCH', `/${id}`, { url: 'http://127.0.0.1:80/hook', events: ['key.*'], enabled: true })
    expect([same.status, same.json]).toEqual([200, before])

    const off = await ask('PATCH', `/${id}`, { enabled: false, description: 'quiet' })
    expect(off.json).toMatchObject({
      enabled: false,
      disabled_reason: 'requested',
      disabled_at: expect.any(String),
      description: 'quiet',
      events: ['key.*'],
      health: { status: 'disabled' },
    })
    expect((await ask('PATCH', `/${id}`, { enabled: false })).json).toEqual(off.json)
    const on = await ask('PATCH', `/${id}`, { enabled: true })
    expect(on.json).toMatchObject({ enabled: true, disabled_reason: null, disabled_at: null, description: 'quiet' })
    expect(faultsOf(await ask('PATCH', `/${id}`, {}))).toEqual([422, 'validation_failed', ['body empty']])

    const audit = await auditOf(tenant)
    expect(audit.map(({ action }) => action)).toEqual(['webhook.created', 'webhook.updated', 'webhook.updated'])
    expect(audit[1]).toMatchObject({ before: { enabled: true, description: '' }, after: { enabled: false } })
    expect(JSON.stringify(audit)).not.toContain('health')
  })

  test('enabled again begin without their past', async () => {
    const { orgId, ask, make, inOrg } = await acme()
    const id = await make()
    const subscriptionId = requireId('subscription', id)
    const told = { orgId, subscriptionId, eventId: newUuid(), kind: 'key.created', subject: 'a' }
    await inOrg(async (tx) => {
      await enqueue(tx, [{ ...told, trigger: 'event', ordered: false }])
      await tx
        .updateTable('webhook_queues')
        .set({
          failures: 7,
          failing_since: new Date(),
          last_attempt_at: new Date(),
          not_before: new Date(),
          latency_ms: 12,
        })
        .execute()
    })
    expect((await ask('GET', `/${id}`)).json['health']).toMatchObject({
      status: 'failing',
      consecutive_failures: 7,
      failing_since: expect.any(String),
      last_attempt_at: expect.any(String),
      latency_ms: 12,
      pending: 1,
      oldest_pending_at: expect.any(String),
    })
    await ask('PATCH', `/${id}`, { enabled: false })
    const { json } = await ask('PATCH', `/${id}`, { enabled: true })
    expect(json['health']).toMatchObject({ status: 'idle', consecutive_failures: 0, failing_since: null, pending: 1 })
  })

  test('end with everything that waits for them', async () => {
    const { tenant, ask, make, inOrg } = await acme()
    const id = await make()
    await ask('POST', `/${id}/test`)
    expect((await ask('DELETE', `/${id}`)).status).toBe(204)
    expect((await ask('GET', `/${id}`)).status).toBe(404)
    expect((await ask('DELETE', `/${id}`)).status).toBe(404)
    const rows = await inOrg((tx) => tx.selectFrom('webhook_pending').select('id').execute())
    expect(rows).toEqual([])
    expect((await auditOf(tenant)).at(-1)).toMatchObject({ action: 'webhook.deleted', before: { id }, after: null })
  })

  test('are at most 100, also where two ask for the last place at once', async () => {
    const { orgId, ask, inOrg } = await acme()
    const fields = {
      url,
      description: '',
      events: [],
      ordered: false,
      enabled: true,
      created_by_grant: null,
      ends_at: null,
    }
    await inOrg(async (tx) => {
      for (let i = 0; i < 99; i++) await insertSubscription(tx, orgId, newUuid(), fields)
    })
    const answers = await Promise.all([1, 2, 3].map(() => ask('POST', '', { url })))
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['201', '409', '409'])
    const refused = answers.find(({ status }) => status === 409)!
    expect(refused.json.error).toMatchObject({ code: 'conflict', message: expect.stringContaining('100') })
  })

  test('one of another organization does not exist, whatever is asked of it', async () => {
    const mine = await acme()
    const theirs = await (await acme()).make()
    const asked: [string, string, unknown?][] = [
      ['GET', ''],
      ['PATCH', '', { description: 'x' }],
      ['DELETE', ''],
      ['GET', '/signing'],
      ['POST', '/signing/rotate'],
      ['GET', '/deliveries'],
      ['POST', '/test'],
      ['POST', '/replay', { from: '2026-11-01' }],
      ['POST', `/deliveries/${formatId('delivery', newUuid())}/redeliver`],
    ]
    for (const [method, below, body] of asked)
      expect((await mine.ask(method, `/${theirs}${below}`, body)).status, `${method} ${below}`).toBe(404)
  })
})

describe('kinds that must be asked for', () => {
  test('are written exactly while an enabled subscription asks for them, and decisions know at once', async () => {
    const { orgId, ask, make, inOrg } = await acme()
    const state = () =>
      inOrg(async (tx) => ({ kinds: [...(await optInsOf(tx, orgId))], version: await configVersion(tx, orgId) }))
    const start = await state()
    await make()
    expect(await state()).toEqual({ kinds: [], version: start.version })
    const id = await make({ events: ['run.*'] })
    expect(await state()).toEqual({ kinds: ['run.finished'], version: start.version + 1n })
    await ask('PATCH', `/${id}`, { description: 'same kinds' })
    expect((await state()).version).toBe(start.version + 1n)
    await ask('PATCH', `/${id}`, { enabled: false })
    expect(await state()).toEqual({ kinds: [], version: start.version + 2n })
    await ask('PATCH', `/${id}`, { enabled: true })
    expect((await state()).kinds).toEqual(['run.finished'])
    await ask('DELETE', `/${id}`)
    expect(await state()).toEqual({ kinds: [], version: start.version + 4n })
  })

  test('changes that come at once leave what all of them together ask for', async () => {
    const { orgId, ask, make, inOrg } = await acme()
    const id = await make({ events: ['run.finished'] })
    await Promise.all([
      ask('PATCH', `/${id}`, { events: ['key.created'] }),
      make({ events: ['decision.refused'] }),
      make({ events: ['run.*'] }),
      make({ events: ['decision.*'], enabled: false }),
    ])
    const kinds = await inOrg((tx) => optInsOf(tx, orgId))
    expect([...kinds].toSorted()).toEqual(['decision.refused', 'run.finished'])
  })

  test('a subscription made while a worker disables another that asked for the same is not forgotten', async () => {
    const { orgId, ask, make, inOrg } = await acme()
    let last = await make({ events: ['run.finished'] })
    for (let round = 0; round < 5; round++) {
      const dead = requireId('subscription', last)
      const [, made] = await Promise.all([
        inOrg(async (tx) => {
          await updateSubscription(tx, orgId, dead, { enabled: false })
          await refreshOptIns(tx, orgId)
        }),
        make({ events: ['run.finished'] }),
      ])
      expect([...(await inOrg((tx) => optInsOf(tx, orgId)))]).toEqual(['run.finished'])
      await ask('DELETE', `/${last}`)
      last = made
    }
  })
})

describe('signing', () => {
  test('a first secret, then rotation with and without overlap', async () => {
    const { tenant, ask, make } = await acme()
    const id = await make()
    const none = { subscription_id: id, version: 1, generation: 0, rotated_at: null, previous_expires_at: null }
    expect((await ask('GET', `/${id}/signing`)).json).toEqual(none)

    const first = (await ask('POST', `/${id}/signing/rotate`, { overlap_seconds: 600 })).json
    expect(first).toEqual({
      subscription_id: id,
      version: 2,
      generation: 1,
      rotated_at: expect.any(String),
      previous_expires_at: null,
      secret: expect.stringMatching(/^whsec_/),
    })
    const { secret: _shown, ...kept } = first
    expect((await ask('GET', `/${id}/signing`)).json).toEqual(kept)
    expect((await ask('GET', `/${id}`)).json['signing_version']).toBe(2)

    const second = (await ask('POST', `/${id}/signing/rotate`, { overlap_seconds: 604_800 })).json
    expect(second['generation']).toBe(2)
    expect(second['secret']).not.toBe(first['secret'])
    const weekMs = Date.parse(String(second['previous_expires_at'])) - Date.parse(String(second['rotated_at']))
    expect(weekMs).toBe(604_800_000)

    const third = (await ask('POST', `/${id}/signing/rotate`)).json
    expect(third).toMatchObject({ generation: 3, previous_expires_at: null })
    expect(faultsOf(await ask('POST', `/${id}/signing/rotate`, { overlap_seconds: 604_801 }))).toEqual([
      422,
      'validation_failed',
      ['overlap_seconds out_of_range'],
    ])
    const audit = (await auditOf(tenant)).slice(1)
    expect(audit.map(({ action }) => action)).toEqual(Array(3).fill('webhook.signing_rotated'))
    expect(audit[0]).toMatchObject({ before: none, after: kept })
  })

  test('a retry of rotate shows the same secret and rotates once', async () => {
    const { ask, make } = await acme()
    const id = await make()
    const rotate = () => ask('POST', `/${id}/signing/rotate`, {}, { 'idempotency-key': 'again' })
    const [first, second] = [await rotate(), await rotate()]
    expect(second.text).toBe(first.text)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect((await ask('GET', `/${id}/signing`)).json['generation']).toBe(1)
  })

  test('two who rotate at once get two secrets, and the later one counts', async () => {
    const { ask, make } = await acme()
    const id = await make()
    const answers = await Promise.all([1, 2, 3].map(() => ask('POST', `/${id}/signing/rotate`)))
    expect(new Set(answers.map(({ json }) => json['generation']))).toEqual(new Set([1, 2, 3]))
    expect(new Set(answers.map(({ json }) => json['secret'])).size).toBe(3)
  })
})

describe('the organization’s secret', () => {
  const path = (tenant: Tenant) => `/v1/admin/orgs/${tenant.id}/webhook-secret`
  const get = (tenant: Tenant, key = tenant.key) => call(server.url, 'GET', path(tenant), { key })
  const rotate = (tenant: Tenant, key = tenant.key) => call(server.url, 'POST', `${path(tenant)}/rotate`, { key })
  const counted = async (route: string) => {
    const text = await (await fetch(`${server.url}/metrics`)).text()
    const line = text.split('\n').find((each) => each.includes(`deprecated_route_calls_total{route="${route}"}`))!
    return Number(line.split(' ').at(-1))
  }

  test('is made when it is first asked for, and is the same for everybody who may see it', async () => {
    const { tenant } = await acme()
    const { status, json } = await get(tenant)
    expect(status).toBe(200)
    expect(json).toEqual({
      org_id: tenant.id,
      secret: expect.stringMatching(/^whorg_/),
      created_at: expect.any(String),
      rotated_at: json['created_at'],
    })
    const admin = (await keyOf(server, tenant.id, { role: 'admin', scopes: ['webhooks:write'] })).key
    for (const key of [operator, admin, tenant.key]) expect((await get(tenant, key)).json).toEqual(json)
  })

  test('answers operators and the organization’s own owners and admins, nobody else', async () => {
    const { tenant } = await acme()
    const other = (await acme()).tenant
    const codeOf = ({ status, json }: Answer) => `${status} ${json.error?.code ?? ''}`
    const scopes = ['webhooks:read', 'webhooks:write']
    for (const ask of [get, rotate]) {
      expect(codeOf(await ask(tenant, other.key))).toBe('404 not_found')
      for (const role of ['member', 'viewer', 'service'] as const)
        expect(codeOf(await ask(tenant, (await keyOf(server, tenant.id, { role, scopes })).key))).toBe('403 forbidden')
      expect(codeOf(await ask(tenant, (await keyOf(server, tenant.id, { scopes: ['keys:write'] })).key))).toBe(
        '403 missing_scope',
      )
      expect(codeOf(await ask({ ...tenant, id: formatId('org', newUuid()) }, operator))).toBe('404 not_found')
      expect(codeOf(await ask(tenant, (await keyOf(server, tenant.id, { role: 'admin', scopes })).key))).toBe('200 ')
    }
    const reader = (await keyOf(server, tenant.id, { scopes: ['webhooks:read'] })).key
    for (const ask of [get, rotate])
      expect((await ask(tenant, reader)).json.error?.details).toEqual({ required: 'webhooks:write' })
  })

  test('is not shown to support, whatever was granted', async () => {
    const { tenant } = await acme()
    for (const scope of ['read', 'configuration']) {
      const body = { org_id: tenant.id, scope, reason: 'looking', duration_seconds: 600 }
      const grant = await call(server.url, 'POST', '/v1/admin/support-grants', { key: operator, body })
      expect((await get(tenant, String(grant.json['token']))).json.error?.code).toBe('support_scope_denied')
    }
  })

  test('rotates while a subscription needs it, and stays as it is once each has its own', async () => {
    const { tenant, ask, make } = await acme()
    const before = (await get(tenant)).json
    const without = (await rotate(tenant)).json
    expect(without).toMatchObject({ rotated: true, secret: expect.stringMatching(/^whorg_/) })
    expect(without['secret']).not.toBe(before['secret'])
    const ids = [await make(), await make({ enabled: false })]
    await ask('POST', `/${ids[0]}/signing/rotate`)
    expect((await rotate(tenant, operator)).json['rotated']).toBe(true)
    const last = (await get(tenant)).json
    await ask('POST', `/${ids[1]}/signing/rotate`)

    const noop = await rotate(tenant)
    expect([noop.status, noop.json]).toEqual([200, { rotated: false, ...last }])
    expect((await get(tenant)).json).toEqual(last)
    await make()
    expect((await rotate(tenant)).json['rotated']).toBe(true)
    const audit = (await auditOf(tenant)).filter(({ action }) => action === 'webhook_secret.rotated')
    expect(audit).toHaveLength(3)
    expect(audit[0]!.after).toEqual({ rotated_at: without['rotated_at'] })
  })

  test('every answer of its routes, errors too, carries the three headers and is counted', async () => {
    const { tenant } = await acme()
    const routes = ['/v1/admin/orgs/{org_id}/webhook-secret', '/v1/admin/orgs/{org_id}/webhook-secret/rotate']
    const before = await Promise.all(routes.map(counted))
    const missing = { ...tenant, id: formatId('org', newUuid()) }
    const calls: [typeof get, Tenant, string, number][] = [
      [get, tenant, tenant.key, 200],
      [rotate, tenant, tenant.key, 200],
      [get, tenant, 'garbage', 401],
      [rotate, tenant, 'garbage', 401],
      [get, missing, tenant.key, 404],
      [rotate, missing, operator, 404],
    ]
    for (const [ask, of, key, status] of calls) {
      const answer = await ask(of, key)
      expect(answer.status).toBe(status)
      const successor = `/v1/orgs/{id}/webhooks/{sub_id}/signing${ask === rotate ? '/rotate' : ''}`
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        deprecation: '@1784678400',
        sunset: 'Fri, 31 Dec 2027 23:59:59 GMT',
        link: `<${server.platform.addresses.docsUrl()}>; rel="deprecation", <${successor}>; rel="successor-version"`,
      })
    }
    expect(await Promise.all(routes.map(counted))).toEqual(before.map((count) => count + 3))
  })
})

test('no secret is in a dump of the database, in the logs or in the audit log', async () => {
  const { tenant, ask, make } = await acme()
  const id = await make()
  const answers = [
    await ask('POST', `/${id}/signing/rotate`, {}, { 'idempotency-key': 'one' }),
    await ask('POST', `/${id}/signing/rotate`, { overlap_seconds: 600 }),
    await call(server.url, 'GET', `/v1/admin/orgs/${tenant.id}/webhook-secret`, { key: tenant.key }),
  ]
  const secrets = answers.map(({ json }) => String(json['secret']))
  const dump = execFileSync('pg_dump', [server.database.ownerUrl], { encoding: 'utf8', maxBuffer: 1 << 28 })
  expect(dump).toContain(url)
  const places = [dump, JSON.stringify(server.logs), JSON.stringify(await auditOf(tenant))]
  for (const secret of secrets) {
    expect(secret).toMatch(/^wh(sec|org)_.{43}/)
    const raw = Buffer.from(secret.slice(6), 'base64')
    for (const form of [secret.slice(6), raw.toString('hex'), Buffer.from(secret).toString('hex')])
      for (const place of places) expect(place).not.toContain(form)
  }
})
