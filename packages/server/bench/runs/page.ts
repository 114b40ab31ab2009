import pg from 'pg'
import { appLogin } from '../../scripts/private-services.ts'
import { runsPage } from '../../src/runs/run-history/queries.ts'
import type { RunSort } from '../../src/runs/run-history/schema.ts'
import { fillRuns } from '../../test/support/recorded-runs.ts'
import { openClient } from '../support/client.ts'
import { alternate, described } from '../support/report.ts'
import { startApi } from '../support/server.ts'
import { type RunsBench, slowerBy, timed } from './bench.ts'

const dayMs = 86_400_000
const limit = 50

interface Wanted {
  readonly sort: RunSort
  readonly filters: Record<string, string>
}

const kinds: Record<string, Wanted> = {
  'newest first': { sort: 'started_at', filters: {} },
  'by cost': { sort: 'cost_usd', filters: {} },
  'of one customer': { sort: 'started_at', filters: { customer_id: 'customer-77' } },
  'of one model': { sort: 'started_at', filters: { model: 'model-7' } },
}

/** A page of runs over HTTP against the same SQL alone, from anywhere in 90 days. */
export async function benchPage({ postgres, platform, owner, org, smoke }: RunsBench) {
  const count = smoke ? 20_000 : 10_000_000
  const nowMs = platform.clock.now().getTime()
  await fillRuns(owner, {
    orgId: org.id,
    count,
    retentionClass: 90,
    from: new Date(nowMs - 89 * dayMs),
    to: new Date(nowMs),
  })
  await owner.query('vacuum (analyze) runs')
  const server = await startApi(postgres)
  const client = openClient(server.port, org.key)
  const bare = new pg.Client({ connectionString: postgres.url(appLogin) })
  await bare.connect()
  await bare.query(`select set_config('app.orgs', $1, false)`, [org.id])
  try {
    for (const [name, { sort, filters }] of Object.entries(kinds)) {
      /** The same ends of windows for both sides. */
      const ends = Array.from({ length: smoke ? 20 : 1_000 }, () => Math.floor(nowMs - Math.random() * 60 * dayMs))
      const path = (endMs: number) => {
        const to = new Date(endMs).toISOString()
        return `/v1/runs?${new URLSearchParams({ ...filters, sort: `-${sort}`, limit: String(limit), to }).toString()}`
      }
      const ask = (endMs: number) => client.get(path(endMs))
      const select = async (endMs: number) => {
        const { sql, parameters } = runsPage(org.id, {
          classes: [90],
          window: { from: new Date(Math.max(endMs - 90 * dayMs, nowMs - 90 * dayMs)), to: new Date(endMs) },
          page: { limit, sort, descending: true, after: undefined },
          filters,
        }).compile(platform.sql.db)
        const { rowCount } = await bare.query(sql, [...parameters])
        if (rowCount === 0) throw new Error('the page is empty')
      }
      for (const endMs of ends.slice(0, 50)) {
        await ask(endMs)
        await select(endMs)
      }
      const rounds = await alternate(smoke ? 1 : 7, {
        http: () => timed(ends, ask),
        bare: () => timed(ends, select),
      })
      console.log(
        `a page of ${limit} runs of ${count}, ${name}: HTTP ${described(rounds.http)}; bare SQL ${described(rounds.bare)}; ${slowerBy(rounds.http, rounds.bare, { bar: 3, smoke })}`,
      )
    }
  } finally {
    client.close()
    await bare.end()
    await server.stop()
  }
}
