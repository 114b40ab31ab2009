import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../src/contract/errors.ts'
import { reserveOperation, settleOperation } from '../../src/decisions/decisions.ts'
import { type Lanes, openLanes, outcomeOf } from '../../src/decisions/lanes/lanes.ts'
import { cpuMicrosOfFamily } from '../support/cpu.ts'
import { alternate, described, percentiles, type Round, ratioOf } from '../support/report.ts'
import { type Bench, type BenchOrg, call, openBenchPlatform } from '../support/server.ts'

const inFlight = 200
const used = { usd: 5_000_000n, tokens: 900n }

/** Whole lives, a hold and its settlement, through the lanes of one process without HTTP. */
export async function benchLives(bench: Bench) {
  const { postgres, orgs, smoke } = bench
  const { rounds, seconds } = smoke ? { rounds: 1, seconds: 1 } : { rounds: 5, seconds: 4 }
  const platform = await openBenchPlatform(postgres)
  const lanes = openLanes(platform)
  try {
    await live(bench, lanes, orgs, seconds)
    const by = await alternate(rounds, {
      hot: () => live(bench, lanes, orgs.slice(0, 1), seconds),
      spread: () => live(bench, lanes, orgs, seconds),
    })
    const ratio = ratioOf(by.spread, by.hot, { smoke })
    console.log(`hold and settle, ${inFlight} in flight, one hot organization: ${described(by.hot)}`)
    console.log(
      `hold and settle, ${inFlight} in flight, spread over ${orgs.length}: ${described(by.spread)}; ${ratio} to one`,
    )
  } finally {
    await lanes.close()
    await platform.close()
  }
}

async function live({ postgres }: Bench, lanes: Lanes, orgs: readonly BenchOrg[], seconds: number): Promise<Round> {
  const startedMs = performance.now()
  const before = { node: process.cpuUsage(), postgres: cpuMicrosOfFamily(postgres.pid()) }
  const times: number[] = []
  let next = 0
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (performance.now() - startedMs < seconds * 1_000) {
        const { id: orgId } = orgs[next++ % orgs.length]!
        const bornMs = performance.now()
        const hold = reserveOperation({ orgId }, call, 'edge')
        const held = await insist(() => lanes.submit(hold))
        const ended = await insist(() => lanes.submit(settleOperation({ orgId }, hold.id, used)))
        const [start, end] = [outcomeOf(held), outcomeOf(ended)]
        if (start.type !== 'held' || end.type !== 'ended') throw new Error(`a life went ${start.type}, ${end.type}`)
        times.push(performance.now() - bornMs)
      }
    }),
  )
  const { user, system } = process.cpuUsage(before.node)
  return {
    rate: (times.length * 1_000) / (performance.now() - startedMs),
    ...percentiles(times),
    nodeMicros: (user + system) / times.length,
    postgresMicros: (cpuMicrosOfFamily(postgres.pid()) - before.postgres) / times.length,
  }
}

/** Who is turned away at the door comes back. */
async function insist<T>(submit: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await submit()
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'service_unavailable')) throw error
      await sleep(5)
    }
  }
}
