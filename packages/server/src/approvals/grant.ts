import { hash } from 'node:crypto'
import { ApiError } from '../contract/errors.ts'
import {
  type Allowance,
  allowanceKey,
  type Claim,
  claimOn,
  type Grant,
  type LimitKind,
  type Unit,
} from '../ledger/ledger.ts'
import type { Attempt, Rule } from '../policies/policies.ts'
import { formatId } from '../values/id.ts'

/**
 * What makes two attempts the same one: who asks for what, for whom. How many tokens it takes and what it costs may differ; so may
 * tags and metadata, unless they are what the rule is about: then who approves has seen those and no others.
 */
export const fingerprintOf = ({ expression }: Pick<Rule, 'expression'>, attempt: Attempt): Buffer =>
  hash(
    'sha256',
    JSON.stringify([
      attempt.key.id,
      attempt.model,
      attempt.provider,
      attempt.operation,
      attempt.action,
      attempt.workflowId,
      attempt.deploymentId,
      attempt.departmentId,
      attempt.customerId,
      /\btags\b/.test(expression) ? attempt.tags.toSorted() : [],
      /\bmetadata\b/.test(expression) ? Object.entries(attempt.metadata).toSorted(([a], [b]) => (a < b ? -1 : 1)) : [],
    ]),
    'buffer',
  )

/** The keys of what counts a grant. */
export const grantKey = (approvalId: string, unit: Unit) => allowanceKey(approvalId, '', unit, '')

const allowanceOf = ({ id }: Grant, unit: Unit, limit: bigint): Allowance => ({
  key: grantKey(id, unit),
  limitId: id,
  kind: 'approval',
  subject: '',
  unit,
  period: null,
  limit,
  enforcement: 'block',
  thresholds: [],
})

/** A run that a rule refuses without an approval takes from the grant; counted like money, so that no two take the same. */
export const approvalKind: LimitKind = {
  kind: 'approval',
  bindsAtEdge: false,
  bind: ({ approval }, _limits, _customer, nowMs): readonly Claim[] => {
    if (!approval) return []
    const { maxRuns, maxAmountNano } = approval
    const runs = claimOn(kindOf(approval), allowanceOf(approval, 'runs', maxRuns))
    if (nowMs >= approval.expiresAtMs) return [{ ...runs, mode: 'fixed', passed: { current: maxRuns, attempted: 1n } }]
    if (maxAmountNano === null) return [runs]
    return [runs, claimOn(kindOf(approval), allowanceOf(approval, 'usd', maxAmountNano))]
  },
  refuse: () => {
    throw new TypeError('a grant refuses in its own words')
  },
}

/** The refusal is the rule's: as if nobody had approved anything. */
const kindOf = ({ ruleId, reason, attempted }: Grant): LimitKind => ({
  ...approvalKind,
  refuse: ({ claim, allowance }) =>
    new ApiError(
      'policy_approval_required',
      { reason, attempted, rule_id: formatId('rule', ruleId) },
      {
        message: `${reason} (${claim.mode === 'fixed' ? 'The approval has expired.' : usedUp[allowance.unit]})`,
      },
    ),
})

const usedUp: Record<Unit, string> = {
  runs: 'All runs that were approved have been started.',
  usd: 'The run would cost more than what is left of the approved amount.',
  tokens: '',
}
