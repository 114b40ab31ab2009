import { existsSync, readFileSync, rmSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { ForecastThread } from '../../src/insight/forecasts/forecast-thread.ts'
import type { ForecastTask } from '../../src/insight/forecasts/task.ts'
import { insertLedger } from '../../src/money/ledger/ledger.ts'
import { mint } from '../../src/tenants/keys/keys.ts'
import { insertOrg } from '../../src/tenants/orgs/queries.ts'
import { newUuid } from '../../src/values/id.ts'
import { knownSeries } from '../../test/support/forecast-series.ts'
import { evaluate, evaluationTable } from '../../test/support/forecast-series-evaluation.ts'
import { Random } from '../../test/support/random.ts'
import { withBenchDatabase } from '../support/bench-database.ts'
import { openClient } from '../support/client.ts'
import { startApi } from '../support/server.ts'

const dayMs = 86_400_000
const computedBarMs = 2_000
const blockedBarMs = 50
const seed = 1

interface Options {
  readonly smoke: boolean
}

const parts: Record<string, (options: Options) => Promise<void> | void> = { accuracy, speed, http }

/** `pnpm bench forecasts`: how good forecasts are on series whose future is known, and what they cost. */
export async function benchForecasts({ smoke, only }: { smoke: boolean; only: string[] }) {
  const chosen = only.length > 0 ? only : Object.keys(parts)
  const unknown = chosen.find((name) => !(name in parts))
  if (unknown !== undefined) throw new Error(`no part ${unknown}: ${Object.keys(parts).join(', ')}`)
  for (const name of chosen) await parts[name]!({ smoke })
}

function accuracy({ smoke }: Options) {
  for (const each of smoke ? [seed] : [1, 2, 3, 4, 5]) {
    const found = evaluate(each, smoke ? 10 : 50)
    const table = evaluationTable(found)
    console.log(each === 1 ? table : table.split('\n').slice(-4).join('\n'))
    const isGood =
      found.coverage[1]! >= 0.7 && found.coverage[1]! <= 0.9 && found.better >= 0.8 && found.datesInside >= 0.8
    if (!smoke && !isGood) process.exitCode = 1
  }
}

/** So many series of two years, as they come from the database. */
function taskOf(series: number, horizon: number): ForecastTask {
  const days = 730
  return {
    metric: 'cost',
    by: 'workflow',
    horizon,
    step: 'day',
    timezone: 'Europe/Berlin',
    today: '2026-11-16',
    nowMs: Date.UTC(2026, 10, 16, 9),
    trainingDays: days,
    series: Array.from({ length: series }, (_, i) => {
      const { values } = knownSeries(new Random(9_000 + i), i, days)
      const last = values.subarray(-days)
      return {
        key: `workflow-${i}`,
        days: JSON.stringify(Array.from(last, (value, day) => [day - last.length, Math.round(value * 1e9)])),
      }
    }),
    limits: [],
    scenarios: [],
    format: 'json',
  }
}

/** The thread alone: 50 series of two years, while this process counts how late it is. */
async function speed({ smoke }: Options) {
  for (const horizon of smoke ? [30] : [30, 180]) {
    const thread = new ForecastThread()
    const task = taskOf(smoke ? 5 : 50, horizon)
    const cold = await timed(() => thread.run('bench', task))
    // What the machine alone makes it late by, in about the same time.
    const idle = await lateness(() => sleep(smoke ? 100 : 5_000))
    const times: number[] = []
    const before = process.cpuUsage()
    const blocked = await lateness(async () => {
      for (let i = 0; i < (smoke ? 1 : 5); i++) times.push((await timed(() => thread.run('bench', task))).ms)
    })
    const { user, system } = process.cpuUsage(before)
    const cpuMs = (user + system) / 1_000 / times.length
    const warm = times.toSorted((a, b) => a - b)[times.length >> 1]!
    console.log(
      `${task.series.length} series of 730 days, ${horizon} ahead: ${cold.ms.toFixed(0)} ms in a new thread, then ${warm.toFixed(0)} ms (bar ${computedBarMs}), ${cpuMs.toFixed(0)} ms of them at work; ${(cold.bytes / 1024).toFixed(0)} KiB; event loop late by at most ${blocked.toFixed(1)} ms (bar ${blockedBarMs}; ${idle.toFixed(1)} with nothing to do)`,
    )
    if (!smoke && (warm > computedBarMs || blocked > blockedBarMs)) process.exitCode = 1
    await thread.close()
  }
}

/** How late the event loop was at most, while something is done. */
async function lateness(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await work()
  delay.disable()
  return delay.max / 1e6
}

async function timed(work: () => Promise<Buffer>) {
  const started = performance.now()
  const { byteLength } = await work()
  return { ms: performance.now() - started, bytes: byteLength }
}

/** Runs inside the API: tells how late its event loop was at most since it was asked last. */
const lateReporter = `
  import { monitorEventLoopDelay } from 'node:perf_hooks'
  import { writeFileSync } from 'node:fs'
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  process.on('SIGUSR2', () => {
    writeFileSync('/tmp/weir-late-' + process.pid, String(delay.max / 1e6))
    delay.reset()
  })`

async function latenessOf(pid: number): Promise<number> {
  const path = `/tmp/weir-late-${pid}`
  rmSync(path, { force: true })
  process.kill(pid, 'SIGUSR2')
  while (!existsSync(path) || readFileSync(path, 'utf8') === '') await sleep(5)
  const found = Number(readFileSync(path, 'utf8'))
  rmSync(path)
  return found
}

const memoryOf = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

/** The API as a process of its own: a first answer, kept ones, what others wait meanwhile, and its memory. */
async function http({ smoke }: Options) {
  await withBenchDatabase(async ({ postgres, platform, owner }) => {
    const org = newUuid()
    const key = await platform.sql.asOrgs([org], async (tx) => {
      await insertOrg(tx, org, 'Bench')
      await insertLedger(tx, org)
      return (await mint(platform, tx, org, { name: 'bench', role: 'admin', scopes: ['forecasts:read', 'runs:read'] }))
        .secret
    })
    const rows = await seedUsage(owner, org, smoke)
    const server = await startApi(postgres, {
      nodeOptions: ['--import', `data:text/javascript,${encodeURIComponent(lateReporter)}`],
    })
    try {
      await measureHttp(server, key, rows, smoke)
    } finally {
      await server.stop()
    }
  })
}

/** Two years of 50 workflows: days for what is old, quarters of an hour for the last 90 days. */
async function seedUsage(owner: pg.Client, org: string, smoke: boolean): Promise<number> {
  const today = Math.floor(Date.now() / dayMs) * dayMs
  const columns = `org_id, bucket, model, provider, workflow_id, deployment_id, department_id, runs, failed_runs, input_tokens,
    output_tokens, cache_read_input_tokens, cache_creation_input_tokens, reasoning_output_tokens, cost_nano, estimated_nano,
    overrun_nano, value_nano, duration_ms, timed_runs`
  const select = (step: string) => `
    select $1, b, 'model-' || c % 10, 'openai', 'workflow-' || c, '', 'department-' || c % 5, 20, 1, 20000, 3000, 0, 0, 0,
           (1e8 * c * (1 + 0.3 * sin(extract(epoch from b) / 86400 * 6.283 / 7) + 0.1 * random()))::bigint, 0, 0, 0, 10000, 19
      from generate_series($2::timestamptz, $3::timestamptz, interval '${step}') b, generate_series(1, $4::integer) c`
  const workflows = smoke ? 5 : 50
  const at = (days: number) => new Date(today + days * dayMs)
  await owner.query(`insert into usage_days (${columns}) ${select('1 day')}`, [org, at(-730), at(-91), workflows])
  await owner.query(`insert into usage_15m (${columns}) ${select('15 minutes')}`, [org, at(-90), at(0), workflows])
  await owner.query('vacuum (analyze) usage_days, usage_15m')
  return workflows * (640 + 90 * 96)
}

async function measureHttp(server: { port: number; pid: number }, key: string, rows: number, smoke: boolean) {
  const client = openClient(server.port, key)
  const before = memoryOf(server.pid)
  const path = '/v1/capacity/forecasts?by=workflow&training_days=730'
  const timedGet = async (wanted: string) => {
    const started = performance.now()
    await client.get(wanted)
    return performance.now() - started
  }
  try {
    await timedGet('/v1/capacity/forecasts?horizon_days=1')
    // What its start made it late by is no matter of forecasts.
    await latenessOf(server.pid)
    await sleep(smoke ? 100 : 3_000)
    const idle = await latenessOf(server.pid)
    const first = await timedGet(path)
    const kept: number[] = []
    for (let i = 0; i < 5; i++) kept.push(await timedGet(path))
    const late = await latenessOf(server.pid)
    const keptMs = kept.toSorted((a, b) => a - b)[2]!
    console.log(
      `from ${rows} rollups, 21 series of 730 days: first answer ${first.toFixed(0)} ms, kept ${keptMs.toFixed(1)} ms; its event loop late by at most ${late.toFixed(1)} ms (bar ${blockedBarMs}; ${idle.toFixed(1)} with nothing to do)`,
    )
    for (let i = 1; i <= (smoke ? 2 : 60); i++) await client.get(`${path}&horizon_days=${i}`)
    console.log(
      `resident memory ${before.toFixed(0)} MiB before, ${memoryOf(server.pid).toFixed(0)} MiB after ${smoke ? 2 : 60} other answers`,
    )
  } finally {
    client.close()
  }
}
