import { ApiError } from '../../contract/errors.ts'
import { formatId } from '../../values/id.ts'
import {
  type Allowance,
  type ApprovalGrant,
  allowanceKey,
  type Claim,
  claimOn,
  type LimitKind,
  type LimitUnit,
  type Refuser,
} from '../ledger/ledger.ts'

/** The ledger key of a grant's counter. */
export const grantKey = (approvalId: string, unit: LimitUnit) => allowanceKey(approvalId, '', unit, '')

const allowanceOf = ({ id }: ApprovalGrant, unit: LimitUnit, limit: bigint): Allowance => ({
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

/**
 * The limit kind of a grant: a run that a rule refuses without an approval is charged to it. Grants are counted like money, so
 * that no two runs take the same one.
 */
export const approvalKind: LimitKind = {
  kind: 'approval',
  journalNames: ['approval'],
  idKind: 'approval',
  guide: 'approvals',
  surfaces: ['start'],
  errors: ['policy_approval_required'],
  events: ['approval.requested'],
  thresholds: [],
  source: 'row',
  bind: ({ approval }, _limits, _customer, nowMs): readonly Claim[] => {
    if (!approval) return []
    const { maxRuns, maxAmountNano } = approval
    const runs = claimOn(grantKind(approval), allowanceOf(approval, 'runs', maxRuns))
    if (nowMs >= approval.expiresAtMs)
      return [{ ...runs, mode: 'fixed', exceeded: { current: maxRuns, attempted: 1n } }]
    if (maxAmountNano === null) return [runs]
    return [runs, claimOn(grantKind(approval), allowanceOf(approval, 'usd', maxAmountNano))]
  },
  refuse: () => {
    throw new TypeError('a grant must be refused by the limit kind of its own rule')
  },
}

/** A grant that is used up or expired is refused with the error of its rule, as if nothing had been approved. */
const grantKind = ({ ruleId, reason, attempted }: ApprovalGrant): Refuser => ({
  kind: approvalKind.kind,
  refuse: ({ claim, allowance }) =>
    new ApiError(
      'policy_approval_required',
      { reason, attempted, rule_id: formatId('rule', ruleId) },
      {
        message: `${reason} (${claim.mode === 'fixed' ? 'The approval has expired.' : exhaustedMessages[allowance.unit]})`,
      },
    ),
})

const exhaustedMessages: Record<LimitUnit, string> = {
  runs: 'All approved runs have been started.',
  usd: 'The run would cost more than the remainder of the approved amount.',
  tokens: '',
  concurrent_runs: '',
}
