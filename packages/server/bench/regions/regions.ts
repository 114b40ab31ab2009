import { setTimeout as sleep } from 'node:timers/promises'
import { edgeConfiguration, readEdgeArguments } from '../../src/commands/edge/edge.ts'
import { type Haproxy, startHaproxy } from '../../test/support/haproxy.ts'
import { freePort, spawnRedis } from '../../test/support/redis-server.ts'
import { openClient } from '../support/client.ts'
import { cpuMicrosOf, cpuMicrosOfFamily } from '../support/cpu.ts'
import { makePostgres } from '../support/postgres.ts'
import { percentiles } from '../support/report.ts'
import { type BenchOrg, call, prepare, type Server, startApi } from '../support/server.ts'
import { median } from '../support/statistics.ts'

const perSecond = 60
const linkKeys = `bench:${Buffer.alloc(32, 5).toString('base64')}`

/** Ways to a decision of an organization that lives in the first of two cells. */
const ways = ['direct', 'haproxy', 'forwarded'] as const
type Way = (typeof ways)[number]

interface Phase {
  readonly times: readonly number[]
  readonly p50: number
  readonly p99: number
  readonly failed: number
  /** Processor time of each decision by who has used it, in microseconds. */
  readonly cpu: Readonly<Record<Part, number>>
}
const parts = ['home', 'home’s PostgreSQL', 'arrival', 'HAProxy'] as const
type Part = (typeof parts)[number]

/**
 * `pnpm bench regions`: what it costs to reach a decision through another cell, against the cell itself and against HAProxy before both, which
 * routes by the text of the key. The three take turns at a fixed rate, so that what the machine does to one it does to all.
 */
