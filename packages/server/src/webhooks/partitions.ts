import type { Job } from '../infra/jobs.ts'
import { bounds, ensureDays, keepDays } from '../infra/partitions.ts'
import type { Platform } from '../infra/platform.ts'
import type { Sql } from '../infra/sql.ts'

const daysAhead = 7
/** The retention of events and deliveries; their partitions are dropped one day later. */
export const keptDays = 30
const dayMs = 86_400_000
const tables = [
  { name: 'events', bound: bounds.uuid, keptDays: keptDays + 1 },
  { name: 'webhook_deliveries', bound: bounds.uuid, keptDays: keptDays + 1 },
]

/** Creates the partitions of the coming week: without a partition, events cannot be written. */
export const ensureWebhookPartitions = (sql: Sql, now: Date) => ensureDays(sql, tables, now, daysAhead)

/**
 * Also creates the partitions of the past: events written while no worker created any need theirs, or nothing after them is ever
 * delivered.
 */
export const ensureKeptDays = (sql: Sql, now: Date) =>
  ensureDays(sql, tables, new Date(now.getTime() - (keptDays - 1) * dayMs), keptDays - 1 + daysAhead)

/** Returns the earliest time from which rows are retained. */
export const keptSince = (now: Date) => now.getTime() - keptDays * dayMs

export const keepWebhookPartitionsJob = ({ sql, clock }: Platform): Job => ({
  name: 'keep-webhook-partitions',
  schedule: '53 * * * *',
  run: () => keepDays(sql, tables, clock.now(), daysAhead),
})
