import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'

const columns = ['dimension', 'known_values', 'pattern', 'on_unknown', 'created_at', 'updated_at'] as const

export const dimensionRows = (tx: Tx, orgId: string) =>
  tx.selectFrom('dimension_settings').select(columns).where('org_id', '=', orgId).execute()

export type KnownValuesRow = Awaited<ReturnType<typeof dimensionRows>>[number]

export const findDimension = (tx: Tx, orgId: string, dimension: string): Promise<KnownValuesRow | undefined> =>
  tx
    .selectFrom('dimension_settings')
    .select(columns)
    .where('org_id', '=', orgId)
    .where('dimension', '=', dimension)
    .executeTakeFirst()

export const upsertDimension = (
  tx: Tx,
  orgId: string,
  dimension: string,
  settings: Pick<KnownValuesRow, 'known_values' | 'pattern' | 'on_unknown'>,
): Promise<KnownValuesRow> =>
  tx
    .insertInto('dimension_settings')
    .values({ org_id: orgId, dimension, ...settings })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'dimension']).doUpdateSet({ ...settings, updated_at: raw`clock_timestamp()` }),
    )
    .returning(columns)
    .executeTakeFirstOrThrow()

export const deleteDimension = (tx: Tx, orgId: string, dimension: string) =>
  tx.deleteFrom('dimension_settings').where('org_id', '=', orgId).where('dimension', '=', dimension).execute()
