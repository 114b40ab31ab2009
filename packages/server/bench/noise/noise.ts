import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { servicesUp } from '../../scripts/private-services.ts'
import { ensureRunPartitions } from '../../src/records/run-log/run-log.ts'
import { mint } from '../../src/tenants/keys/keys.ts'
import { formatId } from '../../src/values/id.ts'
import { openClient } from '../support/client.ts'
import { cpuMicrosOf, cpuMicrosOfFamily } from '../support/cpu.ts'
import { type BenchPostgres, makePostgres } from '../support/postgres.ts'
import { percentiles } from '../support/report.ts'
import { type BenchOrg, call, openBenchPlatform, prepare, type Server, startApi } from '../support/server.ts'
import { median } from '../support/statistics.ts'

/** What one organization may cost another at most: its decisions, and the longest that nobody is served. */
const latencyBar = 1.5
const signInLatencyBar = 1.3
const blockBarMs = 50
const combinations = 120_000
const decisionsPerSecond = 60

interface Phase {
  readonly p50: number
  readonly p99: number
  readonly failed: number
  /** The longest turn of the event loop, by the clock and by its own processor time. */
  readonly blockWallMs: number
  readonly blockCpuMs: number
  readonly times: readonly number[]
  /** Processor time in this phase, of whoever asked. */
  readonly nodeMicros: number
  readonly postgresMicros: number
}

/** A round: quiet, noise, and quiet again, which says what the machine does to figures by itself. */
const sides = ['quiet', 'noisy', 'again'] as const
type Phases = Record<(typeof sides)[number], Phase[]>

/**
 * `pnpm bench noise`: decisions of one organization while another does its worst, in turns of quiet, noise and quiet (with `--only sign-ins` it
 * signs in, a thousand times a minute). Everything shares the
 * machine, so whoever makes the noise gives way to the server; the other organization asks at a fixed rate.
 */
export async function benchNoise({ smoke, only }: { smoke: boolean; only: readonly string[] }) {
  servicesUp()
  const isSignIns = only.join() === 'sign-ins'
  const { rounds, seconds } = smoke ? { rounds: 1, seconds: 2 } : { rounds: 8, seconds: isSignIns ? 8 : 6 }
  // What waits is answered before the next quiet phase, or it would not be quiet.
  const drainMs = smoke || isSignIns ? 1_000 : 6_000
  const postgres = makePostgres()
  try {
    await postgres.start()
    const [quiet, loud] = (await prepare(postgres, 2)) as [BenchOrg, BenchOrg]
    const key = await readyForNoise(postgres, loud)
    const probe = join(postgres.folder, 'event-loop.jsonl')
    const server = await startApi(postgres, {
      nodeOptions: ['--import', fileURLToPath(new URL('../support/event-loop-probe.ts', import.meta.url))],
      settings: { BENCH_PROBE_FILE: probe },
    })
    const callers = fork(fileURLToPath(new URL('./callers.ts', import.meta.url)), [], {
      env: {
        PATH: process.env['PATH'],
        NOISE_PORT: String(server.port),
        NOISE_KEY: key,
        NOISE_ORG: formatId('org', loud.id),
        ...(only.length > 0 && { NOISE_KINDS: only.join() }),
      },
    })
    try {
      await once(callers, 'message')
      const phase = () => measured({ server, postgres, org: quiet, probe, seconds })
      await phase()
      const phases: Phases = { quiet: [], noisy: [], again: [] }
      for (let round = 0; round < rounds; round++) {
        phases.quiet.push(await phase())
        callers.send('go')
        await sleep(500)
        phases.noisy.push(await phase())
        callers.send('stop')
        await sleep(drainMs)
        phases.again.push(await phase())
      }
      callers.send('counts')
      const [counts] = (await once(callers, 'message')) as [Record<string, number>]
      report(phases, counts, { smoke, bar: isSignIns ? signInLatencyBar : latencyBar })
      reportCost(phases, counts, rounds * (seconds + 0.5))
      console.log(`peak memory ${peakMegabytes(server)} MB`)
    } finally {
      callers.kill()
      await server.stop()
    }
  } finally {
    await postgres.remove()
  }
}

