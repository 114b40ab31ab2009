import { sql as raw } from 'kysely'
import type { PageRequest } from '../../contract/lists.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { one, present } from '../../values/present.ts'
import type { Metric, PeriodSums } from './metrics.ts'
import type { Percentiles } from './percentiles.ts'
import type { CohortPeriod } from './periods.ts'

const columns = ['id', 'name', 'industry', 'size', 'workload', 'period', 'status', 'created_at', 'updated_at'] as const

export interface CohortRow {
  readonly id: string
  readonly name: string
  readonly industry: string | null
  readonly size: string | null
  readonly workload: string | null
  readonly period: CohortPeriod
  readonly status: 'open' | 'closed'
  readonly created_at: Date
  readonly updated_at: Date
}

type StoredCohort = Omit<CohortRow, 'period' | 'status'> & { readonly period: string; readonly status: string }
const cohortOf = <T extends StoredCohort>(row: T) => ({
  ...row,
  period: row.period as CohortPeriod,
  status: row.status as CohortRow['status'],
})

export type NewCohort = Pick<CohortRow, 'id' | 'name' | 'industry' | 'size' | 'workload' | 'period'>

export async function insertCohort(tx: Tx, cohort: NewCohort): Promise<CohortRow> {
  return cohortOf(await tx.insertInto('benchmark_cohorts').values(cohort).returning(columns).executeTakeFirstOrThrow())
}

export async function findCohort(tx: Tx | Sql['db'], id: string): Promise<CohortRow | undefined> {
  const row = await tx.selectFrom('benchmark_cohorts').select(columns).where('id', '=', id).executeTakeFirst()
  return row && cohortOf(row)
}

export async function lockCohort(tx: Tx, id: string): Promise<CohortRow | undefined> {
  const row = await tx
    .selectFrom('benchmark_cohorts')
    .select(columns)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row && cohortOf(row)
}

export interface CohortChange {
  readonly name?: string
  readonly status?: CohortRow['status']
  readonly isReopened: boolean
}

export async function updateCohort(tx: Tx, id: string, { isReopened, ...fields }: CohortChange) {
  const row = await tx
    .updateTable('benchmark_cohorts')
    .set({ ...fields, ...(isReopened && { opened_at: raw`clock_timestamp()` }), updated_at: raw`clock_timestamp()` })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()
  return cohortOf(row)
}

export type CohortFilters = {
  readonly [K in 'industry' | 'size' | 'workload' | 'period' | 'status']?: string
}

export async function listCohorts(
  tx: Tx | Sql['db'],
  page: PageRequest<'created_at' | 'name'>,
  { industry, size, workload, period, status }: CohortFilters,
) {
  let query = tx
    .selectFrom('benchmark_cohorts')
    .select([...columns, raw<string>`${raw.ref(page.sort)}::text`.as('sort_value')])
  for (const [name, value] of Object.entries({ industry, size, workload, period, status }))
    if (value !== undefined) query = query.where(raw.ref<string>(name), '=', value)
  const rows = await keysetPage(query, { sort: page.sort, id: 'id' }, page).execute()
  return rows.map(cohortOf)
}

export const openCohorts = async ({ db }: Sql): Promise<(CohortRow & { readonly opened_at: Date })[]> =>
  (
    await db
      .selectFrom('benchmark_cohorts')
      .select([...columns, 'opened_at'])
      .where('status', '=', 'open')
      .orderBy('created_at')
      .orderBy('id')
      .execute()
  ).map(cohortOf)

export const cohortsById = async (tx: Tx, ids: readonly string[]): Promise<CohortRow[]> =>
  ids.length === 0
    ? []
    : (await tx.selectFrom('benchmark_cohorts').select(columns).where('id', 'in', ids).execute()).map(cohortOf)

/** Returns the cohorts that an organization has joined, in the order of joining. */
export const membershipsOf = (tx: Tx, orgId: string) =>
  tx
    .selectFrom('benchmark_members')
    .innerJoin('benchmark_cohorts', 'benchmark_cohorts.id', 'benchmark_members.cohort_id')
    .select(['cohort_id', 'name', 'status', 'joined_at'])
    .where('org_id', '=', orgId)
    .orderBy('joined_at')
    .orderBy('cohort_id')
    .execute()

