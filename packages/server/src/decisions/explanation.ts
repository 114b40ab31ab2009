import { type MakerId, makerIn, makerTextOrNull } from '../access/identity/identity.ts'
import type { SmallerHold } from '../money/engine/engine.ts'
import {
  allowanceOf,
  amountOf,
  decodeAmounts,
  decodeHold,
  type LimitRefusal,
  type NamedAllowanceRow,
  readingsOf,
} from '../money/ledger/ledger.ts'
import { limitIdOf } from '../money/limit-kinds.ts'
import { heldOutputOf } from '../records/run-log/run-log.ts'
import { formatId } from '../values/id.ts'
import { formatUsd } from '../values/money.ts'
import { elementAt, present } from '../values/present.ts'
import { timestamp } from '../values/timestamp.ts'
import { type DecidedOperation, decideVersion, type LimitCheck, type Outcome } from './lanes/lanes.ts'
import { type AskedPlan, heldBy, reservationView } from './operations.ts'
import type { ExplainedHoldRow } from './queries.ts'
import type { Quote } from './quote.ts'
import type { DecisionInput, Explanation, LimitRead, Reservation } from './schema.ts'

type Read = Pick<LimitCheck, 'allowance' | 'amount' | 'spent' | 'held'> & { readonly enforcement: string | null }

function limitRead({ allowance, amount, spent, held, enforcement }: Read, fits: boolean): LimitRead {
  const time = (ms: number | undefined) => (ms === undefined ? null : timestamp(new Date(ms)))
  return {
    limit_id: limitIdOf(allowance),
    kind: allowance.kind,
    subject: allowance.subject,
    unit: allowance.unit,
    enforcement,
    limit: allowance.limit === null ? null : amountOf(allowance, allowance.limit),
    spent: amountOf(allowance, spent),
    held: amountOf(allowance, held),
    attempted: amountOf(allowance, amount),
    fits,
    period_start: time(allowance.period?.startMs),
    period_end: time(allowance.period?.endMs),
  }
}

const priceView = ({ price, charge }: Quote, granted: SmallerHold | undefined) => ({
  basis: granted?.inputs.basis ?? price.basis,
  price_id: price.price?.id ?? null,
  amount_usd: formatUsd((granted?.charge ?? charge).usd),
})

/** The explanation of a decision that holds nothing: a refusal, or a dry run. Complete in itself, and stored as it is. */
export function explainUnheld(
  id: string,
  input: DecisionInput,
  { plan, atMs }: DecidedOperation<AskedPlan>,
  outcome: Extract<Outcome, { type: 'held' | 'refused' }>,
  errorCode: string | null,
): Explanation {
  const granted = outcome.type === 'held' ? outcome.granted : undefined
  const refusing = outcome.type === 'refused' ? outcome.refusal.allowance : undefined
  return {
    decision_id: formatId('decision', id),
    decision: outcome.type === 'held' ? 'allow' : 'deny',
    dry_run: input.dry_run === true,
    key_id: makerTextOrNull(plan.command.by),
    reservation: null,
    decided_at: timestamp(new Date(atMs)),
    decided_by: refusing ? limitIdOf(refusing) : null,
    error_code: errorCode,
    inputs: input,
    price: priceView(plan.quote, granted),
    ...(outcome.type === 'held' && { granted_output_tokens: heldOutputOf(heldBy(plan, outcome)) }),
    limits: outcome.checks.map((reading) =>
      limitRead(
        { ...reading, enforcement: reading.allowance.enforcement },
        reading.allowance.key !== refusing?.key && !reading.wouldRefuse,
      ),
    ),
    rules_version: decideVersion,
  }
}

/** The explanation of a refusal that came before any limit was checked. */
export const explainRuleRefusal = (
  id: string,
  input: DecisionInput,
  ruled: {
    readonly at: Date
    readonly amountNano: bigint
    readonly decidedBy: string | null
    readonly errorCode: string
    readonly madeBy: MakerId | undefined
  },
): Explanation => ({
  decision_id: formatId('decision', id),
  decision: 'deny',
  dry_run: input.dry_run === true,
  key_id: makerTextOrNull(ruled.madeBy),
  reservation: null,
  decided_at: timestamp(ruled.at),
  decided_by: ruled.decidedBy,
  error_code: ruled.errorCode,
  inputs: input,
  price: { basis: 'estimate', price_id: null, amount_usd: formatUsd(ruled.amountNano) },
  limits: [],
  rules_version: decideVersion,
})

/** The explanation of a refused cost that was incurred already: it names only the limit that refused. */
export function explainCharge(
  id: string,
  input: DecisionInput,
  { allowance, balance, attempted }: LimitRefusal,
  ruled: {
    readonly at: Date
    readonly amountNano: bigint
    readonly errorCode: string
    readonly madeBy: MakerId | undefined
  },
): Explanation {
  const { spent, held } = balance
  const read = { allowance, amount: attempted, spent, held, enforcement: allowance.enforcement }
  return {
    ...explainRuleRefusal(id, input, { ...ruled, decidedBy: limitIdOf(allowance) }),
    limits: [limitRead(read, false)],
  }
}

/** A reservation, from the row of its hold. */
export const reservationIn = (row: ExplainedHoldRow): Reservation =>
  reservationView({
    id: row.id,
    state: row.state,
    amountNano: row.amount_nano,
    heldAtMs: row.held_at.getTime(),
    expiresAtMs: row.expires_at.getTime(),
    chargedNano: row.charged_nano,
    overrunNano: row.overrun_nano,
  })

/** The explanation of a hold, from its own row, which has the balances it read and its request. */
export function explainHold(row: ExplainedHoldRow, allowances: ReadonlyMap<string, NamedAllowanceRow>): Explanation {
  const payload = decodeHold(row.inputs)
  const { request, basis, price, version } = payload
  const readings = readingsOf(payload)
  const amounts = decodeAmounts(row.amounts, row.keys)
  const limits = row.keys.map((key, i) => {
    const { limit, spent, held } = elementAt(readings, i)
    const amount = elementAt(amounts, i)
    const allowance = allowanceOf(present(allowances.get(key)), { amount: limit, enforcement: 'block', thresholds: [] })
    const fits = limit === null || amount === 0n || spent + held + amount <= limit
    // A limit that was exceeded and still allowed the call can only have had enforcement `alert`.
    return limitRead({ allowance, amount, spent, held, enforcement: fits ? null : 'alert' }, fits)
  })
  return {
    decision_id: formatId('decision', row.id),
    decision: 'allow',
    dry_run: false,
    key_id: makerTextOrNull(makerIn(row)),
    reservation: reservationIn(row),
    decided_at: timestamp(row.held_at),
    decided_by: null,
    error_code: null,
    inputs: request,
    price: { basis, price_id: price?.id ?? null, amount_usd: formatUsd(row.amount_nano) },
    granted_output_tokens: heldOutputOf({ inputs: payload }),
    limits,
    rules_version: version,
  }
}
