import pg from 'pg'
import { ask, type Bench, startApi } from '../support/server.ts'
import { median } from '../support/statistics.ts'

/** Somebody leaves a snapshot open beside a hot organization: the versions of its rows cannot be cleared away meanwhile. */
export async function benchSnapshot({ postgres, orgs, smoke }: Bench) {
  const seconds = smoke ? 1 : 10
  const api = await startApi(postgres)
  const reader = new pg.Client({ connectionString: postgres.url() })
  await reader.connect()
  const rates = async (rounds: number) => {
    const found: number[] = []
    for (let i = 0; i < rounds; i++)
      found.push((await ask(api, postgres, { orgs: orgs.slice(0, 1), connections: 200, seconds })).rate)
    return found
  }
  try {
    await ask(api, postgres, { orgs: orgs.slice(0, 1), connections: 200, seconds, isWarmUp: true })
    const before = median(await rates(2))
    await reader.query('begin isolation level repeatable read')
    await reader.query('select count(*) from org_ledgers')
    const during = await rates(6)
    await reader.query('rollback')
    const after = await rates(2)
    const shares = (found: number[]) => found.map((rate) => (rate / before).toFixed(2)).join(' ')
    console.log(
      `a snapshot open for ${6 * seconds} s beside a hot organization: ${before.toFixed(0)}/s before; shares of it while open ${shares(during)}, afterwards ${shares(after)}`,
    )
  } finally {
    await reader.end()
    await api.stop()
  }
}
