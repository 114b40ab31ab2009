import { expect, test } from 'vitest'
import { checkRule, compileRules, explainAttempt, judgeAttempt } from '../src/policies/evaluation.ts'
import type { PolicyVerdict } from '../src/policies/rule.ts'
import { randomAttempt, randomRules, referenceVerdict, statusOf, timezone } from './policy-reference.ts'
import { firstSeed, Random } from './random.ts'

const sets = Number(process.env['WEIR_POLICY_SETS'] ?? 500)
const attemptsEach = 20

const essence = ({ outcome, rule, shadow }: PolicyVerdict) => ({
  outcome,
  rule: rule?.id ?? null,
  shadow: shadow && { rule: shadow.rule.id, outcome: shadow.outcome },
})

test('the verdict on every attempt is that of a naive reading of the rules', () => {
  const seed = firstSeed()
  console.log(`${sets} sets of rules from seed ${seed}`)
  const seen = new Map<string, number>()
  for (let i = 0; i < sets; i++) {
    const random = new Random(seed + i)
    const rules = randomRules(random)
    for (const { expression } of rules) expect(checkRule(expression), expression).toBeNull()
    const set = compileRules(rules, { orgId: 'org_1', version: 1n, timezone })
    for (let n = 0; n < attemptsEach; n++) {
      const attempt = randomAttempt(random)
      const context = () =>
        `seed ${seed + i}, attempt ${n}: ${JSON.stringify(attempt, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`
      const expected = referenceVerdict(rules, attempt)
      const verdict = judgeAttempt(set, attempt)
      if (JSON.stringify(essence(verdict)) !== JSON.stringify(essence(expected)))
        expect(essence(verdict), context()).toEqual(essence(expected))
      for (const [name, value] of Object.entries({
        outcome: verdict.outcome,
        shadow: verdict.shadow?.outcome,
        rule: typeof verdict.rule,
      }))
        seen.set(`${name} ${value}`, (seen.get(`${name} ${value}`) ?? 0) + 1)
      if (n > 3) continue
      const explained = explainAttempt(set, attempt)
      expect(essence(explained.verdict), context()).toEqual(essence(expected))
      for (const { rule, status } of explained.rules)
        if (status !== statusOf(rules.find(({ id }) => id === rule.id)!, attempt))
          expect(status, `${rule.expression}, ${context()}`).toBe(
            statusOf(rules.find(({ id }) => id === rule.id)!, attempt),
          )
    }
  }
  // Everything that can happen has happened, or the test would show nothing.
  for (const outcome of ['allow', 'block', 'require_approval', 'error']) {
    expect(seen.get(`outcome ${outcome}`)).toBeGreaterThan(sets / 10)
    expect(seen.get(`shadow ${outcome}`)).toBeGreaterThan(sets / 10)
  }
})
