import { expect, test } from 'vitest'
import type { RunAttempt } from '../../src/governance/policies/attempt.ts'
import {
  checkRule,
  compileRules,
  explainAttempt,
  judgeAttempt,
  type RuleSet,
} from '../../src/governance/policies/evaluation.ts'
import type { PolicyVerdict } from '../../src/governance/policies/rule.ts'
import {
  type ReferenceRule,
  randomAttempt,
  randomRules,
  referenceVerdict,
  statusOf,
  timezone,
} from '../support/policy-reference.ts'
import { firstSeed, Random } from '../support/random.ts'

const sets = Number(process.env['WEIR_POLICY_SETS'] ?? 500)
const attemptsEach = 20
const explainedEach = 3
const about = { orgId: 'org_1', version: 1n, timezone }

const essence = ({ outcome, rule, shadow }: PolicyVerdict) =>
  JSON.stringify([outcome, rule?.id, shadow && [shadow.rule.id, shadow.outcome]])

const written = (attempt: RunAttempt) =>
  JSON.stringify(attempt, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))

/** Every rule as it is explained, and as a set of its own: then it is found whatever stands before it. */
function differences(set: RuleSet, rules: readonly ReferenceRule[], attempt: RunAttempt): string[] {
  const { verdict, rules: reports } = explainAttempt(set, attempt)
  const expected = new Map(rules.map((rule) => [rule.id, statusOf(rule, attempt)]))
  const told = reports.filter(({ rule, status }) => status !== expected.get(rule.id))
  const alone = rules.filter(
    (rule) =>
      essence(judgeAttempt(compileRules([rule], about), attempt)) !== essence(referenceVerdict([rule], attempt)),
  )
  const isOther = essence(verdict) !== essence(referenceVerdict(rules, attempt))
  return [
    ...told.map(({ rule, status }) => `explained as ${status}, not ${expected.get(rule.id)}: ${rule.expression}`),
    ...alone.map(({ expression }) => `judged otherwise by itself: ${expression}`),
    ...(isOther ? [`explained with ${essence(verdict)}`] : []),
  ]
}

test('the verdict on every attempt is that of a naive reading of the rules', { timeout: 60_000 + 100 * sets }, () => {
  const seed = firstSeed()
  console.log(`${sets} sets of rules from seed ${seed}`)
  const seen: Record<string, number> = {}
  for (let i = 0; i < sets; i++) {
    const random = new Random(seed + i)
    const rules = randomRules(random)
    expect(rules.filter(({ expression }) => checkRule(expression) !== null)).toEqual([])
    const set = compileRules(rules, about)
    for (let n = 0; n < attemptsEach; n++) {
      const attempt = randomAttempt(random)
      const [verdict, expected] = [judgeAttempt(set, attempt), referenceVerdict(rules, attempt)]
      const isOther = essence(verdict) !== essence(expected)
      const wrong = [
        ...(isOther ? [`${essence(verdict)}, not ${essence(expected)}`] : []),
        ...(n < explainedEach ? differences(set, rules, attempt) : []),
      ]
      if (wrong.length > 0) throw new Error(`seed ${seed + i}, attempt ${n}: ${written(attempt)}\n${wrong.join('\n')}`)
      for (const name of [verdict.outcome, `shadow ${verdict.shadow?.outcome}`]) seen[name] = (seen[name] ?? 0) + 1
    }
  }
  // Everything that can happen has happened, or nothing would be shown.
  for (const outcome of ['allow', 'block', 'require_approval', 'error']) {
    expect(seen[outcome]).toBeGreaterThan(sets / 10)
    expect(seen[`shadow ${outcome}`]).toBeGreaterThan(sets / 10)
  }
})