function report(phases: Phases, counts: Record<string, number>, { smoke, bar }: { smoke: boolean; bar: number }) {
  const of = (name: 'p50' | 'p99', side: keyof Phases) => median(phases[side].map((phase) => phase[name]))
  const pooled = (side: keyof Phases) => percentiles(phases[side].flatMap(({ times }) => times)).p99
  const block = Math.max(...phases.noisy.map(({ blockCpuMs }) => blockCpuMs))
  for (const side of sides)
    console.log(
      `${side}: p50 ${of('p50', side).toFixed(2)} ms, p99 ${of('p99', side).toFixed(2)} ms (all rounds together ${pooled(side).toFixed(2)}), ${phases[side].reduce((sum, { failed }) => sum + failed, 0)} refused`,
    )
  console.log(`the other organization was answered: ${JSON.stringify(counts)}`)
  const ratios = phases.noisy.map(({ p99 }, i) => (2 * p99) / (phases.quiet[i]!.p99 + phases.again[i]!.p99))
  const itself = phases.again.map(({ p99 }, i) => p99 / phases.quiet[i]!.p99)
  const listed = (list: readonly number[]) => list.map((ratio) => ratio.toFixed(2)).join(', ')
  const pooledRatio = (2 * pooled('noisy')) / (pooled('quiet') + pooled('again'))
  console.log(
    `p99 under noise ${median(ratios).toFixed(2)} times that of the quiet before and after (${listed(ratios)}; bar ${bar}); all rounds together ${pooledRatio.toFixed(2)}`,
  )
  console.log(
    `p99 of quiet after to quiet before: ${median(itself).toFixed(2)} (${listed(itself)}); all rounds together ${(pooled('again') / pooled('quiet')).toFixed(2)}`,
  )
  console.log(
    `longest turn of the event loop under noise: ${block.toFixed(0)} ms of processor time (bar ${blockBarMs}), ${Math.max(...phases.noisy.map(({ blockWallMs }) => blockWallMs)).toFixed(0)} ms by the clock; quiet ${Math.max(...phases.quiet.map(({ blockCpuMs }) => blockCpuMs)).toFixed(0)} and ${Math.max(...phases.quiet.map(({ blockWallMs }) => blockWallMs)).toFixed(0)} ms`,
  )
  if (!smoke && (median(ratios) > bar || block > blockBarMs)) process.exitCode = 1
}

/** Says what an answer to the other organization costs: what its rounds took more than quiet ones. */
function reportCost(phases: Phases, counts: Record<string, number>, noisySeconds: number) {
  const answered = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const more = (name: 'nodeMicros' | 'postgresMicros') =>
    phases.noisy.reduce((sum, phase, i) => sum + phase[name] - (phases.quiet[i]![name] + phases.again[i]![name]) / 2, 0)
  const each = (micros: number) => `${(micros / answered).toFixed(0)} µs`
  console.log(
    `processor time of each answer to the other organization: ${each(more('nodeMicros'))} Node + ${each(more('postgresMicros'))} PostgreSQL, ${(answered / noisySeconds).toFixed(1)} a second`,
  )
}

interface Measuring {
  readonly server: Server
  readonly postgres: BenchPostgres
  readonly org: BenchOrg
  readonly probe: string
  readonly seconds: number
}

/** The decisions of the quiet organization, asked for at a fixed rate whatever becomes of those before. */
async function measured({ server, postgres, org, probe, seconds }: Measuring): Promise<Phase> {
  const client = openClient(server.port, org.key, 32)
  const times: number[] = []
  let failed = 0
  const cpuOf = () => ({ node: cpuMicrosOf(server.pid), postgres: cpuMicrosOfFamily(postgres.pid()) })
  const cpu = cpuOf()
  const startedAt = Date.now()
  const startedMs = performance.now()
  const asked: Promise<void>[] = []
  for (let i = 0; i < seconds * decisionsPerSecond; i++) {
    const dueMs = startedMs + (i * 1_000) / decisionsPerSecond
    await sleep(Math.max(0, dueMs - performance.now()))
    const sentMs = performance.now()
    asked.push(
      client.post('/v1/edge/decision', call).then(
        () => void times.push(performance.now() - sentMs),
        () => void failed++,
      ),
    )
  }
  await Promise.all(asked)
  const { node, postgres: database } = cpuOf()
  client.close()
  // The probe writes four times a second.
  await sleep(300)
  const turns = readFileSync(probe, 'utf8')
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { at: number; wallMs: number; cpuMs: number })
    .filter(({ at }) => at > startedAt + 250)
  return {
    ...percentiles(times),
    failed,
    times,
    nodeMicros: node - cpu.node,
    postgresMicros: database - cpu.postgres,
    blockWallMs: Math.max(0, ...turns.map(({ wallMs }) => wallMs)),
    blockCpuMs: Math.max(0, ...turns.map(({ cpuMs }) => cpuMs)),
  }
}

/** A key that may do everything that is noisy, and usage of very many different names. */
async function readyForNoise(postgres: BenchPostgres, { id }: BenchOrg): Promise<string> {
  const platform = await openBenchPlatform(postgres)
  const owner = new pg.Client({ connectionString: postgres.url() })
  await owner.connect()
  try {
    await ensureRunPartitions(platform.sql, new Date())
    await owner.query(
      `insert into usage_15m (org_id, bucket, model, provider, workflow_id, deployment_id, department_id, runs, failed_runs, input_tokens,
         output_tokens, cache_read_input_tokens, cache_creation_input_tokens, reasoning_output_tokens, cost_nano, estimated_nano,
         overrun_nano, value_nano, duration_ms, timed_runs)
       select $1, date_trunc('hour', now()) - (n % 2000) * interval '1 hour', 'gpt-4o', '', 'w-' || n, 'd-' || n, 'p-' || n % 7,
         1, 0, 100, 10, 0, 0, 0, 1000, 0, 0, 0, 0, 0 from generate_series(1, $2::int) as n`,
      [id, combinations],
    )
    await owner.query('analyze usage_15m')
    const { secret } = await platform.sql.asOrgs([id], (tx) =>
      mint(platform, tx, id, {
        name: 'noise',
        role: 'service',
        scopes: ['edge:decide', 'runs:write', 'usage:read'],
      }),
    )
    return secret
  } finally {
    await owner.end()
    await platform.close()
  }
}

/** The most memory that a process has had. */
const peakMegabytes = ({ pid }: Server) =>
  Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024)
