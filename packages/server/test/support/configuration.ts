import { costsOfYesterday } from './bills.ts'
import type { ServerUnderTest } from './harness.ts'
import { call, type Tenant } from './tenants.ts'

/** A resource of configuration as a test makes and changes it. */
export interface Configured {
  /** Makes what the path needs; returns the values of its parameters. */
  readonly make?: (setting: Setting) => Promise<Record<string, string>>
  readonly query?: string
  /** Bodies that differ by their number. */
  readonly put?: (n: number) => object
  readonly patch?: (n: number) => object
}

export interface Setting {
  readonly server: ServerUnderTest
  readonly operator: string
  readonly tenant: Tenant
}

let made = 0

async function create({ server, operator, tenant }: Setting, path: string, body: object): Promise<string> {
  const isOperators = path.startsWith('/v1/admin/')
  const { status, json, text } = await call(server.url, 'POST', path.replace('{id}', tenant.id), {
    key: isOperators ? operator : tenant.key,
    body,
  })
  if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`)
  return json['id'] as string
}

const rule = (n: number) => ({
  name: `Rule ${n}`,
  effect: 'block',
  target: 'model',
  priority: n,
  expression: 'false',
  reason: 'Never.',
})
const model = (n: number) => ({ model: `model-${n}`, latency_ms: n })
const route = (n: number) => ({ name: `route-${n}`, strategy: 'cheapest', bar: null })
const ssoConnection = (n: number) => ({
  name: `Connection ${n}`,
  oidc: { issuer: 'https://203.0.113.7', client_id: 'weir', client_secret: 's' },
})
const budget = { name: 'B', scope_kind: 'workflow', limit_usd: '9', period: 'month' }

/** Everything that can be replaced, changed or deleted, by the template of its path. */
export const configuration: Record<string, Configured> = {
  '/v1/orgs/{id}': {
    put: (n) => ({ name: `Acme ${n}`, timezone: 'UTC' }),
    patch: (n) => ({ name: `Acme ${n}` }),
  },
  '/v1/orgs/{id}/ip-allow-list': {
    put: (n) => ({ ip_allow_list: ['127.0.0.0/8', `10.0.${n}.0/24`] }),
    patch: (n) => ({ ip_allow_list: ['127.0.0.0/8', `10.0.${n}.0/24`] }),
  },
  '/v1/admin/orgs/{org_id}/rate-limits': {
    put: (n) => ({ read_rpm: 100_000 + n, policies: [] }),
    patch: (n) => ({ read_rpm: 100_000 + n }),
  },
  '/v1/orgs/{id}/spend-cap': {
    put: (n) => ({ cap_usd: `${1_000 + n}` }),
    patch: (n) => ({ cap_usd: `${1_000 + n}` }),
  },
  '/v1/orgs/{id}/budgets/{budget_id}': {
    make: async (setting) => ({
      budget_id: await create(setting, '/v1/orgs/{id}/budgets', { ...budget, scope_id: `scope ${made++}` }),
    }),
    put: (n) => ({ name: 'B', limit_usd: `${1_000 + n}`, period: 'month' }),
    patch: (n) => ({ limit_usd: `${1_000 + n}` }),
  },
  '/v1/orgs/{id}/concurrency-limits/{concurrency_limit_id}': {
    make: async (setting) => ({
      concurrency_limit_id: await create(setting, '/v1/orgs/{id}/concurrency-limits', {
        name: 'C',
        scope_kind: 'workflow',
        scope_id: `scope ${made++}`,
        max_runs: 9,
      }),
    }),
    put: (n) => ({ name: 'C', max_runs: 1_000 + n }),
    patch: (n) => ({ max_runs: 1_000 + n }),
  },
  '/v1/orgs/{id}/budget-defaults/{scope_kind}': {
    make: async () => ({ scope_kind: 'workflow' }),
    put: (n) => ({ limit_usd: `${1_000 + n}`, period: 'day' }),
    patch: (n) => ({ limit_usd: `${1_000 + n}` }),
  },
  '/v1/orgs/{id}/concurrency-defaults/{scope_kind}': {
    make: async () => ({ scope_kind: 'workflow' }),
    put: (n) => ({ max_runs: 1_000 + n }),
    patch: (n) => ({ max_runs: 1_000 + n }),
  },
  '/v1/orgs/{id}/scoped-budget': {
    query: '?scope_kind=department&scope_id=ops%2Fberlin&period=month',
    put: (n) => ({ name: 'Ops', limit_usd: `${1_000 + n}` }),
  },
  '/v1/orgs/{id}/customers/{customer_id}/limit': {
    make: async () => ({ customer_id: `customer-${made++}` }),
    put: (n) => ({ limit_usd: `${1_000 + n}`, period: 'day' }),
    patch: (n) => ({ limit_usd: `${1_000 + n}` }),
  },
  '/v1/orgs/{id}/customer-limit-default': {
    put: (n) => ({ limit_usd: `${1_000 + n}`, period: 'day' }),
    patch: (n) => ({ limit_usd: `${1_000 + n}` }),
  },
  '/v1/admin/orgs/{org_id}/plan': {
    put: (n) => ({ name: 'Team', runs_per_month: 1_000 + n, tokens_per_month: null, overage_policy: 'allow' }),
    patch: (n) => ({ runs_per_month: 1_000 + n }),
  },
  '/v1/orgs/{id}/chain-limits': {
    put: (n) => ({ default: { max_depth: 10 + n } }),
    patch: (n) => ({ default: { max_depth: 10 + n } }),
  },
  '/v1/admin/prices': {
    put: (n) => ({
      prices: [{ model: 'everybodys', input_usd_per_million: `${n + 1}`, output_usd_per_million: '1' }],
    }),
    patch: (n) => ({
      prices: [{ model: 'everybodys', input_usd_per_million: `${n + 1}`, output_usd_per_million: '2' }],
    }),
  },
  '/v1/admin/prices/{price_id}': {
    make: async (setting) => ({
      price_id: await create(setting, '/v1/admin/prices', {
        model: `everybodys-${made++}`,
        input_usd_per_million: '1',
        output_usd_per_million: '1',
      }),
    }),
    put: (n) => ({ model: `everybodys-again-${n}`, input_usd_per_million: `${n + 1}`, output_usd_per_million: '1' }),
    patch: (n) => ({ input_usd_per_million: `${n + 1}` }),
  },
  '/v1/orgs/{id}/prices': {
    put: (n) => ({
      prices: [{ model: 'own', input_usd_per_million: `${n + 1}`, output_usd_per_million: '1' }],
    }),
    patch: (n) => ({ default_max_output_tokens: 100 + n }),
  },
  '/v1/orgs/{id}/prices/{price_id}': {
    make: async (setting) => ({
      price_id: await create(setting, '/v1/orgs/{id}/prices', {
        model: `priced-${made++}`,
        input_usd_per_million: '1',
        output_usd_per_million: '1',
      }),
    }),
    put: (n) => ({ model: `repriced-${n}`, input_usd_per_million: `${n + 1}`, output_usd_per_million: '1' }),
    patch: (n) => ({ input_usd_per_million: `${n + 1}` }),
  },
  '/v1/orgs/{id}/dimensions/{dimension}': {
    make: async () => ({ dimension: 'department_id' }),
    put: (n) => ({ values: [`team ${n}`], on_unknown: 'refuse' }),
    patch: (n) => ({ values: [`team ${n}`], on_unknown: 'refuse' }),
  },
  '/v1/orgs/{id}/trust': {
    put: (n) => ({ min_lease_seconds: n + 2 }),
    patch: (n) => ({ min_lease_seconds: n + 2 }),
  },
  '/v1/orgs/{id}/keys/{key_id}/trust': {
    make: async ({ tenant }) => ({ key_id: tenant.keyId }),
    put: (n) => ({ min_lease_seconds: n + 2 }),
    patch: (n) => ({ min_lease_seconds: n + 2 }),
  },
  '/v1/orgs/{id}/otlp-mapping': {
    put: (n) => ({ department_id: [`team.${n}`] }),
    patch: (n) => ({ department_id: [`team.${n}`] }),
  },
  '/v1/orgs/{id}/policies/{rule_id}': {
    make: async (setting) => ({ rule_id: await create(setting, '/v1/orgs/{id}/policies', rule(0)) }),
    put: (n) => rule(n + 1),
    patch: (n) => ({ reason: `Because ${n}.` }),
  },
  '/v1/orgs/{id}/content-safety': {
    put: (n) => ({ allow_list: [`text ${n}`] }),
    patch: (n) => ({ allow_list: [`text ${n}`] }),
  },
  '/v1/orgs/{id}/keys/{key_id}': {
    make: async (setting) => ({
      key_id: await create(setting, '/v1/orgs/{id}/keys', { name: 'k', role: 'viewer', scopes: ['runs:read'] }),
    }),
    put: (n) => ({ name: `key ${n}` }),
    patch: (n) => ({ name: `key ${n}` }),
  },
  '/v1/orgs/{id}/members/{member_id}': {
    make: async (setting) => ({
      member_id: await create(setting, '/v1/orgs/{id}/members', { email: `m${made++}@acme.example`, role: 'viewer' }),
    }),
    put: (n) => ({ role: 'viewer', name: `Name ${n}` }),
    patch: (n) => ({ name: `Name ${n}` }),
  },
  '/v1/orgs/{id}/evals/{eval_id}': {
    make: async ({ server, tenant }) => {
      const results = [{ suite: `suite ${made++}`, model: 'm', score: 1, samples: 1 }]
      const { json } = await call(server.url, 'POST', `/v1/orgs/${tenant.id}/evals`, {
        key: tenant.key,
        body: { results },
      })
      return { eval_id: (json['data'] as { id: string }[])[0]!.id }
    },
  },
  '/v1/orgs/{id}/models/{model_id}': {
    make: async (setting) => ({ model_id: await create(setting, '/v1/orgs/{id}/models', model(9_000 + made++)) }),
    put: model,
    patch: (n) => ({ latency_ms: 1 + n }),
  },
  '/v1/orgs/{id}/routes/{route_id}': {
    make: async (setting) => ({ route_id: await create(setting, '/v1/orgs/{id}/routes', route(9_000 + made++)) }),
    put: route,
    patch: (n) => ({ name: `renamed-${n}` }),
  },
  '/v1/orgs/{id}/residency': {
    put: (n) => ({ residency: n % 2 === 0 ? 'strict' : 'none' }),
    patch: (n) => ({ residency: n % 2 === 0 ? 'strict' : 'none' }),
  },
  '/v1/orgs/{id}/slack-app': {
    put: (n) => ({ channel: `C000000000${n}`, signing_secret: '0'.repeat(32), bot_token: 'xoxb-1-2-3' }),
    patch: (n) => ({ channel: `C000000000${n}` }),
  },
  '/v1/orgs/{id}/session-policy': {
    put: (n) => ({ idle_seconds: 60 + n, max_seconds: 3_600, key_sign_in: 'allow' }),
    patch: (n) => ({ idle_seconds: 60 + n }),
  },
  '/v1/orgs/{id}/directory-roles': {
    put: (n) => ({ rules: [{ group: `Group ${n}`, role: 'member' }], default_role: 'viewer' }),
    patch: (n) => ({ rules: [{ group: `Group ${n}`, role: 'admin' }] }),
  },
  '/v1/orgs/{id}/sso-connections/{connection_id}': {
    make: async (setting) => ({
      connection_id: await create(setting, '/v1/orgs/{id}/sso-connections', { kind: 'oidc', ...ssoConnection(0) }),
    }),
    put: ssoConnection,
    patch: (n) => ({ name: `Connection ${n}` }),
  },
  '/v1/orgs/{id}/domains/{domain_id}': {
    make: async (setting) => ({
      domain_id: await create(setting, '/v1/orgs/{id}/domains', { domain: `d${made++}.example` }),
    }),
    put: (n) => ({ description: `Domain ${n}` }),
    patch: (n) => ({ description: `Domain ${n}` }),
  },
  '/v1/orgs/{id}/reconciliations/{reconciliation_id}': {
    make: async (setting) => ({
      reconciliation_id: await create(setting, '/v1/orgs/{id}/reconciliations', {
        files: [{ name: `costs-${made++}.json`, text: costsOfYesterday(Date.now(), [['gpt-4o', made]]) }],
      }),
    }),
  },
  '/v1/orgs/{id}/retention-policy': {
    put: (n) => ({ raw_days: 31 + (n % 50) }),
    patch: (n) => ({ raw_days: 31 + (n % 50) }),
  },
  '/v1/orgs/{id}/benchmark-membership': { put: () => ({ cohort_ids: [] }), patch: () => ({ cohort_ids: [] }) },
  '/v1/admin/benchmarks/cohorts/{cohort_id}': {
    make: async (setting) => ({ cohort_id: await create(setting, '/v1/admin/benchmarks/cohorts', { name: 'C' }) }),
    put: (n) => ({ name: `Cohort ${n}`, status: 'open' }),
    patch: (n) => ({ name: `Cohort ${n}` }),
  },
  '/v1/admin/operator-ip-allow-list': {
    put: (n) => ({ ip_allow_list: ['127.0.0.0/8', `10.0.${n}.0/24`] }),
    patch: (n) => ({ ip_allow_list: ['127.0.0.0/8', `10.0.${n}.0/24`] }),
  },
  '/v1/orgs/{id}/webhooks/{sub_id}': {
    make: async (setting) => ({
      sub_id: await create(setting, '/v1/orgs/{id}/webhooks', { url: 'https://203.0.113.7/hook' }),
    }),
    put: (n) => ({ url: 'https://203.0.113.7/hook', description: `Hook ${n}` }),
    patch: (n) => ({ description: `Hook ${n}` }),
  },
}

/** Makes a resource and says where it is. */
export async function pathTo(setting: Setting, template: string): Promise<string> {
  const { make, query = '' } = configuration[template]!
  const ids: Record<string, string> = {
    id: setting.tenant.id,
    org_id: setting.tenant.id,
    ...(await make?.(setting)),
  }
  return template.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(ids[name]!)) + query
}
