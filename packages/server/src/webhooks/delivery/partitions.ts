import type { Job } from '../../platform/infra/jobs.ts'
import { ensureDailyPartitions, maintainDailyPartitions, partitionBounds } from '../../platform/infra/partitions.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Sql } from '../../platform/infra/sql.ts'
import { dayMs } from '../../values/time.ts'

const daysAhead = 7
/** The retention of events and deliveries; their partitions are dropped one day later. */
export const retentionDays = 30
const tables = [
  { name: 'events', bound: partitionBounds.uuid, retentionDays: retentionDays + 1 },
  { name: 'webhook_deliveries', bound: partitionBounds.uuid, retentionDays: retentionDays + 1 },
]

/** Creates the partitions of the coming week: without a partition, events cannot be written. */
export const ensureWebhookPartitions = (sql: Sql, now: Date) => ensureDailyPartitions(sql, tables, now, daysAhead)

/**
 * Also creates the partitions of the past: events written while no worker created any need theirs, or nothing after them is ever
 * delivered.
 */
export const ensureRetainedPartitions = (sql: Sql, now: Date) =>
  ensureDailyPartitions(
    sql,
    tables,
    new Date(now.getTime() - (retentionDays - 1) * dayMs),
    retentionDays - 1 + daysAhead,
  )

/** Returns the earliest time from which rows are retained. */
export const retainedSince = (now: Date) => now.getTime() - retentionDays * dayMs

export const webhookPartitionsJob = ({ sql, clock }: Platform): Job => ({
  name: 'keep-webhook-partitions',
  schedule: '53 * * * *',
  run: () => maintainDailyPartitions(sql, tables, clock.now(), daysAhead),
})
