import { Counter, Gauge } from 'prom-client'
import type { Job } from '../../platform/infra/jobs.ts'
import { dropDailyPartition } from '../../platform/infra/partitions.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Sql } from '../../platform/infra/sql.ts'
import { errorCode } from '../../values/thrown.ts'
import { dayMs } from '../../values/time.ts'
import { classesInUse, classFor, defaultRawDays, ensureRunPartitions, retentionClasses } from '../run-log/run-log.ts'
import { endOfBound } from './partition-times.ts'
import { type ChainCursor, listPartitions, type PartitionRow, pruneChains, pruneRunKeys } from './queries.ts'

const runTables = new Map(retentionClasses.map(({ days, span }) => [`runs_${days}`, { days, span }]))

/** Returns partitions of runs whose last run is older than their class keeps it, oldest first. */
export function expiredPartitions(partitions: readonly PartitionRow[], nowMs: number) {
  const today = nowMs - (nowMs % dayMs)
  return partitions
    .flatMap(({ parent, name, bound }) => {
      const kept = runTables.get(parent)
      const endMs = endOfBound(bound)
      if (!kept || endMs === undefined || endMs + kept.days * dayMs > today) return []
      return [{ parent, name, endMs, from: new Date(endMs - kept.span * dayMs) }]
    })
    .sort((a, b) => a.endMs - b.endMs)
}

/**
 * Creates and drops partitions of runs, once an hour: runs can neither arrive without a partition, nor be deleted except with
 * one.
 */
export function maintainRunPartitionsJob({ sql, clock, log, metrics }: Platform): Job {
  registerHorizonGauge({ sql, clock, log, metrics })
  const dropped = new Counter({
    name: 'svc_partitions_dropped_total',
    help: 'Partitions of runs that were dropped because their retention is over.',
    labelNames: ['table'],
    registers: [metrics],
  })
  return {
    name: 'keep-run-partitions',
    schedule: '47 * * * *',
    run: async (_payload, signal) => {
      const now = clock.now()
      await ensureRunPartitions(sql, now)
      for (const { parent, name, from } of expiredPartitions(await listPartitions(sql), now.getTime())) {
        if (signal?.aborted) return
        if (!(await dropUnlessInUse(sql, parent, from))) {
          log.warn({ table: name }, 'a partition of old runs is being read; the next attempt drops it')
          continue
        }
        dropped.inc({ table: parent })
        log.info({ table: name }, 'dropped a partition of runs whose retention is over')
      }
      const keys = await pruneRunKeyPages(sql, signal)
      if (keys > 0) log.info({ keys }, 'deleted run keys that have expired')
    },
  }
}

/** Drops a partition unless it is in use: one long reader is no reason to keep all other partitions. */
async function dropUnlessInUse(sql: Sql, parent: string, from: Date): Promise<boolean> {
  try {
    await dropDailyPartition(sql, parent, from)
    return true
  } catch (error) {
    if (errorCode(error) !== '55P03') throw error
    return false
  }
}

const keysAtOnce = 5_000
/** Most pages of one hour; the rest is left to the next hour. */
const maxKeyPages = 2_000

async function pruneRunKeyPages(sql: Sql, signal: AbortSignal | undefined): Promise<number> {
  let gone = 0
  for (let page = 0; page < maxKeyPages; page++) {
    if (signal?.aborted) break
    const some = await pruneRunKeys(sql, keysAtOnce)
    gone += some
    if (some < keysAtOnce) break
  }
  return gone
}

const chainsAtOnce = 2_000
const firstCursor: ChainCursor = { org_id: '00000000-0000-0000-0000-000000000000', chain_id: '' }

/** Deletes chains 45 days after their last use, with the allowances that counted them. */
export const pruneChainsJob = ({ sql, log }: Platform): Job => ({
  name: 'prune-chains',
  schedule: '17 4 * * *',
  run: async (_payload, signal) => {
    let total = 0
    for (let after: ChainCursor | undefined = firstCursor; after; ) {
      if (signal?.aborted) break
      const { gone, last }: Awaited<ReturnType<typeof pruneChains>> = await pruneChains(sql, after, chainsAtOnce)
      total += gone
      after = last
    }
    if (total > 0) log.info({ chains: total }, 'deleted chains that are no longer used')
  },
})

/**
 * Registers a gauge that reads the partition horizon at each scrape: a worker that creates no partitions must not go on reporting
 * its former value.
 */
function registerHorizonGauge({ sql, clock, log, metrics }: Pick<Platform, 'sql' | 'clock' | 'log' | 'metrics'>) {
  new Gauge({
    name: 'svc_partitions_days_ahead',
    help: 'Days for which every table has partitions; without a partition nothing can be written.',
    registers: [metrics],
    async collect() {
      try {
        this.set(await daysAhead(sql, clock.now().getTime()))
      } catch (error) {
        this.remove()
        log.warn({ error }, 'failed to read the partition horizon')
      }
    },
  })
}

async function daysAhead(sql: Sql, nowMs: number): Promise<number> {
  const inUse = new Set([classFor(defaultRawDays), ...(await classesInUse(sql))])
  const ends = new Map<string, number>()
  for (const { parent, bound } of await listPartitions(sql)) {
    const runs = runTables.get(parent)
    const endMs = endOfBound(bound)
    if (endMs === undefined || (runs && !inUse.has(runs.days))) continue
    ends.set(parent, Math.max(ends.get(parent) ?? 0, endMs))
  }
  return (Math.min(...ends.values()) - nowMs) / dayMs
}
