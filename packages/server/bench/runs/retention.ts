import { setTimeout as sleep } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { partitionBounds, partitionSuffix } from '../../src/platform/infra/partitions.ts'
import { maintainRunPartitionsJob } from '../../src/records/retention/retention.ts'
import { newUuid } from '../../src/values/id.ts'
import { fillRuns } from '../../test/support/recorded-runs.ts'
import { openClient } from '../support/client.ts'
import { alternate, described, percentiles, type Round } from '../support/report.ts'
import { startApi } from '../support/server.ts'
import { type RunsBench, slowerBy } from './bench.ts'

const dayMs = 86_400_000
const runsAtOnce = 50

/** Something that goes on being written, once per call. */
interface Writing {
  readonly what: string
  readonly writers: number
  readonly write: (writer: number) => Promise<unknown>
  readonly close: () => Promise<void>
}

/** Runs recorded while old ones are dropped, against runs recorded in peace. */
export async function benchRetention(bench: RunsBench) {
  const writing = await bulkIngest(bench)
  try {
    await benchRetentionDuring(bench, writing)
  } finally {
    await writing.close()
  }
}

async function benchRetentionDuring({ platform, owner, org, smoke }: RunsBench, writing: Writing) {
  const rounds = smoke ? 1 : 5
  const tables = 5
  const rows = smoke ? 5_000 : 5_000_000
  const seconds = smoke ? 1 : 5
  const job = maintainRunPartitionsJob({ ...platform, metrics: new Registry() })
  const today = Math.floor(platform.clock.now().getTime() / dayMs) * dayMs
  /** Tables of a week's class that should have been dropped some days ago. */
  const grow = async () => {
    for (let age = 8; age < 8 + tables; age++) {
      const [from, to] = [new Date(today - age * dayMs), new Date(today - (age - 1) * dayMs)]
      const parts = ['runs_7', partitionSuffix(from), partitionBounds.uuid(from), partitionBounds.uuid(to)]
      await owner.query('select create_partition($1, $2, $3, $4)', parts)
      const count = Math.floor(rows / rounds / tables)
      await fillRuns(owner, { orgId: org.id, count, retentionClass: 7, from, to })
    }
    // What was written is on disk, so that neither side pays for it.
    await owner.query('checkpoint')
  }
  const took: number[] = []
  const found = await alternate(rounds, {
    quiet: async () => {
      await grow()
      return (await measure(writing, sleep(seconds * 1_000))).round
    },
    dropping: async () => {
      const started = performance.now()
      const dropped = job.run(undefined, undefined).then(() => took.push(performance.now() - started))
      return (await measure(writing, Promise.all([dropped, sleep(seconds * 1_000)]))).round
    },
  })
  const { rows: left } = await owner.query(`select from runs_7 where id < $1 limit 1`, [
    partitionBounds.uuid(new Date(today - 7 * dayMs)),
  ])
  if (left.length > 0) throw new Error('old runs are still there')
  console.log(
    `${writing.what} while ${rows} old runs in ${tables * rounds} tables are dropped (${(took.reduce((sum, ms) => sum + ms, 0) / tables / rounds).toFixed(0)} ms each): ${described(found.dropping)}; in peace ${described(found.quiet)}; ${slowerBy(found.dropping, found.quiet, { bar: 2, smoke })}`,
  )
}

/** How long writes took until something was done. */
async function measure({ writers, write }: Writing, until: Promise<unknown>): Promise<{ round: Round }> {
  const times: number[] = []
  const state = { isOver: false }
  const over = until.finally(() => {
    state.isOver = true
  })
  const started = performance.now()
  await Promise.all([
    over,
    ...Array.from({ length: writers }, async (_, writer) => {
      while (!state.isOver) {
        const before = performance.now()
        await write(writer)
        times.push(performance.now() - before)
      }
    }),
  ])
  return { round: { rate: (1_000 * times.length) / (performance.now() - started), ...percentiles(times) } }
}

/** Batches of runs over HTTP. */
async function bulkIngest({ postgres, org }: RunsBench): Promise<Writing> {
  const server = await startApi(postgres)
  const writers = 4
  const client = openClient(server.port, org.key, writers)
  return {
    what: `batches of ${runsAtOnce} runs over HTTP`,
    writers,
    write: () =>
      client.post('/v1/runs/bulk', {
        runs: Array.from({ length: runsAtOnce }, () => ({
          model: 'gpt-4o',
          external_id: newUuid(),
          input_tokens: 1_200,
          output_tokens: 300,
        })),
      }),
    close: async () => {
      client.close()
      await server.stop()
    },
  }
}
