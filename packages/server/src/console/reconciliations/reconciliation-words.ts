import { formatDollars, parseUsd } from '../../values/money.ts'
import type { Schemas } from '../api/api.ts'
import { html, type Markup } from '../components/components.ts'

/** Reasons of differences, in words, and what they mean. */
export const reasonWords: Readonly<Record<string, readonly [title: string, meaning: string]>> = {
  missing_here: ['Missing here', 'The provider billed it, and no run was booked: calls that went past Weir.'],
  missing_there: ['Missing there', 'Runs were booked, and the provider billed nothing for the model that day.'],
  other_charge: ['Other charge', 'A charge that is for no tokens, such as searches.'],
  day_boundary: ['Day boundary', 'The same calls are on one day here and on the next one there.'],
  unpriced: ['No price', 'The runs cost nothing here: their model has no price.'],
  counted_twice: ['Counted twice', 'Exactly twice the tokens of the bill are booked.'],
  cache_tokens: ['Cached tokens', 'Input and output are equal, but the part that was read from a cache differs.'],
  tokens_differ: ['Tokens differ', 'Other numbers of tokens were booked than billed.'],
  rounding: ['Rounding', 'The provider rounds each line to cents.'],
  tier: ['Tier or batch', 'The provider billed another tier of service, such as batches at half the price.'],
  estimated: ['Estimated', 'Runs of that day were charged by estimate.'],
  price_differs: ['Price differs', 'The same tokens, at another price.'],
  amount_differs: ['Amount differs', 'The files have no tokens that would tell why: add an export of usage.'],
}

export const reasonText = (reason: string): string => reasonWords[reason]?.[0] ?? reason

export const providerText = (provider: string): string =>
  ({ openai: 'OpenAI', anthropic: 'Anthropic' })[provider] ?? provider

/** An exact amount, with a sign where it is a difference. */
export const exactText = (usd: string, isDifference = false): string => {
  const text = formatDollars(parseUsd(usd)).replace('-', '−')
  return isDifference && parseUsd(usd) > 0n ? `+${text}` : text
}
export const exact = (usd: string | null, isDifference = false): Markup =>
  html`<span class="nowrap">${usd === null ? 'no amounts' : exactText(usd, isDifference)}</span>`

/** Days of a reconciliation: `1 Nov 2026 to 30 Nov 2026`. */
export function daysText({ from, to }: Pick<Schemas['ReconciliationSummary'], 'from' | 'to'>): string {
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
  const format = (at: Date) => day.format(at).replace('Sept', 'Sep')
  const last = new Date(Date.parse(to) - 86_400_000)
  return from === last.toISOString().slice(0, 10) ? format(last) : `${format(new Date(from))} to ${format(last)}`
}
