import { beforeAll, describe, expect, test } from 'vitest'
import { formatId, newUuid } from '../../src/values/id.ts'
import { continueReplays, drainEvents } from '../../src/webhooks/delivery/event-drain.ts'
import { useServer } from '../support/harness.ts'
import { type Answer, call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** What can be made or acted on can be read: proved over the route list, and tried where it is more than a row of its own. */
const server = useServer({
  environment: { SVC_WEBHOOK_ALLOWED_CIDRS: '203.0.113.0/24', SVC_SSO_ALLOWED_CIDRS: '203.0.113.0/24' },
})
let operator: string
let alice: Tenant
let bob: Tenant
let viewer: string

beforeAll(async () => {
  operator = (await operatorOf(server)).key
  alice = await tenantOf(server, operator, 'Alice')
  bob = await tenantOf(server, operator, 'Bob')
  viewer = (await keyOf(server, alice.id, { role: 'viewer' })).key
})

const ask = (method: string, path: string, body?: object, key = alice.key): Promise<Answer> =>
  call(server.url, method, path, { key, ...(body && { body }) })
const org = (path: string) => `/v1/orgs/${alice.id}${path}`
const admin = (path: string) => `/v1/admin/orgs/${alice.id}${path}`
const listed = ({ json }: Answer) => json['data'] as Record<string, unknown>[]

/** Where what a POST makes is read, if not below its own path; or why there is nothing to read. */
const elsewhere: Record<string, readonly string[] | string> = {
  '/v1/edge/decision': [
    '/v1/edge/reservations',
    '/v1/edge/reservations/{reservation_id}',
    '/v1/decisions/{decision_id}',
  ],
  '/v1/orgs/{id}/customers/{customer_id}/credit-packs': [
    '/v1/orgs/{id}/customers/{customer_id}/credit-packs',
    '/v1/orgs/{id}/credit-packs/{pack_id}',
  ],
  '/v1/orgs/{id}/webhooks/{sub_id}/replay': [
    '/v1/orgs/{id}/webhooks/{sub_id}/replays',
    '/v1/orgs/{id}/webhooks/{sub_id}/replays/{replay_id}',
  ],
  '/v1/orgs/{id}/webhooks/{sub_id}/test': ['/v1/orgs/{id}/webhooks/{sub_id}/deliveries/{delivery_id}'],
  '/v1/orgs/{id}/freeze': ['/v1/orgs/{id}/freezes'],
  '/v1/orgs/{id}/thaw': ['/v1/orgs/{id}/freezes'],
  '/v1/orgs/{id}/limits/{limit_id}/freeze': ['/v1/orgs/{id}/freezes'],
  '/v1/orgs/{id}/limits/{limit_id}/thaw': ['/v1/orgs/{id}/freezes'],
  '/v1/admin/orgs/{org_id}/ip-allow-list/reset': ['/v1/admin/orgs/{org_id}'],
  '/v1/admin/orgs/{org_id}/owner-keys': ['/v1/orgs/{id}/keys', '/v1/orgs/{id}/keys/{key_id}'],
  '/v1/admin/orgs/{org_id}/foreign-keys/{foreign_key_id}/award': ['/v1/orgs/{id}/foreign-keys/{foreign_key_id}'],
  '/v1/orgs/{id}/mail-addresses/confirm': ['/v1/orgs/{id}/webhooks/{sub_id}'],
  '/v1/otlp/v1/traces': ['/v1/runs', '/v1/runs/{run_id}'],
  '/v1/otlp/v1/logs': ['/v1/runs', '/v1/runs/{run_id}'],
  '/v1/otlp/v1/metrics': ['/v1/runs', '/v1/runs/{run_id}'],
  '/v1/orgs/{id}/prices/compare': 'It says what calls would cost, and keeps nothing.',
  '/v1/orgs/{id}/prices/import': ['/v1/orgs/{id}/prices', '/v1/orgs/{id}/prices/{price_id}'],
  '/v1/admin/prices/import': ['/v1/admin/prices', '/v1/admin/prices/{price_id}'],
  '/v1/runs/bulk': ['/v1/runs', '/v1/runs/{run_id}'],
  '/v1/me/sign-in-links': 'The link is shown once; the session that it opens is listed.',
  '/v1/me/sessions/revoke': ['/v1/me/sessions', '/v1/me/sessions/{session_id}'],
  '/v1/routing/decision': 'It says which model a route would choose, and keeps nothing.',
  '/v1/orgs/{id}/policies/evaluate': 'It says what rules would do, and keeps nothing.',
  '/v1/orgs/{id}/policies/backtest': 'Its answer is the report, and it keeps nothing.',
  '/v1/orgs/{id}/content-safety/test': 'It says what detectors find in a text, and keeps nothing.',
}

describe('the route list', () => {
  test('has a way to read whatever a POST makes or acts on', () => {
    const read = new Set(server.routes.filter(({ method }) => method === 'GET').map(({ template }) => template))
    const made = server.routes.filter(({ method }) => method === 'POST').map(({ template }) => template)
    const below = (template: string) =>
      [...read].some((one) => one.replace(/\/\{\w+\}$/, '') === template && one !== template)
    const unread = made.filter((template) => {
      const known = elsewhere[template]
      if (typeof known === 'string') return false
      if (known) return !known.every((one) => read.has(one))
      const isMaking = read.has(template) && below(template)
      // An action stands below what it acts on, which is one thing: a parameter, or a singleton.
      const object = template.replace(/\/[\w-]+$/, '')
      return !isMaking && !(read.has(object) && !below(object))
    })
    expect(unread).toEqual([])
    expect(Object.keys(elsewhere).filter((template) => !made.includes(template))).toEqual([])
  })
})

/** What was made is read alone and in its list, by viewers too and by nobody else. */
async function expectRead(path: string, made: Record<string, unknown>, options: { list?: string; key?: string } = {}) {
  const { key = viewer, list = path.replace(/\/[^/]+$/, '') } = options
  expect((await ask('GET', path, undefined, key)).json).toEqual(made)
  expect(listed(await ask('GET', list, undefined, key))).toContainEqual(made)
  expect((await ask('GET', path, undefined, bob.key)).status).toBe(404)
}

describe('what is made is read back:', () => {
  test('credit packs, over all customers and by what became of them', async () => {
    const make = async (customer: string) =>
      (await ask('POST', org(`/customers/${customer}/credit-packs`), { amount_usd: '5' })).json
    const [first, second] = [await make('one'), await make('two')]
    await expectRead(org(`/credit-packs/${String(first['id'])}`), first)
    await ask('POST', org(`/credit-packs/${String(second['id'])}/void`))
    const ids = async (query: string, key = viewer) =>
      listed(await ask('GET', org(`/credit-packs?${query}`), undefined, key)).map(({ id }) => id)
    expect(await ids('status=voided')).toEqual([second['id']])
    expect(await ids('status=active')).toEqual([first['id']])
    expect(await ids('status=depleted')).toEqual([])
    expect(await ids('status=expired')).toEqual([])
    expect(await ids('customer_id=two')).toEqual([second['id']])
    expect(listed(await ask('GET', org('/customers/two/credit-packs?status=active')))).toEqual([])
    // A key that is pinned to a customer sees that customer's, and no other's.
    const pinnedKey = (await keyOf(server, alice.id, { pins: { customer_id: 'one' } })).key
    expect(await ids('', pinnedKey)).toEqual([first['id']])
    expect((await ask('GET', org('/credit-packs?customer_id=two'), undefined, pinnedKey)).status).toBe(403)
    expect((await ask('GET', org(`/credit-packs/${String(second['id'])}`), undefined, pinnedKey)).status).toBe(404)
  })

  test('top-ups, by operators and by their owner', async () => {
    const { json } = await ask('POST', admin('/quota/top-ups'), { amount_usd: '100' }, operator)
    const one = `/quota/top-ups/${String(json['id'])}`
    await expectRead(org(one), json)
    expect((await ask('GET', admin(one), undefined, operator)).json).toEqual(json)
    // A customer's pack is no top-up.
    const pack = (await ask('POST', org('/customers/c/credit-packs'), { amount_usd: '5' })).json
    const disguised = String(pack['id']).replace('crp_', 'top_')
    expect((await ask('GET', org(`/quota/top-ups/${disguised}`))).status).toBe(404)
  })

  test('reservations, by the key that made them and in their list', async () => {
    const agent = (await keyOf(server, alice.id, { role: 'service', scopes: ['edge:decide'] })).key
    const call_ = { model: 'gpt-4o', estimated_cost_usd: '1', workflow_id: 'reading' }
    const { json } = await ask('POST', '/v1/edge/decision', call_, agent)
    const id = String(json['reservation_id'])
    const one = `/v1/edge/reservations/${id}`
    const open = await ask('GET', one, undefined, agent)
    expect(open.status).toBe(200)
    const inList = async (query: string, key = viewer) =>
      listed(await ask('GET', `/v1/edge/reservations?${query}`, undefined, key)).filter((row) =>
        JSON.stringify(row).includes(id),
      )
    expect(await inList('status=open')).toEqual([open.json])
    const released = await ask('POST', `${one}/release`, undefined, agent)
    expect((await ask('GET', one, undefined, agent)).json).toEqual(released.json)
    expect(await inList('status=open')).toEqual([])
    expect(await inList('status=released')).toHaveLength(1)
    expect(await inList(`key_id=${alice.keyId}`)).toEqual([])
    expect(await inList('from=2020-01-01&to=2020-02-01')).toEqual([])
    const pinnedKey = async (workflow_id: string) => (await keyOf(server, alice.id, { pins: { workflow_id } })).key
    expect(await inList('', await pinnedKey('reading'))).toHaveLength(1)
    expect(await inList('', await pinnedKey('other'))).toEqual([])
    expect((await ask('GET', one, undefined, await pinnedKey('other'))).status).toBe(404)
    expect((await ask('GET', one, undefined, bob.key)).status).toBe(404)
    expect((await ask('GET', '/v1/edge/reservations?key_id=nobody')).json.error?.details).toEqual({
      fields: [expect.objectContaining({ field: 'key_id', code: 'invalid_filter' })],
    })
  })

  test('adjustments, with their reason', async () => {
    const budget = (
      await ask('POST', org('/budgets'), { name: 'A', scope_kind: 'org', limit_usd: '900', period: 'month' })
    ).json
    const { json, status } = await ask('POST', org('/ledger/adjustments'), {
      limit_id: budget['id'],
      amount_usd: '3',
      reason: 'Before Weir',
    })
    expect(status).toBe(201)
    await expectRead(org(`/ledger/adjustments/${String(json['id'])}`), json)
    expect(listed(await ask('GET', org(`/ledger/adjustments?limit_id=${String(budget['id'])}`)))).toEqual([json])
    // Another movement of the journal is no adjustment.
    const other = listed(await ask('GET', org('/ledger?kind=hold')))[0]!
    expect((await ask('GET', org(`/ledger/adjustments/${String(other['id'])}`))).status).toBe(404)
    const pinnedKey = (await keyOf(server, alice.id, { pins: { workflow_id: 'w' } })).key
    expect((await ask('GET', org(`/ledger/adjustments/${String(json['id'])}`), undefined, pinnedKey)).status).toBe(404)
  })

  test('support grants, by the organization that they are for', async () => {
    const grant = (
      await ask(
        'POST',
        '/v1/admin/support-grants',
        { org_id: alice.id, scope: 'read', reason: 'T', duration_seconds: 60 },
        operator,
      )
    ).json
    const { token: _token, ...shown } = grant
    await expectRead(org(`/support-grants/${String(grant['id'])}`), shown, { key: alice.key })
    expect((await ask('GET', org(`/support-grants/${String(grant['id'])}`), undefined, viewer)).status).toBe(403)
    const ids = async (path: string, key: string) => listed(await ask('GET', path, undefined, key)).map(({ id }) => id)
    expect(await ids(org('/support-grants?status=active'), alice.key)).toContain(grant['id'])
    await ask('POST', org(`/support-grants/${String(grant['id'])}/revoke`))
    expect(await ids(org('/support-grants?status=active'), alice.key)).not.toContain(grant['id'])
    expect(await ids('/v1/admin/support-grants?status=revoked', operator)).toContain(grant['id'])
    expect(await ids('/v1/admin/support-grants?status=expired', operator)).not.toContain(grant['id'])
  })

  test('replays, until and after they are told', async () => {
    const sub = (await ask('POST', org('/webhooks'), { url: 'https://203.0.113.7/', events: ['org.*'] })).json
    await ask('POST', admin('/suspend'), {}, operator)
    await ask('POST', admin('/resume'), {}, operator)
    while ((await drainEvents(server.platform, { add: () => undefined } as never)) > 0);
    const path = org(`/webhooks/${String(sub['id'])}`)
    const made = (await ask('POST', `${path}/replay`, { from: new Date(Date.now() - 3_600_000).toISOString() })).json
    expect(made).toMatchObject({ status: 'waiting', event_count: 2, told_count: 0, finished_at: null })
    await expectRead(`${path}/replays/${String(made['id'])}`, made, { key: alice.key })
    await continueReplays(server.platform)
    const one = (await ask('GET', `${path}/replays/${String(made['id'])}`)).json
    expect(one).toMatchObject({ status: 'finished', told_count: 2, finished_at: expect.any(String) })
    expect(listed(await ask('GET', `${path}/replays?status=finished`))).toEqual([one])
    expect(await continueReplays(server.platform)).toBe(0)
    const none = (await ask('POST', `${path}/replay`, { from: '2026-01-01', to: '2026-01-02' })).json
    expect(none).toMatchObject({ status: 'finished', event_count: 0 })
    const unknown = org(`/webhooks/${formatId('subscription', newUuid())}`)
    for (const missing of [`${path}/replays/${formatId('replay', newUuid())}`, `${unknown}/replays`])
      expect((await ask('GET', missing)).status).toBe(404)
  })

  test('organizations, by a part of their name', async () => {
    const names = async (query: string) =>
      listed(await ask('GET', `/v1/admin/orgs?${query}`, undefined, operator)).map(({ name }) => name)
    expect(await names('name=lic')).toEqual(['Alice'])
    expect(await names('name=BOB')).toEqual(['Bob'])
    expect(await names('name=%25')).toEqual([])
  })
})

/** Fields of rows by which a list can be filtered, wherever its rows have them. */
const filterable = ['status', 'customer_id', 'key_id', 'workflow_id', 'scope_kind', 'scope_id', 'rule_id', 'period']
/** Lists whose reader has another way. */
const unfiltered: Record<string, string> = {
  '/v1/admin/contested-foreign-keys status': 'Whoever decides on a key needs all claims of it.',
  '/v1/me/sessions key_id': 'The sessions are of the calling key.',
  '/v1/orgs/{id}/customers/{customer_id}/credit-packs customer_id': 'The path names the customer.',
  '/v1/orgs/{id}/approvals customer_id': 'An approval is found by its status and its rule.',
  '/v1/orgs/{id}/approvals workflow_id': 'An approval is found by its status and its rule.',
  '/v1/orgs/{id}/proposals scope_kind': 'A proposal is found by its status.',
  '/v1/orgs/{id}/proposals scope_id': 'A proposal is found by its status.',
  '/v1/orgs/{id}/proposals period': 'A proposal is found by its status.',
  '/v1/orgs/{id}/approvals key_id': 'An approval is found by its status and its rule.',
}

test('every list is filtered by what its rows are told apart by', () => {
  const missing = server.routes.flatMap(({ method, template, schema }) => {
    const { response, querystring } = schema as {
      response?: Record<string, { properties?: { data?: { items?: { properties?: object } }; next_cursor?: object } }>
      querystring?: { properties?: object }
    }
    const rows = response?.['200']?.properties
    if (method !== 'GET' || !rows?.next_cursor) return []
    const fields = Object.keys(rows.data?.items?.properties ?? {})
    const filters = Object.keys(querystring?.properties ?? {})
    return filterable
      .filter((name) => fields.includes(name) && !filters.includes(name))
      .map((name) => `${template} ${name}`)
  })
  expect(missing.filter((one) => !(one in unfiltered))).toEqual([])
})
