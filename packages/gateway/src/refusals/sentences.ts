import { arrayOf, isObject } from '../dialects/fields.ts'
import type { Refused } from '../weir/refused.ts'

/** Sentences that stand alone: for most people the message of an error is all that they see. */

const dollars = (value: unknown) => (typeof value === 'string' ? `$${value}` : undefined)

const dayOf = (time: unknown) => {
  const date = typeof time === 'string' ? new Date(time) : undefined
  if (date === undefined || Number.isNaN(date.getTime())) return undefined
  const text = date.toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
  })
  return `${text} UTC`
}

/** Says why a call was refused, what it would have needed, and what would fit. */
export function sentenceOf({ code, message, details }: Refused): string {
  const id = typeof details['decision_id'] === 'string' ? ` (${details['decision_id']})` : ''
  return `Weir: ${reasonOf(code, message, details)}${fitOf(details)}${id}`
}

type Details = Refused['details']

function reasonOf(code: string, message: string, details: Details): string {
  const attempted = dollars(details['attempted_usd'] ?? details['attempted'])
  const could = attempted === undefined ? '' : ` and this call could cost ${attempted}`
  switch (code) {
    case 'budget_exceeded':
      return `${budgetOf(details)} has ${leftOf(details, 'limit_usd')} left${untilOf(details['period_end'])}${could}.`
    case 'spend_cap_exceeded':
      return `today's spend cap has ${leftOf(details, 'cap_usd')} left${untilOf(details['resets_at'])}${could}.`
    case 'credits_exhausted':
      return `the customer's credits are ${dollars(details['available_usd']) ?? '$0'}${could}.`
    case 'chain_budget_exceeded':
      return `the budget of this chain of runs would be exceeded: ${wordOf(details['current'])} of ${wordOf(details['limit'])} (${wordOf(details['reason'])}) is used, and this call asks for ${wordOf(details['attempted'])}.`
    case 'policy_blocked':
    case 'policy_approval_required':
      return `${plain(message)}: ${wordOf(details['reason'])}${approvalOf(details)}`
    case 'content_safety_blocked':
      return `the detector ${wordOf(details['detector'])} found something in this request that may not be sent.`
    case 'validation_failed':
      return fieldsOf(details) || message
    default:
      return message
  }
}

const wordOf = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

const plain = (message: string) => message.replace(/\.$/, '')

const budgetOf = (details: Details) =>
  details['scope_kind'] === 'org' || details['scope_kind'] === undefined
    ? 'the budget of the organization'
    : `the ${wordOf(details['scope_kind'])} budget`

/** Says what is left of a limit, by the numbers that refused. */
function leftOf(details: Details, limitField: string): string {
  const limit = dollars(details[limitField]) ?? 'its limit'
  const remaining = dollars(details['remaining_usd'])
  return remaining === undefined ? `nothing of ${limit}` : `${remaining} of ${limit}`
}

const untilOf = (time: unknown) => {
  const day = dayOf(time)
  return day === undefined ? '' : ` (until ${day})`
}

const approvalOf = (details: Details) =>
  typeof details['approval_id'] === 'string' ? ` Somebody can approve it: ${details['approval_id']}.` : ''

const fieldsOf = (details: Details) =>
  arrayOf(details['fields'])
    .flatMap((one) => (isObject(one) ? [`${String(one['field'])}: ${String(one['message'])}`] : []))
    .join(' ')

/** Says what would have been admitted instead. */
function fitOf(details: Details): string {
  const tokens = details['fits_max_output_tokens']
  const route = details['fits']
  const ways = [
    ...(typeof tokens === 'number' && tokens > 0 ? [`at most ${tokens} tokens of output`] : []),
    ...(typeof route === 'string' ? [route] : []),
  ]
  return ways.length === 0 ? '' : ` It would fit with ${ways.join(', or with ')}.`
}
