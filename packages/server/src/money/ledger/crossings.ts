import type { NewEvent } from '../../access/events/events.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { newUuid } from '../../values/id.ts'
import { formatUsd } from '../../values/money.ts'
import { type Allowance, type Limit, type OrgLimits, remainingOf } from './allowances.ts'
import { insertCrossings } from './crossing-queries.ts'
import { amountOf, limitIdOf } from './journal.ts'
import { loadUsage, periodView, reachedThresholds } from './limit-fields.ts'
import { limitOf } from './limits.ts'
import { limitsInForce, rearmThresholds } from './queries.ts'
import { type Crossing, stoppedThreshold } from './thresholds.ts'

/** Emits events for thresholds that were reached outside a lane, in a transaction that holds the organization's lock. */
export async function emitCrossings(tx: Tx, orgId: string, crossings: readonly Crossing[], at: Date) {
  if (crossings.length === 0) return
  const limits = (await limitsInForce(tx, orgId)).map(limitOf)
  await insertCrossings(tx, crossingRows(orgId, crossings, at.toISOString(), { limits }))
}

/**
 * Re-arms the events of a limit after a change of its amount. Thresholds above the spend emit again when they are reached, and a
 * limit with an amount left emits again when it refuses. A threshold that a lower amount has put below the spend emits at once,
 * unless it has before.
 */
export async function rearm(tx: Tx, orgId: string, nowMs: number, limit: Limit, subject: string) {
  const [usage] = await loadUsage(tx, orgId, nowMs, [[limit, subject]])
  const { allowance, balance } = usage!
  const reached = reachedThresholds(limit, balance.spent)
  const isFull = limit.amount !== null && remainingOf(limit.amount, balance) === 0n
  await rearmThresholds(tx, orgId, allowance.key, isFull ? [...reached, stoppedThreshold] : reached)
  const crossings = reached.map((threshold) => ({ allowance, threshold, spent: balance.spent }))
  await emitCrossings(tx, orgId, crossings, new Date(nowMs))
}

/** Rows of crossings; the table's key makes each emit once per allowance. */
export const crossingRows = (
  orgId: string,
  crossings: readonly Crossing[],
  at: string,
  { limits }: Pick<OrgLimits, 'limits'>,
) =>
  distinctCrossings(crossings).flatMap((crossing) => {
    const event = eventOf(crossing, limits)
    if (!event) return []
    const { allowance, threshold } = crossing
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

/**
 * Builds the event of a crossing, by its kind of limit. A pack that is exceeded emits nothing more: it was reported as depleted.
 */
function eventOf(
  { allowance, threshold, spent, refused }: Crossing,
  limits: OrgLimits['limits'],
): NewEvent | undefined {
  const id = limitIdOf(allowance)
  const limit = allowance.limit!
  const dollars = { limit_usd: formatUsd(limit), spent_usd: formatUsd(spent) }
  const stop = refused && { held_usd: formatUsd(refused.held), attempted_usd: formatUsd(refused.attempted) }
  const ofThreshold = { threshold_percent: threshold }
  switch (allowance.kind) {
    case 'budget':
    case 'budget_default': {
      const { scopeKind } = limits.find((one) => one.id === allowance.limitId)!
      const data = {
        budget_id: id,
        scope_kind: scopeKind,
        scope_id: allowance.subject === '' ? null : allowance.subject,
        ...dollars,
        ...periodView(allowance),
      }
      const subject = allowance.kind === 'budget' ? id : subjectOf(id, allowance)
      if (stop) return { kind: 'budget.stopped', subject, data: { ...data, ...stop } }
      if (threshold === 0) return { kind: 'budget.exceeded', subject, data }
      return { kind: 'budget.threshold_crossed', subject, data: { ...ofThreshold, ...data } }
    }
    case 'spend_cap': {
      const data = { spend_cap_id: id, ...dollars, ...periodView(allowance) }
      if (stop) return { kind: 'spend_cap.stopped', subject: id, data: { ...data, ...stop } }
      if (threshold === 0) return { kind: 'spend_cap.exceeded', subject: id, data }
      return { kind: 'spend_cap.threshold_crossed', subject: id, data: { ...ofThreshold, ...data } }
    }
    case 'customer': {
      const data = {
        customer_limit_id: id,
        customer_id: allowance.subject === '' ? null : allowance.subject,
        ...dollars,
        ...periodView(allowance),
      }
      const subject = subjectOf(id, allowance)
      if (stop) return { kind: 'customer_limit.stopped', subject, data: { ...data, ...stop } }
      if (threshold === 0) return { kind: 'customer_limit.exceeded', subject, data }
      return { kind: 'customer_limit.threshold_crossed', subject, data: { ...ofThreshold, ...data } }
    }
    case 'plan': {
      // The plan's two limits are one plan, identified by the first.
      const runs = limits.find(({ kind, unit }) => kind === 'plan' && unit === 'runs')!
      const plan = limitIdOf({ kind: 'plan', limitId: runs.id })
      const counts = { plan_id: plan, unit: allowance.unit, limit: Number(limit), used: Number(spent) }
      const data = { ...counts, ...periodView(allowance) }
      if (!refused) return { kind: 'plan.exceeded', subject: plan, data }
      const { held, attempted } = refused
      return {
        kind: 'plan.stopped',
        subject: plan,
        data: { ...data, held: Number(held), attempted: Number(attempted) },
      }
    }
    case 'chain': {
      const data = {
        chain_id: allowance.subject,
        reason: allowance.unit === 'usd' ? 'cost' : 'tokens',
        limit: amountOf(allowance, limit),
        current: amountOf(allowance, spent + (refused?.held ?? 0n)),
      }
      if (!refused) return { kind: 'chain.exceeded', subject: id, data }
      return {
        kind: 'chain.stopped',
        subject: id,
        data: { ...data, attempted: amountOf(allowance, refused.attempted) },
      }
    }
    case 'credits': {
      if (threshold === 0) return undefined
      const data = {
        credit_pack_id: id,
        customer_id: allowance.subject,
        amount_usd: dollars.limit_usd,
        spent_usd: dollars.spent_usd,
      }
      if (stop) return { kind: 'credit_pack.stopped', subject: id, data: { ...data, ...stop } }
      return { kind: threshold === 100 ? 'credit_pack.depleted' : 'credit_pack.low', subject: id, data }
    }
    case 'quota': {
      if (threshold === 0) return undefined
      const data = { top_up_id: id, ...dollars }
      if (stop) return { kind: 'quota.stopped', subject: id, data: { ...data, ...stop } }
      return { kind: threshold === 100 ? 'quota.depleted' : 'quota.low', subject: id, data }
    }
    default:
      return undefined
  }
}

/** The subject of an event: one default has as many subjects as there are customers, or workflows. */
const subjectOf = (id: string, { subject }: Allowance) => `${id} ${subject}`
