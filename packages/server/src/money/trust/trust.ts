import type { ChangeTools } from '../../access/changes/changes.ts'
import { requireLineage } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { timestampOrNull } from '../../values/timestamp.ts'
import { lockLedgerForConfigChange } from '../ledger/ledger.ts'
import { deleteTrust, findTrust, type TrustRow, trustRowsOf, upsertTrust } from './queries.ts'
import { releases, reportedCosts, type TrustInput, type TrustSettings } from './schema.ts'

/** The trust in a caller: how far its word is taken. */
export interface Trust {
  readonly reportedCost: (typeof reportedCosts)[number]
  readonly minLeaseSeconds: number
  readonly release: (typeof releases)[number]
}

/** The settings of an organization, by whom they are about: the lineage of a key, or all keys (`''`). */
export type TrustBySubject = ReadonlyMap<string, Trust>

const everyKey = ''
const fullTrust: Trust = { reportedCost: 'accept', minLeaseSeconds: 1, release: 'allow' }

const trustOf = (row: TrustRow): Trust => ({
  reportedCost: present(reportedCosts.find((value) => value === row.reported_cost)),
  minLeaseSeconds: row.min_lease_seconds,
  release: present(releases.find((value) => value === row.release)),
})

/** Loads an organization's settings; undefined where it has none, so that decisions need not look. */
export async function loadTrust(tx: Tx, orgId: string): Promise<TrustBySubject | undefined> {
  const rows = await trustRowsOf(tx, orgId)
  return rows.length === 0
    ? undefined
    : new Map(rows.map((row) => [row.subject_id === orgId ? everyKey : row.subject_id, trustOf(row)]))
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
  reportedCost:
    reportedCosts.indexOf(a.reportedCost) > reportedCosts.indexOf(b.reportedCost) ? a.reportedCost : b.reportedCost,
  minLeaseSeconds: Math.max(a.minLeaseSeconds, b.minLeaseSeconds),
  release: a.release === 'refuse' ? 'refuse' : b.release,
})

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
  const { reportedCost, minLeaseSeconds, release } = row ? trustOf(row) : fullTrust
  return {
    reported_cost: reportedCost,
    min_lease_seconds: minLeaseSeconds,
    release,
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
    min_lease_seconds: input.min_lease_seconds ?? fullTrust.minLeaseSeconds,
    release: input.release ?? fullTrust.release,
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
