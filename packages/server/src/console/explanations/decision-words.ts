import type { Schemas } from '../api/api.ts'
import { type Content, counted, countText, html, money } from '../components/components.ts'
import {
  type AskedLimit,
  amountText,
  excessOf,
  isDepth,
  type LimitNames,
  leftBefore,
  limitLink,
} from './limit-words.ts'
import { refusalText } from './refusal-words.ts'

export type ExplainedDecision = Schemas['Explanation']

/** Returns the limits of a decision that bound anything; a chain counts also where nothing bounds it. */
export const bindingLimits = ({ limits }: ExplainedDecision): readonly AskedLimit[] =>
  limits.filter(({ limit }) => limit !== null)

/** Returns the limit that refused; undefined where something else did. */
export const refusingLimit = ({ limits, decided_by: by }: ExplainedDecision): AskedLimit | undefined =>
  limits.find((limit) => limit.limit_id === by && !limit.fits)

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

/** Tokens of a request: what goes in, and at most comes out. */
export const tokensAsked = ({ inputs }: ExplainedDecision) => ({
  input: numberOf(inputs['input_tokens']),
  output: numberOf(inputs['max_output_tokens']),
})

/** Returns a decision in one sentence: why a call was refused, or that it was allowed. */
export function decisionSentence(explanation: ExplainedDecision, names: LimitNames, message?: string): Content {
  const { decision, price, error_code: code } = explanation
  const limits = bindingLimits(explanation)
  if (decision === 'allow')
    return html`The most it could cost was ${money(price.amount_usd)}. ${limits.length === 0 ? 'No limit covers it.' : limits.length === 1 ? 'The one limit that covers it had room.' : `All ${limits.length} limits that cover it had room.`}`
  const limit = refusingLimit(explanation)
  if (limit === undefined)
    return html`Refused: ${refusalText(code).toLowerCase()}.${message === undefined ? '' : ` ${message}`}`
  const left = leftBefore(limit)
  if (left === undefined) return html`Refused by ${limitLink(limit, names)}.`
  return isDepth(limit)
    ? html`Refused because ${limitLink(limit, names)} is as deep as it may be.`
    : html`Refused because ${limitLink(limit, names)} had ${amountText(limit, left)} left and this call could have ${limit.unit === 'usd' ? 'cost' : 'taken'} ${amountText(limit, limit.attempted)}, ${amountText(limit, excessOf(limit))} too much.`
}

/** Returns what a call asked for, in words. */
export function askedText(explanation: ExplainedDecision): string {
  const { input, output } = tokensAsked(explanation)
  return [
    input === undefined ? undefined : `${counted(input, 'token')} in`,
    output === undefined ? undefined : `at most ${countText(output)} out`,
  ]
    .filter((text) => text !== undefined)
    .join(', ')
}
