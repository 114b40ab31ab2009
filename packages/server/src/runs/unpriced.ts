import { isApiError } from '../contract/errors.ts'
import { recordUnpricedModel } from '../decisions/decisions.ts'
import type { Lanes } from '../decisions/lanes/lanes.ts'
import type { Platform } from '../platform/infra/platform.ts'
import type { BulkRun } from './bulk-schema.ts'

/** Records models without a price, so that somebody prices them. */
export function recordUnpricedRuns(platform: Platform, orgId: string, runs: readonly BulkRun[], error: unknown) {
  if (!isApiError(error, 'validation_failed')) return
  for (const { field, code } of error.details.fields) {
    const [, index] = code === 'invalid_value' ? (/^runs\.(\d+)\.model$/.exec(field) ?? []) : []
    const { model, provider } = (index === undefined ? undefined : runs[Number(index)]) ?? {}
    if (model !== undefined)
      recordUnpricedModel(platform, orgId, { model, ...(provider !== undefined && { provider }) }, 'refused')
  }
}

/** Records models without a price that ran instead of the requested ones: their cost is estimated. */
export function recordUnpricedSettlements(
  platform: Platform,
  lanes: Lanes,
  orgId: string,
  settlements: readonly Pick<BulkRun, 'model' | 'provider' | 'cost_usd'>[],
) {
  const named = settlements.filter(({ model, cost_usd }) => model !== undefined && cost_usd === undefined)
  if (named.length === 0) return
  const note = async () => {
    const { prices } = await lanes.orgConfigOf(orgId)
    const nowMs = platform.clock.now().getTime()
    for (const { model, provider } of named)
      if (model !== undefined && !prices.priceOf(model, provider, nowMs))
        recordUnpricedModel(platform, orgId, { model, ...(provider !== undefined && { provider }) }, 'settled')
  }
  note().catch((error: unknown) => platform.log.warn({ error }, 'failed to record an unpriced model'))
}
