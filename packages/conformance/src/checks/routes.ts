import { randomUUID } from 'node:crypto'
import type { Check } from '../check.ts'
import { readAnswer } from '../client.ts'
import {
  expectBareRefusal,
  expectMatch,
  expectRefusal,
  expectSame,
  expectStatus,
  expectThat,
  faultCodes,
  faultsIn,
  objectIn,
  rowsIn,
  summaryOf,
  textIn,
} from '../expectations.ts'
import { budgetRefusals, refusalOf, untilRefused } from '../refusals.ts'
import { costing, type Org, type World } from '../world.ts'

const decide = (org: Org, body: unknown) => org.call('POST', '/v1/edge/decision', body)

/** A denial at the edge by a rate policy. */
const rateLimitedAtTheEdge = (world: World) =>
  world.once('rate_limited at the edge', async () => {
    const org = await world.makeOrg()
    const policy = { kind: 'requests', per: 'org', amount: 1, window_seconds: 3_600 }
    expectStatus(await org.admin('PUT', '/rate-limits', { read_rpm: null, policies: [policy] }), 200)
    return untilRefused(() => decide(org, costing('0.01')))
  })

/** Lists of an organization, with a filter of each that no value like this can be right for. */
const lists = [
  ['/keys', 'role'],
  ['/budgets', 'scope_kind'],
  ['/policies', 'effect'],
  ['/approvals', 'status'],
  ['/approvals', 'rule_id'],
  ['/policies/matches', 'rule_id'],
  ['/ledger', 'kind'],
  ['/ledger', 'limit_id'],
  ['/ledger', 'reservation_id'],
  ['/audit-log', 'actor_id'],
  ['/audit-log', 'outcome'],
  ['/webhooks', 'enabled'],
] as const

const moreLists = ['/customer-limits', '/models', '/evals', '/routes', '/support-grants'] as const

/** A subscription of an organization, to nowhere in particular. */
const subscription = async (org: Org) => {
  const fields = { url: 'https://hooks.example.com/conformance', enabled: false }
  const made = objectIn(expectStatus(await org.ask('POST', '/webhooks', fields), 201))
  return textIn(made, 'id')
}

const secretOf = async (org: Org) => {
  const answer = expectStatus(await org.admin('GET', '/webhook-secret'), 200)
  return textIn(objectIn(answer), 'secret')
}

const day = 86_400_000
const ago = (days: number) => new Date(Math.floor(Date.now() / 1_000) * 1_000 - days * day).toISOString()

