import { validationFailed } from '../contract/errors.ts'
import { UnpricedModel } from '../decisions/decisions.ts'
import type { OrgConfig } from '../decisions/lanes/lanes.ts'
import type { PriceBook } from '../money/prices/prices.ts'
import { trustIn } from '../money/trust/trust.ts'
import { detailIn } from '../records/run-log/run-log.ts'
import { parseUsd } from '../values/money.ts'
import type { BulkRun } from './bulk-schema.ts'
import { checkMaxCost, hasUsage, type RunCost } from './cost.ts'
import { costOfUsage, partPricesAt, type UsageCost } from './usage-cost.ts'

type UnheldCost = Omit<RunCost, 'tokens'>

/**
 * Returns the cost of a run without a hold: the reported one, as far as the word of its maker and of whoever reports it is taken, else that of
 * what it used. Only tokens with a price can say better than a report.
 */
export function costOfUnheld(
  run: BulkRun,
  startedAtMs: number,
  { prices, trust }: Pick<OrgConfig, 'prices' | 'trust'>,
  ...lineages: readonly (string | undefined)[]
): UnheldCost {
  const { reportedCost, reportedUsage } = trustIn(trust, ...lineages)
  const isDoubted = reportedCost !== 'accept' || reportedUsage !== 'accept'
  if (run.cost_usd === undefined) return costOfUnreported(run, startedAtMs, prices, isDoubted)
  const reported = { usd: parseUsd(run.cost_usd), basis: 'reported', detail: detailIn(run) } as const
  const measured =
    reportedCost !== 'accept' && hasUsage(run) ? measuredCost(run, startedAtMs, prices, isDoubted) : undefined
  if (!measured) return reported
  const usd = checkMaxCost(measured.usd)
  // Whatever has no price is in the report alone.
  const isRaised = reportedCost === 'raise_only' || measured.unpriced.length > 0
  return isRaised && usd < reported.usd
    ? { ...reported, detail: measured.detail }
    : { usd, basis: 'computed', detail: measured.detail }
}

/** Returns the cost of a run by its usage at the time of the run. A model without a price is not free. */
function costOfUnreported(run: BulkRun, startedAtMs: number, prices: PriceBook, isDoubted: boolean): UnheldCost {
  if (!hasUsage(run))
    throw validationFailed([
      { field: 'cost_usd', code: 'required', message: 'Give cost_usd, or the tokens that were used.' },
    ])
  const measured = measuredCost(run, startedAtMs, prices, isDoubted)
  if (measured && measured.unpriced.length > 0) throw validationFailed([...measured.unpriced])
  if (measured) return { usd: checkMaxCost(measured.usd), basis: 'computed', detail: measured.detail }
  if (prices.unpriced !== 'refuse' && prices.unpricedCeilingNano !== null)
    return { usd: checkMaxCost(prices.unpricedCeilingNano), basis: 'estimated', detail: detailIn(run) }
  throw new UnpricedModel(run.model ?? '', prices, 'cost_usd')
}

/** Returns the cost of what a run used; undefined where its model has no price. A cheaper tier counts where the caller is believed. */
function measuredCost(
  run: BulkRun,
  startedAtMs: number,
  prices: PriceBook,
  isDoubted: boolean,
): (UsageCost & Pick<UnheldCost, 'detail'>) | undefined {
  const detail = detailIn(run)
  const said = run.service_tier ?? 'standard'
  const tiers = isDoubted && said !== 'standard' ? ([said, 'standard'] as const) : [said]
  const costs = tiers.flatMap((tier) => {
    const price = prices.priceOf(run.model ?? '', run.provider, startedAtMs, tier)
    if (!price) return []
    const counted = detail?.service_tier ? { ...detail, service_tier: tier } : detail
    return [{ ...costOfUsage(price, run, detail, partPricesAt(prices, startedAtMs)), detail: counted }]
  })
  return costs.reduce<(typeof costs)[number] | undefined>((a, b) => (a && a.usd >= b.usd ? a : b), undefined)
}
