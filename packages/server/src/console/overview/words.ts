const reasons: Readonly<Record<string, string>> = {
  budget_exceeded: 'Budget used up',
  spend_cap_exceeded: 'Daily cap reached',
  quota_exhausted: 'Prepaid used up',
  plan_limit_exceeded: 'Plan used up',
  credits_exhausted: 'Credits used up',
  chain_budget_exceeded: 'Chain limit reached',
  concurrency_exceeded: 'Too many at once',
  policy_blocked: 'Blocked by a rule',
  policy_approval_required: 'Waits for approval',
  content_safety_blocked: 'Blocked by content safety',
  validation_failed: 'Model has no price',
  residency_violation: 'Outside the allowed regions',
  frozen: 'Frozen',
  rate_limited: 'Too many tokens a minute',
}

/** Returns why calls were refused, in words; a code that has none as it is. */
export const reasonText = (code: string): string => reasons[code] ?? code.replaceAll('_', ' ')
