import { setImmediate as nextTurn } from 'node:timers/promises'
import { type FieldFault, validationFailed } from '../../contract/errors.ts'
import { newUuid } from '../../values/id.ts'
import { checkRule, compileRules, maxSetCost, type RuleSet, rulesCost } from './evaluation.ts'
import type { RuleFields } from './queries.ts'
import type { Rule } from './rule.ts'
import type { RuleInput } from './schema.ts'

export const fieldsOf = ({ enabled = true, shadow = false, approver = 'anyone', ...given }: RuleInput): RuleFields => ({
  ...given,
  enabled,
  shadow,
  approver,
})

/** Returns the mistake of an expression with its position, or an empty list. */
export function expressionFaults(expression: string, field: string): FieldFault[] {
  const fault = checkRule(expression)
  if (!fault) return []
  const { message, line, column } = fault
  return [{ field, code: 'invalid_value', message: `${message} (line ${line}, column ${column})` }]
}

const compileBatchSize = 5

/** Compiles rules into the cache, yielding between batches: compiling a thousand at once would block other requests. */
export async function compileCooperatively(rules: readonly { readonly expression: string }[]) {
  for (const [i, { expression }] of rules.entries()) {
    checkRule(expression)
    if (i % compileBatchSize === compileBatchSize - 1) await nextTurn()
  }
}

/**
 * Checks the total cost of a rule set. A change that makes an expensive set cheaper passes, even when it stays above the limit.
 */
export function setCostFaults(rules: readonly Rule[], before: readonly Rule[], field: string): FieldFault[] {
  const cost = rulesCost(rules)
  if (cost <= maxSetCost || cost <= rulesCost(before)) return []
  const share = `${Math.ceil((cost * 100) / maxSetCost)} %`
  const message = `All enabled rules together cost ${share} of the limit for one run. Simplify or disable some of them.`
  return [{ field, code: 'out_of_range', message }]
}

/** A rule set that is not saved. Its rules are identified by their positions in the request. */
export interface RuleDraft {
  readonly set: RuleSet
  readonly positions: ReadonlyMap<string, number>
}

export async function draftRules(
  inputs: readonly RuleInput[],
  owner: Pick<RuleSet, 'orgId' | 'timezone'>,
): Promise<RuleDraft> {
  await compileCooperatively(inputs)
  const faults = inputs.flatMap(({ expression }, i) => expressionFaults(expression, `rules.${i}.expression`))
  if (faults.length > 0) throw validationFailed(faults)
  const rules = inputs.map((input): Rule => ({ id: newUuid(), version: 0, ...fieldsOf(input) }))
  const setFaults = setCostFaults(rules, [], 'rules')
  if (setFaults.length > 0) throw validationFailed(setFaults)
  return {
    set: compileRules(rules, { orgId: owner.orgId, timezone: owner.timezone, version: 0n }),
    positions: new Map(rules.map(({ id }, i) => [id, i])),
  }
}
