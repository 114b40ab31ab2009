import type { Run } from '../../src/records/run-log/run-log.ts'
import { call } from '../../test/support/tenants.ts'

/** Everything that a customer can read of its organization when the storm is over, over HTTP alone. */
export interface Outside {
  readonly runs: readonly Run[]
  readonly budgets: readonly Budget[]
  readonly cap: { readonly spent_usd: string; readonly held_usd: string }
  readonly usage: Readonly<Record<UsageGrouping, readonly UsageRow[]>>
  readonly movements: readonly LedgerMovement[]
  readonly audit: readonly AuditEntry[]
  readonly auditVerification: { readonly valid: boolean }
}

export interface Budget {
  readonly id: string
  readonly name: string
  readonly scope_kind: string
  readonly scope_id: string | null
  readonly limit_usd: string | null
  readonly spent_usd: string
  readonly held_usd: string
}

export interface UsageRow {
  readonly runs: number
  readonly failed_runs: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cost_usd: string
  readonly value_usd: string
  readonly model?: string | null
  readonly workflow_id?: string | null
  readonly department_id?: string | null
  readonly customer_id?: string | null
}

export interface LedgerMovement {
  readonly id: string
  readonly kind: string
  readonly reservation_id: string | null
  readonly changes: readonly { readonly limit_id: string; readonly unit: string; readonly spent: string | number }[]
}

export interface AuditEntry {
  readonly action: string
  readonly target: { readonly id: string }
  readonly outcome: string
  readonly after: unknown
}

export const usageGroupings = ['model', 'workflow_id', 'department_id', 'customer_id'] as const
export type UsageGrouping = (typeof usageGroupings)[number]

export async function readOutside(url: string, orgId: string, key: string): Promise<Outside> {
  const get = async (path: string) => {
    const { status, text, json } = await call(url, 'GET', path, { key })
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`)
    return json as unknown
  }
  const all = async <T>(path: string): Promise<T[]> => {
    const rows: T[] = []
    let cursor: string | null = null
    do {
      const more: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page = (await get(`${path}${path.includes('?') ? '&' : '?'}limit=200${more}`)) as Page<T>
      rows.push(...page.data)
      cursor = page.next_cursor
    } while (cursor !== null)
    return rows
  }
  const org = `/v1/orgs/${orgId}`
  const usage = {} as Record<UsageGrouping, UsageRow[]>
  for (const grouping of usageGroupings)
    usage[grouping] = await all<UsageRow>(`${org}/usage?granularity=month&group_by=${grouping}`)
  return {
    runs: await all<Run>('/v1/runs'),
    budgets: await all<Budget>(`${org}/budgets`),
    cap: (await get(`${org}/spend-cap`)) as Outside['cap'],
    usage,
    movements: await all<LedgerMovement>(`${org}/ledger`),
    audit: await all<AuditEntry>(`${org}/audit-log`),
    auditVerification: (await get(`${org}/audit-log/verify`)) as Outside['auditVerification'],
  }
}

interface Page<T> {
  readonly data: readonly T[]
  readonly next_cursor: string | null
}