export const routeChecks: Record<number, Check> = {
  25: async (world) => {
    const org = await world.shared()
    for (const more of [{}, { dry_run: true }]) {
      const answer = expectStatus(await decide(org, costing('0.01', more)), 200)
      expectMatch(answer.headers['content-type'], /^application\/json(;|$)/, 'content-type of a verdict')
      const verdict = objectIn(answer)
      expectThat(verdict['error'] === undefined, `an allowed call has an error: ${summaryOf(answer)}`)
      expectSame(verdict['decision'], 'allow', 'decision of a verdict')
    }
  },
  26: async (world) => {
    const org = await world.makeOrg()
    const plan = { name: 'Conformance', runs_per_month: 0, tokens_per_month: 0, overage_policy: 'block' }
    expectStatus(await org.admin('PUT', '/plan', plan), 200)
    expectStatus(await org.ask('POST', '/customers/prepaid/credit-packs', { amount_usd: '0.000000001' }), 201)
    expectStatus(await org.ask('PUT', '/chain-limits', { default: { max_cost_usd: '0', max_depth: 1 } }), 200)
    const rule = {
      name: 'Conformance',
      effect: 'block',
      target: 'model',
      priority: 1,
      expression: 'true',
      reason: 'All',
    }
    expectStatus(await org.ask('POST', '/policies', rule), 201)
    expectStatus(await decide(org, costing('0.01', { customer_id: 'prepaid' })), 200)
  },
  27: async (world) => {
    expectRefusal((await budgetRefusals(world)).org.refused, 402, 'budget_exceeded')
    expectRefusal(await refusalOf(world, 'spend_cap_exceeded'), 402, 'spend_cap_exceeded')
    expectRefusal(await refusalOf(world, 'quota_exhausted'), 402, 'quota_exhausted')
    expectRefusal(await rateLimitedAtTheEdge(world), 429, 'rate_limited')
    const org = await world.makeOrg()
    const policy = { kind: 'quota', per: 'org', amount: 1, window_seconds: 2_000_000 }
    expectStatus(await org.admin('PUT', '/rate-limits', { read_rpm: null, policies: [policy] }), 200)
    expectRefusal(await untilRefused(() => decide(org, costing('0.01'))), 402, 'quota_exhausted')
  },
  29: async (world) => {
    const org = await world.shared()
    const bulk = (body: unknown) => org.call('POST', '/v1/runs/bulk', body)
    for (const body of [{}, { runs: [] }, { runs: 'all' }, { runs: [{ model: 5 }] }, { runs: [{ cost_usd: 1 }] }, '{'])
      faultsIn(await bulk(body))
  },
  30: async (world) => {
    const org = await world.shared()
    for (const body of [{}, { raw_days: 'many' }, { raw_days: -1 }, { raw_days: 1.5 }, { raw_days: 30, x: 1 }, '['])
      faultsIn(await org.ask('PUT', '/retention-policy', body))
  },
  31: async (world) => {
    const org = await world.shared()
    const exported = (query: string) => org.ask('GET', `/audit-log/export?${query}`)
    expectSame(
      faultCodes(await exported(`from=${ago(366)}&to=${ago(0)}`)),
      ['to: out_of_range'],
      'the faults of 366 days',
    )
    for (const query of ['from=yesterday', `from=${ago(1)}&to=${ago(2)}`, 'format=zip']) faultsIn(await exported(query))
    expectStatus(await exported(`from=${ago(90)}&to=${ago(0)}`), 200)
  },
  32: async (world) => {
    const org = await world.shared()
    const paths = [...new Set(lists.map(([path]) => path)), ...moreLists]
    const answers = await Promise.all([
      ...paths.map((path) => org.ask('GET', `${path}?sort=colour`)),
      org.call('GET', '/v1/runs?sort=colour'),
      org.call('GET', '/v1/benchmarks/cohorts?sort=-colour'),
      world.client.call('GET', '/v1/meta/errors?sort=colour'),
      world.operator('GET', '/v1/admin/orgs?sort=colour'),
    ])
    for (const answer of answers)
      expectThat(
        faultsIn(answer).some(({ field }) => field === 'sort'),
        `${summaryOf(answer)}: no fault on sort`,
      )
  },
  33: async (world) => {
    const org = await world.shared()
    const cases = [
      ...lists.flatMap(([path, filter]) =>
        ['', '~'].map((value) => [filter, org.ask('GET', `${path}?${filter}=${value}`)] as const),
      ),
      ['parent_run_id', org.call('GET', '/v1/runs?parent_run_id=~')] as const,
      ['status', org.call('GET', '/v1/runs?status=asleep')] as const,
      ['colour', org.ask('GET', '/budgets?colour=red')] as const,
      ['status', world.client.call('GET', '/v1/meta/errors?status=many')] as const,
    ]
    for (const [filter, asked] of cases) {
      const answer = await asked
      expectSame(faultCodes(answer), [`${filter}: invalid_filter`], `the faults of ${answer.asked}`)
    }
  },
  34: async (world) => {
    const org = await world.shared()
    const paths = ['/v1', '/v1/', '/v1/nothing', '/v1/orgs/', '/v1/runs/', '/v1/chains/', '/v1/orgs//budgets', '/V1/me']
    for (const path of paths)
      for (const key of [undefined, org.key, 'weir_nonsense'])
        expectBareRefusal(await world.client.call('GET', path, { key }), 404, 'not_found')
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      expectBareRefusal(await world.client.call(method, '/v1/meta/deprecations'), 404, 'not_found')
    expectBareRefusal(await world.client.call('POST', '/v1/runs//finish', { body: {} }), 404, 'not_found')
    const foo = world.client.head('FOO', '/v1/me', 'connection: close')
    const answer = readAnswer('FOO /v1/me', await world.client.wire(foo))
    expectThat(answer !== undefined, 'FOO /v1/me is not answered')
    expectBareRefusal(answer, 404, 'not_found')
  },
  35: async (world) => {
    const exposition = await world.exposition()
    expectMatch(exposition, /^# TYPE svc_deprecated_route_calls_total counter$/m, 'the exposition')
  },
  36: async (world) => {
    const org = await world.makeOrg()
    const secret = await secretOf(org)
    expectThat(secret.length >= 16, `the secret has ${secret.length} characters`)
    expectSame(await secretOf(org), secret, 'the secret on a second read')
  },
  37: async (world) => {
    const org = await world.makeOrg()
    const sub = await subscription(org)
    const before = await secretOf(org)
    expectStatus(await org.admin('POST', '/webhook-secret/rotate'), 200)
    const rotated = await secretOf(org)
    expectThat(rotated !== before, 'a rotation left the secret as it was, although a subscription still uses it')
    expectStatus(await org.ask('POST', `/webhooks/${sub}/signing/rotate`, {}), 200)
    expectStatus(await org.admin('POST', '/webhook-secret/rotate'), 200)
    expectSame(await secretOf(org), rotated, 'the secret after a rotation that nobody needs')
  },
  38: async (world) => {
    const org = await world.makeOrg()
    const sub = await subscription(org)
    const answer = expectStatus(await org.ask('GET', `/webhooks/${sub}/signing`), 200)
    expectThat(!answer.text.includes('whsec_'), 'the description of a signing holds a secret')
    objectIn(answer)
  },
  39: async (world) => {
    const org = await world.makeOrg()
    const sub = await subscription(org)
    const rotate = async () =>
      textIn(objectIn(expectStatus(await org.ask('POST', `/webhooks/${sub}/signing/rotate`, {}), 200)), 'secret')
    const [first, second] = [await rotate(), await rotate()]
    expectThat(first !== second, 'a second rotation gave the first secret again')
  },
  40: async (world) => {
    const org = await world.makeOrg()
    const runs = [{ model: 'm', cost_usd: '1', value_usd: '21', deployment_id: 'one', external_id: randomUUID() }]
    expectStatus(await org.call('POST', '/v1/runs/bulk', { runs }), 200)
    const projected = async (teams: number) => {
      const answer = await org.call('GET', `/v1/forecast?team_count=${teams}`)
      const [row] = rowsIn(answer)
      const projections = row?.['projections'] as { return_usd: string }[] | undefined
      expectThat(projections?.[0] !== undefined, `no projection of a deployment: ${summaryOf(answer)}`)
      return projections[0].return_usd
    }
    expectSame([await projected(1), await projected(7)], ['20', '140'], 'the return with one team and with seven')
  },
  41: async (world) => {
    const org = await world.shared()
    const scenario = encodeURIComponent(JSON.stringify([{ kind: 'volume', factor: 2 }]))
    objectIn(expectStatus(await org.call('GET', '/v1/capacity/forecasts'), 200))
    const answer = await org.call('GET', `/v1/capacity/forecasts?scenario=${scenario}`)
    expectThat([200, 422].includes(answer.status), summaryOf(answer))
    expectThat(
      answer.headers['deprecation'] === undefined,
      'the replacement of a deprecated route is deprecated itself',
    )
    faultsIn(await org.call('GET', '/v1/capacity/forecasts?scenario=soon'))
  },
  136: async (world) => expectBareRefusal(await refusalOf(world, 'payload_too_large'), 413, 'payload_too_large'),
  137: async (world) => {
    const org = await world.shared()
    for (const path of [
      `/v1/orgs/${org.id}/audit-log`,
      `/v1/orgs/${org.id}/audit-log/export`,
      `/v1/orgs/${org.id}/ledger`,
      '/v1/runs',
    ]) {
      const asked = (from: number) => org.call('GET', `${path}?from=${ago(from)}&to=${ago(0)}`)
      expectSame(faultCodes(await asked(366)), ['to: out_of_range'], `the faults of 366 days of ${path}`)
      expectStatus(await asked(90), 200)
      const [fault] = faultsIn(await asked(91))
      expectMatch(fault?.message, /90 days/, `message of a window that is too long, of ${path},`)
    }
  },
  139: async (world) => {
    const org = await world.makeOrg()
    const limit = async (fields: Record<string, unknown>) =>
      expectStatus(await org.admin('PUT', '/rate-limits', { read_rpm: null, policies: [], ...fields }), 200)
    expectStatus(await org.ask('GET', ''), 200)
    await limit({ read_rpm: 1 })
    expectRefusal(await untilRefused(() => org.ask('GET', '')), 429, 'rate_limited')
    await limit({})
    expectStatus(await org.ask('GET', ''), 200)
    await limit({
      policies: [{ kind: 'requests', per: 'route_class', match: 'change', amount: 1, window_seconds: 3_600 }],
    })
    expectRefusal(await untilRefused(() => org.ask('PATCH', '', { name: 'Conformance' })), 429, 'rate_limited')
  },
}
