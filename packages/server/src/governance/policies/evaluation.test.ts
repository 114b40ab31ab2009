import { expect, test } from 'vitest'
import type { RunAttempt } from './attempt.ts'
import { checkRule, compileRules, explainAttempt, judgeAttempt } from './evaluation.ts'
import type { Rule } from './rule.ts'

const about = { orgId: 'org_1', version: 7n, timezone: 'Europe/Berlin' }
const attempt: RunAttempt = {
  atMs: Date.parse('2026-11-15T23:05:59.999Z'),
  model: 'gpt-4o',
  provider: 'openai',
  operation: 'chat',
  action: '',
  workflowId: 'checkout',
  deploymentId: '',
  departmentId: 'sales',
  customerId: 'acme',
  userId: '',
  inputTokens: 1_200,
  maxOutputTokens: 500,
  estimatedNano: 1_500_000_000n,
  tags: ['beta'],
  metadata: { retries: 4, 'cost-center': 'c7', constructor: 'x' },
  key: { id: 'key_1', role: 'service', scopes: ['runs:write'] },
  chain: { id: 'ticket-8812', depth: 3, costNano: 2_500_000_000n },
}

let made = 0
const rule = (expression: string, given: Partial<Rule> = {}): Rule => ({
  id: String(++made).padStart(8, '0'),
  name: 'rule',
  effect: 'block',
  target: 'model',
  priority: 100,
  expression,
  reason: '',
  enabled: true,
  shadow: false,
  version: 1,
  ...given,
})
const judge = (rules: readonly Rule[], changed: Partial<RunAttempt> = {}) =>
  judgeAttempt(compileRules(rules, about), { ...attempt, ...changed })

test('where no rule matches, an attempt is allowed', () => {
  expect(judge([])).toEqual({ outcome: 'allow', rule: null, shadow: null })
  expect(judge([rule('run.model == "o1"')])).toEqual({ outcome: 'allow', rule: null, shadow: null })
})

test('the first rule that matches decides: the least priority, and among equals the one that was made first', () => {
  const [first, second, third] = [
    rule('true', { effect: 'allow' }),
    rule('true'),
    rule('true', { effect: 'require_approval', priority: 1 }),
  ]
  expect(judge([second, first])).toMatchObject({ outcome: 'allow', rule: first })
  expect(judge([second, first, third])).toMatchObject({ outcome: 'require_approval', rule: third })
})

test('a rule that is not enabled is not asked', () => {
  expect(judge([rule('1 / 0 == 1', { enabled: false }), rule('true', { effect: 'allow' })])).toMatchObject({
    outcome: 'allow',
    shadow: null,
  })
})

test('a rule about actions says nothing of an attempt without one', () => {
  const about = [rule('true', { target: 'action' })]
  expect(judge(about).outcome).toBe('allow')
  expect(judge(about, { action: 'refund' }).outcome).toBe('block')
})

test('a rule that fails before anything has decided leaves it open, and one behind the decision does not matter', () => {
  const [failing, matching] = [rule('run.metadata.nope == 1'), rule('true', { priority: 200 })]
  expect(judge([failing, matching])).toEqual({
    outcome: 'error',
    rule: failing,
    failure: 'No such key: nope',
    shadow: null,
  })
  expect(judge([failing, { ...matching, priority: 1 }])).toMatchObject({ outcome: 'block', rule: { priority: 1 } })
})

test('a rule in shadow decides nothing, and the first that matches or fails before the decision is told', () => {
  const [failing, matching] = [rule('1 / 0 == 1', { shadow: true }), rule('true', { shadow: true })]
  const live = rule('run.model == "gpt-4o"', { effect: 'require_approval' })
  expect(judge([matching, live])).toMatchObject({
    outcome: 'require_approval',
    rule: live,
    shadow: { rule: matching, outcome: 'block' },
  })
  expect(judge([failing, matching])).toEqual({
    outcome: 'allow',
    rule: null,
    shadow: { rule: failing, outcome: 'error', failure: 'division by zero' },
  })
  expect(judge([live, { ...matching, priority: 101 }]).shadow).toBeNull()
})

test('a stored rule that can no longer be used fails when it is asked', () => {
  const broken = rule('run.model.matches("a")')
  expect(judge([broken])).toMatchObject({
    outcome: 'error',
    rule: broken,
    failure: expect.stringContaining('re2(') as string,
  })
})

