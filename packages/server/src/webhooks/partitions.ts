import type { Job } from '../infra/jobs.ts'
import { bounds, dropDailyPartition, ensureDailyPartitions } from '../infra/partitions.ts'
import type { Platform } from '../infra/platform.ts'
import type { Sql } from '../infra/sql.ts'

const tables = ['events', 'webhook_deliveries']
const daysAhead = 7
const keptDays = 30 + 1
const dayMs = 86_400_000

/** Nothing can be told without a day to write it to: days stand ready a week early. */
export async function ensureWebhookPartitions(sql: Sql, now: Date) {
  for (const table of tables) await ensureDailyPartitions(sql, table, now, daysAhead, bounds.uuid)
}

export const keepWebhookPartitionsJob = ({ sql, clock }: Platform): Job => ({
  name: 'keep-webhook-partitions',
  schedule: '53 * * * *',
  run: async () => {
    const now = clock.now()
    await ensureWebhookPartitions(sql, now)
    for (const table of tables) {
      // A week of missed runs is made up for.
      for (let age = keptDays; age <= keptDays + 7; age++)
        await dropDailyPartition(sql, table, new Date(now.getTime() - age * dayMs))
    }
  },
})
