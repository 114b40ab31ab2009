import { ApiError } from '../../contract/errors.ts'
import { formatUsd } from '../../values/money.ts'
import { present } from '../../values/present.ts'
import {
  type Allowance,
  allowanceAt,
  type Claim,
  claimOn,
  crossedAmounts,
  eventSubject,
  findLimit,
  gateNames,
  isDefault,
  type LimitKind,
  type LimitRefusal,
  type LimitScope,
  limitIdIn,
  limitOf,
  limitsMet,
  newSubjectGateOf,
  noSubject,
  periodView,
  refusalAmounts,
  refusalMessage,
  stoppedAmounts,
} from '../ledger/ledger.ts'
import { defaultScopes } from './default-schema.ts'

/** The most that the organization or a part of it may spend in a period; a part without a budget of its own has the default. */
export const budgetKind: LimitKind = {
  kind: 'budget',
  journalNames: ['budget', 'budget_default', ...gateNames(...defaultScopes)],
  idKind: 'budget',
  guide: 'limits',
  surfaces: ['edge', 'route', 'start', 'record'],
  errors: ['budget_exceeded'],
  events: ['budget.threshold_crossed', 'budget.exceeded', 'budget.stopped'],
  thresholds: 'configured',
  source: 'config',
  isForecast: true,
  bind: (charge, org, _customer, nowMs) =>
    limitsMet(org, 'budget', charge).map(({ limit, scopeKind, subject }): Claim => {
      const claim = { ...claimOn(budgetKind, allowanceAt(limit, subject, nowMs)), scope: limit }
      if (!isDefault(limit) || scopeKind === 'org') return claim
      return { ...claim, newSubjectGate: newSubjectGateOf(limit, scopeKind, subject, nowMs) }
    }),
  refuse: (refusal) => budgetExceeded(refusal, limitIdIn(budgetKind, refusal.allowance), present(refusal.claim.scope)),
  eventOf: (crossing, { limits }) => {
    const { allowance, threshold } = crossing
    const id = limitIdIn(budgetKind, allowance)
    const data = {
      budget_id: id,
      ...scopeView(allowance, present(limits.find((limit) => limit.id === allowance.limitId))),
      ...crossedAmounts(crossing),
      ...periodView(allowance),
    }
    const subject = allowance.kind === budgetKind.kind ? id : eventSubject(id, allowance)
    const stopped = stoppedAmounts(crossing)
    if (stopped) return { kind: 'budget.stopped', subject, data: { ...data, ...stopped } }
    if (threshold === 0) return { kind: 'budget.exceeded', subject, data }
    return { kind: 'budget.threshold_crossed', subject, data: { threshold_percent: threshold, ...data } }
  },
  adjustment: {
    requires: ['amount_usd'],
    find: async (tx, orgId, limitId, _named, atMs) => {
      const row = await findLimit(tx, orgId, 'budget', limitId)
      return row && allowanceAt(limitOf(row, budgetKind), row.scope_id, atMs)
    },
  },
}

/** The scope of a budget, for its events. */
const scopeView = ({ subject }: Allowance, { scopeKind, and }: ClaimScope) => ({
  scope_kind: scopeKind,
  scope_id: subject === noSubject ? null : subject,
  ...andView(and),
})

const andView = (and: LimitScope | undefined) => and && { and_scope_kind: and.scopeKind, and_scope_id: and.scopeId }

type ClaimScope = NonNullable<Claim['scope']>

/** Names the limit that refused: `the $20.00 limit of customer c-1`. */
function nameOf(limit: string, { scopeKind, and }: ClaimScope, subject: string): string {
  const noun = scopeKind === 'customer' ? 'limit' : 'budget'
  if (scopeKind === 'org') return `the ${limit} budget of the organization`
  if (subject === noSubject) return `the ${limit} ${noun} that new ${scopeKind}s share`
  const both = and ? ` and ${and.scopeKind} ${and.scopeId}` : ''
  return `the ${limit} ${noun} of ${scopeKind} ${subject}${both}`
}

/** The refusal of a budget, also used for a customer's limit. */
export const budgetExceeded = (refusal: LimitRefusal, id: string, scope: ClaimScope): ApiError =>
  new ApiError(
    'budget_exceeded',
    {
      budget_id: id,
      scope_kind: scope.scopeKind,
      ...andView(scope.and),
      limit_usd: formatUsd(present(refusal.allowance.limit)),
      ...refusalAmounts(refusal),
      ...periodView(refusal.allowance),
    },
    { message: refusalMessage((limit) => nameOf(limit, scope, refusal.allowance.subject), refusal) },
  )
