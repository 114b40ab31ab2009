import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'

const settings = [
  'reported_cost',
  'reported_usage',
  'min_lease_seconds',
  'release',
  'edge_expiry',
  'over_limit_reports',
  'max_overrun_nano',
  'start_only',
  'input_required',
  'action_required',
] as const
const columns = ['subject_id', ...settings, 'created_at', 'updated_at'] as const

export const trustRowsOf = (tx: Tx, orgId: string) =>
  tx.selectFrom('trust_settings').select(columns).where('org_id', '=', orgId).execute()

export type TrustRow = Awaited<ReturnType<typeof trustRowsOf>>[number]

export const findTrust = (tx: Tx, orgId: string, subjectId: string): Promise<TrustRow | undefined> =>
  tx
    .selectFrom('trust_settings')
    .select(columns)
    .where('org_id', '=', orgId)
    .where('subject_id', '=', subjectId)
    .executeTakeFirst()

export const upsertTrust = (
  tx: Tx,
  orgId: string,
  subjectId: string,
  values: Pick<TrustRow, (typeof settings)[number]>,
): Promise<TrustRow> =>
  tx
    .insertInto('trust_settings')
    .values({ org_id: orgId, subject_id: subjectId, ...values })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'subject_id']).doUpdateSet({ ...values, updated_at: raw`clock_timestamp()` }),
    )
    .returning(columns)
    .executeTakeFirstOrThrow()

export const deleteTrust = (tx: Tx, orgId: string, subjectId: string) =>
  tx.deleteFrom('trust_settings').where('org_id', '=', orgId).where('subject_id', '=', subjectId).execute()
