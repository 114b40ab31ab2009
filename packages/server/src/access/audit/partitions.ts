import type { Job } from '../../platform/infra/jobs.ts'
import { ensurePartition } from '../../platform/infra/partitions.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Sql } from '../../platform/infra/sql.ts'
import { dayMs } from '../../values/time.ts'

const monthsAhead = 3

const dateOf = (time: Date) => time.toISOString().slice(0, 10)

/** Returns the months of entries written now and in the near future. */
export function auditMonths(now: Date) {
  // From yesterday's month on: the database's clock may still be in it.
  const yesterday = new Date(now.getTime() - dayMs)
  const count = monthsAhead + 1 + (yesterday.getUTCMonth() === now.getUTCMonth() ? 0 : 1)
  return Array.from({ length: count }, (_, i) => {
    const month = (offset: number) => new Date(Date.UTC(yesterday.getUTCFullYear(), yesterday.getUTCMonth() + offset))
    const from = dateOf(month(i))
    return {
      suffix: from.slice(0, 7).replace('-', ''),
      from: `${from} 00:00+00`,
      to: `${dateOf(month(i + 1))} 00:00+00`,
    }
  })
}

/**
 * Creates the monthly partitions ahead of time: an entry without a partition cannot be written, nor can the change that it
 * records.
 */
export async function ensureAuditPartitions(sql: Sql, now: Date) {
  for (const { suffix, from, to } of auditMonths(now)) await ensurePartition(sql, 'audit_log', suffix, from, to)
}

export const maintainAuditPartitionsJob = ({ sql, clock }: Platform): Job => ({
  name: 'keep-audit-partitions',
  schedule: '23 3 * * *',
  run: () => ensureAuditPartitions(sql, clock.now()),
})
