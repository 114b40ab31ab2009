import { sql as raw } from 'kysely'
import type { PageRequest } from '../contract/lists.ts'
import { keysetPage } from '../platform/infra/keyset.ts'
import { partitionBounds } from '../platform/infra/partitions.ts'
import type { Tx } from '../platform/infra/sql.ts'
import { prefixes } from '../values/id.ts'
import { minuteMs } from '../values/time.ts'
import type { Explanation } from './schema.ts'

export interface ListedRow {
  readonly org_id: string
  readonly id: string
  /** The UTC day as an ISO date. */
  readonly day: string
  readonly error_code: string
  readonly decided_by: string | null
  readonly surface: string
  readonly key_id: string | null
  readonly model: string | null
  readonly workflow_id: string | null
  readonly deployment_id: string | null
  readonly department_id: string | null
  readonly customer_id: string | null
  readonly user_id: string | null
  readonly chain_id: string | null
  readonly count: number
  readonly first_at: string
  readonly last_at: string
  readonly message: string
  readonly body: Explanation
}

const dayOf = ({ org_id, day }: Pick<ListedRow, 'org_id' | 'day'>) => `${org_id} ${day}`

/**
 * Adds refusals to the list, up to a number of rows per organization and day; returns those that did not fit. Processes take the
 * days in order and wait for each other, so that the bound is exact.
 */
export async function addListed(
  tx: Tx,
  rows: readonly ListedRow[],
  perDay: number,
  full: { readonly has: (day: string) => boolean },
): Promise<ListedRow[]> {
  const days = [...new Map(rows.map((row) => [dayOf(row), { org_id: row.org_id, day: row.day }])).values()]
  const asJson = JSON.stringify(days)
  // A full day takes no more rows, so nobody has to wait for it.
  const open = days.filter((day) => !full.has(dayOf(day)))
  const rooms = new Map<string, number>()
  if (open.length > 0) {
    await raw`insert into refusal_days (org_id, day)
      select org_id, day from json_to_recordset(${asJson}) as d (org_id uuid, day date) order by org_id, day
      on conflict do nothing`.execute(tx)
    const { rows: found } = await raw<{ org_id: string; day: string; listed: number }>`
      select r.org_id, r.day::text as day, r.listed from refusal_days r
        join json_to_recordset(${JSON.stringify(open)}) as d (org_id uuid, day date) on d.org_id = r.org_id and d.day = r.day
       order by r.org_id, r.day for no key update of r`.execute(tx)
    for (const row of found) rooms.set(dayOf(row), perDay - row.listed)
  }
  const { rows: counted } = await raw<{ org_id: string; id: string }>`
    update refusals r set count = r.count + n.count, last_at = greatest(r.last_at, n.last_at)
      from json_to_recordset(${JSON.stringify(rows.map(({ org_id, id, count, last_at }) => ({ org_id, id, count, last_at })))})
           as n (org_id uuid, id uuid, count bigint, last_at timestamptz)
     where r.org_id = n.org_id and r.id = n.id returning r.org_id, r.id`.execute(tx)
  const known = new Set(counted.map(({ org_id, id }) => `${org_id} ${id}`))
  const added: ListedRow[] = []
  const left: ListedRow[] = []
  for (const row of rows) {
    if (known.has(`${row.org_id} ${row.id}`)) continue
    const room = rooms.get(dayOf(row)) ?? 0
    rooms.set(dayOf(row), room - 1)
    if (room > 0) added.push(row)
    else left.push(row)
  }
  if (added.length > 0) {
    const listed = JSON.stringify(added)
    await raw`insert into refusals (org_id, id, error_code, decided_by, surface, key_id, model, workflow_id, deployment_id,
                                    department_id, customer_id, user_id, chain_id, count, first_at, last_at, message, body)
      select org_id, id, error_code, decided_by, surface, key_id, model, workflow_id, deployment_id,
             department_id, customer_id, user_id, chain_id, count, first_at, last_at, message, body
        from json_to_recordset(${listed}) as r (org_id uuid, id uuid, error_code text, decided_by text, surface text, key_id text,
             model text, workflow_id text, deployment_id text, department_id text, customer_id text, user_id text, chain_id text, count bigint,
             first_at timestamptz, last_at timestamptz, message text, body jsonb)`.execute(tx)
    await raw`update refusal_days d set listed = d.listed + n.added
      from (select org_id, day, count(*) as added
              from json_to_recordset(${listed}) as r (org_id uuid, day date) group by org_id, day) n
     where d.org_id = n.org_id and d.day = n.day`.execute(tx)
  }
  return left
}

