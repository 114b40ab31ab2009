import { lineageOfMaker } from '../../access/identity/identity.ts'
import type { BatchDecision } from '../../money/engine/engine.ts'
import { countReporting, type ReportingCounts } from '../../money/reporting/reporting.ts'
import type { BoundStatement } from '../../platform/infra/pipelined-connection.ts'
import { present } from '../../values/present.ts'
import type { OrgWrites } from './org-writes.ts'

/** Statement that counts what keys have left unreported, released, overrun or reported late; none where there is nothing. */
export function reportingWrites(outcomes: readonly OrgWrites[]): BoundStatement[] {
  const counts = outcomes.flatMap(({ orgId, at, decision }) =>
    Array.from(reportingOf(decision), ([lineageId, counted]) => ({ orgId, lineageId, day: at.slice(0, 10), counted })),
  )
  return counts.length > 0 ? [countReporting(counts)] : []
}

/** Returns what the endings of a batch count against the lineages of the keys that made the holds. */
function reportingOf({ movements, changedHolds, outcomes }: BatchDecision): ReadonlyMap<string, ReportingCounts> {
  const counts = new Map<string, ReportingCounts>()
  const ends = movements.filter(
    ({ kind, movedBy }) => kind === 'expire' || kind === 'settle' || (kind === 'release' && movedBy !== undefined),
  )
  if (ends.length === 0) return counts
  const holds = new Map(changedHolds.map((hold) => [hold.id, hold]))
  const late = new Set(
    outcomes.flatMap((outcome) => (outcome.type === 'ended' && outcome.isLate ? [outcome.hold.id] : [])),
  )
  for (const { kind, holdId } of ends) {
    const hold = holdId === null ? undefined : holds.get(holdId)
    const lineageId = lineageOfMaker(hold?.madeBy)
    if (!hold || lineageId === undefined) continue
    const { amountNano } = hold
    const [charged, overrun] = [hold.chargedNano ?? 0n, hold.overrunNano ?? 0n]
    if (kind === 'expire') add(counts, lineageId, 'unreported', amountNano, 0n)
    else if (kind === 'release') add(counts, lineageId, 'released', amountNano, 0n)
    else if (late.has(hold.id)) add(counts, lineageId, 'late', charged, charged)
    else if (overrun > 0n) add(counts, lineageId, 'overrun', overrun, charged)
  }
  return counts
}

function add(
  counts: Map<string, ReportingCounts>,
  lineageId: string,
  what: keyof ReportingCounts['sums'],
  nano: bigint,
  cost: bigint,
) {
  if (!counts.has(lineageId)) counts.set(lineageId, { sums: {}, dearestNano: 0n })
  const counted = present(counts.get(lineageId))
  const { runs = 0, nano: before = 0n } = counted.sums[what] ?? {}
  counted.sums[what] = { runs: runs + 1, nano: before + nano }
  if (cost > counted.dearestNano) counted.dearestNano = cost
}
