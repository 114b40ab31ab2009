import { sql as raw } from 'kysely'
import type { Sql, Tx } from '../infra/sql.ts'
import { usageCounters } from '../run-log/run-log.ts'
import { dimensions } from './schema.ts'

const columns = (names: readonly string[]) => raw.join(names.map((name) => raw.ref(name)))
const sums = raw.join(usageCounters.map((name) => raw`sum(${raw.ref(name)})`))
const added = raw.join(
  usageCounters.map((name) => raw`${raw.ref(name)} = u.${raw.ref(name)} + excluded.${raw.ref(name)}`),
)
const bucketKey = ['org_id', 'bucket', ...dimensions]
const customerKey = ['org_id', 'day', 'customer_id']

/** Whoever folds an organization's usage folds it alone: two at once would only wait for each other. */
async function isOurs(tx: Tx, orgId: string): Promise<boolean> {
  const { rows } = await raw<{ is_ours: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`usage ${orgId}`}, 0)) as is_ours`.execute(tx)
  return rows[0]!.is_ours
}

/** Moves some deltas into the rollups, in one transaction; says how many there were. */
export const foldPage = (sql: Sql, orgId: string, most: number): Promise<number> =>
  sql.asOrgs([orgId], async (tx) => {
    if (!(await isOurs(tx, orgId))) return 0
    const { rows } = await raw<{ taken: number }>`
      with taken as (
        delete from usage_deltas where org_id = ${orgId} and id in (
          select id from usage_deltas where org_id = ${orgId} order by id limit ${most}) returning *),
      buckets as (
        insert into usage_15m as u (${columns([...bucketKey, ...usageCounters])})
        select ${columns(bucketKey)}, ${sums} from taken where customer_id is null
         group by ${columns(bucketKey)} order by ${columns(bucketKey)}
        on conflict (${columns(bucketKey)}) do update set ${added}),
      customers as (
        insert into usage_customer_days as u (${columns([...customerKey, ...usageCounters])})
        select org_id, (bucket at time zone 'UTC')::date, customer_id, ${sums} from taken where customer_id is not null
         group by 1, 2, 3 order by 1, 2, 3
        on conflict (${columns(customerKey)}) do update set ${added})
      select count(*)::integer as taken from taken`.execute(tx)
    return rows[0]!.taken
  })

/** Moves some quarters of an hour into their UTC days, in one transaction; says how many there were. */
export const foldOldPage = (sql: Sql, orgId: string, before: Date, most: number): Promise<number> =>
  sql.asOrgs([orgId], async (tx) => {
    if (!(await isOurs(tx, orgId))) return 0
    const days = ['org_id', 'day', ...dimensions]
    const { rows } = await raw<{ taken: number }>`
      with taken as (
        delete from usage_15m where org_id = ${orgId} and ctid = any (array(
          select ctid from usage_15m where org_id = ${orgId} and bucket < ${before} order by bucket limit ${most}))
        returning *, date_trunc('day', bucket, 'UTC') as day),
      folded as (
        insert into usage_days as u (${columns([...bucketKey, ...usageCounters])})
        select ${columns(days)}, ${sums} from taken group by ${columns(days)} order by ${columns(days)}
        on conflict (${columns(bucketKey)}) do update set ${added})
      select count(*)::integer as taken from taken`.execute(tx)
    return rows[0]!.taken
  })

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

/** As the database's statistics have it: to count would take longer the more there are. */
export async function deltasWaiting({ db }: Sql): Promise<number> {
  const { rows } = await raw<{ waiting: number }>`
    select n_live_tup::float8 as waiting from pg_stat_user_tables where relname = 'usage_deltas'`.execute(db)
  return rows[0]?.waiting ?? 0
}
