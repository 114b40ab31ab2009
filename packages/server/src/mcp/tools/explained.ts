import { type Static, Type } from 'typebox'
import type { Schemas } from '../../console/api/api.ts'
import { Amount, Closed, DataOrNull, MoneyOrNull, TimeOrNull, Word, WordOrNull } from '../fields.ts'
import { amount, type Plain, phrase, time, usd, word } from '../phrases.ts'

/** Decisions explained, as several tools show them. */

const shownLimits = 20

const LimitRead = Closed({
  limit_id: Word('The limit.'),
  kind: Word('What kind of limit it is.'),
  subject: DataOrNull('What it is a limit on.'),
  unit: Word('usd, runs, tokens or concurrent_runs.'),
  limit: Amount('The limit.'),
  spent: Amount('What was spent of it.'),
  held: Amount('What running calls held of it.'),
  attempted: Amount('What this call would have held.'),
  fits: Type.Boolean({ description: 'Whether it did fit.' }),
  period_end: TimeOrNull('When the period ends.'),
})

export const Explained = Closed({
  decision_id: Word('The decision.'),
  decision: Word('allow or deny.'),
  error_code: WordOrNull('The error with which it was refused.'),
  decided_by: WordOrNull('The limit or rule that refused it.'),
  decided_at: TimeOrNull('When.'),
  model: DataOrNull('The model that was asked for.'),
  workflow_id: DataOrNull('The workflow.'),
  cost_basis: Word('How the cost was found.'),
  would_hold_usd: MoneyOrNull('What the call would have held.'),
  limits: Type.Array(LimitRead, { description: 'Every limit that was read, those that refused first.' }),
})
type Explained = Static<typeof Explained>

const textIn = (inputs: Readonly<Record<string, unknown>>, name: string): string | null => {
  const value = inputs[name]
  return typeof value === 'string' ? value : null
}

export function explained({ inputs, price, limits, ...decision }: Schemas['Explanation']): Explained {
  return {
    decision_id: decision.decision_id,
    decision: decision.decision,
    error_code: decision.error_code,
    decided_by: decision.decided_by,
    decided_at: decision.decided_at,
    model: textIn(inputs, 'model'),
    workflow_id: textIn(inputs, 'workflow_id'),
    cost_basis: price.basis,
    would_hold_usd: price.amount_usd,
    limits: limits
      .toSorted((a, b) => Number(a.fits) - Number(b.fits))
      .slice(0, shownLimits)
      .map((read) => ({
        limit_id: read.limit_id,
        kind: read.kind,
        subject: read.subject,
        unit: read.unit,
        limit: read.limit,
        spent: read.spent,
        held: read.held,
        attempted: read.attempted,
        fits: read.fits,
        period_end: read.period_end,
      })),
  }
}

type LimitRead = Static<typeof LimitRead>

/** Returns why a limit did not let a call pass, with when it starts afresh. */
const limitLine = (read: LimitRead): Plain =>
  phrase`- ${word(read.kind)} ${word(read.limit_id)}${read.subject === null || read.subject === '' ? phrase`` : phrase` of ${read.subject}`}: ${amount(read.attempted)} did not fit into ${amount(read.limit)}, with ${amount(read.spent)} spent and ${amount(read.held)} held${read.period_end === null ? phrase`` : phrase`; it starts afresh at ${time(read.period_end)}`}.`

/** Returns a decision in words: what was asked, what came of it, and which limits were too small. */
export function explanationLines(decision: Explained): Plain[] {
  const { error_code: code, model, decided_at: at, would_hold_usd: held } = decision
  const outcome = code === null ? phrase`allowed` : phrase`refused with ${word(code)}`
  const cost = held === null ? phrase`` : phrase`, which could cost ${usd(held)},`
  return [
    phrase`The call of model ${model}${cost} was ${outcome}${at === null ? phrase`` : phrase` at ${time(at)}`}.`,
    ...decision.limits.filter(({ fits }) => !fits).map(limitLine),
  ]
}
