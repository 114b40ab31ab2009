import { setTimeout as sleep } from 'node:timers/promises'
import { sql as raw } from 'kysely'
import type { Sql } from './sql.ts'

const dayMs = 86_400_000
/** How the partition that begins with a day is called. */
export const suffixOf = (day: Date) => day.toISOString().slice(0, 10).replaceAll('-', '')

/** How the start of a day is written in a table's partition key. */
export const bounds = {
  date: (day: Date) => day.toISOString().slice(0, 10),
  timestamp: (day: Date) => day.toISOString(),
  /** The least UUIDv7 of that day. */
  uuid: (day: Date) => {
    const hex = day.getTime().toString(16).padStart(12, '0')
    return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
  },
}

/** Makes one partition of a table that is cut by time, unless it is there. */
export async function ensurePartition({ db }: Sql, parent: string, suffix: string, from: string, to: string) {
  await withPatience(() => raw`select create_partition(${parent}, ${suffix}, ${from}, ${to})`.execute(db))
}

/** By day, from yesterday on: two processes with clocks around midnight agree. */
export async function ensureDailyPartitions(
  sql: Sql,
  parent: string,
  now: Date,
  daysAhead: number,
  bound: (day: Date) => string = bounds.date,
) {
  const today = Date.parse(now.toISOString().slice(0, 10))
  for (let offset = -1; offset <= daysAhead; offset++) {
    const from = new Date(today + offset * dayMs)
    await ensurePartition(sql, parent, suffixOf(from), bound(from), bound(new Date(from.getTime() + dayMs)))
  }
}

const attempts = 20
const pauseMs = 250

/**
 * Attaching waits for long readers of the parent, and everybody else would queue behind it: so it waits briefly, gives way, and
 * comes again.
 */
async function withPatience(work: () => Promise<unknown>) {
  for (let attempt = 1; ; attempt++) {
    try {
      await work()
      return
    } catch (error) {
      if ((error as { code?: string }).code !== '55P03' || attempt === attempts) throw error
      await sleep(pauseMs)
    }
  }
}

/** Days that nobody can need any more are dropped whole; how long each table is kept is written in the schema. */
export async function dropDailyPartition({ db }: Sql, parent: string, day: Date) {
  await withPatience(() => raw`select drop_partition(${parent}, ${suffixOf(day)})`.execute(db))
}
