import { sql as raw } from 'kysely'
import { ensurePartition, partitionBounds, partitionSuffix } from '../../platform/infra/partitions.ts'
import type { Sql } from '../../platform/infra/sql.ts'
import { dayMs } from '../../values/time.ts'
import { classFor, defaultRawDays, retentionClasses } from './rows.ts'

/** Largest age, by its start, of a run that is recorded. */
export const maxRunAgeDays = 90
const daysAhead = 7

/**
 * Returns the start of the span that a time is in. Spans are counted from the epoch, so that all processes cut time at the same
 * days.
 */
export const spanStart = (ms: number, spanDays: number): number => ms - (ms % (spanDays * dayMs))

/**
 * Creates partitions of runs. Runs of the last 90 days can still arrive, so their partitions exist as well as those of the coming
 * week. A class has partitions from the moment an organization uses it; the default always.
 */
export async function ensureRunPartitions(sql: Sql, now: Date, classes?: readonly number[]) {
  const nowMs = now.getTime()
  const wanted = new Set(classes ?? [classFor(defaultRawDays), ...(await classesInUse(sql))])
  for (const { days, span } of retentionClasses.filter((each) => wanted.has(each.days))) {
    const oldestMs = nowMs - Math.min(days, maxRunAgeDays) * dayMs
    for (let fromMs = spanStart(oldestMs, span); fromMs <= nowMs + daysAhead * dayMs; fromMs += span * dayMs) {
      const [from, to] = [new Date(fromMs), new Date(fromMs + span * dayMs)]
      await ensurePartition(
        sql,
        `runs_${days}`,
        partitionSuffix(from),
        partitionBounds.uuid(from),
        partitionBounds.uuid(to),
      )
    }
  }
}

/** Returns the retention classes that organizations use; the default always has partitions as well. */
export async function classesInUse({ db }: Sql): Promise<number[]> {
  const { rows } = await raw<{ days: number }>`select days from retention_classes_in_use() as days`.execute(db)
  return rows.map(({ days }) => days)
}
