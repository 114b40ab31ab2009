import type { Job } from '../infra/jobs.ts'
import { bounds, ensureDays, keepDays } from '../infra/partitions.ts'
import type { Platform } from '../infra/platform.ts'
import type { Sql } from '../infra/sql.ts'

const daysAhead = 7
const tables = [
  { name: 'holds', bound: bounds.uuid, keptDays: 8 },
  { name: 'decision_records', bound: bounds.uuid, keptDays: 8 },
  { name: 'refusals', bound: bounds.uuid, keptDays: 31 },
  { name: 'ledger_batches', bound: bounds.timestamp, keptDays: 35 },
  { name: 'movements', bound: bounds.timestamp, keptDays: 35 },
]

/** Creates daily partitions a week ahead: money cannot move without a partition to write to. */
export const ensureLedgerPartitions = (sql: Sql, now: Date) => ensureDays(sql, tables, now, daysAhead)

export const keepLedgerPartitionsJob = ({ sql, clock }: Platform): Job => ({
  name: 'keep-ledger-partitions',
  schedule: '37 * * * *',
  run: () => keepDays(sql, tables, clock.now(), daysAhead),
})
