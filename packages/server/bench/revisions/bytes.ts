import pg from 'pg'
import { openClient } from '../support/client.ts'
import { call } from '../support/server.ts'
import type { Revision } from './revision.ts'

/** Bytes that the runs of one organization leave behind. */
interface Footprint {
  readonly disk: number
  readonly wal: number
  /** By table with its indexes, largest first. */
  readonly tables: readonly (readonly [name: string, bytes: number])[]
}

/** Prints disk and WAL per enforced run, from its start to its finish, of both revisions. */
export async function compareBytes(now: Revision, before: Revision, smoke: boolean) {
  for (const callers of [20, 1])
    for (const [name, revision] of Object.entries({ now, before })) {
      const runs = smoke ? 100 : 200 * (callers + 9)
      const { disk, wal, tables } = await footprintOf(revision, runs, callers)
      const each = (bytes: number) => `${(bytes / runs / 1_000).toFixed(2)} kB`
      console.log(`an enforced run, ${callers} at a time: ${name} ${each(disk)} on disk, ${each(wal)} of WAL`)
      console.log(
        `  ${tables
          .slice(0, 8)
          .map(([table, bytes]) => `${table} ${each(bytes)}`)
          .join(', ')}`,
      )
    }
}

async function footprintOf({ api, postgres, org }: Revision, runs: number, callers: number): Promise<Footprint> {
  const owner = new pg.Client({ connectionString: postgres.url() })
  await owner.connect()
  try {
    // The first of a kind makes rows that the others share.
    await complete(api.port, org.key, callers, callers)
    const [before, from] = [await sizes(owner), await position(owner)]
    await complete(api.port, org.key, runs, callers)
    const [after, to] = [await sizes(owner), await position(owner)]
    const tables = Array.from(after, ([name, bytes]) => [name, bytes - (before.get(name) ?? 0)] as const)
      .filter(([, bytes]) => bytes > 0)
      .sort((a, b) => b[1] - a[1])
    return { disk: tables.reduce((sum, [, bytes]) => sum + bytes, 0), wal: to - from, tables }
  } finally {
    await owner.end()
  }
}

/** Starts and finishes runs, some at once. */
async function complete(port: number, key: string, runs: number, callers: number) {
  const client = openClient(port, key, callers)
  let left = runs
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left-- > 0) {
        const { id } = JSON.parse(await client.post('/v1/runs', call)) as { id: string }
        await client.post(`/v1/runs/${id}/finish`, { status: 'succeeded', input_tokens: 1_150, output_tokens: 300 })
      }
    }),
  )
  client.close()
}

/** Bytes of every table with its indexes; days and other parts are counted as their table. */
async function sizes(owner: pg.Client) {
  const { rows } = await owner.query<{ name: string; bytes: string }>(
    `select coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as name, sum(pg_total_relation_size(c.oid)) as bytes
       from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace group by 1`,
  )
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]))
}

async function position(owner: pg.Client) {
  const { rows } = await owner.query<{ bytes: string }>(`select pg_current_wal_insert_lsn() - '0/0' as bytes`)
  return Number(rows[0]!.bytes)
}
