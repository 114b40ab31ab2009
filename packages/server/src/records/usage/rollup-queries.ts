import { type RawBuilder, sql as raw } from 'kysely'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'
import { usageCounters } from '../run-log/run-log.ts'
import type { Combination } from './attribution.ts'
import { dimensions } from './schema.ts'

const columns = (names: readonly string[]) => raw.join(names.map((name) => raw.ref(name)))
/** Caps counters at the largest number that their columns hold; money has columns of any size. */
const fitting = (name: string, sum: RawBuilder<unknown>) =>
  name.endsWith('_nano') ? sum : raw`least(${sum}, 9223372036854775807)`
const sums = raw.join(usageCounters.map((name) => fitting(name, raw`sum(${raw.ref(name)})`)))
const added = raw.join(
  usageCounters.map((name) => {
    const column = raw.ref(name)
    return raw`${column} = ${fitting(name, raw`u.${column}::numeric + excluded.${column}`)}`
  }),
)
const bucketKey = ['org_id', 'bucket', ...dimensions]
const customerKey = ['org_id', 'day', 'customer_id']

/** Takes the organization's folding lock, if it is free: two at once would only wait for each other. */
export async function tryFoldingLock(tx: Tx, orgId: string): Promise<boolean> {
  const { rows } = await raw<{ is_ours: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`usage ${orgId}`}, 0)) as is_ours`.execute(tx)
  return one(rows).is_ours
}

/** One row on its way into a rollup: a delta that is not folded yet, or a quarter of an hour that has become old. */
export interface FoldedRow extends Combination {
  readonly ref: string
  readonly period: Date
  readonly customer_id: string | null
}

/** Returns the oldest deltas of an organization. */
export async function readDeltas(tx: Tx, orgId: string, most: number): Promise<FoldedRow[]> {
  const { rows } = await raw<FoldedRow>`
    select id as ref, bucket as period, ${columns([...dimensions, 'customer_id'])} from usage_deltas
     where org_id = ${orgId} order by id limit ${most}`.execute(tx)
  return rows
}

/** Returns the oldest quarters of an hour of an organization before a time; their period is their UTC day. */
export async function readOldBuckets(tx: Tx, orgId: string, before: Date, most: number): Promise<FoldedRow[]> {
  const { rows } = await raw<FoldedRow>`
    select ctid::text as ref, date_trunc('day', bucket, 'UTC') as period, ${columns(dimensions)}, null as customer_id
      from usage_15m where org_id = ${orgId} and bucket < ${before} order by bucket limit ${most}`.execute(tx)
  return rows
}

/** Rows that are folded, and those of them that are counted under other names than their own. */
export interface FoldBatch {
  readonly rows: readonly FoldedRow[]
  readonly renamed: readonly FoldedRow[]
}

const given = (name: string) => raw`coalesce(r.${raw.ref(name)}, t.${raw.ref(name)}) as ${raw.ref(name)}`
const givenNames = raw.join([...dimensions, 'customer_id'].map(given))
const renamedRows = (renamed: readonly FoldedRow[]) => raw`
  json_to_recordset(${JSON.stringify(renamed)}) as r (ref text, ${raw.join(
    [...dimensions, 'customer_id'].map((name) => raw`${raw.ref(name)} text`),
  )})`

/** Moves deltas into the rollups, in one statement. */
export async function foldRows(tx: Tx, orgId: string, { rows, renamed }: FoldBatch) {
  await raw`
    with taken as (
      delete from usage_deltas where org_id = ${orgId} and id = any (${rows.map(({ ref }) => ref)}::uuid[]) returning *),
    named as (
      select t.org_id, t.bucket, ${columns(usageCounters)}, ${givenNames}
        from taken t left join ${renamedRows(renamed)} on r.ref::uuid = t.id),
    buckets as (
      insert into usage_15m as u (${columns([...bucketKey, ...usageCounters])})
      select ${columns(bucketKey)}, ${sums} from named where customer_id is null
       group by ${columns(bucketKey)} order by ${columns(bucketKey)}
      on conflict (${columns(bucketKey)}) do update set ${added})
    insert into usage_customer_days as u (${columns([...customerKey, ...usageCounters])})
    select org_id, (bucket at time zone 'UTC')::date, customer_id, ${sums} from named where customer_id is not null
     group by 1, 2, 3 order by 1, 2, 3
    on conflict (${columns(customerKey)}) do update set ${added}`.execute(tx)
}

/** Moves quarters of an hour into their UTC days, in one statement. */
export async function foldOldRows(tx: Tx, orgId: string, { rows, renamed }: FoldBatch) {
  const days = ['org_id', 'day', ...dimensions]
  await raw`
    with taken as (
      delete from usage_15m where org_id = ${orgId} and ctid = any (${rows.map(({ ref }) => ref)}::tid[])
      returning *, null::text as customer_id, ctid::text as ref, date_trunc('day', bucket, 'UTC') as day),
    named as (
      select t.org_id, t.day, ${columns(usageCounters)}, ${givenNames}
        from taken t left join ${renamedRows(renamed)} on r.ref = t.ref)
    insert into usage_days as u (${columns([...bucketKey, ...usageCounters])})
    select ${columns(days)}, ${sums} from named group by ${columns(days)} order by ${columns(days)}
    on conflict (${columns(bucketKey)}) do update set ${added}`.execute(tx)
}

export const nobody = '00000000-0000-0000-0000-000000000000'

/** The next organizations that have something to fold. */
export async function orgsWithDeltas({ db }: Sql, after: string, most: number): Promise<string[]> {
  const { rows } = await raw<{ org_id: string }>`
    select org_id from orgs_with_usage_deltas(${after}, ${most}) as org_id`.execute(db)
  return rows.map(({ org_id }) => org_id)
}

export async function orgsWithOldUsage({ db }: Sql, before: Date, after: string, most: number) {
  const { rows } = await raw<{ org_id: string; is_old: boolean }>`
    select org_id, is_old from orgs_with_old_usage(${before}, ${after}, ${most})`.execute(db)
  return rows
}

/** Estimates the number of waiting deltas from the database's statistics: counting would take longer the more there are. */
export async function deltasWaiting({ db }: Sql): Promise<number> {
  const { rows } = await raw<{ waiting: number }>`
    select n_live_tup::float8 as waiting from pg_stat_user_tables where relname = 'usage_deltas'`.execute(db)
  return rows[0]?.waiting ?? 0
}
