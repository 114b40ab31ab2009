import type { ChangeTools } from '../../access/changes/changes.ts'
import { requireLineage } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId } from '../../values/id.ts'
import { parseUsd } from '../../values/money.ts'
import { present } from '../../values/present.ts'
import { timestampOrNull } from '../../values/timestamp.ts'
import { lockLedgerForConfigChange, usdOrNull } from '../ledger/ledger.ts'
import { floorsOf } from '../reporting/reporting.ts'
import { deleteTrust, findTrust, type TrustRow, trustRowsOf, upsertTrust } from './queries.ts'
import {
  edgeExpiries,
  overLimitReportings,
  releases,
  reportedCosts,
  reportedUsages,
  type TrustInput,
  type TrustSettings,
} from './schema.ts'

/** The trust in a caller: how far its word is taken. */
export interface Trust {
  readonly reportedCost: (typeof reportedCosts)[number]
  readonly reportedUsage: (typeof reportedUsages)[number]
  readonly minLeaseSeconds: number
  readonly release: (typeof releases)[number]
  readonly edgeExpiry: (typeof edgeExpiries)[number]
  readonly overLimitReports: (typeof overLimitReportings)[number]
  /** The overrun of a day beyond which a key is held at what its calls cost; null: any. */
  readonly maxOverrunNano: bigint | null
  /** True when calls must start as runs: neither at the edge nor in bulk. */
  readonly isStartOnly: boolean
  readonly isInputRequired: boolean
  readonly isActionRequired: boolean
  /** The least that is held for a call, where the overrun has passed its maximum. */
  readonly holdFloor?: HoldFloor | undefined
}

interface HoldFloor {
  readonly nano: bigint
  readonly untilMs: number
}

/** The settings of an organization, by whom they are about: the lineage of a key, or all keys (`''`). */
export type TrustBySubject = ReadonlyMap<string, Trust>

const everyKey = ''
const fullTrust: Trust = {
  reportedCost: 'accept',
  reportedUsage: 'accept',
  minLeaseSeconds: 1,
  release: 'allow',
  edgeExpiry: 'release',
  overLimitReports: 'refuse',
  maxOverrunNano: null,
  isStartOnly: false,
  isInputRequired: false,
  isActionRequired: false,
}

const trustOf = (row: TrustRow): Trust => ({
  reportedCost: oneOf(reportedCosts, row.reported_cost),
  reportedUsage: oneOf(reportedUsages, row.reported_usage),
  minLeaseSeconds: row.min_lease_seconds,
  release: oneOf(releases, row.release),
  edgeExpiry: oneOf(edgeExpiries, row.edge_expiry),
  overLimitReports: oneOf(overLimitReportings, row.over_limit_reports),
  maxOverrunNano: row.max_overrun_nano,
  isStartOnly: row.start_only,
  isInputRequired: row.input_required,
  isActionRequired: row.action_required,
})

const oneOf = <T extends string>(known: readonly T[], value: string): T => present(known.find((one) => one === value))

/** Loads an organization's settings; undefined where it has none, so that decisions need not look. */
export async function loadTrust(tx: Tx, orgId: string): Promise<TrustBySubject | undefined> {
  const rows = await trustRowsOf(tx, orgId)
  if (rows.length === 0) return undefined
  const settings = new Map(rows.map((row) => [row.subject_id === orgId ? everyKey : row.subject_id, trustOf(row)]))
  if (rows.some(({ max_overrun_nano }) => max_overrun_nano !== null))
    for (const { lineage_id, floor_nano, until } of await floorsOf(tx, orgId))
      settings.set(lineage_id, {
        ...(settings.get(lineage_id) ?? fullTrust),
        holdFloor: { nano: floor_nano, untilMs: until.getTime() },
      })
  return settings
}

/**
 * Returns the trust in some keys together, by their lineages: the strictest of the settings of each and of the organization, so
 * that a key which is trusted less gains nothing by another that is trusted more.
 */
export function trustIn(settings: TrustBySubject | undefined, ...lineages: readonly (string | undefined)[]): Trust {
  if (!settings) return fullTrust
  return [everyKey, ...lineages]
    .flatMap((subject) => (subject === undefined ? [] : (settings.get(subject) ?? [])))
    .reduce(stricter, fullTrust)
}

