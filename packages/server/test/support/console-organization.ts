import { costsOfYesterday } from './bills.ts'
import { Random } from './random.ts'
import { type Answer, call, type Tenant } from './tenants.ts'

type Body = Record<string, unknown>

/** Turns the plain name of something into the name that an organization gives it. */
export type Naming = (plain: string) => string

/** Markup that would run if any page let it: by a tag, out of an attribute, and out of a script. */
export const canary: Naming = (plain) =>
  `${plain}"'><img src=x onerror=pwned()><script>pwned()</script>\${pwned()}{{pwned()}}</title></textarea>`

/** One organization with something of every kind on its pages. */
export interface ConsoleOrganization {
  readonly tenant: Tenant
  /** Ids by kind of what was made, for addresses that no page links to. */
  readonly ids: Readonly<Record<string, string>>
}

const dayMs = 86_400_000
const teams = ['customs', 'support', 'research', 'billing'] as const
const models = ['gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'o3'] as const
const workflows = ['customs-documents', 'ticket-triage', 'weekly-digest', 'invoice-matching'] as const
const customers = ['contoso', 'fabrikam', 'tailspin-toys'] as const

/** Fills an organization through the API, as its members and agents would. `named` gives every name, id, note and reason. */
export async function fillOrganization(
  url: string,
  { operator, tenant, nowMs }: { operator: string; tenant: Tenant; nowMs: number },
  named: Naming,
): Promise<ConsoleOrganization> {
  const ids: Record<string, string> = {}
  const org = `/v1/orgs/${tenant.id}`
  const send = async (method: string, path: string, body?: Body, key = tenant.key): Promise<Answer['json']> => {
    const answer = await call(url, method, path, {
      key,
      ...(body !== undefined && { body }),
      headers: {
        'user-agent': named('agent/1.0')
          .slice(0, 200)
          .replaceAll(/[^ -~]/g, ''),
      },
    })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.json
  }
  const short: Naming = (plain) => named(plain).slice(0, 100)
  const make = async (kind: string, path: string, body: Body) => {
    const made = await send('POST', org + path, body)
    ids[kind] ??= String(made['id'])
    return made
  }

  await send('PUT', org, { name: short('Northwind Logistics'), timezone: 'Europe/Berlin', required_dimensions: [] })
  const customsId = await fillLimits(send, make, org, named)
  await recordPast(send, nowMs, named)
  await useUp(send, `${org}/budgets/${customsId}`)
  await fillRules(make, send, org, named)
  const agentKey = await fillPeople(make, send, org, named)
  await runNow(url, agentKey, send, ids, named)
  await send('PUT', `${org}/content-safety`, {
    detectors: { card_number: { mode: 'block' }, email: { mode: 'alert', threshold: 3 } },
    patterns: [{ name: 'project_codes', pattern: '\\bZEUS-\\d{4}\\b', mode: 'alert' }],
    allow_list: ['@example.com'],
  })
  await make('model', '/models', {
    model: named('gpt-4o'),
    provider: short('openai'),
    region: 'eu-west-1',
    latency_ms: 900,
  })
  await send('POST', `${org}/evals`, {
    results: [
      { suite: short('support-quality'), model: named('gpt-4o'), provider: short('openai'), score: 0.93, samples: 200 },
    ],
  })
  await make('route', '/routes', {
    name: short('support-chat'),
    strategy: 'cheapest',
    bar: { suite: short('support-quality'), min_score: 0.9, max_age_seconds: 1_209_600 },
  })
  await make('webhook', '/webhooks', {
    url: `https://127.0.0.1/weir?team=${encodeURIComponent(named('support'))}`,
    events: ['budget.*'],
    signing: 'subscription',
  })
  await make('old-webhook', '/webhooks', {
    url: 'https://127.0.0.1/audit',
    events: ['key.*'],
    description: named('Signed in the old way'),
  })
  await send('PUT', `${org}/slack-app`, {
    channel: 'C0123456789',
    signing_secret: '0'.repeat(32),
    bot_token: 'xoxb-1-2-3',
  })
  await callDeprecated(make, send, short)
  const bill = [
    ['gpt-4o, input', 3.5],
    // A charge that no run has.
    [named('web search tool calls'), 2.25],
  ] as const
  await make('reconciliation', '/reconciliations', {
    files: [{ name: short('costs.json'), text: costsOfYesterday(nowMs, bill) }],
  })
  const grant = await send(
    'POST',
    '/v1/admin/support-grants',
    { org_id: tenant.id, scope: 'read', reason: named('Ticket 4711'), duration_seconds: 3_600 },
    operator,
  )
  ids['grant'] = String(grant['id'])
  return { tenant, ids }
}

type Send = (method: string, path: string, body?: Body, key?: string) => Promise<Answer['json']>
type Make = (kind: string, path: string, body: Body) => Promise<Answer['json']>

/** Sets the limit of a budget to a few cents more than what is spent of it. */
async function useUp(send: Send, path: string) {
  const { spent_usd: spent } = await send('GET', path)
  await send('PATCH', path, { limit_usd: (Number(spent) + 0.31).toFixed(2) })
}

/** Returns the id of the budget that is to be used up. */
async function fillLimits(send: Send, make: Make, org: string, named: Naming): Promise<string> {
  const short: Naming = (plain) => named(plain).slice(0, 100)
  await send('PUT', `${org}/prices`, {
    prices: [{ model: named('northwind-ocr'), input_usd_per_million: '0.4', output_usd_per_million: '1.2' }],
  })
  const budgets: [string, Body][] = [
    ['Everything', { scope_kind: 'org', limit_usd: '2400', period: 'month' }],
    ['Support', { scope_kind: 'department', scope_id: named('support'), limit_usd: '900', period: 'month' }],
    [
      'Research',
      {
        scope_kind: 'department',
        scope_id: named('research'),
        limit_usd: '300',
        period: 'month',
        enforcement: 'alert',
      },
    ],
    [
      'Customs documents',
      { scope_kind: 'workflow', scope_id: named('customs-documents'), limit_usd: '0.5', period: 'day' },
    ],
  ]
  let last = ''
  for (const [name, more] of budgets)
    last = String((await make('budget', '/budgets', { name: short(name), thresholds: [50, 80, 95], ...more }))['id'])
  await send('PUT', `${org}/budget-defaults/department`, { limit_usd: '500', period: 'month', thresholds: [80] })
  await send('PUT', `${org}/concurrency-defaults/workflow`, { max_runs: 40 })
  const frozen = await make('frozen-budget', '/budgets', {
    name: short('Old experiments'),
    scope_kind: 'workflow',
    scope_id: named('old-experiments'),
    limit_usd: '20',
    period: 'month',
  })
  await send('POST', `${org}/limits/${String(frozen['id'])}/freeze`, { reason: named('Ended in October.') })
  await send('PUT', `${org}/spend-cap`, { cap_usd: '400', timezone: 'Europe/Berlin' })
  await make('concurrency', '/concurrency-limits', {
    name: short('Weekly digest, three at a time'),
    scope_kind: 'workflow',
    scope_id: named('weekly-digest'),
    max_runs: 3,
  })
  for (const [i, customer] of customers.entries())
    await send('PUT', `${org}/customers/${encodeURIComponent(named(customer))}/limit`, {
      limit_usd: String(400 + 150 * i),
      period: 'month',
    })
  await send('PUT', `${org}/customer-limit-default`, { limit_usd: '25', period: 'month' })
  await make('pack', `/customers/${encodeURIComponent(named('contoso'))}/credit-packs`, {
    amount_usd: '100',
    name: short('INV-1042'),
  })
  await send('PUT', `${org}/chain-limits`, {
    default: { max_cost_usd: '5', max_depth: 10 },
    workflows: [{ workflow_id: named('ticket-triage'), max_cost_usd: '2.5' }],
  })
  return last
}

async function fillRules(make: Make, send: Send, org: string, named: Naming) {
  const short: Naming = (plain) => named(plain).slice(0, 100)
  await make('rule', '/policies', {
    name: short('Reasoning models need approval'),
    effect: 'require_approval',
    target: 'model',
    priority: 200,
    expression: 'run.model.startsWith("o3")',
    reason: named('Reasoning models cost twenty times as much. Say what for.'),
  })
  await make('shadow-rule', '/policies', {
    name: short('No large models for billing'),
    effect: 'block',
    target: 'model',
    priority: 100,
    expression: 'run.department_id.startsWith("billing") && run.model == "gpt-4.1"',
    reason: named('Invoices are matched by the small model.'),
    shadow: true,
  })
  await send('PUT', `${org}/dimensions/department_id`, { values: teams.map(named), on_unknown: 'allow' })
}

/** Returns the secret of a key that an agent uses. */
async function fillPeople(make: Make, send: Send, org: string, named: Naming): Promise<string> {
  const short: Naming = (plain) => named(plain).slice(0, 100)
  const people = [
    ['Ada Okafor', 'ada', 'admin'],
    ['Jonas Weber', 'jonas', 'member'],
    ['Mei Tanaka', 'mei', 'viewer'],
  ] as const
  for (const [name, mailbox, role] of people)
    await make('member', '/members', { email: `${mailbox}@northwind.example`, name: short(name), role })
  let secret = ''
  for (const name of ['Laptop of Jonas', 'Nightly batch', 'Checkout agent']) {
    const body = { name: short(name), role: 'service', scopes: ['edge:decide', 'runs:write'] }
    secret = String((await make('key', '/keys', body))['secret'])
  }
  const frozen = await make('frozen-key', '/keys', {
    name: short('Old gateway'),
    role: 'service',
    scopes: ['runs:write'],
  })
  await send('POST', `${org}/keys/${String(frozen['id'])}/freeze`, { reason: named('An agent loops.') })
  await make('proposal', '/proposals', {
    name: short('Weekly digest'),
    scope_kind: 'workflow',
    scope_id: named('weekly-digest').slice(0, 200),
    limit_usd: '75',
    period: 'month',
    enforcement: 'alert',
    reason: named('More digests are asked for.').slice(0, 500),
  })
  await make('domain', '/domains', { domain: 'northwind.example' })
  await make('connection', '/sso-connections', {
    kind: 'oidc',
    name: short('Okta'),
    oidc: { issuer: 'https://127.0.0.1', client_id: named('0oa1b2c3d4'), client_secret: 'GOCSPX-1' },
    role_rules: [{ claim: 'groups', values: [named('weir-admins')], role: 'admin' }],
    default_role: 'viewer',
    jit: true,
    enabled: false,
  })
  await make('scim-token', '/scim-tokens', { name: short('Okta') })
  return secret
}

/** Calls a route that is deprecated, as a key that nobody has moved yet. */
async function callDeprecated(make: Make, send: Send, short: Naming) {
  const body = { name: short('Monthly report'), role: 'viewer', scopes: ['forecasts:read'] }
  const { secret } = await make('old-key', '/keys', body)
  for (let i = 0; i < 3; i++) await send('GET', '/v1/forecast', undefined, String(secret))
}

/** Records the runs of five weeks, more on working days, slowly growing. */
async function recordPast(send: Send, nowMs: number, named: Naming) {
  const random = new Random(7)
  const runs: Body[] = []
  for (let daysAgo = 35; daysAgo >= 0; daysAgo--) {
    const isWorkday = ![0, 6].includes(new Date(nowMs - daysAgo * dayMs).getUTCDay())
    for (let i = 0; i < (isWorkday ? 16 : 5); i++) {
      const startedAtMs = nowMs - daysAgo * dayMs - random.int(dayMs / 3) - 60_000
      const team = random.int(teams.length)
      runs.push({
        model: named(models[random.int(3)]!),
        department_id: named(teams[team]!),
        workflow_id: named(workflows[team]!),
        customer_id: named(customers[random.int(customers.length)]!),
        user_id: named('mei'),
        external_id: named(`past-${daysAgo}-${i}`),
        input_tokens: 20_000 + random.int(400_000),
        output_tokens: 2_000 + random.int(60_000),
        cost_usd: (0.4 + random.int(40_000) / 10_000 + (35 - daysAgo) / 20).toFixed(4),
        started_at: new Date(startedAtMs).toISOString(),
        ended_at: new Date(startedAtMs + 4_000 + random.int(90_000)).toISOString(),
        status: random.chance(0.06) ? 'failed' : 'succeeded',
        tags: [named('batch')],
      })
    }
  }
  for (let i = 0; i < runs.length; i += 100)
    await send('POST', '/v1/runs/bulk', { enforce: false, count_in: 'started_period', runs: runs.slice(i, i + 100) })
}

/** Starts runs now: some finish, some wait for approval, some are refused by a budget or a rule. */
async function runNow(url: string, agentKey: string, send: Send, ids: Record<string, string>, named: Naming) {
  const about = { workflow_id: named('ticket-triage'), department_id: named('support'), chain_id: named('ticket-8812') }
  const first = await send('POST', '/v1/runs', {
    model: 'gpt-4o',
    input_tokens: 1_200,
    max_output_tokens: 500,
    ...about,
  })
  ids['run'] = String(first['id'] ?? first['run_id'])
  await send('POST', `/v1/runs/${ids['run']}/finish`, { status: 'succeeded', input_tokens: 1_180, output_tokens: 412 })
  await send('POST', '/v1/runs', {
    model: 'gpt-4o',
    input_tokens: 900,
    max_output_tokens: 300,
    parent_run_id: ids['run'],
    ...about,
  })
  const refused = (body: Body) => call(url, 'POST', '/v1/runs', { key: agentKey, body })
  for (const body of [
    { model: 'o3', input_tokens: 90_000, max_output_tokens: 8_000, ...about },
    {
      model: 'gpt-4o',
      estimated_cost_usd: '3',
      workflow_id: named('customs-documents'),
      department_id: named('customs'),
    },
    {
      model: 'gpt-4o',
      estimated_cost_usd: '2',
      workflow_id: named('customs-documents'),
      department_id: named('customs'),
    },
    { model: named('nobody-knows'), input_tokens: 10, max_output_tokens: 10, ...about },
  ]) {
    const { status, json } = await refused(body)
    if (status < 400) throw new Error(`This was to be refused: ${JSON.stringify(json)}`)
    const { decision_id, approval_id } = json.error?.details ?? {}
    if (typeof decision_id === 'string') ids['decision'] = decision_id
    if (typeof approval_id === 'string') ids['approval'] ??= approval_id
  }
}
