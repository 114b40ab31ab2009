import { Type } from 'typebox'
import { Count, Id, Nullable, Timestamp, Usd } from '../../contract/wire.ts'
import { kind } from './kind.ts'

/** Events about limits, each in the terms of its own resource. */

const spent = { limit_usd: Usd, spent_usd: Usd }
const period = { period_start: Timestamp, period_end: Timestamp }
const month = { period_start: '2026-11-01T00:00:00.000+00:00', period_end: '2026-12-01T00:00:00.000+00:00' }
const day = { period_start: '2026-11-15T00:00:00.000+00:00', period_end: '2026-11-16T00:00:00.000+00:00' }
const threshold = {
  threshold_percent: Type.Integer({
    minimum: 1,
    maximum: 100,
    description: 'The threshold that was reached, in percent of the limit.',
  }),
}

const budget = {
  budget_id: Id('budget'),
  scope_kind: Type.String({
    description: '`org`, `department`, `workflow`, `deployment`, `user`, `key`, `provider`, `model` or `tag`.',
    examples: ['workflow'],
  }),
  scope_id: Nullable(Type.String({ examples: ['checkout'] })),
  and_scope_kind: Type.Optional(Type.String({ description: 'The kind of the second scope, if it has one.' })),
  and_scope_id: Type.Optional(Type.String({ description: 'The id of the second scope.' })),
  ...spent,
  ...period,
}
const budgetExample = {
  budget_id: 'bud_01jbsteb4peb5vskx602h9mw4q',
  scope_kind: 'workflow',
  scope_id: 'checkout',
  and_scope_kind: 'model',
  and_scope_id: 'gpt-4o',
  limit_usd: '250',
  ...month,
}

const cap = { spend_cap_id: Id('spendCap'), ...spent, ...period }
const capExample = { spend_cap_id: 'cap_01jbsteb4peb5vskx602h9mw4q', limit_usd: '50', ...day }

const pack = { credit_pack_id: Id('creditPack'), customer_id: Type.String(), amount_usd: Usd, spent_usd: Usd }
const packExample = {
  credit_pack_id: 'crp_01jbsteb4peb5vskx602h9mw4q',
  customer_id: 'customer-42',
  amount_usd: '20',
}

const quota = {
  top_up_id: { ...Id('topUp'), description: 'The newest top-up.' },
  limit_usd: Type.String({ ...Usd, description: 'All top-ups together.' }),
  spent_usd: Type.String({ ...Usd, description: 'The amount spent of them.' }),
}
const quotaExample = { top_up_id: 'top_01jbsteb4peb5vskx602h9mw4q', limit_usd: '1500' }

const Amount = Type.Union([Usd, Count])

/** Fields of an event about a refusal: the amounts behind it. */
const refused = {
  held_usd: Type.String({ ...Usd, description: 'The amount reserved by running calls.' }),
  attempted_usd: Type.String({ ...Usd, description: 'The estimated cost of the refused call.' }),
}
const refusedExample = { held_usd: '0', attempted_usd: '0.5' }

const customer = {
  customer_limit_id: Id('customerLimit'),
  customer_id: Nullable(
    Type.String({
      description: 'null for the shared allowance of customers beyond the number of new ones per day.',
    }),
  ),
  ...spent,
  ...period,
}
const customerExample = {
  customer_limit_id: 'clm_01jbsteb4peb5vskx602h9mw4q',
  customer_id: 'customer-42',
  limit_usd: '10',
  ...month,
}

const plan = {
  plan_id: Id('plan'),
  unit: Type.String({ description: '`runs` or `tokens`.', examples: ['runs'] }),
  limit: Count,
  used: Count,
}
const planExample = { plan_id: 'pln_01jbsteb4peb5vskx602h9mw4q', unit: 'runs', limit: 10_000, ...month }

const chain = {
  chain_id: Type.String(),
  reason: Type.String({ description: '`cost` or `tokens`.', examples: ['cost'] }),
  limit: Amount,
  current: Amount,
}
const chainExample = { chain_id: 'ticket-4711', reason: 'cost', limit: '2.5' }

