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

/** A table that is cut into days, and after how many of them a day can be needed by nobody. */
export interface DailyTable {
  readonly name: string
  readonly bound: (day: Date) => string
  readonly keptDays: number
}

/** By day, from yesterday on: two processes with clocks around midnight agree. */
export async function ensureDays(sql: Sql, tables: readonly DailyTable[], now: Date, daysAhead: number) {
  const today = Date.parse(now.toISOString().slice(0, 10))
  for (const { name, bound } of tables) {
    for (let offset = -1; offset <= daysAhead; offset++) {
      const from = new Date(today + offset * dayMs)
      await ensurePartition(sql, name, suffixOf(from), bound(from), bound(new Date(from.getTime() + dayMs)))
    }
  }
}

/** Makes the coming days and drops all that are over, however long nobody has dropped any. */
export async function keepDays(sql: Sql, tables: readonly DailyTable[], now: Date, daysAhead: number) {
  await ensureDays(sql, tables, now, daysAhead)
  for (const { name, keptDays } of tables) {
    const newest = now.getTime() - keptDays * dayMs
    for (const day of await daysOf(sql, name)) if (day.getTime() <= newest) await dropDailyPartition(sql, name, day)
  }
}

/** The days that a table has, oldest first. */
async function daysOf({ db }: Sql, parent: string): Promise<Date[]> {
  const { rows } = await raw<{ suffix: string }>`
    select right(c.relname, 8) as suffix from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = to_regclass(${parent}) and c.relname ~ '_[0-9]{8}$' order by 1`.execute(db)
  return rows.map(({ suffix }) => new Date(suffix.replace(/(....)(..)(..)/, '$1-$2-$3')))
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
