import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'
import type { PriceRow } from './queries.ts'

/** Keeps others from changing the operators' entries until the transaction ends. */
export async function lockInstallationPrices(tx: Tx) {
  await raw`select pg_advisory_xact_lock(hashtextextended('installation prices', 0))`.execute(tx)
}

/** Returns the version of the operators' entries; undefined where there never were any. */
export async function findInstallationVersion(
  tx: Tx,
): Promise<{ readonly version: string; readonly updated_at: Date } | undefined> {
  const { rows } = await raw<{ version: string; updated_at: Date }>`
    select v::text as version, v as updated_at from installation_prices_version() as v where v is not null`.execute(tx)
  return rows[0]
}

/** Lists the operators' entries, whichever organization asks. */
export async function listInstallationPrices(tx: Tx): Promise<PriceRow[]> {
  const { rows } = await raw<PriceRow>`
    select id, model, provider, input_pico, output_pico, cache_read_pico, cache_write_pico, detail, max_output_tokens,
           effective_from, created_at
      from installation_prices() order by model, provider, effective_from`.execute(tx)
  return rows
}
