import type { Tx } from '../../platform/infra/sql.ts'
import { newUuid } from '../../values/id.ts'
import { formatUsd } from '../../values/money.ts'
import { type Allowance, type Limit, type OrgLimits, remainingOf } from './allowances.ts'
import { insertCrossings } from './crossing-queries.ts'
import { loadUsage, reachedThresholds } from './limit-fields.ts'
import type { Crossing, LimitKind } from './limit-kind.ts'
import { limitOf } from './limits.ts'
import { limitsInForce, rearmThresholds } from './queries.ts'
import { stoppedThreshold } from './thresholds.ts'

/** Emits events for thresholds of one kind that were reached outside a lane, in a transaction that holds the organization's lock. */
export async function emitCrossings(tx: Tx, orgId: string, kind: LimitKind, crossings: readonly Crossing[], at: Date) {
  if (crossings.length === 0) return
  const limits = (await limitsInForce(tx, orgId)).map((row) => limitOf(row, kind))
  await insertCrossings(
    tx,
    crossingRows(orgId, crossings, at.toISOString(), { limits }, () => kind),
  )
}

/**
 * Re-arms the events of a limit after a change of its amount. Thresholds above the spend emit again when they are reached, and a
 * limit with an amount left emits again when it refuses. A threshold that a lower amount has put below the spend emits at once,
 * unless it has before.
 */
export async function rearm(tx: Tx, orgId: string, nowMs: number, kind: LimitKind, limit: Limit, subject: string) {
  const [usage] = await loadUsage(tx, orgId, nowMs, [[limit, subject]])
  const { allowance, balance } = usage!
  const reached = reachedThresholds(limit, balance.spent)
  const isFull = limit.amount !== null && remainingOf(limit.amount, balance) === 0n
  await rearmThresholds(tx, orgId, allowance.key, isFull ? [...reached, stoppedThreshold] : reached)
  const crossings = reached.map((threshold) => ({ allowance, threshold, spent: balance.spent }))
  await emitCrossings(tx, orgId, kind, crossings, new Date(nowMs))
}

/** Rows of crossings; the table's key makes each emit once per allowance. */
export const crossingRows = (
  orgId: string,
  crossings: readonly Crossing[],
  at: string,
  org: Pick<OrgLimits, 'limits'>,
  kindOf: (journalName: string) => LimitKind,
) =>
  distinctCrossings(crossings).flatMap((crossing) => {
    const { allowance, threshold } = crossing
    const event = kindOf(allowance.kind).eventOf?.(crossing, org)
    if (!event) return []
    const { kind, subject, data } = event
    return [{ org_id: orgId, key: allowance.key, threshold, at, event_id: newUuid(), subject, event: kind, body: data }]
  })

/** Keeps the first crossing of each threshold: up, down and up again within one batch is one crossing. */
function distinctCrossings(crossings: readonly Crossing[]): Crossing[] {
  const seen = new Set<string>()
  return crossings.filter(({ allowance, threshold }) => {
    const key = `${allowance.key} ${threshold}`
    return !seen.has(key) && seen.add(key)
  })
}

/** The subject of an event about a default: it has as many subjects as there are customers, or workflows. */
export const eventSubject = (id: string, { subject }: Allowance) => `${id} ${subject}`

/** Fields of an event about a limit in dollars. */
export const crossedAmounts = ({ allowance, spent }: Crossing) => ({
  limit_usd: formatUsd(allowance.limit!),
  spent_usd: formatUsd(spent),
})

/** Fields that the event of a refusal has in addition. */
export const stoppedAmounts = ({ refused }: Crossing) =>
  refused && { held_usd: formatUsd(refused.held), attempted_usd: formatUsd(refused.attempted) }