export async function benchRegions({ smoke }: { smoke: boolean }) {
  const { rounds, seconds } = smoke ? { rounds: 1, seconds: 1 } : { rounds: 16, seconds: 3 }
  const closing: (() => Promise<void>)[] = []
  const open = async <T>(opened: Promise<T>, close: (one: T) => Promise<void>): Promise<T> => {
    const one = await opened
    closing.push(() => close(one))
    return one
  }
  try {
    const [homePostgres, arrivalPostgres] = [makePostgres(), makePostgres()]
    for (const postgres of [homePostgres, arrivalPostgres]) closing.push(postgres.remove)
    await Promise.all([homePostgres.start(), arrivalPostgres.start()])
    const [org] = (await prepare(homePostgres, 1)) as [BenchOrg]
    await prepare(arrivalPostgres, 0)
    // Keys of `prepare` name the cell c1.
    const cells = await Promise.all(
      (['c1', 'c2'] as const).map(async (name) => ({
        name,
        port: await freePort(),
        redis: await open(spawnRedis(), ({ remove }) => remove()),
      })),
    )
    const url = (port: number) => `http://127.0.0.1:${port}`
    const settingsOf = (name: string) => ({
      SVC_CELL: name,
      SVC_REGION: 'r1',
      SVC_CELLS: JSON.stringify(
        cells
          .filter((other) => other.name !== name)
          .map((other) => ({ name: other.name, region: 'r1', url: url(other.port) })),
      ),
    })
    const [home, arrival] = (await Promise.all(
      cells.map(({ name, port, redis }) =>
        open(
          startApi(name === 'c1' ? homePostgres : arrivalPostgres, {
            settings: {
              ...settingsOf(name),
              SVC_PORT: String(port),
              SVC_REDIS_URL: redis.url,
              SVC_CELL_LINK_KEYS: linkKeys,
              SVC_TRUSTED_PROXIES: '127.0.0.1',
            },
          }),
          ({ stop }) => stop(),
        ),
      ),
    )) as [Server, Server]
    const edgePort = await freePort()
    const given = readEdgeArguments(['haproxy', '--local', url(arrival.port), '--listen', `127.0.0.1:${edgePort}`])
    if (!given) throw new Error('the options of the edge cannot be understood')
    const isUp = () =>
      fetch(`${url(edgePort)}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      )
    const haproxy: Haproxy = await open(startHaproxy(edgeConfiguration(given, settingsOf('c2')), isUp), ({ stop }) =>
      stop(),
    )

    const ports: Record<Way, number> = { direct: home.port, haproxy: edgePort, forwarded: arrival.port }
    const cpuNow = (): Record<Part, number> => ({
      home: cpuMicrosOf(home.pid),
      'home’s PostgreSQL': cpuMicrosOfFamily(homePostgres.pid()),
      arrival: cpuMicrosOf(arrival.pid),
      HAProxy: cpuMicrosOf(haproxy.pid),
    })
    const phase = (way: Way) => measured(ports[way], org.key, seconds, cpuNow)
    for (const way of ways) await phase(way)
    const found: Record<Way, Phase[]> = { direct: [], haproxy: [], forwarded: [] }
    for (let round = 0; round < rounds; round++)
      // Each goes first as often as the others.
      for (let i = 0; i < ways.length; i++) {
        const way = ways[(round + i) % ways.length]!
        found[way].push(await phase(way))
      }
    report(found, smoke)
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}

/** Decisions at a fixed rate, whatever becomes of those before. */
async function measured(
  port: number,
  key: string,
  seconds: number,
  cpuNow: () => Record<Part, number>,
): Promise<Phase> {
  const client = openClient(port, key, 32)
  const times: number[] = []
  let failed = 0
  await client.post('/v1/edge/decision', call)
  const before = cpuNow()
  const startedMs = performance.now()
  const asked: Promise<void>[] = []
  for (let i = 0; i < seconds * perSecond; i++) {
    await sleep(Math.max(0, startedMs + (i * 1_000) / perSecond - performance.now()))
    const sentMs = performance.now()
    asked.push(
      client.post('/v1/edge/decision', call).then(
        () => void times.push(performance.now() - sentMs),
        () => void failed++,
      ),
    )
  }
  await Promise.all(asked)
  const after = cpuNow()
  client.close()
  const each = (part: Part) => (after[part] - before[part]) / asked.length
  const cpu = Object.fromEntries(parts.map((part) => [part, each(part)])) as Record<Part, number>
  return { times, failed, cpu, ...percentiles(times) }
}

function report(found: Record<Way, Phase[]>, smoke: boolean) {
  const middle = (way: Way, of: (phase: Phase) => number) => median(found[way].map(of))
  for (const way of ways) {
    const pooled = percentiles(found[way].flatMap(({ times }) => times))
    const failed = found[way].reduce((sum, phase) => sum + phase.failed, 0)
    const cpu = parts
      .map((part) => [part, middle(way, (phase) => phase.cpu[part])] as const)
      .filter(([, micros]) => micros > 0)
      .map(([part, micros]) => `${part} ${micros.toFixed(0)} µs`)
    console.log(
      `${way}: p50 ${pooled.p50.toFixed(2)} ms, p99 ${pooled.p99.toFixed(2)} ms over ${found[way].length} rounds, ${failed} failed; CPU each: ${cpu.join(', ')}`,
    )
    if (failed > 0 && !smoke) process.exitCode = 1
  }
  const added = (way: Way, other: Way) => {
    const by = (name: 'p50' | 'p99') =>
      median(found[way].map((phase, i) => phase[name] - found[other][i]![name])).toFixed(2)
    const total = (phase: Phase) => parts.reduce((sum, part) => sum + phase.cpu[part], 0)
    const cpu = median(found[way].map((phase, i) => total(phase) - total(found[other][i]!)))
    return `p50 ${by('p50')} ms, p99 ${by('p99')} ms, CPU ${cpu.toFixed(0)} µs`
  }
  console.log(`forwarding adds to direct: ${added('forwarded', 'direct')} (medians of rounds)`)
  console.log(`HAProxy adds to direct: ${added('haproxy', 'direct')}`)
  console.log(`forwarding adds to HAProxy: ${added('forwarded', 'haproxy')}`)
}
