import { heldPriceOf, heldRequestOf } from '../../decisions/decisions.ts'
import { decodeAmounts } from '../../money/ledger/ledger.ts'
import { isSameModel, type Price, type PriceBook } from '../../money/prices/prices.ts'
import { type Tokens, tokensOf, usageNames } from '../../records/run-log/run-log.ts'
import { elementAt } from '../../values/present.ts'
import { costOfUsage, partPricesAt } from '../runs.ts'
import type { SettledRun, SettlementRow } from './queries.ts'

/** A difference between a run and what the ledger has booked for it. */
export interface Difference {
  readonly what: string
  readonly driftNano: bigint
}

/** Facts that a settlement is checked against. */
export interface SettlementContext {
  readonly tokenKeys: ReadonlySet<string>
  /** The prices in force when the settlement was made; undefined where they have changed since. */
  readonly prices: PriceBook | undefined
}

/** Compares the run of a settlement with the ledger: its cost, its account, its tokens, and the price they were charged at. */
export function differencesOf(row: SettlementRow, run: SettledRun, surroundings: SettlementContext): Difference[] {
  return [
    ...amount('costs', run.cost_nano, row.charged_nano),
    ...amount('has an overrun of', run.overrun_nano, row.overrun_nano),
    ...accountDifferences(row, run),
    ...priceDifferences(row, run, surroundings.prices),
    ...tokenDifferences(row, run, surroundings.tokenKeys),
  ]
}

function amount(says: string, is: bigint, expected: bigint): Difference[] {
  const difference = is > expected ? is - expected : expected - is
  return difference === 0n
    ? []
    : [{ what: `the run ${says} ${is}, the ledger says ${expected}`, driftNano: difference }]
}

const accountFields = ['workflow_id', 'deployment_id', 'department_id', 'customer_id', 'user_id'] as const

function accountDifferences(row: SettlementRow, run: SettledRun): Difference[] {
  const request = heldRequestOf(row)
  return accountFields
    .filter((name) => run[name] !== (request[name] ?? null))
    .map((name) => ({
      what: `the run is recorded with ${name} ${JSON.stringify(run[name])}, and was charged with ${JSON.stringify(request[name] ?? null)}`,
      driftNano: atLeastOne(row.charged_nano),
    }))
}

const usageOf = (run: SettledRun): Tokens =>
  Object.fromEntries(usageNames.flatMap((name) => (run[name] === null ? [] : [[name, run[name]]])))

function priceDifferences(row: SettlementRow, run: SettledRun, prices: PriceBook | undefined): Difference[] {
  if (run.cost_basis !== 'computed') return []
  const detail = run.usage_detail ?? undefined
  const price = priceOf(row, run, prices)
  // The prices of other models that worked for the run are not stored with its hold.
  if (!price || (detail?.parts && !prices)) return []
  const partPrice = prices ? partPricesAt(prices, row.held_at.getTime()) : () => undefined
  return amount(`of ${run.model} costs`, run.cost_nano, costOfUsage(price, usageOf(run), detail, partPrice).usd)
}

/** Returns the price of the model that ran: the held one or, for another model or tier, the one in force then. */
function priceOf(
  row: SettlementRow,
  { model, provider, usage_detail }: SettledRun,
  prices: PriceBook | undefined,
): Price | undefined {
  const request = heldRequestOf(row)
  const { service_tier: asked = 'standard' } = request
  const tier = usage_detail?.service_tier ?? asked
  if (tier === asked && isSameModel({ model, provider }, request)) return heldPriceOf(row).price ?? undefined
  return prices?.priceOf(model, provider ?? undefined, row.held_at.getTime(), tier)
}

/** Compares the tokens that were counted with those of the run, or with the held ones where the run was not measured. */
function tokenDifferences(row: SettlementRow, run: SettledRun, tokenKeys: ReadonlySet<string>): Difference[] {
  const usage = usageOf(run)
  const isMeasured = usage.input_tokens !== undefined || usage.output_tokens !== undefined
  const heldTokens = heldPriceOf(row).tokens
  const expected = isMeasured ? tokensOf(usage, run.usage_detail ?? undefined) : heldTokens
  const [spent, held] = [decodeAmounts(row.d_spent, row.keys), decodeAmounts(row.d_held, row.keys)]
  const counted = row.keys.flatMap((key, i) => {
    // The charge of an expired run is corrected by the difference, and never below 0.
    const isCorrection = row.hold_keys.includes(key) && held[i] === 0n
    return tokenKeys.has(key) && !isCorrection ? [elementAt(spent, i)] : []
  })
  // Where reported tokens only raise a charge, those of the hold were counted.
  const isRaised = (tokens: bigint) => run.cost_basis === 'estimated' && tokens === heldTokens && heldTokens > expected
  const other = counted.find((tokens) => tokens !== expected && !isRaised(tokens))
  if (other === undefined) return []
  const what = `the run used ${expected} tokens, the ledger counts ${other}`
  return [{ what, driftNano: atLeastOne(other > expected ? other - expected : expected - other) }]
}

const atLeastOne = (nano: bigint) => (nano > 0n ? nano : 1n)