const columns = [
  'id',
  'error_code',
  'decided_by',
  'surface',
  'key_id',
  'model',
  'workflow_id',
  'deployment_id',
  'department_id',
  'customer_id',
  'user_id',
  'chain_id',
  'count',
  'first_at',
  'last_at',
  'message',
  'body',
] as const

/** Values that a row must have. */
export type RefusalFilters = {
  readonly [K in
    | 'error_code'
    | 'decided_by'
    | 'surface'
    | 'key_id'
    | 'model'
    | 'workflow_id'
    | 'deployment_id'
    | 'department_id'
    | 'customer_id'
    | 'user_id'
    | 'chain_id']?: string | undefined
}

export interface RefusalWindow {
  readonly from: Date
  readonly to?: Date | undefined
}

function refusalsIn(tx: Tx, orgId: string, { from, to }: RefusalWindow, filters: RefusalFilters) {
  // The id determines the partition; the refusals of a row lie within its minute.
  const firstMinute = new Date(Math.floor(from.getTime() / minuteMs) * minuteMs)
  let query = tx
    .selectFrom('refusals')
    .where('org_id', '=', orgId)
    .where('id', '>=', partitionBounds.uuid(firstMinute))
    .where('last_at', '>=', from)
  if (to !== undefined) query = query.where('id', '<', partitionBounds.uuid(to)).where('first_at', '<', to)
  for (const [column, value] of Object.entries(filters) as [keyof RefusalFilters, string | undefined][])
    if (value !== undefined) query = query.where(column, '=', value)
  return query
}

export const listRefusalRows = (
  tx: Tx,
  orgId: string,
  page: PageRequest<'minute'>,
  window: RefusalWindow,
  filters: RefusalFilters,
) => keysetPage(refusalsIn(tx, orgId, window, filters).select(columns), { sort: 'id', id: 'id' }, page).execute()

export type RefusalRow = Awaited<ReturnType<typeof listRefusalRows>>[number]

export const findRefusalRow = (tx: Tx, orgId: string, id: string): Promise<RefusalRow | undefined> =>
  tx.selectFrom('refusals').select(columns).where('org_id', '=', orgId).where('id', '=', id).executeTakeFirst()

/**
 * Returns how many runs of a chain were refused, as far as they are listed, and when a limit of the chain itself first refused.
 */
export async function chainRefusals(tx: Tx, orgId: string, filters: RefusalFilters, from: Date) {
  const ofChain = `${prefixes.chain}_`
  return refusalsIn(tx, orgId, { from }, filters)
    .select([
      raw<bigint>`coalesce(sum(count), 0)::bigint`.as('refused'),
      raw<Date | null>`min(first_at) filter (where starts_with(decided_by, ${ofChain}))`.as('exhausted_at'),
    ])
    .executeTakeFirstOrThrow()
}

export interface DailyRow {
  readonly day: string
  readonly error_code: string
  readonly count: bigint
}

/** Returns every refusal by day and code, listed or not. */
export async function dailyRefusals(tx: Tx, orgId: string, from: Date, to: Date): Promise<DailyRow[]> {
  const { rows } = await raw<DailyRow>`
    select day::text as day, error_code, count from refusal_counts
     where org_id = ${orgId} and day >= (${from}::timestamptz at time zone 'UTC')::date and day < (${to}::timestamptz at time zone 'UTC')
     order by day, error_code`.execute(tx)
  return rows
}

/** Returns listed refusals by day and code, for callers that may see only a part of them. */
export async function dailyListed(tx: Tx, orgId: string, window: RefusalWindow, filters: RefusalFilters) {
  const day = raw<string>`(first_at at time zone 'UTC')::date::text`
  const rows = await refusalsIn(tx, orgId, window, filters)
    .select([day.as('day'), 'error_code', raw<bigint>`sum(count)::bigint`.as('count')])
    .groupBy([day, 'error_code'])
    .orderBy(day)
    .orderBy('error_code')
    .execute()
  return rows satisfies DailyRow[]
}
