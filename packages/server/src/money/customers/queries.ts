import { sql as raw } from 'kysely'
import type { PageRequest } from '../../contract/lists.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { normalForm } from '../../values/normal-form.ts'
import { inForce, type ScheduleColumns, scheduleSelection } from '../ledger/ledger.ts'

const columns = [
  'customer_id',
  'id',
  'amount',
  ...scheduleSelection,
  'thresholds',
  'max_new_customers_per_day',
  'created_at',
  'updated_at',
] as const

interface Fields extends ScheduleColumns {
  readonly amount: bigint | null
  readonly thresholds: number[]
  readonly max_new_customers_per_day: number | null
}

export const insertCustomerLimit = (tx: Tx, orgId: string, limit: Fields & { id: string; customer_id: string }) =>
  tx
    .insertInto('customer_limits')
    .values({ ...limit, org_id: orgId })
    .returning(columns)
    .executeTakeFirstOrThrow()

export type CustomerLimitRow = Awaited<ReturnType<typeof insertCustomerLimit>>

export const updateCustomerLimit = (tx: Tx, orgId: string, customerId: string, fields: Fields) =>
  tx
    .updateTable('customer_limits')
    .set({ ...fields, updated_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('customer_id', '=', customerId)
    .returning(columns)
    .executeTakeFirstOrThrow()

export const findCustomerLimit = (tx: Tx, orgId: string, customerId: string): Promise<CustomerLimitRow | undefined> =>
  tx
    .selectFrom('customer_limits')
    .select(columns)
    .where('org_id', '=', orgId)
    .where('customer_id', '=', customerId)
    .executeTakeFirst()

export const removeCustomerLimit = (tx: Tx, orgId: string, customerId: string) =>
  tx.deleteFrom('customer_limits').where('org_id', '=', orgId).where('customer_id', '=', customerId).execute()

export function listCustomerLimits(
  tx: Tx,
  orgId: string,
  page: PageRequest<'created_at' | 'customer_id'>,
  filters: { customer_id?: string; period?: string },
) {
  let query = tx
    .selectFrom('customer_limits')
    .select([...columns, raw<string>`${raw.ref(page.sort)}::text`.as('sort_value')])
    .where('org_id', '=', orgId)
    .where('customer_id', '<>', '')
  if (filters.customer_id !== undefined) query = query.where('customer_id', '=', normalForm(filters.customer_id))
  if (filters.period !== undefined) query = query.where(inForce('period'), '=', filters.period)
  return keysetPage(query, { sort: page.sort, id: 'id' }, page).execute()
}
