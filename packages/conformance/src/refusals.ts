import { randomUUID } from 'node:crypto'
import { type Answer, readAnswer } from './client.ts'
import { Deviation, expectStatus, objectIn, textIn, Unseen } from './expectations.ts'
import { costing, type Org, type World } from './world.ts'

/** Each error code, provoked as a caller would meet it. */
const provocations = {
  bad_request: async (world: World) => (await world.shared()).ask('GET', '/budgets?sort=%zz'),
  unauthorized: (world: World) => world.client.call('GET', '/v1/me'),
  key_expired: async (world: World) => {
    const org = await world.shared()
    const { key } = await org.mint({ role: 'viewer', scopes: ['orgs:read'], not_before: '2099-01-01T00:00:00Z' })
    return world.client.call('GET', '/v1/me', { key })
  },
  forbidden: async (world: World) => {
    const org = await world.shared()
    const { key } = await org.mint({ role: 'viewer', scopes: ['limits:write'] })
    return org.ask('POST', '/budgets', aBudget('1'), { key })
  },
  missing_scope: async (world: World) => {
    const org = await world.shared()
    const { key } = await org.mint({ role: 'owner', scopes: ['orgs:read'] })
    return org.ask('POST', '/budgets', aBudget('1'), { key })
  },
  ip_not_allowed: async (world: World) => {
    const org = await world.makeOrg()
    // An address of the documentation: nobody calls from there.
    const list = { ip_allow_list: ['203.0.113.0/24'], force: true }
    expectStatus(await org.ask('PUT', '/ip-allow-list', list), 200)
    return org.ask('GET', '')
  },
  org_suspended: async (world: World) => {
    const org = await world.makeOrg()
    expectStatus(await org.admin('POST', '/suspend', { reason: 'Conformance check' }), 200)
    return org.ask('GET', '')
  },
  policy_blocked: async (world: World) => (await blocking(world)).refused,
  policy_approval_required: async (world: World) => (await wantingApproval(world)).refused,
  content_safety_blocked: async (world: World) => {
    const org = await world.makeOrg()
    const settings = { detectors: { card_number: { mode: 'block' } } }
    expectStatus(await org.ask('PUT', '/content-safety', settings), 200)
    return org.call('POST', '/v1/runs', costing('0.01', { input: `Charge my card ${cardNumber}, please.` }))
  },
  support_scope_denied: async (world: World) => {
    const org = await world.shared()
    const { token } = await readGrant(world)
    return org.ask('POST', '/budgets', aBudget('1'), { key: token })
  },
  not_found: async (world: World) => (await world.shared()).ask('GET', '/budgets/bud_00000000000000000000000000'),
  conflict: async (world: World) => {
    const org = await world.shared()
    const run = objectIn(expectStatus(await org.call('POST', '/v1/runs', costing('0.5')), 201))
    const finish = (status: string, cost: string) =>
      org.call('POST', `/v1/runs/${textIn(run, 'id')}/finish`, { status, cost_usd: cost })
    expectStatus(await finish('succeeded', '0.1'), 200)
    return finish('failed', '0.4')
  },
  idempotency_key_conflict: async (world: World) => {
    const org = await world.shared()
    const headers = { 'idempotency-key': randomUUID() }
    expectStatus(await org.ask('POST', '/budgets', aBudget('1000000', 'workflow', randomUUID()), { headers }), 201)
    return org.ask('POST', '/budgets', aBudget('2000000', 'workflow', randomUUID()), { headers })
  },
  idempotency_key_processing: async (world: World) => {
    const { answers } = await hurried(world)
    const processing = answers.find(({ status }) => status === 409)
    if (!processing) throw new Unseen('no request was slow enough to be met while it was under way')
    return processing
  },
  session_revoked: async (world: World) => {
    const cookie = await endedSession(world)
    return world.client.call('GET', '/v1/me', { headers: { cookie } })
  },
  gone: async (world: World) => {
    const { key } = await revokedKey(world)
    return world.client.call('GET', '/v1/me', { key })
  },
  payload_too_large: async (world: World) => {
    const org = await world.shared()
    const head = world.client.head(
      'POST',
      `/v1/orgs/${org.id}/budgets`,
      `authorization: Bearer ${org.key}`,
      'content-type: application/json',
      'content-length: 10000000000',
    )
    const received = await world.client.wire(head)
    const answer = readAnswer('POST of 10,000,000,000 bytes', received)
    if (!answer) throw new Deviation(`a body of 10,000,000,000 bytes is answered ${JSON.stringify(received)}`)
    return answer
  },
  validation_failed: async (world: World) => (await world.shared()).ask('POST', '/budgets', { name: '' }),
  insufficient_cohort_size: async (world: World) => {
    const { org, cohort } = await smallCohort(world)
    return org.call('GET', `/v1/benchmarks/cohorts/${cohort}`)
  },
  spend_cap_exceeded: async (world: World) => {
    const org = await world.makeOrg()
    expectStatus(await org.ask('PUT', '/spend-cap', { cap_usd: '0.25' }), 200)
    return org.call('POST', '/v1/edge/decision', costing('0.5'))
  },
  chain_budget_exceeded: async (world: World) => (await chainRefusals(world)).cost,
  budget_exceeded: async (world: World) => (await budgetRefusals(world)).org.refused,
  quota_exhausted: async (world: World) => {
    const org = await world.makeOrg()
    expectStatus(await org.admin('POST', '/quota/top-ups', { amount_usd: '0.25' }), 201)
    return org.call('POST', '/v1/edge/decision', costing('0.5'))
  },
  credits_exhausted: async (world: World) => {
    const org = await world.makeOrg()
    expectStatus(await org.ask('POST', '/customers/prepaid/credit-packs', { amount_usd: '0.25' }), 201)
    return org.call('POST', '/v1/runs', costing('0.5', { customer_id: 'prepaid' }))
  },
  plan_limit_exceeded: async (world: World) => (await planRefusals(world)).runs,
  rate_limited: async (world: World) => {
    const org = await world.makeOrg()
    expectStatus(await org.admin('PUT', '/rate-limits', { read_rpm: 1, policies: [] }), 200)
    return untilRefused(() => org.ask('GET', ''))
  },
  policy_expression_error: async (world: World) => (await failingRule(world)).refused,
  no_model_passes_eval: async (world: World) => {
    const org = await world.makeOrg()
    expectStatus(await org.ask('POST', '/models', { model: 'gpt-4o' }), 201)
    const bar = { suite: 'conformance', min_score: 0.9, max_age_seconds: 86_400 }
    const route = { name: 'conformance', strategy: 'cheapest', bar }
    expectStatus(await org.ask('POST', '/routes', route), 201)
    return org.call('POST', '/v1/routing/decision', { route: 'conformance', input_tokens: 10, max_output_tokens: 10 })
  },
} satisfies Record<string, (world: World) => Promise<Answer>>

