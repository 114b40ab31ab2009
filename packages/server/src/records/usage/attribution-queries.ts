import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'
import type { BoundedDimension, Combination } from './attribution.ts'
import type { FoldedRow } from './rollup-queries.ts'
import { dimensions } from './schema.ts'

/** A value of a dimension. */
export interface DimensionValue {
  readonly dimension: BoundedDimension
  readonly value: string
}

const valueRows = (values: readonly DimensionValue[]) => raw`
  unnest(${values.map(({ dimension }) => dimension)}::text[], ${values.map(({ value }) => value)}::text[])
    as said (dimension, value)`

/** Returns the organization's bound of new values a day; null where it has set none. */
export async function readBounds(tx: Tx, orgId: string) {
  const { rows } = await raw<{ values: number | null; customers: number | null }>`
    select (select max_new_values_per_day from orgs where id = ${orgId}) as values,
           (select max_new_customers_per_day from customer_limits where org_id = ${orgId} and customer_id = '') as customers`.execute(
    tx,
  )
  return one(rows)
}

/** Returns those of the values that are known, and whether each was last seen before today. */
export async function readKnownValues(tx: Tx, orgId: string, values: readonly DimensionValue[], today: string) {
  const { rows } = await raw<DimensionValue & { isStale: boolean }>`
    select v.dimension, v.value, v.last_seen_on < ${today}::date as "isStale" from ${valueRows(values)}
     cross join lateral (
      select dimension, value, last_seen_on from usage_dimension_values
       where org_id = ${orgId} and dimension = said.dimension and value = said.value limit 1) v`.execute(tx)
  return rows
}

/** Returns the number of new values of a day, by dimension. */
export async function countNewValues(tx: Tx, orgId: string, names: readonly string[], today: string) {
  const { rows } = await raw<{ dimension: string; count: number }>`
    select d as dimension, n.count from unnest(${names}::text[]) as d cross join lateral (
      select count(*)::integer as count from usage_dimension_values
       where org_id = ${orgId} and dimension = d and first_seen_on = ${today}::date and value <> '(other)') n`.execute(
    tx,
  )
  return new Map(rows.map(({ dimension, count }) => [dimension, count]))
}

/** Stores values as seen today; returns those that had not been. */
export async function storeValues(
  tx: Tx,
  orgId: string,
  values: readonly { readonly dimension: string; readonly value: string }[],
  today: string,
): Promise<string[]> {
  const { rows } = await raw<{ dimension: string }>`
    insert into usage_dimension_values as v (org_id, dimension, value, first_seen_on, last_seen_on)
    select ${orgId}, said.dimension, said.value, ${today}::date, ${today}::date
      from ${valueRows(values as readonly DimensionValue[])} order by 2, 3
    on conflict (org_id, dimension, value) do update set last_seen_on = excluded.last_seen_on
      where v.last_seen_on < excluded.last_seen_on
    returning dimension`.execute(tx)
  return rows.map(({ dimension }) => dimension)
}

/** A table of rollups; both have the same dimensions. */
export type Rollup = 'usage_15m' | 'usage_days'

/** Returns the number of rows in periods of a rollup, counted up to a maximum. */
export async function countRows(tx: Tx, orgId: string, rollup: Rollup, periods: readonly Date[], most: number) {
  const { rows } = await raw<{ period: Date; count: number }>`
    select p as period, n.count from unnest(${periods}::timestamptz[]) as p cross join lateral (
      select count(*)::integer as count from (
        select from ${raw.table(rollup)} where org_id = ${orgId} and bucket = p limit ${most}) as first) n`.execute(tx)
  return new Map(rows.map(({ period, count }) => [period.getTime(), count]))
}

/** Returns those of the rows that a rollup has. */
export async function readExisting(
  tx: Tx,
  orgId: string,
  rollup: Rollup,
  wanted: readonly Pick<FoldedRow, 'period' | keyof Combination>[],
) {
  const texts = raw.join(dimensions.map((name) => raw`${raw.ref(name)} text`))
  const isSame = raw.join(
    dimensions.map((name) => raw`u.${raw.ref(name)} = w.${raw.ref(name)}`),
    raw` and `,
  )
  const { rows } = await raw<Combination & { period: Date }>`
    select w.* from json_to_recordset(${JSON.stringify(wanted)}) as w (period timestamptz, ${texts})
     where exists (select from ${raw.table(rollup)} u where u.org_id = ${orgId} and u.bucket = w.period and ${isSame})`.execute(
    tx,
  )
  return rows
}
