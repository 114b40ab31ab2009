import type { NewEvent } from '../events/events.ts'
import { amountOf, limitIdOf, type OrgLimits, periodView } from '../ledger/ledger.ts'
import { newUuid } from '../values/id.ts'
import { formatUsd } from '../values/money.ts'
import { type Crossing, quotaCrossings } from './thresholds.ts'
import type { Outcome } from './write-queries.ts'

/** The rows of what one organization's part of a batch has reached. */
export function crossingsIn(
  { orgId, at, decision, found }: Pick<Outcome, 'orgId' | 'at' | 'decision' | 'found'>,
  definitions: OrgLimits,
) {
  const quota = quotaCrossings(
    definitions.topUps,
    (key) => found.get(key)?.spent ?? 0n,
    (key) => decision.deltas.get(key)?.spent ?? 0n,
  )
  return crossingRows(orgId, [...decision.crossings, ...quota], at, definitions)
}

/** Each is told once per allowance, by the table's key. */
export const crossingRows = (
  orgId: string,
  crossings: readonly Crossing[],
  at: string,
  { limits }: Pick<OrgLimits, 'limits'>,
) =>
  firstOfEach(crossings).flatMap((crossing) => {
    const told = eventOf(crossing, limits)
    if (!told) return []
    const { allowance, threshold } = crossing
    const { kind, subject, data } = told
    return [{ org_id: orgId, key: allowance.key, threshold, at, event_id: newUuid(), subject, event: kind, body: data }]
  })

/** Up, down and up again within one batch is one crossing. */
function firstOfEach(crossings: readonly Crossing[]): Crossing[] {
  const seen = new Set<string>()
  return crossings.filter(({ allowance, threshold }) => {
    const of = `${allowance.key} ${threshold}`
    return !seen.has(of) && seen.add(of)
  })
}

/** How a crossing is told, in the words of its kind of limit. Of a pack that is passed nothing more is to be said: it was depleted. */
function eventOf({ allowance, threshold, spent }: Crossing, limits: OrgLimits['limits']): NewEvent | undefined {
  const id = limitIdOf(allowance)
  const limit = allowance.limit!
  const dollars = { limit_usd: formatUsd(limit), spent_usd: formatUsd(spent) }
  switch (allowance.kind) {
    case 'budget': {
      const { scopeKind, scopeId } = limits.find(({ id: one }) => one === allowance.limitId)!
      const data = {
        budget_id: id,
        scope_kind: scopeKind,
        scope_id: scopeId === '' ? null : scopeId,
        ...dollars,
        ...periodView(allowance),
      }
      if (threshold === 0) return { kind: 'budget.exceeded', subject: id, data }
      return { kind: 'budget.threshold_crossed', subject: id, data: { threshold_percent: threshold, ...data } }
    }
    case 'spend_cap': {
      const data = { spend_cap_id: id, ...dollars, ...periodView(allowance) }
      if (threshold === 0) return { kind: 'spend_cap.exceeded', subject: id, data }
      return { kind: 'spend_cap.threshold_crossed', subject: id, data: { threshold_percent: threshold, ...data } }
    }
    case 'customer':
      return {
        kind: 'customer_limit.exceeded',
        // Of one default there are as many subjects as customers.
        subject: `${id} ${allowance.subject}`,
        data: {
          customer_limit_id: id,
          customer_id: allowance.subject === '' ? null : allowance.subject,
          ...dollars,
          ...periodView(allowance),
        },
      }
    case 'plan': {
      // Its two limits are one plan, which is called by the first.
      const runs = limits.find(({ kind, unit }) => kind === 'plan' && unit === 'runs')!
      const plan = limitIdOf({ kind: 'plan', limitId: runs.id })
      const data = { plan_id: plan, unit: allowance.unit, limit: Number(limit), used: Number(spent) }
      return { kind: 'plan.exceeded', subject: plan, data: { ...data, ...periodView(allowance) } }
    }
    case 'chain':
      return {
        kind: 'chain.exceeded',
        subject: id,
        data: {
          chain_id: allowance.subject,
          reason: allowance.unit === 'usd' ? 'cost' : 'tokens',
          limit: amountOf(allowance, limit),
          current: amountOf(allowance, spent),
        },
      }
    case 'credits': {
      if (threshold === 0) return undefined
      return {
        kind: threshold === 100 ? 'credit_pack.depleted' : 'credit_pack.low',
        subject: id,
        data: {
          credit_pack_id: id,
          customer_id: allowance.subject,
          amount_usd: dollars.limit_usd,
          spent_usd: dollars.spent_usd,
        },
      }
    }
    case 'quota': {
      if (threshold === 0) return undefined
      return {
        kind: threshold === 100 ? 'quota.depleted' : 'quota.low',
        subject: id,
        data: { top_up_id: id, ...dollars },
      }
    }
    default:
      return undefined
  }
}