/** The first refusal of a caller that goes on: a window may end meanwhile, and a process that finds Redis away counts for itself. */
export async function untilRefused(ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask()
  for (let i = 0; i < 5 && answer.status < 400; i++) answer = await ask()
  return answer
}

export type ProvokedCode = keyof typeof provocations
export const provokedCodes = Object.keys(provocations) as ProvokedCode[]

/** The refusal with this code; provoked once, however many checks look at it. */
export const refusalOf = (world: World, code: ProvokedCode): Promise<Answer> =>
  world.once(`refusal ${code}`, () => provocations[code](world))

/** A number that passes the check of card numbers and belongs to nobody. */
export const cardNumber = '4111 1111 1111 1111'

export const aBudget = (limit: string, scope = 'org', scopeId?: string) => ({
  name: 'Conformance',
  limit_usd: limit,
  period: 'month',
  scope_kind: scope,
  ...(scopeId !== undefined && { scope_id: scopeId }),
})

const aRule = (effect: string, expression: string) => ({
  name: 'Conformance',
  effect,
  target: 'model',
  priority: 10,
  expression,
  reason: 'Conformance check',
})

/** An organization with a rule, and what it refuses. */
const refusedByRule = async (world: World, effect: string, expression: string) => {
  const org = await world.makeOrg()
  const rule = objectIn(expectStatus(await org.ask('POST', '/policies', aRule(effect, expression)), 201))
  const agent = await org.mint({ role: 'service', scopes: ['runs:write', 'runs:read'] })
  const start = (more: Record<string, unknown> = {}) =>
    org.call('POST', '/v1/runs', costing('0.01', more), { key: agent.key })
  return { org, ruleId: textIn(rule, 'id'), start, refused: await start() }
}

export const blocking = (world: World) =>
  world.once('a rule that blocks', () => refusedByRule(world, 'block', 'run.model == "gpt-4o"'))

export const wantingApproval = (world: World) =>
  world.once('a rule that wants an approval', () => refusedByRule(world, 'require_approval', 'run.model == "gpt-4o"'))

export const failingRule = (world: World) =>
  world.once('a rule that fails', () => refusedByRule(world, 'block', 'run.metadata["release"] == "x"'))

export const readGrant = (world: World) =>
  world.once('a grant to read', async () => world.grant(await world.shared(), 'read'))

export const revokedKey = (world: World) =>
  world.once('a revoked key', async () => {
    const org = await world.shared()
    const minted = await org.mint({ role: 'viewer', scopes: ['orgs:read'] })
    expectStatus(await org.ask('POST', `/keys/${minted.id}/revoke`, {}), 200)
    return minted
  })

