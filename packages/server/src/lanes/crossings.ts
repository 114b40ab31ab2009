import { amountOf, limitIdOf } from '../ledger/ledger.ts'
import { newUuid } from '../values/id.ts'
import { timestamp } from '../values/timestamp.ts'
import type { Crossing } from './thresholds.ts'

/** The rows of what a batch's settlements have reached; each is told once per allowance, by the table's key. */
export const crossingRows = (orgId: string, crossings: readonly Crossing[], at: string) =>
  firstOfEach(crossings).map(({ allowance, threshold, spent }) => ({
    org_id: orgId,
    key: allowance.key,
    threshold,
    at,
    event_id: newUuid(),
    event: threshold === 0 ? 'limit.exceeded' : 'limit.threshold_crossed',
    body: {
      limit_id: limitIdOf(allowance),
      kind: allowance.kind,
      subject: allowance.subject,
      unit: allowance.unit,
      ...(threshold > 0 && { threshold_percent: threshold }),
      limit: amountOf(allowance, allowance.limit!),
      spent: amountOf(allowance, spent),
      period_start: allowance.period ? timestamp(new Date(allowance.period.startMs)) : null,
      period_end: allowance.period ? timestamp(new Date(allowance.period.endMs)) : null,
    },
  }))

/** Up, down and up again within one batch is one crossing. */
function firstOfEach(crossings: readonly Crossing[]): Crossing[] {
  const seen = new Set<string>()
  return crossings.filter(({ allowance, threshold }) => {
    const of = `${allowance.key} ${threshold}`
    return !seen.has(of) && seen.add(of)
  })
}
