import { sql as raw } from 'kysely'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import type { CohortMember, Contribution, ContributorSet, PublishedMetric } from './publication-rules.ts'

/**
 * The only access of benchmarks across tenants. The application can read only the caller's own usage; these database functions
 * return sums of a cohort's members to a transaction that declares itself a publisher.
 */

/** Runs one short transaction that is declared a publisher. */
export const asPublisher = <T>(sql: Sql, work: (tx: Tx) => Promise<T>, orgIds: readonly string[] = []): Promise<T> =>
  sql.asOrgs(orgIds, async (tx) => {
    await raw`select set_config('app.publisher', 'on', true)`.execute(tx)
    return work(tx)
  })

export async function membersOf(tx: Tx, cohortId: string): Promise<CohortMember[]> {
  const { rows } = await raw<{ org_id: string; joined_at: Date }>`
    select org_id, joined_at from benchmark_members_of(${cohortId})`.execute(tx)
  return rows.map(({ org_id, joined_at }) => ({ orgId: org_id, joinedAtMs: joined_at.getTime() }))
}

export async function sumsOf(
  tx: Tx,
  cohortId: string,
  orgIds: readonly string[],
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
): Promise<Contribution[]> {
  const { rows } = await raw<{ org_id: string } & Contribution['sums']>`
    select * from benchmark_sums_of(${cohortId}, ${orgIds}::uuid[], ${new Date(startMs)}, ${new Date(endMs)})`.execute(
    tx,
  )
  return rows.map(({ org_id, ...sums }) => ({ orgId: org_id, sums }))
}

/** Locks publishing until the transaction ends: nobody else publishes, joins or leaves. */
export async function lockPublishing(tx: Tx) {
  await raw`select pg_advisory_xact_lock(hashtextextended('benchmarks', 0))`.execute(tx)
}

/** Returns the end of the last period that was decided on. */
export async function findLastPeriodEnd({ db }: Sql, cohortId: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('benchmark_periods')
    .select('period_end')
    .where('cohort_id', '=', cohortId)
    .orderBy('period_start', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.period_end
}

/** Claims a period. Returns true when nobody had claimed it before. */
export async function insertPeriod(
  tx: Tx,
  period: {
    readonly cohort_id: string
    readonly period_start: Date
    readonly period_end: Date
    readonly contributors_needed: number
    readonly told_size: number | null
  },
): Promise<boolean> {
  const row = await tx
    .insertInto('benchmark_periods')
    .values(period)
    .onConflict((conflict) => conflict.doNothing())
    .returning('cohort_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Returns every set ever published that contains one of these organizations. */
export async function findSetsWith(tx: Tx, orgIds: readonly string[]): Promise<ContributorSet[]> {
  const { rows } = await raw<{ set_id: string; org_id: string }>`
    select set_id, org_id from benchmark_sets_with(${orgIds}::uuid[])`.execute(tx)
  return [...Map.groupBy(rows, ({ set_id }) => set_id)].map(([id, members]) => ({
    id,
    orgs: new Set(members.map(({ org_id }) => org_id)),
  }))
}

export async function storeContributorSet(tx: Tx, { id, orgs }: ContributorSet) {
  await raw`select benchmark_keep_set(${id}, ${[...orgs]}::uuid[])`.execute(tx)
}

export async function insertBenchmarkResults(
  tx: Tx,
  cohortId: string,
  start: Date,
  published: readonly PublishedMetric[],
) {
  const rows = published.map(({ metric, contributors, percentiles }) => ({
    cohort_id: cohortId,
    period_start: start,
    metric,
    set_id: contributors?.id ?? null,
    percentiles: JSON.stringify(percentiles.values),
    withheld: JSON.stringify(percentiles.withheld),
  }))
  await tx.insertInto('benchmark_results').values(rows).execute()
}

/** True when the cohort is open; locks it against closing until the transaction ends. A closed cohort is no longer published. */
export async function isStillOpen(tx: Tx, cohortId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('benchmark_cohorts')
    .select('status')
    .where('id', '=', cohortId)
    .forShare()
    .executeTakeFirst()
  return row?.status === 'open'
}
