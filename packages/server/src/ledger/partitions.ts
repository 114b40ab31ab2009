import type { Job } from '../infra/jobs.ts'
import { bounds, dropDailyPartition, ensureDailyPartitions } from '../infra/partitions.ts'
import type { Platform } from '../infra/platform.ts'
import type { Sql } from '../infra/sql.ts'

const daysAhead = 7
const dayMs = 86_400_000

/** How each table is cut into days, and after how many of them a day goes. */
const tables = [
  { name: 'holds', bound: bounds.uuid, keptDays: 8 },
  { name: 'decision_records', bound: bounds.uuid, keptDays: 8 },
  { name: 'ledger_batches', bound: bounds.timestamp, keptDays: 35 },
  { name: 'movements', bound: bounds.timestamp, keptDays: 35 },
]

/** Money cannot move without a day to write it to: days stand ready a week early. */
export async function ensureLedgerPartitions(sql: Sql, now: Date) {
  for (const { name, bound } of tables) await ensureDailyPartitions(sql, name, now, daysAhead, bound)
}

export const keepLedgerPartitionsJob = ({ sql, clock }: Platform): Job => ({
  name: 'keep-ledger-partitions',
  schedule: '37 * * * *',
  run: async () => {
    const now = clock.now()
    await ensureLedgerPartitions(sql, now)
    for (const { name, keptDays } of tables) {
      // A week of missed runs is made up for.
      for (let age = keptDays; age <= keptDays + 7; age++)
        await dropDailyPartition(sql, name, new Date(now.getTime() - age * dayMs))
    }
  },
})
