import { beforeAll, describe, expect, test } from 'vitest'
import { documentOf } from '../support/document.ts'
import { useServer } from '../support/harness.ts'
import { type Answer, call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/**
 * What is true of every resource that can be changed, from the OpenAPI document itself: what GET gives, PUT and PATCH take back.
 * A resource that is added tomorrow is in here, or the test asks for how it is made.
 */
const server = useServer({
  environment: { SVC_WEBHOOK_ALLOWED_CIDRS: '203.0.113.0/24', SVC_SSO_ALLOWED_CIDRS: '203.0.113.0/24' },
})
let operator: string
let acme: Tenant
let resources: Resource[]

type Json = Record<string, unknown>
interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly readOnly?: boolean
  readonly description?: string
  readonly default?: unknown
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly { readonly else?: Schema }[]
}
/** Fields that a body must have, also those that it needs only where it lacks another. */
const requiredIn = ({ required = [], allOf = [] }: Schema) => [
  ...required,
  ...allOf.flatMap(({ else: otherwise }) => otherwise?.required ?? []),
]
interface Operation {
  readonly requestBody?: { content: { 'application/json': { schema: Schema } } }
  readonly responses: Record<string, { content?: { 'application/json'?: { schema: Schema } } }>
}
interface Resource {
  readonly template: string
  readonly methods: readonly ('PUT' | 'PATCH')[]
  readonly bodies: Readonly<Record<string, Schema>>
}

const rule = { name: 'r', effect: 'block', target: 'model', priority: 1, expression: 'false', reason: 'No.' }
const concurrency = { name: 'c', scope_kind: 'workflow', scope_id: 'w', max_runs: 5 }
const budget = { name: 'b', scope_kind: 'workflow', scope_id: 'w', limit_usd: '5', period: 'month', thresholds: [50] }
const price = { model: 'm', input_usd_per_million: '1', output_usd_per_million: '2' }
const policy = { kind: 'requests', per: 'org', amount: 1_000_000, window_seconds: 60 }

