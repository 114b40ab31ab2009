import type { Job } from '../infra/jobs.ts'
import { bounds, ensureDays, keepDays } from '../infra/partitions.ts'
import type { Platform } from '../infra/platform.ts'
import type { Sql } from '../infra/sql.ts'

const daysAhead = 7
const keptDays = 30 + 1
const tables = [
  { name: 'events', bound: bounds.uuid, keptDays },
  { name: 'webhook_deliveries', bound: bounds.uuid, keptDays },
]

/** Nothing can be told without a day to write it to: days stand ready a week early. */
export const ensureWebhookPartitions = (sql: Sql, now: Date) => ensureDays(sql, tables, now, daysAhead)

export const keepWebhookPartitionsJob = ({ sql, clock }: Platform): Job => ({
  name: 'keep-webhook-partitions',
  schedule: '53 * * * *',
  run: () => keepDays(sql, tables, clock.now(), daysAhead),
})
