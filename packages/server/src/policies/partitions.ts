import type { Job } from '../infra/jobs.ts'
import { bounds, ensureDays, keepDays } from '../infra/partitions.ts'
import type { Platform } from '../infra/platform.ts'
import type { Sql } from '../infra/sql.ts'

const daysAhead = 7
const tables = [{ name: 'policy_matches', bound: bounds.timestamp, keptDays: 91 }]

export const ensurePolicyPartitions = (sql: Sql, now: Date) => ensureDays(sql, tables, now, daysAhead)

export const keepPolicyPartitionsJob = ({ sql, clock }: Platform): Job => ({
  name: 'keep-policy-partitions',
  schedule: '43 * * * *',
  run: () => keepDays(sql, tables, clock.now(), daysAhead),
})
