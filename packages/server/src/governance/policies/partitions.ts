import type { Job } from '../../platform/infra/jobs.ts'
import { ensureDailyPartitions, maintainDailyPartitions, partitionBounds } from '../../platform/infra/partitions.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Sql } from '../../platform/infra/sql.ts'

const daysAhead = 7
const tables = [{ name: 'policy_matches', bound: partitionBounds.timestamp, retentionDays: 91 }]

export const ensurePolicyPartitions = (sql: Sql, now: Date) => ensureDailyPartitions(sql, tables, now, daysAhead)

export const policyPartitionsJob = ({ sql, clock }: Platform): Job => ({
  name: 'keep-policy-partitions',
  schedule: '43 * * * *',
  run: () => maintainDailyPartitions(sql, tables, clock.now(), daysAhead),
})
