import { Counter } from 'prom-client'
import type { Job } from '../../platform/infra/jobs.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Sql } from '../../platform/infra/sql.ts'
import { type AllowanceCursor, pruneAllowances, prunedTables, pruneRows } from './queries.ts'

const rowsAtOnce = 2_000
/** Most pages of one night; the rest is left to the next night. */
const maxPages = 5_000
const firstCursor: AllowanceCursor = {
  org_id: '00000000-0000-0000-0000-000000000000',
  key: '00000000-0000-0000-0000-000000000000',
}

/** Deletes rows that are no longer needed, in short transactions; whole partitions are dropped by the jobs that create them. */
export function pruneRowsJob({ sql, log, metrics }: Platform): Job {
  const pruned = new Counter({
    name: 'svc_rows_pruned_total',
    help: 'Rows deleted because they are no longer needed, by table.',
    labelNames: ['table'],
    registers: [metrics],
  })
  const tell = (table: string, rows: number) => {
    if (rows === 0) return
    pruned.inc({ table }, rows)
    log.info({ table, rows }, 'deleted rows that are no longer needed')
  }
  return {
    name: 'prune-rows',
    schedule: '29 2 * * *',
    run: async (_payload, signal) => {
      const isStopping = () => signal?.aborted === true
      for (const table of await prunedTables(sql)) tell(table, await pruneTable(sql, table, isStopping))
      // Last: the limits of allowances may have just been deleted.
      tell('allowances', await pruneAllAllowances(sql, isStopping))
    },
  }
}

async function pruneTable(sql: Sql, table: string, isStopping: () => boolean): Promise<number> {
  let gone = 0
  for (let page = 0; page < maxPages && !isStopping(); page++) {
    const some = await pruneRows(sql, table, rowsAtOnce)
    gone += some
    if (some < rowsAtOnce) break
  }
  return gone
}

async function pruneAllAllowances(sql: Sql, isStopping: () => boolean): Promise<number> {
  let total = 0
  for (let after: AllowanceCursor | undefined = firstCursor; after && !isStopping(); ) {
    const { gone, last }: Awaited<ReturnType<typeof pruneAllowances>> = await pruneAllowances(sql, after, rowsAtOnce)
    total += gone
    after = last
  }
  return total
}
