import { formatUsd } from '../../values/money.ts'

/** The reasons that exclude a model, in the order in which they are documented. */
export const reasonCodes = [
  'unknown',
  'disabled',
  'no_eval',
  'below_bar',
  'too_few_samples',
  'eval_expired',
  'residency',
  'region',
  'missing_capability',
  'latency',
  'context',
  'unpriced',
  'price',
  'policy_blocked',
  'policy_approval_required',
] as const
export type ReasonCode = (typeof reasonCodes)[number]

type Amount = string | number | bigint | null

/** A reason that excludes a model, with the model's value and the required one. It is formatted only when somebody reads it. */
export interface ExclusionReason {
  readonly code: ReasonCode
  readonly had: Amount
  readonly needed: Amount
}

const valueOrUnknown = (had: Amount) => (had === null ? 'unknown' : String(had))

const messages: Record<ReasonCode, (had: Amount, needed: Amount) => string> = {
  unknown: () => 'This model no longer exists.',
  disabled: () => 'The model is disabled.',
  no_eval: (_had, needed) => `The model has no result at this provider in the suite ${needed}.`,
  below_bar: (had, needed) => `Its score is ${had}; the bar is ${needed}.`,
  too_few_samples: (had, needed) => `Its latest result has ${had} samples; the bar requires ${needed}.`,
  eval_expired: (had, needed) => `Its latest result is ${had} seconds old; the bar allows ${needed}.`,
  residency: (had, needed) => `Its region is ${valueOrUnknown(had)}; the organization's data must stay in ${needed}.`,
  region: (had, needed) => `Its region is ${valueOrUnknown(had)}; the route requires ${needed}.`,
  missing_capability: (_had, needed) => `It lacks the capabilities ${needed}.`,
  latency: (had, needed) => `Its latency in milliseconds is ${valueOrUnknown(had)}; the route allows ${needed}.`,
  context: (had, needed) => `Its context size in tokens is ${valueOrUnknown(had)}; the call needs ${needed}.`,
  unpriced: () => 'It has no price. Add one with PUT …/prices.',
  price: (had, needed) => `The call could cost $${usd(had)}; at most $${usd(needed)} is allowed.`,
  policy_blocked: (had) => String(had),
  policy_approval_required: (had) => String(had),
}

const usd = (amount: Amount) => (typeof amount === 'bigint' ? formatUsd(amount) : String(amount))

export const reasonMessage = ({ code, had, needed }: ExclusionReason): string => messages[code](had, needed)

/** Counts the excluded models by reason, the most frequent first, for the message when no model is left. */
export function summaryOf(excluded: readonly { readonly reasons: readonly ExclusionReason[] }[]): string {
  const counts = new Map<ReasonCode, number>()
  for (const { reasons } of excluded) for (const { code } of reasons) counts.set(code, (counts.get(code) ?? 0) + 1)
  return [...counts]
    .sort(([a, m], [b, n]) => n - m || reasonCodes.indexOf(a) - reasonCodes.indexOf(b))
    .map(([code, count]) => `${count} ${code}`)
    .join(', ')
}
