import { emitAll } from '../../access/events/events.ts'
import type { Job } from '../../platform/infra/jobs.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { formatId, newUuid } from '../../values/id.ts'
import type { Period } from '../../values/period.ts'
import { timestamp } from '../../values/timestamp.ts'
import { sealedPeriods } from './periods.ts'
import {
  asPublisher,
  findLastPeriodEnd,
  findSetsWith,
  insertBenchmarkResults,
  insertPeriod,
  isStillOpen,
  lockPublishing,
  membersOf,
  storeContributorSet,
  sumsOf,
} from './publication-queries.ts'
import {
  type Contribution,
  judgePeriod,
  mayContribute,
  minContributors,
  type PublicationRules,
  publishedSize,
} from './publication-rules.ts'
import { type CohortRow, openCohorts } from './queries.ts'

const orgsAtOnce = 50

export const rulesOf = ({ cohortFloor, cohortMargin }: Platform['config']): PublicationRules => ({
  floor: cohortFloor,
  margin: cohortMargin,
})

type PublicationContext = Pick<Platform, 'sql' | 'clock' | 'config'>

/** Sums up before anything is locked: the sums of a sealed period hardly change any more. */
async function contributionsTo(
  { sql }: PublicationContext,
  cohort: CohortRow,
  period: Period,
): Promise<Contribution[]> {
  const members = await asPublisher(sql, (tx) => membersOf(tx, cohort.id))
  const orgIds = members.filter((member) => mayContribute(member, period)).map(({ orgId }) => orgId)
  const all: Contribution[] = []
  for (let i = 0; i < orgIds.length; i += orgsAtOnce)
    all.push(...(await asPublisher(sql, (tx) => sumsOf(tx, cohort.id, orgIds.slice(i, i + orgsAtOnce), period))))
  return all
}

/**
 * Decides on one period, once: publishes its values, or records that nothing is published. An organization that has left by then
 * is not included.
 */
export async function publishPeriod(platform: PublicationContext, cohort: CohortRow, period: Period) {
  const rules = rulesOf(platform.config)
  const contributed = await contributionsTo(platform, cohort, period)
  const start = new Date(period.startMs)
  await asPublisher(
    platform.sql,
    async (tx) => {
      await lockPublishing(tx)
      if (!(await isStillOpen(tx, cohort.id))) return
      const members = (await membersOf(tx, cohort.id)).filter((member) => mayContribute(member, period))
      const still = new Set(members.map(({ orgId }) => orgId))
      const contributions = contributed.filter(({ orgId }) => still.has(orgId))
      const known = await findSetsWith(tx, [...still])
      const published = judgePeriod(contributions, known, rules, newUuid)
      const sizes = published.flatMap(({ contributors }) => (contributors ? [contributors.orgs.size] : []))
      const smallest = sizes.length === 0 ? 0 : Math.min(...sizes)
      const isNew = await insertPeriod(tx, {
        cohort_id: cohort.id,
        period_start: start,
        period_end: new Date(period.endMs),
        contributors_needed: minContributors(rules),
        told_size: smallest === 0 ? null : publishedSize(smallest, rules),
      })
      if (!isNew || smallest === 0) return
      const knownIds = new Set(known.map(({ id }) => id))
      for (const set of new Set(published.flatMap(({ contributors }) => contributors ?? [])))
        if (!knownIds.has(set.id)) await storeContributorSet(tx, set)
      await insertBenchmarkResults(tx, cohort.id, start, published)
      await emitAll(
        tx,
        contributed
          .filter(({ orgId }) => still.has(orgId))
          .map(({ orgId }) => ({ orgId, event: publishedEvent(cohort, period) })),
      )
    },
    contributed.map(({ orgId }) => orgId),
  )
}

const publishedEvent = (cohort: CohortRow, { startMs, endMs }: Period) => {
  const cohortId = formatId('cohort', cohort.id)
  return {
    kind: 'benchmark.published',
    subject: cohortId,
    data: {
      cohort_id: cohortId,
      name: cohort.name,
      period_start: timestamp(new Date(startMs)),
      period_end: timestamp(new Date(endMs)),
    },
  } as const
}

/**
 * Publishes the periods that were sealed since the last run, cohort by cohort. A failure of one cohort does not delay the others.
 */
export async function publishSealed(platform: PublicationContext, signal?: AbortSignal) {
  const failures: unknown[] = []
  for (const cohort of await openCohorts(platform.sql)) {
    const publish = async () => {
      const judged = await findLastPeriodEnd(platform.sql, cohort.id)
      const afterMs = Math.max(cohort.opened_at.getTime(), judged?.getTime() ?? 0)
      for (const period of sealedPeriods(cohort.period, afterMs, platform.clock.now().getTime())) {
        signal?.throwIfAborted()
        await publishPeriod(platform, cohort, period)
      }
    }
    await publish().catch((error: unknown) => failures.push(error))
    if (signal?.aborted) break
  }
  if (failures.length > 0) throw failures[0]
}

export const publishBenchmarksJob = (platform: Platform): Job => ({
  name: 'publish-benchmarks',
  schedule: '23 * * * *',
  run: (_payload, signal) => publishSealed(platform, signal),
})
