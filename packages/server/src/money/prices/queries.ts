import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'
import type { PriceDetail } from './price-detail.ts'

export interface PriceRow {
  id: string
  model: string
  provider: string
  input_pico: bigint
  output_pico: bigint
  cache_read_pico: bigint
  cache_write_pico: bigint
  detail: PriceDetail | null
  max_output_tokens: number | null
  effective_from: Date
  created_at: Date
}

/** Treatment of a request to a model that has no price. */
export type UnpricedMode = 'refuse' | 'ceiling' | 'estimate'

export interface SettingsRow {
  min_hold_nano: bigint
  unpriced: UnpricedMode
  unpriced_ceiling_nano: bigint | null
  default_max_output_tokens: number
  updated_at: Date
}

export interface UnpricedRow {
  model: string
  provider: string
  first_seen_at: Date
  last_seen_at: Date
}

/** Lists the organization's own prices, in the order in which a person reads them. */
export async function listOwnPrices(tx: Tx, orgId: string): Promise<PriceRow[]> {
  const { rows } = await raw<PriceRow>`
    select id, model, provider, input_pico, output_pico, cache_read_pico, cache_write_pico, detail, max_output_tokens,
           effective_from, created_at
      from prices where org_id = ${orgId} order by model, provider, effective_from`.execute(tx)
  return rows
}

export async function findSettings(tx: Tx, orgId: string): Promise<SettingsRow | undefined> {
  const { rows } = await raw<SettingsRow>`
    select min_hold_nano, unpriced, unpriced_ceiling_nano, default_max_output_tokens, updated_at
      from price_settings where org_id = ${orgId}`.execute(tx)
  return rows[0]
}

/** Everything that the prices of an organization are shown with. */
export interface ShownPriceRows {
  readonly settings: SettingsRow | undefined
  readonly own: PriceRow[]
  readonly unpriced: UnpricedRow[]
  readonly installation: { readonly version: string; readonly updated_at: Date } | undefined
}

/** A row as JSON: counters as text, because they can exceed what a number holds, and times as text. */
type AsJson<T> = {
  [K in keyof T]: bigint extends T[K] ? string | Extract<T[K], null> : T[K] extends Date ? string : T[K]
}

/** Reads the settings, the own prices, the unpriced models and the version of the installation's prices, in one statement. */
export async function readShownPrices(tx: Tx, orgId: string): Promise<ShownPriceRows> {
  const { rows } = await raw<{
    settings: AsJson<SettingsRow> | null
    own: AsJson<PriceRow>[] | null
    unpriced: AsJson<UnpricedRow>[] | null
    version: string | null
    version_at: Date | null
  }>`
    select (select json_build_object('min_hold_nano', min_hold_nano::text, 'unpriced', unpriced,
              'unpriced_ceiling_nano', unpriced_ceiling_nano::text, 'default_max_output_tokens', default_max_output_tokens,
              'updated_at', updated_at)
              from price_settings where org_id = ${orgId}) as settings,
           (select json_agg(json_build_object('id', id, 'model', model, 'provider', provider, 'input_pico', input_pico::text,
              'output_pico', output_pico::text, 'cache_read_pico', cache_read_pico::text, 'cache_write_pico', cache_write_pico::text,
              'detail', detail, 'max_output_tokens', max_output_tokens, 'effective_from', effective_from, 'created_at', created_at)
              order by model, provider, effective_from)
              from prices where org_id = ${orgId}) as own,
           (select json_agg(u order by last_seen_at desc, model, provider) from (
              select model, provider, first_seen_at, last_seen_at from unpriced_models where org_id = ${orgId}
               order by last_seen_at desc, model, provider limit ${maxUnpriced}) u) as unpriced,
           v::text as version, v as version_at
      from installation_prices_version() as v`.execute(tx)
  const { settings, own, unpriced, version, version_at } = one(rows)
  const nano = (text: string | null) => (text === null ? null : BigInt(text))
  return {
    settings: settings
      ? {
          ...settings,
          min_hold_nano: BigInt(settings.min_hold_nano),
          unpriced_ceiling_nano: nano(settings.unpriced_ceiling_nano),
          updated_at: new Date(settings.updated_at),
        }
      : undefined,
    own: (own ?? []).map((row) => ({
      ...row,
      input_pico: BigInt(row.input_pico),
      output_pico: BigInt(row.output_pico),
      cache_read_pico: BigInt(row.cache_read_pico),
      cache_write_pico: BigInt(row.cache_write_pico),
      effective_from: new Date(row.effective_from),
      created_at: new Date(row.created_at),
    })),
    unpriced: (unpriced ?? []).map((row) => ({
      ...row,
      first_seen_at: new Date(row.first_seen_at),
      last_seen_at: new Date(row.last_seen_at),
    })),
    installation: version === null || version_at === null ? undefined : { version, updated_at: version_at },
  }
}

