import { setImmediate as nextTurn } from 'node:timers/promises'
import { type FieldFault, validationFailed } from '../contract/errors.ts'
import { newUuid } from '../values/id.ts'
import { checkRule, compileRules, costOf, mostSetCost, type RuleSet } from './evaluation.ts'
import type { RuleFields } from './queries.ts'
import type { Rule } from './rule.ts'
import type { RuleInput } from './schema.ts'

export const fieldsOf = ({ enabled = true, shadow = false, ...given }: RuleInput): RuleFields => ({
  ...given,
  enabled,
  shadow,
})

/** Returns the mistake of an expression with its position, or an empty list. */
export function expressionFaults(expression: string, field: string): FieldFault[] {
  const fault = checkRule(expression)
  if (!fault) return []
  const { message, line, column } = fault
  return [{ field, code: 'invalid_value', message: `${message} (line ${line}, column ${column})` }]
}

const compiledAtOnce = 5

/** Compiles rules into the cache, yielding between batches: compiling a thousand at once would block other requests. */
export async function compileInTurns(rules: readonly { readonly expression: string }[]) {
  for (const [i, { expression }] of rules.entries()) {
    checkRule(expression)
    if (i % compiledAtOnce === compiledAtOnce - 1) await nextTurn()
  }
}

/**
 * Checks the total cost of a rule set. A change that makes an expensive set cheaper passes, even when it stays above the limit.
 */
export function costFaults(rules: readonly Rule[], before: readonly Rule[], field: string): FieldFault[] {
  const cost = costOf(rules)
  if (cost <= mostSetCost || cost <= costOf(before)) return []
  const share = `${Math.ceil((cost * 100) / mostSetCost)} %`
  const message = `All enabled rules together cost ${share} of the limit for one run. Simplify or disable some of them.`
  return [{ field, code: 'out_of_range', message }]
}

/** A rule set that is not saved. Its rules are identified by their positions in the request. */
export interface Draft {
  readonly set: RuleSet
  readonly places: ReadonlyMap<string, number>
}

export async function draftRules(
  inputs: readonly RuleInput[],
  of: Pick<RuleSet, 'orgId' | 'timezone'>,
): Promise<Draft> {
  await compileInTurns(inputs)
  const faults = inputs.flatMap(({ expression }, i) => expressionFaults(expression, `rules.${i}.expression`))
  if (faults.length > 0) throw validationFailed(faults)
  const rules = inputs.map((input): Rule => ({ id: newUuid(), version: 0, ...fieldsOf(input) }))
  const together = costFaults(rules, [], 'rules')
  if (together.length > 0) throw validationFailed(together)
  return {
    set: compileRules(rules, { orgId: of.orgId, timezone: of.timezone, version: 0n }),
    places: new Map(rules.map(({ id }, i) => [id, i])),
  }
}
