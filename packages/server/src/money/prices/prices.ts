import type { ChangeTools } from '../../access/changes/changes.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { formatUsd, parseUsd } from '../../values/money.ts'
import { timestamp } from '../../values/timestamp.ts'
import { lockLedgerForConfigChange } from '../ledger/ledger.ts'
import { listEntries } from './built-in-prices.ts'
import { type Installation, installationAt, installationChangedAt, loadInstallation } from './installation-prices.ts'
import { createPriceBook, type PriceBook, type PriceBookSettings } from './price-book.ts'
import { changeEvents } from './price-changes.ts'
import type { PriceEntry } from './price-entry.ts'
import { indexed } from './price-index.ts'
import { assertRoom, assertUnique, columnsOf, entryOf, findAmong, identityOf, priceView } from './price-rows.ts'
import { entryView } from './price-view.ts'
import {
  findSettings,
  listOwnPrices,
  type PriceRow,
  readShownPrices,
  replacePriceRow,
  replacePrices,
  type SettingsRow,
  type UnpricedRow,
  upsertSettings,
  upsertUnpriced,
} from './queries.ts'
import { maxPrices, type OwnPrice, type PriceInput, type Prices, type PricesInput, unpricedModeOf } from './schema.ts'

export { perToken as catalogTokens, perUnit as catalogUnits } from './catalog-keys.ts'
export { costOf, type TokenUsage, unpricedUnits } from './costs.ts'
export { type Estimate, type HoldPrice, largestOutput, quoteHold } from './holds.ts'
export { getInstallationPrices, putInstallationPrices } from './installation-prices.ts'
export {
  baseName,
  foundUnder,
  isSameModel,
  isSameName,
  namesOf,
  normalName,
  providerName,
} from './model-names.ts'
export { canonicalModel, type PriceBook } from './price-book.ts'
export {
  type CacheCreation,
  cacheCreations,
  otherRates,
  type Price,
  type PriceEntry,
  type Rates,
  ratesFor,
} from './price-entry.ts'
export { entryOfInput } from './price-rows.ts'
export { usdPerMillion } from './rates.ts'
export { maxPrices, type OwnPrice, type PriceInput, type Prices, PricesInput, settingsIn } from './schema.ts'
export { factorOf, type ServiceTier, serviceTiers } from './service-tiers.ts'
export { restorePrice, storePrice } from './stored-price.ts'

const defaults = { minHoldUsd: '0.001', maxOutputTokens: 4_096 }

const defaultSettings: PriceBookSettings = {
  minHoldNano: parseUsd(defaults.minHoldUsd),
  unpriced: 'refuse',
  unpricedCeilingNano: null,
  defaultMaxOutputTokens: defaults.maxOutputTokens,
}

/** Loads the organization's price book, together with its configuration; lookups then need no database. */
export async function loadPriceBook(tx: Tx, orgId: string): Promise<PriceBook> {
  return bookOf(await findSettings(tx, orgId), await listOwnPrices(tx, orgId), await loadInstallation(tx))
}

/** Creates the price book of an organization without entries of its own, behind these of the installation. */
export const installationBook = (entries: readonly PriceEntry[]): PriceBook =>
  createPriceBook(defaultSettings, [], indexed(entries))

/** Creates the price book of an organization with entries of its own, in front of these of the installation. */
export const ownBook = (own: readonly PriceEntry[], installation: readonly PriceEntry[]): PriceBook =>
  createPriceBook(defaultSettings, own, indexed(installation))

/** Time of the last change of the organization's prices, by itself or by operators; undefined where there was none. */
export async function pricesChangedAt(tx: Tx, orgId: string): Promise<Date | undefined> {
  const own = (await findSettings(tx, orgId))?.updated_at
  const installation = await installationChangedAt(tx)
  return own === undefined || (installation !== undefined && installation > own) ? installation : own
}

const bookOf = (settings: SettingsRow | undefined, rows: readonly PriceRow[], installation: Installation): PriceBook =>
  createPriceBook(settingsOf(settings), rows.map(entryOf), installation.index)