/** How each resource is made: by a POST to its collection, or by a PUT of itself. */
const made: Record<string, Json> = {
  '/v1/orgs/{id}': { name: 'Acme', timezone: 'Europe/Berlin', required_dimensions: [] },
  '/v1/orgs/{id}/residency': { residency: 'none' },
  '/v1/orgs/{id}/ip-allow-list': { ip_allow_list: ['127.0.0.0/8', '::1'] },
  '/v1/admin/operator-ip-allow-list': { ip_allow_list: ['127.0.0.0/8', '::1'] },
  '/v1/admin/orgs/{org_id}/rate-limits': {
    read_rpm: 1_000_000,
    policies: [policy, { ...policy, per: 'key', window_seconds: 61 }],
  },
  '/v1/orgs/{id}/spend-cap': { cap_usd: '5', timezone: 'Asia/Tokyo' },
  '/v1/orgs/{id}/budgets/{budget_id}': { ...budget, timezone: 'Asia/Tokyo', anchor: '2026-01-15' },
  '/v1/orgs/{id}/concurrency-limits/{concurrency_limit_id}': { ...concurrency },
  '/v1/orgs/{id}/concurrency-defaults/{scope_kind}': { max_runs: 5 },
  '/v1/orgs/{id}/budget-defaults/{scope_kind}': { limit_usd: '5', period: 'month', thresholds: [80] },
  '/v1/orgs/{id}/customers/{customer_id}/limit': { limit_usd: '5', period: 'day', timezone: 'Asia/Tokyo' },
  '/v1/orgs/{id}/customer-limit-default': { limit_usd: '5', period: 'day', max_new_customers_per_day: 7 },
  '/v1/admin/orgs/{org_id}/plan': { name: 'Team', runs_per_month: 9, tokens_per_month: null, overage_policy: 'allow' },
  '/v1/orgs/{id}/chain-limits': { default: { max_depth: 3 }, workflows: [{ workflow_id: 'w', max_cost_usd: '1' }] },
  '/v1/admin/prices': { prices: [price, { ...price, provider: 'azure' }] },
  '/v1/admin/prices/{price_id}': { ...price, model: 'single' },
  '/v1/orgs/{id}/prices': { prices: [price, { ...price, provider: 'azure' }], unpriced_ceiling_usd: '1' },
  '/v1/orgs/{id}/prices/{price_id}': { ...price, model: 'single' },
  '/v1/orgs/{id}/dimensions/{dimension}': { values: ['support'], pattern: 'team-[0-9]+', on_unknown: 'allow' },
  '/v1/orgs/{id}/trust': {
    reported_cost: 'raise_only',
    reported_usage: 'raise_only',
    min_lease_seconds: 60,
    release: 'refuse',
    edge_expiry: 'charge',
    over_limit_reports: 'book',
    max_overrun_usd: '2.5',
    start_only: true,
    input_required: true,
    action_required: true,
  },
  '/v1/orgs/{id}/keys/{key_id}/trust': {
    reported_cost: 'ignore',
    reported_usage: 'accept',
    min_lease_seconds: 9,
    release: 'allow',
    edge_expiry: 'charge',
    over_limit_reports: 'refuse',
    max_overrun_usd: null,
    start_only: false,
    input_required: false,
    action_required: true,
  },
  '/v1/orgs/{id}/otlp-mapping': { department_id: ['team.name'] },
  '/v1/orgs/{id}/policies/{rule_id}': rule,
  '/v1/orgs/{id}/content-safety': {
    detectors: { card_number: { mode: 'alert' } },
    patterns: [{ name: 'zeus', pattern: 'ZEUS', mode: 'alert' }],
  },
  '/v1/orgs/{id}/keys/{key_id}': {
    name: 'k',
    role: 'viewer',
    scopes: ['runs:read'],
    pins: { workflow_id: 'w' },
  },
  '/v1/orgs/{id}/members/{member_id}': { email: 'ada@acme.example', name: 'Ada', role: 'member' },
  '/v1/orgs/{id}/models/{model_id}': { model: 'gpt-4o', capabilities: ['vision'], enabled: false },
  '/v1/orgs/{id}/routes/{route_id}': {
    name: 'chat',
    strategy: 'cheapest',
    bar: { suite: 's', min_score: 0.5, max_age_seconds: 60 },
  },
  '/v1/orgs/{id}/retention-policy': { raw_days: 30 },
  '/v1/orgs/{id}/session-policy': { idle_seconds: 600, max_seconds: null, key_sign_in: 'allow', sso: 'optional' },
  '/v1/orgs/{id}/directory-roles': { rules: [{ group: 'Staff', role: 'member' }], default_role: 'viewer' },
  '/v1/orgs/{id}/sso-connections/{connection_id}': {
    kind: 'oidc',
    name: 'Okta',
    oidc: { issuer: 'https://203.0.113.7', client_id: 'weir', client_secret: 'secret' },
    role_rules: [{ claim: 'groups', values: ['admins'], role: 'admin' }],
    default_role: 'viewer',
    jit: true,
    enabled: false,
  },
  '/v1/orgs/{id}/slack-app': {
    channel: 'C0123456789',
    enabled: false,
    signing_secret: '0123456789abcdef0123456789abcdef',
    bot_token: 'xoxb-1234-abcd',
  },
  '/v1/orgs/{id}/domains/{domain_id}': { domain: 'acme.example', description: 'head office' },
  '/v1/orgs/{id}/benchmark-membership': { cohort_ids: [] },
  '/v1/admin/benchmarks/cohorts/{cohort_id}': { name: 'Fintech', industry: 'fintech' },
  '/v1/orgs/{id}/webhooks/{sub_id}': { url: 'https://203.0.113.7/hook', events: ['budget.*'], enabled: false },
}

/** Other paths of what is a resource elsewhere, with the fields that name it in the query. */
const aliases = new Set(['/v1/orgs/{id}/scoped-budget'])

const keyFor = (path: string) => (path.startsWith('/v1/admin/') ? operator : acme.key)
const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  call(server.url, method, path, { key: keyFor(path), ...(body !== undefined && { body }) })

async function asked(method: string, path: string, body?: unknown): Promise<Json> {
  const { status, json, text } = await ask(method, path, body)
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
  return json
}

const concrete = (template: string, id = 'nobody') =>
  template.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    if (name === 'id' || name === 'org_id') return acme.id
    if (name === 'scope_kind') return 'workflow'
    if (name === 'dimension') return 'department_id'
    if (name === 'key_id' && template.endsWith('/trust')) return acme.keyId
    return name === 'customer_id' ? 'customer-1' : id
  })

