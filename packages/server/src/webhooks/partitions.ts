import type { Job } from '../infra/jobs.ts'
import { bounds, ensureDays, keepDays } from '../infra/partitions.ts'
import type { Platform } from '../infra/platform.ts'
import type { Sql } from '../infra/sql.ts'

const daysAhead = 7
/** For how long events and deliveries can be asked for; their days are dropped one day later. */
export const keptDays = 30
const dayMs = 86_400_000
const tables = [
  { name: 'events', bound: bounds.uuid, keptDays: keptDays + 1 },
  { name: 'webhook_deliveries', bound: bounds.uuid, keptDays: keptDays + 1 },
]

/** Nothing can be told without a day to write it to: days stand ready a week early. */
export const ensureWebhookPartitions = (sql: Sql, now: Date) => ensureDays(sql, tables, now, daysAhead)

/** The days behind as well: what was written while no worker made any needs its day, or nothing after it is ever told. */
export const ensureKeptDays = (sql: Sql, now: Date) =>
  ensureDays(sql, tables, new Date(now.getTime() - (keptDays - 1) * dayMs), keptDays - 1 + daysAhead)

/** From when on something that was made then has its day. */
export const keptSince = (now: Date) => now.getTime() - keptDays * dayMs

export const keepWebhookPartitionsJob = ({ sql, clock }: Platform): Job => ({
  name: 'keep-webhook-partitions',
  schedule: '53 * * * *',
  run: () => keepDays(sql, tables, clock.now(), daysAhead),
})
