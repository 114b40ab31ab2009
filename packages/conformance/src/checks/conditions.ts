import type { Check } from '../check.ts'
import {
  expectMatch,
  expectRefusal,
  expectSame,
  expectStatus,
  expectThat,
  objectIn,
  rowsIn,
  textIn,
} from '../expectations.ts'
import {
  blocking,
  budgetRefusals,
  cardNumber,
  chainRefusals,
  failingRule,
  planRefusals,
  refusalOf,
  scopeKinds,
  smallCohort,
  untilRefused,
  wantingApproval,
} from '../refusals.ts'
import { costing, type World } from '../world.ts'
import { expectDetails } from './catalog.ts'

const capRefusal = async (world: World) =>
  expectRefusal(await refusalOf(world, 'spend_cap_exceeded'), 402, 'spend_cap_exceeded')

export const conditionChecks: Record<number, Check> = {
  119: async (world) => {
    const { refused, ruleId } = await blocking(world)
    const details = expectRefusal(refused, 403, 'policy_blocked')
    expectSame(details['rule_id'], ruleId, 'rule_id')
    expectSame(details['attempted'], 'gpt-4o', 'attempted')
  },
  120: async (world) => {
    const { org, refused, start } = await wantingApproval(world)
    expectRefusal(refused, 403, 'policy_approval_required')
    const waiting = rowsIn(await org.ask('GET', '/approvals?status=pending'))
    const approval = textIn(waiting[0] ?? {}, 'id')
    expectStatus(await org.ask('POST', `/approvals/${approval}/approve`, {}), 200)
    expectStatus(await start(), 201)
  },
  121: async (world) => {
    const details = expectRefusal(await refusalOf(world, 'content_safety_blocked'), 403, 'content_safety_blocked')
    expectSame(details['detector'], 'card_number', 'detector')
    expectThat(
      typeof details['sample'] === 'string' && details['sample'].includes(cardNumber.slice(-4)),
      `sample is ${JSON.stringify(details['sample'])}, which the detector did not fire on`,
    )
  },
  122: async (world) => {
    const answer = await refusalOf(world, 'insufficient_cohort_size')
    const { minimum_cohort_size: minimum } = expectRefusal(answer, 400, 'insufficient_cohort_size')
    expectThat(Number(minimum) > 1, `minimum_cohort_size is ${String(minimum)}, and one organization has joined`)
  },
  123: async (world) => {
    const { org, cohort } = await smallCohort(world)
    const lastMonth = new Date(Date.now() - 31 * 86_400_000).toISOString().slice(0, 10)
    for (const query of ['?format=svg', `?period=${lastMonth}`, '']) {
      const answer = await org.call('GET', `/v1/benchmarks/cohorts/${cohort}${query}`)
      expectRefusal(answer, 400, 'insufficient_cohort_size')
    }
  },
  124: async (world) =>
    expectDetails('spend_cap_exceeded', await capRefusal(world), {
      cap_usd: 'decimal string',
      spent_usd: 'decimal string',
    }),
  125: async (world) => {
    const details = await capRefusal(world)
    expectDetails('spend_cap_exceeded', details, { resets_at: 'timestamp' })
    expectThat(Date.parse(textIn(details, 'resets_at')) > Date.now() - 60_000, 'resets_at is in the past')
  },
  126: async (world) => {
    expectSame((await capRefusal(world))['reason'], 'pre_flight', 'reason at the edge')
    const org = await world.makeOrg()
    expectStatus(await org.ask('PUT', '/spend-cap', { cap_usd: '0.25' }), 200)
    const late = await org.call('POST', '/v1/runs/bulk', { runs: [{ model: 'm', cost_usd: '0.5' }] })
    const details = expectRefusal(late, 402, 'spend_cap_exceeded')
    expectSame(details['reason'], undefined, 'reason of what was spent before it was told')
  },
  127: async (world) => {
    const { cost, depth, tokens } = await chainRefusals(world)
    expectSame(expectRefusal(cost, 402, 'chain_budget_exceeded')['reason'], 'cost', 'reason')
    expectSame(expectRefusal(depth, 429, 'chain_budget_exceeded')['reason'], 'depth', 'reason')
    expectSame(expectRefusal(tokens, 429, 'chain_budget_exceeded')['reason'], 'tokens', 'reason')
  },
  128: async (world) => {
    const refusals = await budgetRefusals(world)
    for (const scope of scopeKinds) {
      const details = expectRefusal(refusals[scope].refused, 402, 'budget_exceeded')
      expectSame(details['scope_kind'], scope, 'scope_kind')
      if (scope !== 'customer') expectSame(details['budget_id'], refusals[scope].id, 'budget_id')
    }
  },
  129: async (world) => {
    const { customer } = await budgetRefusals(world)
    const details = expectRefusal(customer.refused, 402, 'budget_exceeded')
    expectSame(details['budget_id'], customer.id, 'budget_id')
  },
  130: async (world) => {
    expectRefusal(await refusalOf(world, 'quota_exhausted'), 402, 'quota_exhausted')
    const org = await world.makeOrg()
    const window = { kind: 'quota', per: 'org', amount: 1, window_seconds: 2_000_000 }
    expectStatus(await org.admin('PUT', '/rate-limits', { read_rpm: null, policies: [window] }), 200)
    const refused = await untilRefused(() => org.ask('GET', ''))
    expectRefusal(refused, 429, 'quota_exhausted')
    expectSame(refused.headers['retry-after'], undefined, 'Retry-After of quota_exhausted')
  },
  131: async (world) => {
    const details = expectRefusal(await refusalOf(world, 'credits_exhausted'), 402, 'credits_exhausted')
    expectSame([details['available_usd'], details['attempted_usd']], ['0.25', '0.5'], 'what is available and attempted')
  },
  132: async (world) => {
    const org = await world.makeOrg()
    const made = await org.ask('POST', '/customers/former/credit-packs', { amount_usd: '0.25' })
    const pack = textIn(objectIn(expectStatus(made, 201)), 'id')
    expectStatus(await org.ask('POST', `/credit-packs/${pack}/void`), 200)
    for (const customer of ['former', 'never'])
      expectStatus(await org.call('POST', '/v1/runs', costing('0.5', { customer_id: customer })), 201)
  },
  133: async (world) => {
    const { runs, tokens, allowed } = await planRefusals(world)
    expectSame(expectRefusal(runs, 402, 'plan_limit_exceeded')['limit_kind'], 'runs', 'limit_kind')
    expectSame(expectRefusal(tokens, 402, 'plan_limit_exceeded')['limit_kind'], 'tokens', 'limit_kind')
    expectStatus(allowed, 201)
  },
  134: async (world) => {
    const { org, ruleId, refused, start } = await failingRule(world)
    expectSame(expectRefusal(refused, 500, 'policy_expression_error')['rule_id'], ruleId, 'rule_id')
    expectSame(rowsIn(await org.call('GET', '/v1/runs')), [], 'the runs that were recorded')
    expectMatch(textIn(objectIn(expectStatus(await start({ metadata: { release: 'y' } }), 201)), 'id'), /./, 'id')
  },
}