/** Whether it is there for every organization or customer, set or not. */
const isSingleton = (template: string) =>
  !/\{(?!scope_kind|dimension)\w+\}$/.test(template) || template === '/v1/orgs/{id}'

/** For every resource at once: they have nothing to do with each other. */
const each = (work: (resource: Resource) => Promise<void>) => Promise.all(resources.map(work))

/** The path of a resource that was made by now. */
const paths = new Map<string, string>()

const readOnly = (schema: Schema, isComputed: boolean) =>
  Object.entries(schema.properties ?? {})
    .filter(([, property]) => property.readOnly === true && (property.description === 'Ignored.') === isComputed)
    .map(([name]) => name)

const altered = (value: unknown): unknown => {
  if (typeof value === 'string') return `${value}x`
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return [...(value as unknown[]), 'x']
  return value === null ? 'x' : {}
}

const readOnlyFault = (field: string) => expect.objectContaining({ field, code: 'read_only' })
const faultsOf = ({ json }: Answer) => (json.error?.details['fields'] ?? []) as { field: string; code: string }[]

const newest = async () => {
  const [own, operators] = await Promise.all(
    [`/v1/orgs/${acme.id}/audit-log`, '/v1/admin/audit-log'].map(async (log) => {
      const { data } = (await asked('GET', `${log}?sort=-created_at&limit=1`)) as unknown as { data: { seq: string }[] }
      return data[0]?.seq
    }),
  )
  return { own, operators }
}

beforeAll(async () => {
  operator = (await operatorOf(server)).key
  acme = await tenantOf(server, operator)
  const document = (await documentOf(server.url)) as unknown as {
    paths: Record<string, Record<string, Operation>>
  }
  resources = Object.entries(document.paths).flatMap(([template, operations]) => {
    const methods = (['PUT', 'PATCH'] as const).filter((method) => operations[method.toLowerCase()])
    const bodies = Object.fromEntries(
      methods.map((method) => [
        method,
        operations[method.toLowerCase()]!.requestBody!.content['application/json'].schema,
      ]),
    )
    return methods.length === 0 || aliases.has(template) ? [] : [{ template, methods, bodies }]
  })
})

test('every resource that can be changed can be read, replaced and patched where it is', async () => {
  const { paths: all } = (await documentOf(server.url)) as unknown as {
    paths: Record<string, object>
  }
  const verbs = resources.map(({ template, methods }) => [template, 'get' in all[template]!, methods])
  expect(verbs).toEqual(resources.map(({ template }) => [template, true, ['PUT', 'PATCH']]))
  const missing = resources.map(({ template }) => template).filter((template) => !made[template])
  expect(missing, 'say above how these are made').toEqual([])
})

test('a singleton that is not set is answered with nulls, and is taken back as that', async () => {
  await each(async ({ template }) => {
    if (!isSingleton(template)) return
    const path = concrete(template)
    const before = await asked('GET', path)
    // The answer of the address list is the whole organization.
    expect(await asked('PUT', path, before), template).toMatchObject(before)
    expect(await asked('GET', path), template).toEqual(before)
  })
  for (const name of ['spend-cap', 'plan', 'customer-limit-default']) {
    const { id, created_at } = await asked('GET', `/v1/orgs/${acme.id}/${name}`)
    expect([name, id, created_at]).toEqual([name, null, null])
  }
})

