const words: Readonly<Record<string, string>> = {
  budget_exceeded: 'Budget used up',
  chain_budget_exceeded: 'Chain at its limit',
  concurrency_exceeded: 'Too many runs at once',
  content_safety_blocked: 'Blocked by content safety',
  credits_exhausted: 'Credits used up',
  frozen: 'Frozen',
  no_model_passes_eval: 'No model passes its eval',
  plan_limit_exceeded: 'Plan used up',
  policy_approval_required: 'Waits for approval',
  policy_blocked: 'Blocked by a rule',
  policy_expression_error: 'A rule failed',
  quota_exhausted: 'Prepaid used up',
  rate_limited: 'Too many calls at once',
  spend_cap_exceeded: 'Daily cap reached',
  validation_failed: 'Model has no price',
}

/** Returns the reason of a refusal in words; its code is small print. */
export const refusalText = (code: string | null): string => (code === null ? 'Allowed' : (words[code] ?? code))

/** Reasons of refusals, to choose from. */
export const refusalChoices: readonly (readonly [string, string])[] = Object.entries(words).toSorted(([, a], [, b]) =>
  a < b ? -1 : 1,
)
