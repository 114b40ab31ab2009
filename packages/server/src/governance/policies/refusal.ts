import { ApiError } from '../../contract/errors.ts'
import { formatId } from '../../values/id.ts'
import type { RunAttempt } from './attempt.ts'
import type { PolicyVerdict, Rule } from './rule.ts'

/** Returns the part of an attempt that a rule targets: its model or its action. */
export const attemptedTarget = ({ target }: Pick<Rule, 'target'>, { model, action }: RunAttempt) =>
  target === 'model' ? model : action

export type PolicyRefusal = ApiError<'policy_blocked' | 'policy_approval_required' | 'policy_expression_error'>

/** Returns the error that a verdict causes, if any. Whether an approval could clear it is decided by the approvals code. */
export function policyRefusal(
  { outcome, rule, failure }: PolicyVerdict,
  attempt: RunAttempt,
): PolicyRefusal | undefined {
  if (!rule || outcome === 'allow') return undefined
  const ruleId = formatId('rule', rule.id)
  if (outcome === 'error')
    return new ApiError(
      'policy_expression_error',
      { rule_id: ruleId },
      { message: `The rule ${JSON.stringify(rule.name)} failed to evaluate: ${failure}` },
    )
  const details = { reason: rule.reason, attempted: attemptedTarget(rule, attempt), rule_id: ruleId }
  return outcome === 'block'
    ? new ApiError('policy_blocked', details, { message: rule.reason })
    : new ApiError('policy_approval_required', details, { message: rule.reason })
}
