import pg from 'pg'
import type { Results } from '../../../../scripts/proof/situations.ts'
import { writeScript } from '../decisions/http.ts'
import { ask, type Bench, call, startApi } from '../support/server.ts'
import { transact } from './sides.ts'

/** Bytes that a call leaves in the write-ahead log and on the disk: whole lives, the edge alone, and PostgreSQL with the rows of a decision. */
export async function benchWrites({ postgres, orgs, smoke }: Bench, results: Results) {
  const count = smoke ? 100 : 5_000
  const api = await startApi(postgres)
  const database = new pg.Client({ connectionString: postgres.url() })
  await database.connect()
  const size = async () => {
    // The first change of a page after a checkpoint copies the page, which says nothing about a call.
    await database.query('checkpoint')
    const { rows } = await database.query<{ wal: string; disk: string }>(
      `select pg_current_wal_insert_lsn() - '0/0' as wal, pg_database_size(current_database()) as disk`,
    )
    return { wal: Number(rows[0]!.wal), disk: Number(rows[0]!.disk) }
  }
  const per = async (what: string, work: () => Promise<number>) => {
    const before = await size()
    const calls = await work()
    const after = await size()
    const found = {
      call: what,
      wal: Math.round((after.wal - before.wal) / calls),
      disk: Math.round((after.disk - before.disk) / calls),
    }
    results.writes.push(found)
    console.log(`${what}: ${found.wal} bytes of WAL and ${found.disk} on disk each, over ${calls}`)
  }
  const post = async (path: string, body: object) => {
    const answer = await fetch(`http://127.0.0.1:${api.port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${orgs[0]!.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { id: string }
  }
  const many = async (work: () => Promise<unknown>) => {
    let left = count
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        while (left-- > 0) await work()
      }),
    )
    return count
  }
  try {
    for (const org of orgs.slice(0, 2))
      await ask(api, postgres, { orgs: [org], connections: 20, seconds: 1, isWarmUp: true })
    await per('a run, started and finished', () =>
      many(async () => {
        const { id } = await post('/v1/runs', call)
        await post(`/v1/runs/${id}/finish`, { status: 'succeeded', input_tokens: 1_200, output_tokens: 300 })
      }),
    )
    await per('a decision of the edge', () => many(() => post('/v1/edge/decision', call)))
    const script = await writeScript(postgres, orgs[1]!)
    const seconds = smoke ? 1 : 4
    await per('PostgreSQL alone, the rows of a decision', async () => {
      const { rate } = await transact(postgres, script, { callers: 50 }, { seconds })
      return Math.round(rate * seconds)
    })
  } finally {
    await database.end()
    await api.stop()
  }
}
