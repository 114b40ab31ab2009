import type { Tx } from '../../platform/infra/sql.ts'

const columns = ['id', 'target_kind', 'target_id', 'target', 'reason', 'created_at'] as const

export const freezesOf = (tx: Tx, orgId: string) =>
  tx.selectFrom('freezes').select(columns).where('org_id', '=', orgId).orderBy('created_at').orderBy('id').execute()

export type FreezeRow = Awaited<ReturnType<typeof freezesOf>>[number]
