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
import { columnsOf, entryOf, identityOf, priceView } from './price-rows.ts'
import { replacePrices, upsertSettings } from './queries.ts'

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

export async function loadInstallation(tx: Tx): Promise<Installation> {
  // The version first: entries that are read after it can only be newer, and then the next reader sees another version.
  const found = await findInstallationVersion(tx)
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
  await replacePrices(
    tx,
    operatorsOrgId,
    entries.map((columns) => ({ ...columns, id: known.get(identityOf(columns)) ?? newUuid() })),
  )
  await upsertSettings(tx, operatorsOrgId, unusedSettings)
  const after = await getInstallationPrices(tx)
  const [old, now] = [before, after].map(({ prices }) => new Set(prices.map(({ id }) => id)))
  audit({
    action: 'installation_prices.changed',
    target: { kind: 'operators', id: 'operators' },
    before: { removed: before.prices.filter(({ id }) => !now?.has(id)), added: [], updated_at: before.updated_at },
    after: { removed: [], added: after.prices.filter(({ id }) => !old?.has(id)), updated_at: after.updated_at },
  })
  // Last, since no organization decides from here to the end of the transaction.
  await changeEveryConfiguration(tx)
  return after
}

/** Settings of the operators' own organization, which decides nothing: only the time of the change is read. */
const unusedSettings = {
  min_hold_nano: 0n,
  unpriced: 'refuse',
  unpriced_ceiling_nano: null,
  default_max_output_tokens: 1,
} as const
