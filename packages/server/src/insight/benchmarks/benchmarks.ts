import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError, validationFailed } from '../../contract/errors.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuid, requireId } from '../../values/id.ts'
import { timestamp } from '../../values/timestamp.ts'
import { benchmarkPeriodAt } from './periods.ts'
import { rulesOf } from './publication.ts'
import { minContributors } from './publication-rules.ts'
import {
  type CohortRow,
  cohortsById,
  findCohort,
  findPublished,
  insertCohort,
  joinCohorts,
  leaveCohorts,
  lockCohort,
  lockMemberships,
  membershipsOf,
  openMetrics,
  ownSums,
  resultsOf,
  updateCohort,
} from './queries.ts'
import type {
  Benchmark,
  BenchmarkMembership,
  BenchmarkQuery,
  Cohort,
  CohortInput,
  CohortReplacement,
  MembershipInput,
} from './schema.ts'
import { metricsView } from './views.ts'

export { publishBenchmarksJob } from './publication.ts'

export const cohortView = (row: CohortRow): Cohort => ({
  id: formatId('cohort', row.id),
  name: row.name,
  industry: row.industry,
  size: row.size,
  workload: row.workload,
  period: row.period,
  status: row.status,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

export async function createCohort({ tx, audit }: ChangeTools, input: CohortInput): Promise<Cohort> {
  const { name, industry = null, size = null, workload = null, period = 'month' } = input
  const after = cohortView(await insertCohort(tx, { id: newUuid(), name, industry, size, workload, period }))
  audit({ action: 'benchmark_cohort.created', target: { kind: 'benchmark_cohort', id: after.id }, after })
  return after
}

/** Replaces the name and status of a cohort. Its definition never changes, because its members have agreed to exactly that. */
export async function replaceCohort(
  { tx, audit, replaces }: ChangeTools,
  id: string,
  wanted: DesiredState<CohortReplacement>,
): Promise<Cohort> {
  const found = await lockCohort(tx, id)
  if (!found) throw new ApiError('not_found')
  const before = cohortView(found)
  replaces(before)
  const fields = wanted(before)
  const after = cohortView(
    await updateCohort(tx, id, { ...fields, isReopened: fields.status === 'open' && found.status === 'closed' }),
  )
  audit({ action: 'benchmark_cohort.updated', target: { kind: 'benchmark_cohort', id: after.id }, before, after })
  return after
}

export async function getMembership(tx: Tx, orgId: string): Promise<BenchmarkMembership> {
  const rows = await membershipsOf(tx, orgId)
  return {
    cohort_ids: rows.map(({ cohort_id }) => formatId('cohort', cohort_id)),
    cohorts: rows.map(({ cohort_id, name, status, joined_at }) => ({
      cohort_id: formatId('cohort', cohort_id),
      name,
      status,
      joined_at: timestamp(joined_at),
    })),
  }
}

/** Joins and leaves cohorts; existing memberships are kept unchanged. */
export async function putMembership(
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  requested: DesiredState<MembershipInput>,
) {
  await lockMemberships(tx, orgId)
  const before = await getMembership(tx, orgId)
  replaces(before)
  const wanted = requested(before).cohort_ids.map((id) => requireId('cohort', id))
  const current = (await membershipsOf(tx, orgId)).map(({ cohort_id }) => cohort_id)
  const joined = wanted.filter((id) => !current.includes(id))
  const left = current.filter((id) => !wanted.includes(id))
  const open = new Set((await cohortsById(tx, joined)).flatMap(({ id, status }) => (status === 'open' ? [id] : [])))
  const faults = joined
    .filter((id) => !open.has(id))
    .map((id) => ({
      field: `cohort_ids.${wanted.indexOf(id)}`,
      code: 'invalid_value' as const,
      message: 'This cohort does not exist or cannot be joined.',
    }))
  if (faults.length > 0) throw validationFailed(faults)
  await joinCohorts(tx, orgId, joined)
  await leaveCohorts(tx, orgId, left)
  const after = await getMembership(tx, orgId)
  if (joined.length + left.length > 0)
    audit({
      action: 'benchmark_membership.set',
      target: { kind: 'benchmark_membership', id: formatId('org', orgId) },
      before,
      after,
    })
  return after
}

const cohortTooSmall = (needed: number, isPublished: boolean) =>
  new ApiError(
    'insufficient_cohort_size',
    { minimum_cohort_size: needed },
    {
      message: isPublished
        ? `Fewer than ${needed} of the contributing organizations are still members.`
        : `No values are published for this period: it is not over yet, or fewer than ${needed} organizations contributed.`,
    },
  )

/**
 * Reads the published values of a period, with the caller's own values beside them. They are returned only while enough of the
 * contributors have been members ever since.
 */
export function readBenchmark(
  { sql, config }: Pick<Platform, 'sql' | 'config'>,
  orgId: string,
  cohortId: string,
  query: Pick<BenchmarkQuery, 'period'>,
): Promise<Benchmark> {
  const rules = rulesOf(config)
  const read = async (tx: Tx) => {
    const cohort = await findCohort(tx, cohortId)
    if (!cohort) throw new ApiError('not_found')
    const start = query.period && new Date(benchmarkPeriodAt(cohort.period, Date.parse(query.period)).startMs)
    const found = await findPublished(tx, cohortId, start || undefined)
    const needed = Math.max(minContributors(rules), found?.contributors_needed ?? 0)
    // Values published for fewer contributors were published under weaker rules.
    const isEnough = found !== undefined && found.contributors_needed >= minContributors(rules)
    const open = isEnough ? await openMetrics(tx, cohortId, found.period_start) : undefined
    if (!found || !open || open.size === 0) throw cohortTooSmall(needed, found !== undefined)
    const results = await resultsOf(tx, cohortId, found.period_start)
    const sums = await ownSums(tx, orgId, found.period_start, found.period_end)
    return {
      cohort: cohortView(cohort),
      period_start: timestamp(found.period_start),
      period_end: timestamp(found.period_end),
      published_at: timestamp(found.judged_at),
      contributors_at_least: found.told_size,
      metrics: metricsView(results, open, sums),
    }
  }
  return sql.asOrgs([orgId], read, { isSnapshot: true })
}
