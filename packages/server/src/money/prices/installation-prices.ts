import type { ChangeTools } from '../../access/changes/changes.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { newUuid, operatorsOrgId } from '../../values/id.ts'
import { timestamp } from '../../values/timestamp.ts'
import { changeEveryConfiguration } from '../ledger/ledger.ts'
import { findInstallationVersion, listInstallationPrices, lockInstallationPrices } from './installation-queries.ts'
import type { InstallationPrices, InstallationPricesInput } from './installation-schema.ts'
import type { PriceEntry } from './price-entry.ts'
import { type Index, indexed } from './price-index.ts'
import { assertRoom, assertUnique, columnsOf, entryOf, findAmong, identityOf, priceView } from './price-rows.ts'
import { replacePriceRow, replacePrices, upsertSettings } from './queries.ts'
import { maxPrices, type OwnPrice, type PriceInput } from './schema.ts'

/**
 * Entries of the operators, behind those of every organization and in front of the list. They are rows of the operators' own
 * organization; every organization reads them together with its configuration.
 */
export interface Installation {
  readonly entries: readonly PriceEntry[]
  readonly index: Index
  readonly changedAt: Date | undefined
}

const none: Installation = { entries: [], index: new Map(), changedAt: undefined }

/** The entries that this process has read last: thousands of organizations share them. */
let read: { readonly version: string; readonly installation: Installation } | undefined

export const loadInstallation = async (tx: Tx): Promise<Installation> =>
  // The version first: entries that are read after it can only be newer, and then the next reader sees another version.
  installationAt(tx, await findInstallationVersion(tx))

/** Returns the entries of a version that was just read. */
export async function installationAt(
  tx: Tx,
  found: Awaited<ReturnType<typeof findInstallationVersion>>,
): Promise<Installation> {
  if (!found) return none
  if (read?.version === found.version) return read.installation
  const entries = (await listInstallationPrices(tx)).map(entryOf)
  const installation = { entries, index: indexed(entries), changedAt: found.updated_at }
  read = { version: found.version, installation }
  return installation
}

export const installationChangedAt = async (tx: Tx): Promise<Date | undefined> =>
  (await findInstallationVersion(tx))?.updated_at

export async function getInstallationPrices(tx: Tx): Promise<InstallationPrices> {
  const rows = await listInstallationPrices(tx)
  const found = await findInstallationVersion(tx)
  return { prices: rows.map(priceView), updated_at: found ? timestamp(found.updated_at) : null }
}

/** Replaces the operators' entries. An entry that is among them already keeps its id. */
export async function putInstallationPrices(
  { tx, audit, replaces }: Pick<ChangeTools, 'tx' | 'audit'> & Partial<ChangeTools>,
  wanted: DesiredState<InstallationPricesInput>,
): Promise<InstallationPrices> {
  await lockInstallationPrices(tx)
  const rows = await listInstallationPrices(tx)
  const before = await getInstallationPrices(tx)
  replaces?.(before)
  const known = new Map(rows.map((row) => [identityOf(row), row.id]))
  const entries = wanted(before).prices.map(columnsOf)
  await savePrices(
    tx,
    entries.map((columns) => ({ ...columns, id: known.get(identityOf(columns)) ?? newUuid() })),
  )
  const after = await getInstallationPrices(tx)
  const [old, now] = [before, after].map(({ prices }) => new Set(prices.map(({ id }) => id)))
  audit({
    action: 'installation_prices.changed',
    target: { kind: 'operators', id: 'operators' },
    before: { removed: before.prices.filter(({ id }) => !now?.has(id)), added: [], updated_at: before.updated_at },
    after: { removed: [], added: after.prices.filter(({ id }) => !old?.has(id)), updated_at: after.updated_at },
  })
  await bindEverybody(tx)
  return after
}

async function savePrices(tx: Tx, prices: Parameters<typeof replacePrices>[2]) {
  await replacePrices(tx, operatorsOrgId, prices)
  await upsertSettings(tx, operatorsOrgId, unusedSettings)
}

/** Makes every organization read the entries anew. It comes last: no organization decides from here to the end of the transaction. */
const bindEverybody = (tx: Tx) => changeEveryConfiguration(tx)

export const getInstallationPrice = async (tx: Tx, id: string): Promise<OwnPrice> =>
  priceView(findAmong(await listInstallationPrices(tx), id).found)

/** Adds one entry to those of the operators. */
export async function addInstallationPrice({ tx, audit }: ChangeTools, input: PriceInput): Promise<OwnPrice> {
  await lockInstallationPrices(tx)
  const rows = await listInstallationPrices(tx)
  assertRoom(rows, `An installation has at most ${maxPrices} prices.`)
  const columns = columnsOf(input)
  assertUnique(columns, rows)
  const id = newUuid()
  await savePrices(tx, [...rows, { ...columns, id }])
  const after = await getInstallationPrice(tx, id)
  audit({ action: 'installation_price.created', target: { kind: 'price', id: after.id }, after })
  await bindEverybody(tx)
  return after
}

/** Replaces an entry of the operators. Earlier decisions keep the rates that they were made with. */
export async function replaceInstallationPrice(
  { tx, audit, replaces }: ChangeTools,
  id: string,
  wanted: DesiredState<PriceInput>,
): Promise<OwnPrice> {
  await lockInstallationPrices(tx)
  const { found, others } = findAmong(await listInstallationPrices(tx), id)
  const before = priceView(found)
  replaces(before)
  const columns = columnsOf(wanted(before))
  assertUnique(columns, others)
  await replacePriceRow(tx, operatorsOrgId, { ...columns, id, created_at: found.created_at })
  await upsertSettings(tx, operatorsOrgId, unusedSettings)
  const after = await getInstallationPrice(tx, id)
  audit({ action: 'installation_price.changed', target: { kind: 'price', id: after.id }, before, after })
  await bindEverybody(tx)
  return after
}

export async function removeInstallationPrice({ tx, audit, replaces }: ChangeTools, id: string): Promise<null> {
  await lockInstallationPrices(tx)
  const { found, others } = findAmong(await listInstallationPrices(tx), id)
  const before = priceView(found)
  replaces(before)
  await savePrices(tx, others)
  audit({ action: 'installation_price.deleted', target: { kind: 'price', id: before.id }, before })
  await bindEverybody(tx)
  return null
}

/** Settings of the operators' own organization, which decides nothing: only the time of the change is read. */
const unusedSettings = {
  min_hold_nano: 0n,
  unpriced: 'refuse',
  unpriced_ceiling_nano: null,
  default_max_output_tokens: 1,
} as const