const stricter = (a: Trust, b: Trust): Trust => ({
  reportedCost: laterOf(reportedCosts, a.reportedCost, b.reportedCost),
  reportedUsage: laterOf(reportedUsages, a.reportedUsage, b.reportedUsage),
  minLeaseSeconds: Math.max(a.minLeaseSeconds, b.minLeaseSeconds),
  release: laterOf(releases, a.release, b.release),
  edgeExpiry: laterOf(edgeExpiries, a.edgeExpiry, b.edgeExpiry),
  overLimitReports: laterOf(overLimitReportings, a.overLimitReports, b.overLimitReports),
  maxOverrunNano:
    a.maxOverrunNano !== null && (b.maxOverrunNano === null || a.maxOverrunNano < b.maxOverrunNano)
      ? a.maxOverrunNano
      : b.maxOverrunNano,
  isStartOnly: a.isStartOnly || b.isStartOnly,
  isInputRequired: a.isInputRequired || b.isInputRequired,
  isActionRequired: a.isActionRequired || b.isActionRequired,
  holdFloor: a.holdFloor && (!b.holdFloor || a.holdFloor.nano > b.holdFloor.nano) ? a.holdFloor : b.holdFloor,
})

/** Returns the stricter of two values: they are listed from the most trusting on. */
const laterOf = <T extends string>(values: readonly T[], a: T, b: T): T =>
  values.indexOf(a) > values.indexOf(b) ? a : b

/** The subject of settings: an organization, or a key with its rotations. */
export interface TrustSubject {
  readonly id: string
  readonly target: { readonly kind: string; readonly id: string }
}

export const orgSubject = (orgId: string): TrustSubject => ({
  id: orgId,
  target: { kind: 'org', id: formatId('org', orgId) },
})

/** A key with all its rotations, so that rotating it changes nothing. */
export async function keySubject(tx: Tx, orgId: string, keyId: string): Promise<TrustSubject> {
  const lineageId = await requireLineage(tx, orgId, keyId)
  return { id: lineageId, target: { kind: 'key', id: formatId('key', lineageId) } }
}

const viewOf = (row: TrustRow | undefined): TrustSettings => {
  const trust = row ? trustOf(row) : fullTrust
  return {
    reported_cost: trust.reportedCost,
    reported_usage: trust.reportedUsage,
    min_lease_seconds: trust.minLeaseSeconds,
    release: trust.release,
    edge_expiry: trust.edgeExpiry,
    over_limit_reports: trust.overLimitReports,
    max_overrun_usd: usdOrNull(trust.maxOverrunNano),
    start_only: trust.isStartOnly,
    input_required: trust.isInputRequired,
    action_required: trust.isActionRequired,
    created_at: timestampOrNull(row?.created_at ?? null),
    updated_at: timestampOrNull(row?.updated_at ?? null),
  }
}

export const getTrust = async (tx: Tx, orgId: string, subject: TrustSubject): Promise<TrustSettings> =>
  viewOf(await findTrust(tx, orgId, subject.id))

export async function putTrust(
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  subjectOf: (tx: Tx) => Promise<TrustSubject>,
  wanted: DesiredState<TrustInput>,
): Promise<TrustSettings> {
  await lockLedgerForConfigChange(tx, orgId)
  const { id, target } = await subjectOf(tx)
  const before = viewOf(await findTrust(tx, orgId, id))
  replaces(before)
  const input = wanted(before)
  const row = await upsertTrust(tx, orgId, id, {
    reported_cost: input.reported_cost ?? fullTrust.reportedCost,
    reported_usage: input.reported_usage ?? fullTrust.reportedUsage,
    min_lease_seconds: input.min_lease_seconds ?? fullTrust.minLeaseSeconds,
    release: input.release ?? fullTrust.release,
    edge_expiry: input.edge_expiry ?? fullTrust.edgeExpiry,
    over_limit_reports: input.over_limit_reports ?? fullTrust.overLimitReports,
    max_overrun_nano: typeof input.max_overrun_usd === 'string' ? parseUsd(input.max_overrun_usd) : null,
    start_only: input.start_only ?? false,
    input_required: input.input_required ?? false,
    action_required: input.action_required ?? false,
  })
  const after = viewOf(row)
  audit({ action: 'trust.set', target, before, after })
  return after
}

export async function removeTrust(
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  subjectOf: (tx: Tx) => Promise<TrustSubject>,
): Promise<null> {
  await lockLedgerForConfigChange(tx, orgId)
  const { id, target } = await subjectOf(tx)
  const found = await findTrust(tx, orgId, id)
  if (!found) throw new ApiError('not_found')
  const before = viewOf(found)
  replaces(before)
  await deleteTrust(tx, orgId, id)
  audit({ action: 'trust.deleted', target, before })
  return null
}