const settingsOf = (row: SettingsRow | undefined): PriceBookSettings =>
  row
    ? {
        minHoldNano: row.min_hold_nano,
        unpriced: row.unpriced,
        unpricedCeilingNano: row.unpriced_ceiling_nano,
        defaultMaxOutputTokens: row.default_max_output_tokens,
      }
    : defaultSettings

/** Records that a request named a model without a price. */
export const recordUnpriced = (sql: Sql, orgId: string, model: string, provider: string | undefined): Promise<void> =>
  sql.asOrgs([orgId], (tx) => upsertUnpriced(tx, orgId, model, provider ?? ''))

export const getPrices = async (tx: Tx, orgId: string, nowMs: number): Promise<Prices> =>
  (await getPricesBefore(tx, orgId, nowMs)).prices

/** Returns the prices of an organization, and the entries of the installation that stand behind them. */
export async function getPricesBefore(
  tx: Tx,
  orgId: string,
  nowMs: number,
): Promise<{ readonly prices: Prices; readonly installation: Installation }> {
  const { settings, own, unpriced, installation: found } = await readShownPrices(tx, orgId)
  const installation = await installationAt(tx, found)
  return { prices: viewOf(settings, own, unpriced, installation, nowMs), installation }
}

/** Replaces an organization's price book. An entry that is in it already keeps its id. */
async function putPrices(tx: Tx, orgId: string, input: PricesInput) {
  await upsertSettings(tx, orgId, {
    min_hold_nano: parseUsd(input.min_hold_usd ?? defaults.minHoldUsd),
    unpriced: unpricedModeOf(input),
    unpriced_ceiling_nano: input.unpriced_ceiling_usd == null ? null : parseUsd(input.unpriced_ceiling_usd),
    default_max_output_tokens: input.default_max_output_tokens ?? defaults.maxOutputTokens,
  })
  const known = new Map((await listOwnPrices(tx, orgId)).map((row) => [identityOf(row), row.id]))
  const wanted = input.prices.map(columnsOf)
  await replacePrices(
    tx,
    orgId,
    wanted.map((columns) => ({ ...columns, id: known.get(identityOf(columns)) ?? newUuid() })),
  )
}

/** Sets an organization's prices and the settings beside them. */
export async function setPrices(
  { tx, audit, replaces, emit }: ChangeTools,
  orgId: string,
  wanted: DesiredState<PricesInput>,
): Promise<Prices> {
  const nowMs = await lockLedgerForConfigChange(tx, orgId)
  const before = await getPrices(tx, orgId, nowMs)
  replaces(before)
  await putPrices(tx, orgId, wanted(before))
  const after = await getPrices(tx, orgId, nowMs)
  audit({
    action: 'prices.changed',
    target: { kind: 'org', id: formatId('org', orgId) },
    before: recordOf(before),
    after: recordOf(after),
  })
  for (const event of changeEvents(orgId, before.prices, after.prices)) emit(event)
  return after
}

/** Finds one of the organization's own entries, and the others beside it. */
async function ownPrice(tx: Tx, orgId: string, id: string) {
  return findAmong(await listOwnPrices(tx, orgId), id)
}

export const getPrice = async (tx: Tx, orgId: string, id: string): Promise<OwnPrice> =>
  priceView((await ownPrice(tx, orgId, id)).found)

/** Adds one entry to the organization's price book. */
export async function addPrice({ tx, audit, emit }: ChangeTools, orgId: string, input: PriceInput): Promise<OwnPrice> {
  await lockLedgerForConfigChange(tx, orgId)
  const rows = await listOwnPrices(tx, orgId)
  assertRoom(rows, `An organization has at most ${maxPrices} prices of its own.`)
  const columns = columnsOf(input)
  assertUnique(columns, rows)
  const id = newUuid()
  await savePrices(tx, orgId, [...rows, { ...columns, id }])
  const after = await getPrice(tx, orgId, id)
  audit({ action: 'price.created', target: { kind: 'price', id: after.id }, after })
  for (const event of changeEvents(orgId, [], [after])) emit(event)
  return after
}

