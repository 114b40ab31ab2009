import { type FieldFault, validationFailed } from '../contract/errors.ts'
import { newUuid } from '../values/id.ts'
import { checkRule, compileRules, type RuleSet } from './evaluation.ts'
import type { RuleFields } from './queries.ts'
import type { Rule } from './rule.ts'
import type { RuleInput } from './schema.ts'

export const fieldsOf = ({ enabled = true, shadow = false, ...given }: RuleInput): RuleFields => ({
  ...given,
  enabled,
  shadow,
})

/** What is wrong with an expression, with the place where it is. */
export function expressionFaults(expression: string, field: string): FieldFault[] {
  const fault = checkRule(expression)
  if (!fault) return []
  const { message, line, column } = fault
  return [{ field, code: 'invalid_value', message: `${message} (line ${line}, column ${column})` }]
}

/** A set that nobody has set: its rules are told apart by their places. */
export interface Draft {
  readonly set: RuleSet
  readonly places: ReadonlyMap<string, number>
}

export function draftRules(inputs: readonly RuleInput[], of: Pick<RuleSet, 'orgId' | 'timezone'>): Draft {
  const faults = inputs.flatMap(({ expression }, i) => expressionFaults(expression, `rules.${i}.expression`))
  if (faults.length > 0) throw validationFailed(faults)
  const rules = inputs.map((input): Rule => ({ id: newUuid(), version: 0, ...fieldsOf(input) }))
  return {
    set: compileRules(rules, { orgId: of.orgId, timezone: of.timezone, version: 0n }),
    places: new Map(rules.map(({ id }, i) => [id, i])),
  }
}
