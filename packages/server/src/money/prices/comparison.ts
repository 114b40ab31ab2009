import { formatUsd } from '../../values/money.ts'
import type { PriceComparison, PriceComparisonInput } from './comparison-schema.ts'
import { costOf } from './costs.ts'
import type { PriceBook } from './price-book.ts'

/** Returns what calls of one shape would cost with each of several models, at the prices that their runs would be charged at now. */
export function comparePrices(
  book: Pick<PriceBook, 'priceOf'>,
  { models, calls = 1, ...asked }: PriceComparisonInput,
  nowMs: number,
): PriceComparison {
  const usage = {
    inputTokens: asked.input_tokens,
    outputTokens: asked.output_tokens,
    cacheReadTokens: asked.cache_read_input_tokens ?? 0,
    cacheWriteTokens: asked.cache_creation_input_tokens ?? 0,
  }
  return {
    calls,
    data: models.map(({ model, provider }) => {
      const price = book.priceOf(model, provider, nowMs)
      const cost = price && costOf(price, usage)
      return {
        model,
        provider: provider ?? null,
        price_id: price?.id ?? null,
        cost_of_call_usd: cost === undefined ? null : formatUsd(cost),
        cost_usd: cost === undefined ? null : formatUsd(cost * BigInt(calls)),
      }
    }),
  }
}