export async function upsertSettings(
  tx: Tx,
  orgId: string,
  settings: Omit<SettingsRow, 'updated_at'>,
): Promise<SettingsRow> {
  const { rows } = await raw<SettingsRow>`
    insert into price_settings (org_id, min_hold_nano, unpriced, unpriced_ceiling_nano, default_max_output_tokens)
    values (${orgId}, ${settings.min_hold_nano}, ${settings.unpriced}, ${settings.unpriced_ceiling_nano},
            ${settings.default_max_output_tokens})
    on conflict (org_id) do update
      set min_hold_nano = excluded.min_hold_nano, unpriced = excluded.unpriced, unpriced_ceiling_nano = excluded.unpriced_ceiling_nano,
          default_max_output_tokens = excluded.default_max_output_tokens, updated_at = clock_timestamp()
    returning min_hold_nano, unpriced, unpriced_ceiling_nano, default_max_output_tokens, updated_at`.execute(tx)
  return one(rows)
}

/** Replaces the organization's prices; entries whose id is known stay as they are. */
export async function replacePrices(tx: Tx, orgId: string, prices: readonly Omit<PriceRow, 'created_at'>[]) {
  const ids = prices.map(({ id }) => id)
  await raw`delete from prices where org_id = ${orgId} and id <> all(${ids}::uuid[])`.execute(tx)
  const rows = JSON.stringify(prices, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))
  await raw`
    insert into prices (org_id, id, model, provider, input_pico, output_pico, cache_read_pico, cache_write_pico,
                        detail, max_output_tokens, effective_from)
    select ${orgId}, p.id, p.model, p.provider, p.input_pico, p.output_pico, p.cache_read_pico, p.cache_write_pico,
           p.detail, p.max_output_tokens, p.effective_from
      from json_to_recordset(${rows}::json)
        as p (id uuid, model text, provider text, input_pico bigint, output_pico bigint, cache_read_pico bigint,
              cache_write_pico bigint, detail json, max_output_tokens integer, effective_from timestamptz)
    on conflict (org_id, id) do nothing`.execute(tx)
}

/** Replaces the entry with the same id; rows of prices are never updated. */
export async function replacePriceRow(tx: Tx, orgId: string, price: PriceRow) {
  await raw`delete from prices where org_id = ${orgId} and id = ${price.id}`.execute(tx)
  await raw`
    insert into prices (org_id, id, model, provider, input_pico, output_pico, cache_read_pico, cache_write_pico,
                        detail, max_output_tokens, effective_from, created_at)
    values (${orgId}, ${price.id}, ${price.model}, ${price.provider}, ${price.input_pico}, ${price.output_pico},
            ${price.cache_read_pico}, ${price.cache_write_pico},
            ${price.detail === null ? null : JSON.stringify(price.detail)}::json, ${price.max_output_tokens}, ${price.effective_from},
            ${price.created_at})`.execute(tx)
}

/** Most unpriced names stored per organization: callers choose them. */
export const maxUnpriced = 1_000

/** Records an unpriced name. One seen within the last minute is not written again: it may come with every request. */
export async function upsertUnpriced(tx: Tx, orgId: string, model: string, provider: string) {
  await raw`
    insert into unpriced_models (org_id, model, provider)
    select ${orgId}, ${model}, ${provider}
     where exists (select from unpriced_models where org_id = ${orgId} and model = ${model} and provider = ${provider})
        or (select count(*) from unpriced_models where org_id = ${orgId}) < ${maxUnpriced}
    on conflict (org_id, model, provider) do update set last_seen_at = clock_timestamp()
      where unpriced_models.last_seen_at < clock_timestamp() - interval '1 minute'`.execute(tx)
}
