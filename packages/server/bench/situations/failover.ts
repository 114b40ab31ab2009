import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Results, Second } from '../../../../scripts/proof/situations.ts'
import { formatId } from '../../src/values/id.ts'
import { type Answered, askAtRate } from '../support/open-loop.ts'
import { percentiles } from '../support/report.ts'
import { ask, type Bench, call, startApi } from '../support/server.ts'
import { openSwitch, standbyName, startStandby } from '../support/standby.ts'

/**
 * The primary dies under load, its synchronous standby is promoted by hand at once, and the address leads there. What is measured is Weir's part;
 * how long it takes to notice a death is a matter of whoever watches the servers.
 */
export async function benchFailover(bench: Bench, results: Results) {
  const { postgres, orgs, smoke } = bench
  const [perSecond, killedAt, seconds] = smoke ? [50, 3, 10] : [200, 15, 60]
  await postgres.start({ settings: { synchronous_standby_names: standbyName } })
  const standby = await startStandby(postgres)
  const address = await openSwitch(postgres.port())
  const api = await startApi(postgres, { databasePort: address.port })
  try {
    await ask(api, postgres, { orgs: orgs.slice(0, 1), connections: 20, seconds: 2, isWarmUp: true })
    const answering = askAtRate({
      port: api.port,
      path: '/v1/edge/decision',
      key: orgs[0]!.key,
      body: JSON.stringify(call),
      perSecond,
      seconds,
    })
    await sleep(killedAt * 1_000)
    await postgres.kill()
    await standby.promote()
    address.switchTo(standby.port)
    const answers = await answering
    const found = {
      perSecond,
      killedAt,
      ...course(answers, killedAt, seconds),
      ...(await kept(postgres.url(undefined, standby.port), answers)),
    }
    results.failover = found
    console.log(
      `failover at ${perSecond}/s: first answer after ${found.firstAnswer} s, p99 ${found.p99Before} ms before and ${found.p99After} ms after, ` +
        `steady after ${found.steady ?? 'never'} s; ${found.admitted} admitted, ${found.lost} lost`,
    )
    if (found.lost > 0) process.exitCode = 1
  } finally {
    await api.stop()
    await address.close()
    await standby.stop()
  }
}

const fixed = (value: number) => Number(value.toFixed(2))

/** What each second was like, by when its requests were due. */
function course(answers: readonly Answered[], killedAt: number, length: number) {
  const isAllowed = ({ status }: Answered) => status === 200
  const seconds: Second[] = Array.from({ length }, (_, second) => {
    const due = answers.filter(({ dueMs }) => Math.floor(dueMs / 1_000) === second)
    const allowed = due.filter(isAllowed)
    const { p99 } = percentiles(allowed.map(({ tookMs }) => tookMs))
    return { second, answered: allowed.length, failed: due.length - allowed.length, p99: fixed(p99) }
  })
  const within = (from: number, to: number) =>
    percentiles(
      answers
        .filter((one) => isAllowed(one) && one.dueMs >= from * 1_000 && one.dueMs < to * 1_000)
        .map(({ tookMs }) => tookMs),
    ).p99
  const p99Before = within(1, killedAt)
  const first = answers
    .filter((one) => isAllowed(one) && one.dueMs > killedAt * 1_000)
    .map(({ dueMs, tookMs }) => dueMs + tookMs)
    .reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY)
  // A quiet second may be a few milliseconds: what is twice of that says nothing.
  const bar = Math.max(2 * p99Before, 20)
  const unsteady = seconds.findLastIndex(({ failed, p99 }) => failed > 0 || p99 > bar)
  const steady = unsteady === length - 1 ? null : Math.max(0, unsteady + 1 - killedAt)
  return {
    seconds,
    p99Before: fixed(p99Before),
    p99After: fixed(within(steady === null ? length : killedAt + steady, length)),
    firstAnswer: fixed(first / 1_000 - killedAt),
    steady,
  }
}

/** Compares what callers were told with what the promoted server has. */
async function kept(connectionString: string, answers: readonly Answered[]) {
  const told = answers
    .filter(({ status }) => status === 200)
    .map(({ body }) => (JSON.parse(body) as { reservation_id: string }).reservation_id)
  const client = new pg.Client({ connectionString })
  await client.connect()
  const { rows } = await client.query<{ id: string }>('select id from holds')
  await client.end()
  const known = new Set(rows.map(({ id }) => formatId('reservation', id)))
  return { admitted: told.length, lost: told.filter((id) => !known.has(id)).length }
}