/** Replaces an entry. Earlier decisions keep the rates that they were made with. */
export async function replacePrice(
  { tx, audit, replaces, emit }: ChangeTools,
  orgId: string,
  id: string,
  wanted: DesiredState<PriceInput>,
): Promise<OwnPrice> {
  await lockLedgerForConfigChange(tx, orgId)
  const { found, others } = await ownPrice(tx, orgId, id)
  const before = priceView(found)
  replaces(before)
  const columns = columnsOf(wanted(before))
  assertUnique(columns, others)
  await replacePriceRow(tx, orgId, { ...columns, id, created_at: found.created_at })
  await recordChange(tx, orgId)
  const after = await getPrice(tx, orgId, id)
  audit({ action: 'price.changed', target: { kind: 'price', id: after.id }, before, after })
  for (const event of changeEvents(orgId, [before], [after])) emit(event)
  return after
}

export async function removePrice(
  { tx, audit, replaces, emit }: ChangeTools,
  orgId: string,
  id: string,
): Promise<null> {
  await lockLedgerForConfigChange(tx, orgId)
  const { found, others } = await ownPrice(tx, orgId, id)
  const before = priceView(found)
  replaces(before)
  await savePrices(tx, orgId, others)
  audit({ action: 'price.deleted', target: { kind: 'price', id: before.id }, before })
  for (const event of changeEvents(orgId, [before], [])) emit(event)
  return null
}

async function savePrices(tx: Tx, orgId: string, prices: Parameters<typeof replacePrices>[2]) {
  await replacePrices(tx, orgId, prices)
  await recordChange(tx, orgId)
}

/** Records the time of a price change, without touching the settings. */
async function recordChange(tx: Tx, orgId: string) {
  const { minHoldNano, unpriced, unpricedCeilingNano, defaultMaxOutputTokens } = settingsOf(
    await findSettings(tx, orgId),
  )
  await upsertSettings(tx, orgId, {
    min_hold_nano: minHoldNano,
    unpriced,
    unpriced_ceiling_nano: unpricedCeilingNano,
    default_max_output_tokens: defaultMaxOutputTokens,
  })
}

const unpricedShown = 200

function viewOf(
  row: SettingsRow | undefined,
  rows: readonly PriceRow[],
  unpriced: readonly UnpricedRow[],
  installation: Installation,
  nowMs: number,
): Prices {
  const settings = settingsOf(row)
  const book = bookOf(row, rows, installation)
  return {
    min_hold_usd: formatUsd(settings.minHoldNano),
    unpriced: settings.unpriced,
    unpriced_ceiling_usd: settings.unpricedCeilingNano === null ? null : formatUsd(settings.unpricedCeilingNano),
    default_max_output_tokens: settings.defaultMaxOutputTokens,
    prices: rows.map(priceView),
    list_prices: listView(),
    unpriced_models: unpriced
      .filter(({ model, provider }) => !book.priceOf(model, provider, nowMs))
      .slice(0, unpricedShown)
      .map(({ model, provider, first_seen_at, last_seen_at }) => ({
        model,
        provider: provider || null,
        first_seen_at: timestamp(first_seen_at),
        last_seen_at: timestamp(last_seen_at),
      })),
    installation_updated_at: installation.changedAt ? timestamp(installation.changedAt) : null,
    updated_at: row ? timestamp(row.updated_at) : null,
  }
}

const listView = (): Prices['list_prices'] =>
  listEntries().map((entry) => ({ ...entryView(entry), source: 'list' as const }))

/** The part of the prices that belongs in the audit log: what the organization set, not the built-in list. */
const recordOf = ({
  list_prices: _list,
  unpriced_models: _unpriced,
  installation_updated_at: _installation,
  ...set
}: Prices) => set