describe('what GET gives', () => {
  beforeAll(async () => {
    // One after the other: some are in others.
    for (const { template } of resources) {
      const isMade = isSingleton(template)
      const path = concrete(template)
      const answer = isMade
        ? await asked('PUT', path, made[template])
        : await asked('POST', path.replace(/\/nobody$/, ''), made[template])
      paths.set(template, isMade ? path : concrete(template, String(answer['id'])))
    }
  })

  test.each(['PUT', 'PATCH'] as const)('%s takes back, and nothing is changed or put on record', async (method) => {
    const onRecord = await newest()
    await each(async ({ template }) => {
      const path = paths.get(template)!
      const before = await asked('GET', path)
      expect(await asked(method, path, before), `${method} ${template}`).toMatchObject(before)
      expect(await asked('GET', path), `${method} ${template}`).toEqual(before)
    })
    expect(await newest()).toEqual(onRecord)
  })

  test.each(['PUT', 'PATCH'] as const)('is not changed by %s where it is read-only', async (method) => {
    await each(async ({ template, bodies }) => {
      const path = paths.get(template)!
      const before = await asked('GET', path)
      for (const field of readOnly(bodies[method]!, false)) {
        const answer = await ask(method, path, { ...before, [field]: altered(before[field]) })
        expect(answer.status, `${method} ${template}: ${field}`).toBe(422)
        expect(faultsOf(answer), `${method} ${template}: ${field}`).toEqual([readOnlyFault(field)])
      }
      const moved = Object.fromEntries(readOnly(bodies[method]!, true).map((field) => [field, altered(before[field])]))
      expect((await ask(method, path, { ...before, ...moved })).status, `${method} ${template}`).toBe(200)
      expect(await asked('GET', path), `${method} ${template}`).toEqual(before)
    })
  })

  test('PATCH changes in the fields that are named, and in no other', async () => {
    await each(async ({ template, bodies }) => {
      const path = paths.get(template)!
      const before = await asked('GET', path)
      for (const [field, schema] of Object.entries(bodies['PATCH']!.properties ?? {})) {
        if (schema.readOnly === true || !(field in before)) continue
        await asked('PATCH', path, { [field]: before[field] })
        expect(await asked('GET', path), `${template}: ${field}`).toEqual(before)
      }
    })
  })

  test('PUT resets where it is left out, unless that would move money to another day', async () => {
    await each(async ({ template, bodies }) => {
      const path = paths.get(template)!
      const before = await asked('GET', path)
      const { properties = {}, ...schema } = bodies['PUT']!
      const required = requiredIn(schema)
      const zone = Object.fromEntries(
        ['timezone', 'anchor'].flatMap((name) => (name in properties ? [[name, before[name]]] : [])),
      )
      const least = Object.fromEntries(required.map((name) => [name, before[name]]))
      await asked('PUT', path, { ...zone, ...least })
      const after = await asked('GET', path)
      for (const [field, { default: byDefault }] of Object.entries(properties)) {
        if (byDefault === undefined || required.includes(field) || field in zone || !(field in after)) continue
        if (JSON.stringify(byDefault) === '{}') continue
        expect(after[field], `${template}: ${field}`).toEqual(byDefault)
      }
    })
  })
})

test('a field inside a list is read-only too, wherever its element stands', async () => {
  const path = `/v1/admin/orgs/${acme.id}/rate-limits`
  await asked('PUT', path, made['/v1/admin/orgs/{org_id}/rate-limits'])
  const { policies, ...rest } = (await asked('GET', path)) as { policies: Json[] }
  const [first, second] = policies as [Json, Json]
  expect(await asked('PUT', path, { ...rest, policies: [second, first] })).toEqual({ ...rest, policies })
  const forged = await ask('PUT', path, { ...rest, policies: [{ ...first, id: second['id'] }, second] })
  expect(faultsOf(forged)).toEqual([])
  const unknown = await ask('PUT', path, { ...rest, policies: [{ ...first, id: 'rlp_none' }] })
  expect(faultsOf(unknown)).toEqual([readOnlyFault('policies.0.id')])
})

describe('a time zone', () => {
  const path = () => `/v1/orgs/${acme.id}/spend-cap`

  test('stays with a changed amount', async () => {
    await ask('DELETE', path())
    await asked('PUT', path(), { cap_usd: '10', timezone: 'Asia/Tokyo' })
    const refused = await ask('PUT', path(), { cap_usd: '11' })
    expect(faultsOf(refused)).toMatchObject([{ field: 'timezone', code: 'required' }])
    expect(await asked('PATCH', path(), { cap_usd: '11' })).toMatchObject({
      cap_usd: '11',
      timezone: 'Asia/Tokyo',
      next_schedule: null,
    })
  })

  test('that is to follow is kept by whoever takes both back, and dropped by whoever names only the running one', async () => {
    await ask('DELETE', path())
    await asked('PUT', path(), { cap_usd: '10' })
    const pending = await asked('PUT', path(), { cap_usd: '10', timezone: 'Asia/Tokyo' })
    expect(pending).toMatchObject({ timezone: 'UTC', next_schedule: { timezone: 'Asia/Tokyo' } })
    expect(await asked('PATCH', path(), { cap_usd: '10' })).toEqual(pending)
    for (const method of ['PUT', 'PATCH']) expect(await asked(method, path(), pending), method).toEqual(pending)
    expect(await asked('PATCH', path(), { cap_usd: '12' })).toMatchObject({ next_schedule: pending['next_schedule'] })
    expect(await asked('PUT', path(), { cap_usd: '12', timezone: 'UTC' })).toMatchObject({ next_schedule: null })
  })
})

