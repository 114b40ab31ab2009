import { ApiError, validationFailed } from '../../contract/errors.ts'
import { formatId } from '../../values/id.ts'
import { timestamp } from '../../values/timestamp.ts'
import { normalName } from './model-names.ts'
import { restoreDetail, storeDetail } from './price-detail.ts'
import type { PriceEntry } from './price-entry.ts'
import { entryView } from './price-view.ts'
import type { PriceRow } from './queries.ts'
import { picoOf } from './rates.ts'
import { effectiveFromMs, maxPrices, type OwnPrice, type PriceInput } from './schema.ts'

export const entryOf = (row: PriceRow): PriceEntry => ({
  id: formatId('price', row.id),
  model: row.model,
  provider: row.provider,
  inputPico: row.input_pico,
  outputPico: row.output_pico,
  cacheReadPico: row.cache_read_pico,
  cacheWritePico: row.cache_write_pico,
  maxOutputTokens: row.max_output_tokens,
  effectiveFromMs: row.effective_from.getTime(),
  ...restoreDetail(row.detail),
})

/** An entry without what the database gives it. */
export type Columns = Omit<PriceRow, 'id' | 'created_at'>

export const priceView = (row: PriceRow): OwnPrice => ({
  ...entryView(entryOf(row)),
  created_at: timestamp(row.created_at),
})

export function columnsOf(price: PriceInput): Columns {
  const input = picoOf(price.input_usd_per_million)
  const cached = (text: string | undefined) => (text === undefined ? input : picoOf(text))
  return {
    model: price.model,
    provider: price.provider ?? '',
    input_pico: input,
    output_pico: picoOf(price.output_usd_per_million),
    cache_read_pico: cached(price.cache_read_usd_per_million),
    cache_write_pico: cached(price.cache_write_usd_per_million),
    detail: storeDetail(price),
    max_output_tokens: price.max_output_tokens ?? null,
    effective_from: new Date(effectiveFromMs(price)),
  }
}

/** Returns the entry that an input asks for, before it is stored. */
export const entryOfInput = (price: PriceInput): PriceEntry =>
  entryOf({ ...columnsOf(price), id: nobody, created_at: new Date(0) })

const nobody = '00000000-0000-0000-0000-000000000000'

/** Finds an entry by its id, and the others beside it. */
export function findAmong(rows: readonly PriceRow[], id: string): { found: PriceRow; others: PriceRow[] } {
  const found = rows.find((row) => row.id === id)
  if (!found) throw new ApiError('not_found')
  return { found, others: rows.filter((row) => row !== found) }
}

/** Refuses one entry more than there can be. */
export function assertRoom(rows: readonly PriceRow[], message: string) {
  if (rows.length >= maxPrices) throw validationFailed([{ field: 'model', code: 'too_many', message }])
}

/** Refuses an entry that prices what another does, from the same time on. */
export function assertUnique(columns: Columns, others: readonly Columns[]) {
  const key = ({ model, provider, effective_from }: Columns) =>
    JSON.stringify([normalName(model), normalName(provider), effective_from.getTime()])
  if (others.some((other) => key(other) === key(columns)))
    throw new ApiError(
      'conflict',
      {},
      { message: 'Another entry prices the same model and provider from the same time on.' },
    )
}

/** Everything that defines an entry: decisions refer to its id, so a changed entry is another one. */
export const identityOf = (columns: Columns) =>
  JSON.stringify([
    columns.model,
    columns.provider,
    columns.effective_from.getTime(),
    columns.max_output_tokens,
    columns.detail,
    ...[columns.input_pico, columns.output_pico, columns.cache_read_pico, columns.cache_write_pico].map(String),
  ])