export const smallCohort = (world: World) =>
  world.once('a cohort of one', async () => {
    const org = await world.makeOrg()
    const fields = { name: `Conformance ${org.id}`, period: 'month' }
    const made = objectIn(expectStatus(await world.operator('POST', '/v1/admin/benchmarks/cohorts', fields), 201))
    const cohort = textIn(made, 'id')
    world.atEnd(() => world.operator('PATCH', `/v1/admin/benchmarks/cohorts/${cohort}`, { status: 'closed' }))
    expectStatus(await org.ask('PUT', '/benchmark-membership', { cohort_ids: [cohort] }), 200)
    return { org, cohort }
  })

/** What a chain with one bound refuses, for each kind of bound. */
export const chainRefusals = (world: World) =>
  world.once('chain refusals', async () => {
    const refused = async (limits: Record<string, unknown>, run: Record<string, unknown>, isNested = false) => {
      const org = await world.makeOrg()
      const chain = { chain_id: 'conformance', chain_limits: limits }
      const first = objectIn(expectStatus(await org.call('POST', '/v1/runs', { ...run, ...chain }), 201))
      const second = { ...run, chain_id: 'conformance', ...(isNested && { parent_run_id: textIn(first, 'id') }) }
      return org.call('POST', '/v1/runs', second)
    }
    const tokens = { model: 'gpt-4o', input_tokens: 60, max_output_tokens: 10 }
    return {
      cost: await refused({ max_cost_usd: '0.75' }, costing('0.5')),
      depth: await refused({ max_depth: 1 }, costing('0.01'), true),
      tokens: await refused({ max_tokens: 100 }, tokens),
    }
  })

export const scopeKinds = ['org', 'workflow', 'deployment', 'department', 'customer'] as const

/** What a limit of each scope refuses, with the id of that limit. */
export const budgetRefusals = (world: World) =>
  world.once('budget refusals', async () => {
    const refused = async (scope: (typeof scopeKinds)[number]) => {
      const org = await world.makeOrg()
      const made =
        scope === 'customer'
          ? await org.ask('PUT', '/customers/one/limit', { limit_usd: '0.25', period: 'month' })
          : await org.ask('POST', '/budgets', aBudget('0.25', scope, scope === 'org' ? undefined : 'one'))
      const limit = objectIn(expectStatus(made, 200, 201))
      const call = costing('0.5', scope === 'org' ? {} : { [`${scope}_id`]: 'one' })
      return { org, id: textIn(limit, 'id'), call, refused: await org.call('POST', '/v1/edge/decision', call) }
    }
    const [org, workflow, deployment, department, customer] = await Promise.all(scopeKinds.map(refused))
    return {
      org: org!,
      workflow: workflow!,
      deployment: deployment!,
      department: department!,
      customer: customer!,
    }
  })

/** What a plan refuses that blocks, for each of its kinds, and what one does that allows. */
export const planRefusals = (world: World) =>
  world.once('plan refusals', async () => {
    const started = async (plan: Record<string, unknown>) => {
      const org = await world.makeOrg()
      const fields = { name: 'Conformance', runs_per_month: null, tokens_per_month: null, ...plan }
      expectStatus(await org.admin('PUT', '/plan', fields), 200)
      return org.call('POST', '/v1/runs', { model: 'gpt-4o', input_tokens: 10, max_output_tokens: 10 })
    }
    return {
      runs: await started({ runs_per_month: 0, overage_policy: 'block' }),
      tokens: await started({ tokens_per_month: 5, overage_policy: 'block' }),
      allowed: await started({ runs_per_month: 0, tokens_per_month: 5, overage_policy: 'allow' }),
    }
  })

/** One request with one Idempotency-Key, sent many times at once. */
export const hurried = (world: World) =>
  world.once('one request many times at once', async () => {
    const org = await world.makeOrg()
    const runs = Array.from({ length: 1_000 }, () => ({ model: 'gpt-4o', cost_usd: '0.000001' }))
    const body = JSON.stringify({ runs })
    const attempt = async (): Promise<{ org: Org; answers: Answer[] }> => {
      const headers = { 'idempotency-key': randomUUID() }
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => org.call('POST', '/v1/runs/bulk', body, { headers })),
      )
      return { org, answers }
    }
    let seen = await attempt()
    for (let i = 0; i < 3 && !seen.answers.some(({ status }) => status === 409); i++) seen = await attempt()
    return seen
  })

/** The cookie of a session that was opened with the form and has been ended since. */
export async function endedSession(world: World): Promise<string> {
  const org = await world.shared()
  const opened = await world.client.call('POST', '/console/signin', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ key: org.key }).toString(),
  })
  expectStatus(opened, 303)
  const [cookie = ''] = (opened.headers['set-cookie'] ?? '').split(';')
  const me = await world.client.call('GET', '/v1/me', { headers: { cookie } })
  const { id } = objectIn(expectStatus(me, 200))['session'] as { id: string }
  expectStatus(await world.client.call('POST', `/v1/me/sessions/${id}/revoke`, { key: org.key }), 200)
  return cookie
}
