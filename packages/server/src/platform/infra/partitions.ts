import { setTimeout as sleep } from 'node:timers/promises'
import { sql as raw } from 'kysely'
import { errorCode } from '../../values/thrown.ts'
import { dayMs } from '../../values/time.ts'
import type { Sql } from './sql.ts'

/** Returns the name suffix of the partition that begins with a day. */
export const partitionSuffix = (day: Date) => day.toISOString().slice(0, 10).replaceAll('-', '')

/** Formats the start of a day as a bound of a partition key, by type of the key. */
export const partitionBounds = {
  date: (day: Date) => day.toISOString().slice(0, 10),
  timestamp: (day: Date) => day.toISOString(),
  /** Smallest UUIDv7 of the day. */
  uuid: (day: Date) => {
    const hex = day.getTime().toString(16).padStart(12, '0')
    return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
  },
}

/** Creates one partition of a table that is partitioned by time, unless it exists. */
export async function ensurePartition({ db }: Sql, parent: string, suffix: string, from: string, to: string) {
  await retryOnLockTimeout(() => raw`select create_partition(${parent}, ${suffix}, ${from}, ${to})`.execute(db))
}

/** A table partitioned by day, and the number of days that its rows are kept. */
export interface DailyTable {
  readonly name: string
  readonly bound: (day: Date) => string
  readonly retentionDays: number
}

/** Creates the daily partitions from yesterday on, so that processes whose clocks differ around midnight agree. */
export async function ensureDailyPartitions(sql: Sql, tables: readonly DailyTable[], now: Date, daysAhead: number) {
  const today = Date.parse(now.toISOString().slice(0, 10))
  for (const { name, bound } of tables) {
    for (let offset = -1; offset <= daysAhead; offset++) {
      const from = new Date(today + offset * dayMs)
      await ensurePartition(sql, name, partitionSuffix(from), bound(from), bound(new Date(from.getTime() + dayMs)))
    }
  }
}

/** Creates the coming partitions and drops all expired ones, however long no run has dropped any. */
export async function maintainDailyPartitions(sql: Sql, tables: readonly DailyTable[], now: Date, daysAhead: number) {
  await ensureDailyPartitions(sql, tables, now, daysAhead)
  for (const { name, retentionDays } of tables) {
    const newest = now.getTime() - retentionDays * dayMs
    for (const day of await listPartitionDays(sql, name))
      if (day.getTime() <= newest) await dropDailyPartition(sql, name, day)
  }
}

/** Returns the days for which a table has partitions, oldest first. */
async function listPartitionDays({ db }: Sql, parent: string): Promise<Date[]> {
  const { rows } = await raw<{ suffix: string }>`
    select right(c.relname, 8) as suffix from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = to_regclass(${parent}) and c.relname ~ '_[0-9]{8}$' order by 1`.execute(db)
  return rows.map(({ suffix }) => new Date(suffix.replace(/(....)(..)(..)/, '$1-$2-$3')))
}

const attempts = 20
const pauseMs = 250

/**
 * Retries work that timed out on a lock. Attaching a partition waits for long readers of the parent, and everybody else would
 * queue behind it: so it waits briefly, gives way, and tries again.
 */
async function retryOnLockTimeout(work: () => Promise<unknown>) {
  for (let attempt = 1; ; attempt++) {
    try {
      await work()
      return
    } catch (error) {
      if (errorCode(error) !== '55P03' || attempt === attempts) throw error
      await sleep(pauseMs)
    }
  }
}

/** Drops an expired daily partition whole; the retention of each table is written in the schema. */
export async function dropDailyPartition({ db }: Sql, parent: string, day: Date) {
  await retryOnLockTimeout(() => raw`select drop_partition(${parent}, ${partitionSuffix(day)})`.execute(db))
}