test('rules see the attempt in the words of /v1', () => {
  const all = `run.model == "gpt-4o" && run.provider == "openai" && run.operation == "chat" && run.action == ""
    && run.workflow_id == "checkout" && run.deployment_id == "" && run.department_id == "sales"
    && run.input_tokens == 1200 && run.max_output_tokens == 500 && run.estimated_cost_usd == 1.5
    && run.tags == ["beta"] && run.metadata.retries > 3 && run.metadata["cost-center"] == "c7"
    && org.id == "org_1" && key.id == "key_1" && key.role == "service" && "runs:write" in key.scopes
    && customer.id == "acme" && chain.id == "ticket-8812" && chain.depth == 3 && chain.cost_usd == 2.5`
  expect(checkRule(all)).toBeNull()
  expect(judge([rule(all)]).outcome).toBe('block')
})

test('metadata named like something of a prototype is metadata', () => {
  expect(judge([rule('run.metadata.constructor == "x"')]).outcome).toBe('block')
  expect(judge([rule('has(run.metadata.toString)')]).outcome).toBe('allow')
})

test("time is the organization's own, to the minute", () => {
  const local =
    'time.date == "2026-11-16" && time.hour == 0 && time.minute == 5 && time.weekday == 1 && time.day == 16 && time.month == 11 && time.year == 2026'
  expect(judge([rule(local)]).outcome).toBe('block')
  expect(judge([rule('time.weekday == 7')], { atMs: Date.parse('2026-11-15T12:00:00Z') }).outcome).toBe('block')
})

test('time follows the clocks of the zone, also where they change', () => {
  const hourAt = (at: string, timezone: string) => {
    for (let hour = 0; hour < 24; hour++) {
      const set = compileRules([rule(`time.hour == ${hour}`)], { ...about, timezone })
      if (judgeAttempt(set, { ...attempt, atMs: Date.parse(at) }).outcome === 'block') return hour
    }
    return null
  }
  // Back and forth over the same changes, since what is known of a zone is remembered.
  const hours = [
    '2026-03-29T00:59:59Z',
    '2026-03-29T01:00:00Z',
    '2026-10-25T00:59:59Z',
    '2026-10-25T01:00:00Z',
    '2026-03-29T00:59:59Z',
  ]
  expect(hours.map((at) => hourAt(at, 'Europe/Berlin'))).toEqual([1, 3, 2, 2, 1])
  expect(hourAt('2026-04-04T15:00:00Z', 'Australia/Lord_Howe')).toBe(1)
  expect(hourAt('2026-01-01T10:00:00Z', 'Pacific/Kiritimati')).toBe(0)
  expect(hourAt('2026-06-01T10:00:00Z', 'UTC')).toBe(10)
})

test('a set says whether a rule that is enabled asks for the chain', () => {
  expect(compileRules([rule('run.model == "chain.depth"')], about).usesChain).toBe(false)
  expect(compileRules([rule('chain.depth > 3', { enabled: false })], about).usesChain).toBe(false)
  expect(compileRules([rule('chain.depth > 3')], about)).toMatchObject({
    usesChain: true,
    version: 7n,
    timezone: 'Europe/Berlin',
  })
})

test('every rule is explained, also those behind the decision', () => {
  const rules = [
    rule('run.model == "gpt-4o" && run.department_id == "legal"', { priority: 1 }),
    rule('true', { priority: 2, enabled: false }),
    rule('true', { priority: 3, target: 'action' }),
    rule('true', { priority: 4, shadow: true }),
    rule('run.provider == "openai"', { priority: 5 }),
    rule('true', { priority: 6 }),
    rule('1 / 0 == 1', { priority: 7 }),
  ]
  const { verdict, rules: reports } = explainAttempt(compileRules(rules, about), attempt)
  expect(verdict).toMatchObject({ outcome: 'block', rule: rules[4], shadow: { rule: rules[3] } })
  expect(
    reports.map(({ rule: { priority }, status, decided, reached, why }) => [priority, status, decided, reached, why]),
  ).toEqual([
    [1, 'not_matched', false, true, 'This is false: run.department_id == "legal"'],
    [2, 'disabled', false, false, 'The rule is not enabled.'],
    [3, 'not_applicable', false, false, 'The rule targets actions, and the run names no action.'],
    [4, 'matched', false, true, 'The expression is true.'],
    [5, 'matched', true, true, 'The expression is true.'],
    [6, 'matched', false, false, 'The expression is true.'],
    [7, 'failed', false, false, 'division by zero'],
  ])
})

test('rules beyond the first thirty-two are asked in their order', () => {
  const rules = Array.from({ length: 100 }, (_, i) =>
    rule(`run.input_tokens == ${i}`, { priority: i, reason: String(i) }),
  )
  for (const i of [0, 31, 32, 63, 64, 99])
    expect(judge([...rules, rule('true', { priority: 200, reason: 'last' })], { inputTokens: i }).rule?.reason).toBe(
      String(i),
    )
  expect(judge([...rules, rule('true', { priority: 200, reason: 'last' })]).rule?.reason).toBe('last')
})
