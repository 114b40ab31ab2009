import { runToCompletion } from '../../values/steps.ts'
import { type Expression, ExpressionFailed } from '../expressions/expressions.ts'
import type { RunAttempt } from './attempt.ts'
import type { PolicyVerdict, Rule } from './rule.ts'
import { compileRuleExpression } from './rule-expressions.ts'
import { type CandidateIndex, indexRules } from './rule-index.ts'
import { AttemptVariables, OrgVariables } from './variables.ts'

export { checkRule } from './rule-expressions.ts'

/** The highest total cost of an organization's enabled rules: all of them may be evaluated for one attempt. */
export const maxSetCost = 300_000

interface EnabledRule {
  readonly rule: Rule
  /** Null when the expression no longer compiles: then the rule fails when it is evaluated. */
  readonly expression: Expression | null
  readonly fault: string
}

/** The compiled rules of an organization. */
export interface RuleSet {
  readonly orgId: string
  readonly version: bigint
  readonly timezone: string
  /** All rules in evaluation order, including disabled ones. */
  readonly rules: readonly Rule[]
  /** True when a rule uses the chain, so that the attempt's position in its chain must be read. */
  readonly usesChain: boolean
  /** The highest cost of the enabled rules, in the steps of expressions. */
  readonly cost: number
  readonly enabled: readonly EnabledRule[]
  readonly index: CandidateIndex
  readonly org: OrgVariables
}

export interface RuleReport {
  readonly rule: Rule
  readonly status: 'matched' | 'not_matched' | 'failed' | 'disabled' | 'not_applicable'
  /** True when this rule decided. */
  readonly decided: boolean
  /** True when the rule was evaluated before another had decided. */
  readonly reached: boolean
  readonly why: string
}

const byPriority = (a: Rule, b: Rule): number => a.priority - b.priority || (a.id < b.id ? -1 : Number(a.id > b.id))

export function compileRules(
  rules: readonly Rule[],
  about: { orgId: string; version: bigint; timezone: string },
): RuleSet {
  const ordered = rules.toSorted(byPriority)
  const enabled = ordered.filter((rule) => rule.enabled).map(prepareRule)
  return {
    ...about,
    rules: ordered,
    usesChain: enabled.some(({ expression }) => expression?.names.has('chain')),
    cost: rulesCost(ordered),
    enabled,
    index: indexRules(
      enabled.map(({ rule, expression }) => ({
        requirements: expression?.requirements ?? [],
        needsAction: rule.target === 'action',
      })),
    ),
    org: new OrgVariables(about.orgId),
  }
}

/** Returns the highest total cost of the enabled rules; a rule that does not compile costs nothing. */
export function rulesCost(rules: readonly Rule[]): number {
  const costs = rules.map(({ enabled, expression }) => {
    const compiled = enabled ? compileRuleExpression(expression) : undefined
    return compiled?.ok ? compiled.expression.cost : 0
  })
  return costs.reduce((sum, cost) => sum + cost, 0)
}

function prepareRule(rule: Rule): EnabledRule {
  const compiled = compileRuleExpression(rule.expression)
  return compiled.ok
    ? { rule, expression: compiled.expression, fault: '' }
    : { rule, expression: null, fault: compiled.fault.message }
}

type RuleResult = boolean | ExpressionFailed

function evaluateRule({ expression, fault }: EnabledRule, variables: AttemptVariables): RuleResult {
  if (expression === null) return new ExpressionFailed(`The expression is invalid: ${fault}`)
  try {
    return expression.evaluate(variables)
  } catch (error) {
    if (error instanceof ExpressionFailed) return error
    throw error
  }
}

/**
 * Evaluates the rules for an attempt. The first rule that matches decides; a rule that fails before that makes the verdict an
 * error. Shadow rules decide nothing; the verdict reports the first one that would have decided.
 */
export function judgeAttempt(set: RuleSet, attempt: RunAttempt): PolicyVerdict {
  const variables = new AttemptVariables(set.org, set.timezone, attempt)
  const candidates = set.index.candidates(attempt)
  let shadow: PolicyVerdict['shadow'] = null
  for (let word = 0; word < candidates.length; word++) {
    for (let bits = candidates[word]!; bits !== 0; bits &= bits - 1) {
      const candidate = set.enabled[(word << 5) + 31 - Math.clz32(bits & -bits)]!
      const answer = evaluateRule(candidate, variables)
      if (answer === false) continue
      if (!candidate.rule.shadow) return { ...verdictOf(candidate.rule, answer), shadow }
      shadow ??= verdictOf(candidate.rule, answer)
    }
  }
  return { outcome: 'allow', rule: null, shadow }
}

const verdictOf = (rule: Rule, answer: true | ExpressionFailed) =>
  answer === true ? { rule, outcome: rule.effect } : { rule, outcome: 'error' as const, failure: answer.message }

/** Evaluates every rule, including those after the deciding one, and reports the result and the reason for each. */
export const explainAttempt = (set: RuleSet, attempt: RunAttempt): RuleExplanation =>
  runToCompletion(explainInSteps(set, attempt))

export interface RuleExplanation {
  readonly verdict: PolicyVerdict
  readonly rules: RuleReport[]
}

const explainBatchSize = 25

/** Does the same in steps, because explaining a thousand rules takes a while. */
export function* explainInSteps(set: RuleSet, attempt: RunAttempt): Generator<void, RuleExplanation> {
  const variables = new AttemptVariables(set.org, set.timezone, attempt)
  const verdict = judgeAttempt(set, attempt)
  const enabled = new Map(set.enabled.map((each) => [each.rule, each]))
  let isOpen = true
  const report = (rule: Rule): RuleReport => {
    const enabledRule = enabled.get(rule)
    const base = { rule, decided: false, reached: false }
    if (!enabledRule) return { ...base, status: 'disabled', why: 'The rule is not enabled.' }
    if (rule.target === 'action' && attempt.action === '')
      return { ...base, status: 'not_applicable', why: 'The rule targets actions, and the run names no action.' }
    const reached = isOpen
    const decided = verdict.rule === rule
    if (decided) isOpen = false
    return { rule, decided, reached, ...explainResult(enabledRule, variables) }
  }
  const rules: RuleReport[] = []
  for (const [i, rule] of set.rules.entries()) {
    rules.push(report(rule))
    if (i % explainBatchSize === explainBatchSize - 1) yield
  }
  return { verdict, rules }
}

function explainResult(enabledRule: EnabledRule, variables: AttemptVariables): Pick<RuleReport, 'status' | 'why'> {
  const answer = evaluateRule(enabledRule, variables)
  if (answer === true) return { status: 'matched', why: 'The expression is true.' }
  if (answer !== false) return { status: 'failed', why: answer.message }
  const part = enabledRule.expression!.falsePart(variables)
  return { status: 'not_matched', why: part === null ? 'The expression is false.' : `This is false: ${part}` }
}