test('patches at the same time do not undo each other', async () => {
  const { id } = await asked('POST', `/v1/orgs/${acme.id}/models`, { model: 'concurrent' })
  const path = `/v1/orgs/${acme.id}/models/${String(id)}`
  await Promise.all([
    asked('PATCH', path, { region: 'eu' }),
    asked('PATCH', path, { latency_ms: 5 }),
    asked('PATCH', path, { context_tokens: 7 }),
    asked('PATCH', path, { enabled: false }),
  ])
  expect(await asked('GET', path)).toMatchObject({ region: 'eu', latency_ms: 5, context_tokens: 7, enabled: false })
})

describe('answers', () => {
  /** Lists in another order, each with its reason. */
  const otherwise: Record<string, string> = {
    '/v1/admin/orgs': 'released as the oldest first',
    '/v1/orgs/{id}/keys': 'released as the oldest first',
    '/v1/admin/support-grants': 'released as the oldest first',
    '/v1/orgs/{id}/support-grants': 'released as the oldest first',
    '/v1/orgs/{id}/audit-log': 'released as the oldest first',
    '/v1/admin/audit-log': 'as the log of an organization',
    '/v1/orgs/{id}/usage': 'a series, from its beginning',
    '/v1/me/usage': 'a series, from its beginning',
    '/v1/orgs/{id}/budget-defaults/{scope_kind}/usage': 'one row for each that it binds, by name',
    '/v1/meta/errors': 'a catalog, by code',
    '/v1/forecast': 'one row for each deployment, by name',
  }
  const gets = async () => {
    const { paths: all } = (await documentOf(server.url)) as unknown as {
      paths: Record<string, { get?: Operation & { parameters?: { name: string; schema: Schema }[] } }>
    }
    return Object.entries(all).flatMap(([template, { get }]) => (get ? [{ template, get }] : []))
  }

  test('with lists begin with the newest', async () => {
    const ascending = (await gets()).flatMap(({ template, get }) => {
      const sort = get.parameters?.find(({ name }) => name === 'sort')
      return sort && !String(sort.schema.default).startsWith('-') ? [template] : []
    })
    expect(ascending.sort()).toEqual(Object.keys(otherwise).sort())
    const models = `/v1/orgs/${acme.id}/models`
    for (const model of ['first', 'second', 'third']) await asked('POST', models, { model })
    const listed = (await asked('GET', `${models}?limit=2`)) as { data: Json[]; next_cursor: string }
    expect(listed.data.map(({ model }) => model)).toEqual(['third', 'second'])
    const next = (await asked('GET', `${models}?limit=2&cursor=${listed.next_cursor}`)) as { data: Json[] }
    expect(next.data[0]!['model']).toBe('first')
  })

  test('call a state a status', async () => {
    const named = (schema: Schema | undefined, at: string): string[] => [
      ...Object.entries(schema?.properties ?? {}).flatMap(([name, inner]) => [
        ...(name === 'state' ? [`${at}.${name}`] : []),
        ...named(inner, `${at}.${name}`),
      ]),
      ...[schema?.items, ...(schema?.anyOf ?? [])].flatMap((inner) => (inner ? named(inner, at) : [])),
    ]
    const found = (await gets()).flatMap(({ template, get }) =>
      named(get.responses['200']?.content?.['application/json']?.schema, template),
    )
    expect(found).toEqual([])
  })

  test('write every time with milliseconds and an offset', async () => {
    const isTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/
    const timesIn = (value: unknown): string[] => {
      if (typeof value === 'string') return isTime.test(value) ? [value] : []
      return value !== null && typeof value === 'object' ? Object.values(value).flatMap(timesIn) : []
    }
    const times = await Promise.all(
      (await gets()).map(async ({ template }) => {
        // What the document has are examples, also of what is sent.
        if (template === '/v1/openapi.json') return []
        const { status, json } = await ask('GET', paths.get(template) ?? concrete(template))
        return status === 200 ? timesIn(json).map((time) => `${template} ${time}`) : []
      }),
    )
    expect(times.flat().length).toBeGreaterThan(50)
    expect(times.flat().filter((time) => !/\.\d{3}\+00:00$/.test(time))).toEqual([])
  })
})
