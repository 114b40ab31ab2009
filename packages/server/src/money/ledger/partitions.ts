import type { Job } from '../../platform/infra/jobs.ts'
import { ensureDailyPartitions, maintainDailyPartitions, partitionBounds } from '../../platform/infra/partitions.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Sql } from '../../platform/infra/sql.ts'

const daysAhead = 7
const tables = [
  { name: 'holds', bound: partitionBounds.uuid, retentionDays: 8 },
  { name: 'decision_records', bound: partitionBounds.uuid, retentionDays: 8 },
  { name: 'refusals', bound: partitionBounds.uuid, retentionDays: 31 },
  { name: 'ledger_batches', bound: partitionBounds.timestamp, retentionDays: 35 },
  { name: 'movement_rows', bound: partitionBounds.timestamp, retentionDays: 35 },
]

/** Creates daily partitions a week ahead: money cannot move without a partition to write to. */
export const ensureLedgerPartitions = (sql: Sql, now: Date) => ensureDailyPartitions(sql, tables, now, daysAhead)

export const maintainLedgerPartitionsJob = ({ sql, clock }: Platform): Job => ({
  name: 'keep-ledger-partitions',
  schedule: '37 * * * *',
  run: () => maintainDailyPartitions(sql, tables, clock.now(), daysAhead),
})
