import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'
import type { MappedDimension } from './names.ts'

const columns = [
  'workflow_id',
  'deployment_id',
  'department_id',
  'customer_id',
  'user_id',
  'seat_keys',
  'seat_accounts',
  'seat_logins',
  'created_at',
  'updated_at',
] as const

export const findMapping = (tx: Tx, orgId: string) =>
  tx.selectFrom('otlp_mappings').select(columns).where('org_id', '=', orgId).executeTakeFirst()

/** The columns that tell whose usage is that of a seat. */
type Seats = 'seat_keys' | 'seat_accounts' | 'seat_logins'

export type MappingRow = NonNullable<Awaited<ReturnType<typeof findMapping>>>

export const upsertMapping = (
  tx: Tx,
  orgId: string,
  mapping: Pick<MappingRow, MappedDimension | Seats>,
): Promise<MappingRow> =>
  tx
    .insertInto('otlp_mappings')
    .values({ org_id: orgId, ...mapping })
    .onConflict((conflict) => conflict.column('org_id').doUpdateSet({ ...mapping, updated_at: raw`clock_timestamp()` }))
    .returning(columns)
    .executeTakeFirstOrThrow()

export const deleteMapping = (tx: Tx, orgId: string) =>
  tx.deleteFrom('otlp_mappings').where('org_id', '=', orgId).execute()
