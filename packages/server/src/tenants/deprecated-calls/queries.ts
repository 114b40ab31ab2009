import { sql as raw } from 'kysely'
import type { Caller } from '../../access/identity/identity.ts'
import type { PageRequest, TimeWindow } from '../../contract/lists.ts'
import type { Tx } from '../../platform/infra/sql.ts'

/** Kinds of callers that `/v1` knows. */
export type CallerKind = Exclude<Caller['kind'], 'directory'>

export interface CallCountRow {
  readonly org_id: string
  /** The UTC day as an ISO date. */
  readonly day: string
  readonly method: string
  readonly route: string
  readonly caller_id: string
  readonly caller_kind: CallerKind
  readonly count: number
  readonly at: string
}

/** Adds to the stored counts, in the order of the key, so that concurrent processes wait for each other without a deadlock. */
export async function addCalls(tx: Tx, rows: readonly CallCountRow[]) {
  await raw`insert into deprecated_calls as c (org_id, day, method, route, caller_id, caller_kind, calls, last_at)
    select org_id, day, method, route, caller_id, caller_kind, count, at
      from json_to_recordset(${JSON.stringify(rows)}) as r (org_id uuid, day date, method text, route text, caller_id uuid,
           caller_kind text, count bigint, at timestamptz)
     order by org_id, day, method, route, caller_id
    on conflict (org_id, day, method, route, caller_id) do update
       set calls = c.calls + excluded.calls, last_at = greatest(c.last_at, excluded.last_at)`.execute(tx)
}

export interface CallsRow {
  /** Caller and route, which tell rows apart. */
  readonly id: string
  readonly method: string
  readonly route: string
  readonly caller_id: string
  readonly caller_kind: CallerKind
  readonly name: string | null
  readonly calls: bigint
  readonly first_day: string
  readonly last_called_at: Date
  readonly sort_value: string
}

export interface CallsWanted {
  /** Routes that are deprecated now. */
  readonly routes: readonly { readonly method: string; readonly route: string }[]
  readonly window: TimeWindow
  readonly callerId: string | undefined
  /** Pins that a key must have to be seen; undefined for whoever sees every caller. */
  readonly pins: Caller['pins'] | undefined
}

export type CallSort = 'last_called_at' | 'calls'

const sortTypes = { last_called_at: raw`timestamptz`, calls: raw`bigint` }

/** Returns a page of calls by route and caller, summed over the days of a window. */
export async function listCalls(
  tx: Tx,
  orgId: string,
  { limit, sort, descending, after }: PageRequest<CallSort>,
  { routes, window: { from, to }, callerId, pins }: CallsWanted,
): Promise<CallsRow[]> {
  const order = descending ? raw`desc` : raw`asc`
  const beyond = after
    ? raw`(${raw.ref(sort)}, id) ${descending ? raw`<` : raw`>`} (${after.value}::${sortTypes[sort]}, ${after.id})`
    : raw`true`
  const { rows } = await raw<CallsRow>`
    select s.*, ${raw.ref(sort)}::text as sort_value from (
      select c.caller_id || ' ' || c.method || ' ' || c.route as id, c.method, c.route, c.caller_id, c.caller_kind, k.name,
             sum(c.calls)::bigint as calls, min(c.day)::text as first_day, max(c.last_at) as last_called_at
        from deprecated_calls c
        join json_to_recordset(${JSON.stringify(routes)}) as r (method text, route text)
          on r.method = c.method and r.route = c.route
        left join api_keys k on k.org_id = c.org_id and k.id = c.caller_id
       where c.org_id = ${orgId} and c.day >= (${from}::timestamptz at time zone 'UTC')::date
         and c.day < (${to}::timestamptz at time zone 'UTC')
         and (${callerId ?? null}::uuid is null or c.caller_id = ${callerId ?? null})
         and (${pins === undefined} or k.pins @> ${JSON.stringify(pins ?? {})}::jsonb)
       group by c.method, c.route, c.caller_id, c.caller_kind, k.name) s
     where ${beyond} order by ${raw.ref(sort)} ${order}, id ${order} limit ${limit + 1}`.execute(tx)
  return rows
}
