import { grantKey } from '../../money/approval-grants/approval-grants.ts'
import { type Balance, balancesOf, emptyBalance } from '../../money/ledger/ledger.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId } from '../../values/id.ts'
import { formatUsd } from '../../values/money.ts'
import { timestamp, timestampOrNull } from '../../values/timestamp.ts'
import { attemptView } from '../policies/policies.ts'
import type { ApprovalRow } from './queries.ts'
import type { ApprovalView } from './schema.ts'

/** Returns requests as `/v1` shows them, each with the usage of its grant. */
export async function approvalViews(tx: Tx, orgId: string, rows: readonly ApprovalRow[]): Promise<ApprovalView[]> {
  const granted = rows.filter(({ max_runs }) => max_runs !== null)
  const keys = granted.flatMap(({ id }) => [grantKey(id, 'runs'), grantKey(id, 'usd')])
  const balances = keys.length === 0 ? new Map<string, Balance>() : await balancesOf(tx, orgId, keys)
  return rows.map((row) => viewOf(row, (unit) => balances.get(grantKey(row.id, unit)) ?? emptyBalance))
}

const viewOf = (row: ApprovalRow, balanceOf: (unit: 'runs' | 'usd') => Balance): ApprovalView => ({
  id: formatId('approval', row.id),
  status: row.status,
  rule_id: formatId('rule', row.rule_id),
  rule_name: row.rule_name,
  rule_version: row.rule_version,
  reason: row.reason,
  attempted: row.attempted,
  attempt: attemptView(row.attempt),
  estimated_cost_usd: formatUsd(row.estimated_nano),
  requested_by: formatId('key', row.requested_by),
  decided_by: deciderOf(row),
  decided_at: timestampOrNull(row.decided_at),
  note: row.note,
  grant:
    row.max_runs === null
      ? null
      : {
          max_runs: row.max_runs,
          runs_started: Number(balanceOf('runs').spent + balanceOf('runs').held),
          max_amount_usd: row.max_amount_nano === null ? null : formatUsd(row.max_amount_nano),
          spent_usd: formatUsd(balanceOf('usd').spent),
          held_usd: formatUsd(balanceOf('usd').held),
        },
  expires_at: timestamp(row.expires_at),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

/** Returns who decided: the key or the member. */
const deciderOf = ({ decided_by, decided_by_member }: ApprovalRow): string | null => {
  if (decided_by_member !== null) return formatId('member', decided_by_member)
  return decided_by === null ? null : formatId('key', decided_by)
}

/** Builds the event data of a request, for every change of its status. */
export const requestData = (row: ApprovalRow) => ({
  approval_id: formatId('approval', row.id),
  rule_id: formatId('rule', row.rule_id),
  rule_name: row.rule_name,
  reason: row.reason,
  attempted: row.attempted,
  requested_by: formatId('key', row.requested_by),
  estimated_cost_usd: formatUsd(row.estimated_nano),
  expires_at: timestamp(row.expires_at),
})
