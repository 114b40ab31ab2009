import type { MakerId } from '../../access/identity/identity.ts'
import type { Hold, NewHold } from '../../money/engine/engine.ts'
import { encodeHold, type LimitKind } from '../../money/ledger/ledger.ts'
import { kindOf } from '../../money/limit-kinds.ts'
import type { OrgWrites } from './org-writes.ts'

/** The rows of holds that a batch writes, and the forms of their columns. */

/** An array literal of PostgreSQL: one text to parse instead of a JSON value per element. */
export const array = (values: readonly (string | bigint | number | null)[]) =>
  `{${values.map((value) => value ?? 'NULL').join(',')}}`
const encodeDraws = (values: readonly number[]) => (values.some((value) => value !== 0) ? array(values) : '{}')
/** Encodes amounts: a value that is the same for all keys is written once, and zero not at all. */
export function encodeAmounts(values: readonly bigint[]): string {
  const [first] = values
  if (values.some((value) => value !== first)) return array(values)
  return first === undefined || first === 0n ? '{}' : `{${first}}`
}
let lastIso = { ms: Number.NaN, text: '' }
/** Formats a time; times repeat within a batch, so the last one is cached. */
export function iso(ms: number): string {
  if (ms !== lastIso.ms) lastIso = { ms, text: new Date(ms).toISOString() }
  return lastIso.text
}

export const newHolds = ({ orgId, seq, at, decision }: OrgWrites) =>
  decision.newHolds.map((hold) => ({
    ...heldRow(orgId, hold),
    on_expiry: hold.onExpiry,
    held_at: at,
    seq: seq.toString(),
    ...makerIdColumns(hold.madeBy),
    ...(hold.madeBy && hold.madeBy.lineageId !== hold.madeBy.id && { lineage_id: hold.madeBy.lineageId }),
  }))

export const raisedHolds = ({ orgId, decision }: OrgWrites) => decision.raisedHolds.map((hold) => heldRow(orgId, hold))

/** The columns of a hold that say what it holds, and why. */
const heldRow = (orgId: string, { checks, inputs, ...hold }: NewHold) => ({
  org_id: orgId,
  id: hold.id,
  expires_at: iso(hold.expiresAtMs),
  amount_nano: hold.amountNano.toString(),
  keys: array(hold.keys),
  amounts: encodeAmounts(hold.amounts),
  draws: encodeDraws(hold.draws),
  inputs: encodeHold(
    inputs,
    checks.map(({ allowance: { limit, kind, thresholds }, spent, held }) => ({
      limit,
      spent,
      held,
      // At the end of the hold its events use the thresholds of its beginning.
      thresholds: thresholds.length > 0 && isWithoutCachedThresholds(kindOf(kind)) ? thresholds : [],
    })),
  ),
})

/** True for kinds whose thresholds were set with a limit that no process caches. */
const isWithoutCachedThresholds = ({ source, thresholds }: LimitKind) => source === 'row' && thresholds === 'configured'

/** The columns of a maker that have a value: null need not travel. */
export const makerIdColumns = (maker: MakerId | undefined) =>
  maker &&
  { key: { key_id: maker.id }, support: { grant_id: maker.id }, person: undefined, directory: undefined }[maker.kind]

export const changedHolds = ({ orgId, seq, at, decision }: OrgWrites) =>
  withoutRaised(decision).map((hold: Hold) => {
    const isOpen = hold.state === 'open'
    return {
      org_id: orgId,
      id: hold.id,
      state: hold.state,
      expires_at: iso(hold.expiresAtMs),
      ended_at: isOpen ? null : at,
      ended_seq: isOpen ? null : seq.toString(),
      charged_nano: hold.chargedNano?.toString() ?? null,
      overrun_nano: hold.overrunNano?.toString() ?? null,
      estimate: hold.estimate ? { ...hold.estimate, costs: hold.estimate.costs.map(String) } : null,
    }
  })

/** A raised hold is written as a whole. */
function withoutRaised({ changedHolds: changed, raisedHolds }: OrgWrites['decision']): readonly Hold[] {
  if (raisedHolds.length === 0) return changed
  const raised = new Set(raisedHolds.map(({ id }) => id))
  return changed.filter(({ id }) => !raised.has(id))
}
