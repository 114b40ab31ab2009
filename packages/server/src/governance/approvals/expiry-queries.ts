import { sql as raw } from 'kysely'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { type ApprovalRow, columns, typed } from './queries.ts'

/** Expires the pending requests and the grants of a rule. */
export async function expireByRule(tx: Tx, orgId: string, ruleId: string): Promise<ApprovalRow[]> {
  const rows = await tx
    .updateTable('approvals')
    .set({ status: 'expired', updated_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('rule_id', '=', ruleId)
    .where('status', 'in', ['pending', 'approved'])
    .returning(columns)
    .execute()
  return rows.map(typed)
}

/** Expires overdue requests and grants, at most `most` of them. */
export async function expireOverdue(tx: Tx, orgId: string, most: number): Promise<ApprovalRow[]> {
  const { rows } = await raw<{ id: string }>`
    update approvals a set status = 'expired', updated_at = clock_timestamp()
      from (select id from approvals where org_id = ${orgId} and status in ('pending', 'approved') and expires_at <= now()
             order by expires_at limit ${most} for update skip locked) o
     where a.org_id = ${orgId} and a.id = o.id returning a.id`.execute(tx)
  if (rows.length === 0) return []
  const ended = await tx
    .selectFrom('approvals')
    .select(columns)
    .where('org_id', '=', orgId)
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute()
  return ended.map(typed)
}

export async function orgsWithOverdue({ db }: Sql, most: number): Promise<string[]> {
  const { rows } = await raw<{ org_id: string }>`select org_id from orgs_with_overdue_approvals(${most})`.execute(db)
  return rows.map(({ org_id }) => org_id)
}
