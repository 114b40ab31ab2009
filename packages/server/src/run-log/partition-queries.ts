import { sql as raw } from 'kysely'
import { bounds, ensurePartition, suffixOf } from '../infra/partitions.ts'
import type { Sql } from '../infra/sql.ts'
import { classFor, defaultRawDays, retentionClasses } from './rows.ts'

const dayMs = 86_400_000

/** How far back a run may have started when it is recorded. */
export const maxRunAgeDays = 90
const daysAhead = 7

/** Spans are counted from the epoch, so that all processes cut time at the same days. */
export const spanStart = (ms: number, spanDays: number): number => ms - (ms % (spanDays * dayMs))

/**
 * Runs of the last 90 days can still arrive, so their tables stand ready as well as those of the coming week. A class has
 * tables from the moment on when an organization uses it; the default always.
 */
export async function ensureRunPartitions(sql: Sql, now: Date, classes?: readonly number[]) {
  const nowMs = now.getTime()
  const wanted = new Set(classes ?? [classFor(defaultRawDays), ...(await classesInUse(sql))])
  for (const { days, span } of retentionClasses.filter((each) => wanted.has(each.days))) {
    const oldestMs = nowMs - Math.min(days, maxRunAgeDays) * dayMs
    for (let fromMs = spanStart(oldestMs, span); fromMs <= nowMs + daysAhead * dayMs; fromMs += span * dayMs) {
      const [from, to] = [new Date(fromMs), new Date(fromMs + span * dayMs)]
      await ensurePartition(sql, `runs_${days}`, suffixOf(from), bounds.uuid(from), bounds.uuid(to))
    }
  }
}

/** Which classes organizations use; the default always has tables beside them. */
export async function classesInUse({ db }: Sql): Promise<number[]> {
  const { rows } = await raw<{ days: number }>`select days from retention_classes_in_use() as days`.execute(db)
  return rows.map(({ days }) => days)
}