export async function joinCohorts(tx: Tx, orgId: string, cohortIds: readonly string[]) {
  if (cohortIds.length === 0) return
  await tx
    .insertInto('benchmark_members')
    .values(cohortIds.map((cohort_id) => ({ org_id: orgId, cohort_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function leaveCohorts(tx: Tx, orgId: string, cohortIds: readonly string[]) {
  if (cohortIds.length === 0) return
  await tx.deleteFrom('benchmark_members').where('org_id', '=', orgId).where('cohort_id', 'in', cohortIds).execute()
}

/** Locks an organization's memberships: changes to them are serialised, and none happens while values are being published. */
export async function lockMemberships(tx: Tx, orgId: string) {
  await raw`select pg_advisory_xact_lock(hashtextextended(${`benchmark member ${orgId}`}, 0)),
                   pg_advisory_xact_lock_shared(hashtextextended('benchmarks', 0))`.execute(tx)
}

export interface PublishedPeriodRow {
  readonly cohort_id: string
  readonly period_start: Date
  readonly period_end: Date
  readonly told_size: number
  readonly contributors_needed: number
  readonly judged_at: Date
}

const periodColumns = [
  'cohort_id',
  'period_start',
  'period_end',
  'told_size',
  'contributors_needed',
  'judged_at',
] as const

/** Returns the newest published period, or the one that starts at `start`. */
export async function findPublished(tx: Tx, cohortId: string, start?: Date): Promise<PublishedPeriodRow | undefined> {
  let query = tx
    .selectFrom('benchmark_periods')
    .select(periodColumns)
    .where('cohort_id', '=', cohortId)
    .where('told_size', 'is not', null)
  if (start !== undefined) query = query.where('period_start', '=', start)
  const row = await query.orderBy('period_start', 'desc').limit(1).executeTakeFirst()
  return row && { ...row, told_size: present(row.told_size) }
}

/** Returns the start of the newest published period of each cohort. */
export async function latestPublished(tx: Tx, cohortIds: readonly string[]): Promise<Map<string, Date>> {
  if (cohortIds.length === 0) return new Map()
  const rows = await tx
    .selectFrom('benchmark_periods')
    .select(({ fn }) => ['cohort_id', fn.max('period_start').as('period_start')])
    .where('cohort_id', 'in', cohortIds)
    .where('told_size', 'is not', null)
    .groupBy('cohort_id')
    .execute()
  return new Map(rows.map(({ cohort_id, period_start }) => [cohort_id, period_start]))
}

export interface BenchmarkResultRow {
  readonly metric: Metric
  readonly percentiles: Percentiles['values']
  readonly withheld: Percentiles['withheld']
}

export async function resultsOf(tx: Tx, cohortId: string, start: Date): Promise<BenchmarkResultRow[]> {
  const rows = await tx
    .selectFrom('benchmark_results')
    .select(['metric', 'percentiles', 'withheld'])
    .where('cohort_id', '=', cohortId)
    .where('period_start', '=', start)
    .execute()
  return rows as unknown as BenchmarkResultRow[]
}

/** Returns the metrics of which as many contributors as were required have been members ever since. */
export async function openMetrics(tx: Tx, cohortId: string, start: Date): Promise<Set<Metric>> {
  const { rows } = await raw<{ metric: Metric }>`
    select metric from benchmark_open_metrics(${cohortId}, ${start}) as metric`.execute(tx)
  return new Set(rows.map(({ metric }) => metric))
}

/** Returns the sums of the caller's own runs. */
export async function ownSums(tx: Tx, orgId: string, start: Date, end: Date): Promise<PeriodSums> {
  const { rows } = await raw<PeriodSums>`select * from benchmark_sums(${orgId}, ${start}, ${end})`.execute(tx)
  return one(rows)
}