const freeze = {
  freeze_id: Id('freeze'),
  target_kind: Type.String({ description: '`org`, `key` or `limit`.', examples: ['limit'] }),
  target_id: Type.String({ description: 'The id of what is frozen.', examples: ['bud_01jbsteb4peb5vskx602h9mw4q'] }),
  reason: Type.String(),
  frozen_at: Timestamp,
}
const freezeExample = {
  freeze_id: 'frz_01jbsteb4peb5vskx602h9mw4q',
  target_kind: 'limit',
  target_id: 'bud_01jbsteb4peb5vskx602h9mw4q',
  reason: 'An agent loops.',
  frozen_at: '2026-11-15T09:30:00.000+00:00',
}

const once = 'Sent once per period, and again after a change of the limit that raised it.'

export const limitEvents = {
  'budget.threshold_crossed': kind(
    'The spend of a budget has reached one of its thresholds. Sent once per threshold and period.',
    Type.Object({ ...threshold, ...budget }),
    { threshold_percent: 80, ...budgetExample, spent_usd: '200.4' },
  ),
  'budget.exceeded': kind(
    'A budget is exceeded, by cost that could no longer be refused or because the budget only alerts. Sent once per period.',
    Type.Object(budget),
    { ...budgetExample, spent_usd: '251.03' },
  ),
  'budget.stopped': kind(
    `A budget has refused its first call of the period. ${once}`,
    Type.Object({ ...budget, ...refused }),
    { ...budgetExample, spent_usd: '249.9', ...refusedExample },
  ),
  'spend_cap.threshold_crossed': kind(
    'The spend of the day has reached 80 or 100 percent of the daily spend cap. Sent once each per day.',
    Type.Object({ ...threshold, ...cap }),
    { threshold_percent: 80, ...capExample, spent_usd: '40.12' },
  ),
  'spend_cap.exceeded': kind(
    'The daily spend cap is exceeded, by cost that could no longer be refused. Sent once per day.',
    Type.Object(cap),
    { ...capExample, spent_usd: '50.3' },
  ),
  'spend_cap.stopped': kind(
    `The daily spend cap has refused its first call of the day. ${once}`,
    Type.Object({ ...cap, ...refused }),
    { ...capExample, spent_usd: '49.8', ...refusedExample },
  ),
  'customer_limit.threshold_crossed': kind(
    'The spend of a customer has reached one of the thresholds of its limit. Sent once per customer, threshold and period.',
    Type.Object({ ...threshold, ...customer }),
    { threshold_percent: 80, ...customerExample, spent_usd: '8.04' },
  ),
  'customer_limit.exceeded': kind(
    'The limit of a customer is exceeded, by cost that could no longer be refused. Sent once per customer and period.',
    Type.Object(customer),
    { ...customerExample, spent_usd: '10.42' },
  ),
  'customer_limit.stopped': kind(
    `The limit of a customer has refused its first call of the period. ${once} Not sent for a customer without any admitted call.`,
    Type.Object({ ...customer, ...refused }),
    { ...customerExample, spent_usd: '9.8', ...refusedExample },
  ),
  'plan.exceeded': kind(
    'The usage of the month exceeds what the plan includes. Sent once per unit and month.',
    Type.Object({ ...plan, ...period }),
    { ...planExample, used: 10_001 },
  ),
  'plan.stopped': kind(
    `The plan has refused its first call of the month. ${once}`,
    Type.Object({ ...plan, held: Count, attempted: Count, ...period }),
    { ...planExample, used: 9_990, held: 10, attempted: 1 },
  ),
  'chain.exceeded': kind(
    'A chain of runs has exceeded its limit, by cost or tokens that could no longer be refused. Sent once per chain and reason.',
    Type.Object(chain),
    { ...chainExample, current: '2.61' },
  ),
  'chain.stopped': kind(
    'The limit on cost or tokens of a chain has refused its first run. Sent once per chain and reason.',
    Type.Object({ ...chain, attempted: Amount }),
    { ...chainExample, current: '2.41', attempted: '0.5' },
  ),
  'credit_pack.low': kind('80 percent of a credit pack is spent. Sent once.', Type.Object(pack), {
    ...packExample,
    spent_usd: '16.05',
  }),
  'credit_pack.depleted': kind('All of a credit pack is spent. Sent once.', Type.Object(pack), {
    ...packExample,
    spent_usd: '20',
  }),
  'credit_pack.stopped': kind(
    'The credit packs of a customer together have refused their first call. Sent again after each new pack.',
    Type.Object({
      ...pack,
      credit_pack_id: { ...Id('creditPack'), description: 'The newest of them.' },
      amount_usd: Type.String({ ...Usd, description: 'All of them together.' }),
      spent_usd: Type.String({ ...Usd, description: 'The amount spent of them.' }),
      ...refused,
    }),
    { ...packExample, spent_usd: '19.8', ...refusedExample },
  ),
  'quota.low': kind(
    'The prepaid balance of the organization has fallen to 20 percent of its newest top-up. Sent once per top-up.',
    Type.Object(quota),
    { ...quotaExample, spent_usd: '1401.5' },
  ),
  'quota.depleted': kind(
    'The prepaid balance of the organization is spent. Sent once per top-up.',
    Type.Object(quota),
    { ...quotaExample, spent_usd: '1500' },
  ),
  'quota.stopped': kind(
    'The prepaid balance of the organization has refused its first call. Sent again after each top-up.',
    Type.Object({ ...quota, ...refused }),
    { ...quotaExample, spent_usd: '1499.8', ...refusedExample },
  ),
  'freeze.set': kind(
    'The organization, a key or a limit was frozen: what would be charged to it is refused.',
    Type.Object(freeze),
    freezeExample,
  ),
  'freeze.lifted': kind('Something that was frozen was thawed.', Type.Object(freeze), freezeExample),
  'key.unreported': kind(
    'Reservations or runs of a key ended with their lease because nobody reported them. Sent once per key and day (UTC), a minute after the first of them.',
    Type.Object({
      key_id: { ...Id('key'), description: 'The first key of its rotations.' },
      day: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'The day in UTC.', examples: ['2026-11-15'] }),
      unreported_runs: Count,
      unreported_usd: Usd,
    }),
    {
      key_id: 'key_01jbsteb4peb5vskx602h9mw4q',
      day: '2026-11-15',
      unreported_runs: 3,
      unreported_usd: '0.0375',
    },
  ),
  'key.held_at_cost': kind(
    'The overrun of a key has passed `max_overrun_usd` of its trust: until the day ends (UTC), its calls are held at no less than the dearest of them cost. Sent once per key and day.',
    Type.Object({
      key_id: { ...Id('key'), description: 'The first key of its rotations.' },
      day: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'The day in UTC.', examples: ['2026-11-15'] }),
      overrun_usd: Usd,
      max_overrun_usd: Usd,
      held_at_usd: Usd,
    }),
    {
      key_id: 'key_01jbsteb4peb5vskx602h9mw4q',
      day: '2026-11-15',
      overrun_usd: '1.24',
      max_overrun_usd: '1',
      held_at_usd: '0.31',
    },
  ),
  'concurrency_limit.reached': kind(
    'A concurrency limit has refused its first run of the day (UTC). Sent again after a change of the limit.',
    Type.Object({
      concurrency_limit_id: Id('concurrencyLimit'),
      scope_kind: Type.String({
        description:
          '`org`, `department`, `workflow`, `deployment`, `customer`, `user`, `key`, `provider`, `model` or `tag`.',
        examples: ['workflow'],
      }),
      scope_id: Nullable(Type.String({ examples: ['nightly-reports'] })),
      max_runs: Count,
      running: Count,
    }),
    {
      concurrency_limit_id: 'ccl_01jbsteb4peb5vskx602h9mw4q',
      scope_kind: 'workflow',
      scope_id: 'nightly-reports',
      max_runs: 10,
      running: 10,
    },
  ),
  'usage.values_limited': kind(
    'Calls have used more new values of a dimension, or more combinations of them, than usage distinguishes: further ones of the day are counted as `(other)`. Sent once per dimension and day.',
    Type.Object({
      dimension: Type.String({
        description:
          '`model`, `provider`, `workflow_id`, `deployment_id`, `department_id`, `user_id`, `customer_id`, or `combination` for all together.',
        examples: ['workflow_id'],
      }),
      limit: { ...Count, description: 'New values per day; for combinations, per quarter of an hour.' },
      day: Type.String({ description: 'The UTC day.', examples: ['2026-11-15'] }),
    }),
    { dimension: 'workflow_id', limit: 1_000, day: '2026-11-15' },
  ),
}
