import { timestamp } from '../../values/timestamp.ts'
import { detailView } from './price-detail.ts'
import type { PriceEntry } from './price-entry.ts'
import { usdPerMillion } from './rates.ts'

/** Shows an entry, whoever made it. */
export const entryView = (entry: PriceEntry) => ({
  id: entry.id,
  model: entry.model,
  provider: entry.provider || null,
  input_usd_per_million: usdPerMillion(entry.inputPico),
  output_usd_per_million: usdPerMillion(entry.outputPico),
  cache_read_usd_per_million: usdPerMillion(entry.cacheReadPico),
  cache_write_usd_per_million: usdPerMillion(entry.cacheWritePico),
  ...detailView(entry),
  max_output_tokens: entry.maxOutputTokens,
  effective_from: timestamp(new Date(entry.effectiveFromMs)),
})
