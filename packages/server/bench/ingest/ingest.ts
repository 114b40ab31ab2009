import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ensureRunPartitions } from '../../src/records/run-log/run-log.ts'
import { newUuid } from '../../src/values/id.ts'
import { cpuMicrosOf, cpuMicrosOfFamily } from '../support/cpu.ts'
import { type BenchPostgres, makePostgres } from '../support/postgres.ts'
import { profiled } from '../support/profile.ts'
import { alternate, described, percentiles, type Round, ratioOf } from '../support/report.ts'
import { type BenchOrg, openBenchPlatform, prepare, type Server, startApi } from '../support/server.ts'

const bar = 0.4
const inFlight = 4

interface Stand {
  readonly postgres: BenchPostgres
  readonly orgs: readonly BenchOrg[]
  readonly server: Server
}

/** `pnpm bench ingest`: runs in bulk over HTTP against a bare COPY of the same rows into the same table. */
export async function benchIngest({ smoke, only }: { smoke: boolean; only: string[] }) {
  const wants = (part: string) => only.length === 0 || only.includes(part)
  const postgres = makePostgres()
  try {
    await postgres.start()
    const orgs = await prepare(postgres, 4)
    const platform = await openBenchPlatform(postgres)
    await ensureRunPartitions(platform.sql, new Date())
    await platform.close()
    const server = await startApi(postgres)
    const stand = { postgres, orgs, server }
    try {
      if (wants('copy')) await againstCopy(stand, smoke)
      if (wants('small')) await smallBatches(stand, smoke)
      if (wants('memory') && !smoke) await memoryOver(stand, 600)
    } finally {
      await server.stop()
    }
    if (wants('profile') && !smoke)
      await profiled(postgres, 'batches of 5000 runs, one organization', async (api, isWarmUp) => {
        const count = isWarmUp ? 10_000 : 60_000
        const round = await ingest({ postgres, orgs, server: api }, orgs.slice(0, 1), count, 5_000)
        return { round, count, seconds: count / round.rate }
      })
  } finally {
    await postgres.remove()
  }
}

async function againstCopy(stand: Stand, smoke: boolean) {
  const { rounds, runs } = smoke ? { rounds: 1, runs: 10_000 } : { rounds: 5, runs: 50_000 }
  await ingest(stand, stand.orgs.slice(0, 1), 5_000, 5_000)
  const by = await alternate(rounds, {
    bulk: () => ingest(stand, stand.orgs.slice(0, 1), runs, 5_000),
    copy: () => copy(stand, runs),
    spread: () => ingest(stand, stand.orgs, runs, 5_000),
  })
  console.log(`batches of 5000 runs, one organization: ${described(by.bulk)}`)
  console.log(`bare COPY of the same rows: ${described(by.copy)}; ${ratioOf(by.bulk, by.copy, { bar, smoke })}`)
  console.log(`four organizations: ${described(by.spread)}; ${ratioOf(by.spread, by.copy, { smoke })} to COPY`)
}

/** Many small requests: they travel together. */
async function smallBatches(stand: Stand, smoke: boolean) {
  const runs = smoke ? 2_000 : 20_000
  const found = await ingest(stand, stand.orgs, runs, 10, 64)
  console.log(`batches of 10 runs, 64 at a time, four organizations: ${described([found])}`)
}

const runOf = (i: number) => ({
  model: 'gpt-4o',
  provider: 'openai',
  operation: 'chat',
  workflow_id: 'triage',
  department_id: 'support',
  deployment_id: `d-${i % 5}`,
  customer_id: `customer-${i % 50}`,
  external_id: newUuid(),
  started_at: new Date(Date.now() - (i % 3_600) * 1_000).toISOString(),
  input_tokens: 1_200 + (i % 100),
  output_tokens: 300 + (i % 70),
  cache_read_input_tokens: 400,
  tags: ['bench'],
  metadata: { release: '2026-11', attempt: 1 },
})

/** Sends runs in batches; the bodies are ready before the clock starts. */
export async function ingest(
  { postgres, server }: Stand,
  orgs: readonly BenchOrg[],
  runs: number,
  batch: number,
  atOnce = inFlight,
): Promise<Round> {
  const bodies = Array.from({ length: runs / batch }, (_, b) =>
    JSON.stringify({ runs: Array.from({ length: batch }, (_, i) => runOf(b * batch + i)) }),
  )
  const before = { node: cpuMicrosOf(server.pid), postgres: cpuMicrosOfFamily(postgres.pid()) }
  const startedMs = performance.now()
  const times: number[] = []
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let i = next++; i < bodies.length; i = next++) {
        const sentMs = performance.now()
        await record(server, orgs[i % orgs.length]!, bodies[i]!, batch)
        times.push(performance.now() - sentMs)
      }
    }),
  )
  return {
    rate: (runs * 1_000) / (performance.now() - startedMs),
    ...percentiles(times),
    nodeMicros: (cpuMicrosOf(server.pid) - before.node) / runs,
    postgresMicros: (cpuMicrosOfFamily(postgres.pid()) - before.postgres) / runs,
  }
}

/** Whoever is turned away comes again, as any client does. */
async function record(server: Server, { key }: BenchOrg, body: string, batch: number) {
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(`http://127.0.0.1:${server.port}/v1/runs/bulk`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body,
    })
    const text = await answer.text()
    const isOver = answer.status === 503 && attempt < 100
    if (!isOver && (answer.status !== 200 || !text.includes(`"accepted":${batch},`)))
      throw new Error(`${answer.status} ${text.slice(0, 300)}`)
    if (!isOver) return
    await sleep(20)
  }
}

/** The rows of the last round again, under new ids, through COPY. */
async function copy({ postgres }: Stand, runs: number): Promise<Round> {
  const client = new pg.Client({ connectionString: postgres.url() })
  await client.connect()
  const columns = (
    await client.query<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = 'runs'::regclass and attnum > 0 order by attnum`,
    )
  ).rows.map(({ name }) => name)
  const file = join(postgres.folder, 'copy.csv')
  const psql = (command: string) =>
    execFileSync(join(postgres.bin, 'psql'), [postgres.url(), '-q', '-v', 'ON_ERROR_STOP=1', '-c', command])
  const { rows } = await client.query(
    `select ${columns.join(', ')} from runs where org_id = (select org_id from runs limit 1) order by id desc limit $1`,
    [runs],
  )
  await client.end()
  const lines: string[] = []
  for (let i = 0; i < runs; i++) {
    const row = { ...(rows[i % rows.length] as Record<string, unknown>), id: newUuid(), external_id: newUuid() }
    lines.push(columns.map((name) => csv(row[name as keyof typeof row])).join(','))
  }
  rmSync(file, { force: true })
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o644 })
  const before = cpuMicrosOfFamily(postgres.pid())
  const startedMs = performance.now()
  psql(`\\copy runs (${columns.join(', ')}) from '${file}' csv`)
  return {
    rate: (runs * 1_000) / (performance.now() - startedMs),
    nodeMicros: 0,
    postgresMicros: (cpuMicrosOfFamily(postgres.pid()) - before) / runs,
  }
}

function csv(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text =
    value instanceof Date
      ? value.toISOString()
      : Array.isArray(value)
        ? `{${value.join(',')}}`
        : typeof value === 'string'
          ? value
          : JSON.stringify(value)
  return `"${text.replaceAll('"', '""')}"`
}

/** Ingests for a while, and looks at how much memory the process takes. */
async function memoryOver(stand: Stand, seconds: number) {
  const megabytes = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${stand.server.pid}/status`, 'utf8'))![1]) / 1_024
  const startedMs = performance.now()
  const samples: number[] = []
  while (performance.now() - startedMs < seconds * 1_000) {
    await ingest(stand, stand.orgs, 20_000, 5_000)
    samples.push(megabytes())
    await sleep(100)
  }
  const third = Math.floor(samples.length / 3)
  const mean = (part: readonly number[]) => part.reduce((sum, one) => sum + one, 0) / part.length
  console.log(
    `memory over ${seconds} s of ingest: ${mean(samples.slice(third, 2 * third)).toFixed(0)} MiB in the second third, ${mean(samples.slice(2 * third)).toFixed(0)} MiB in the last, at most ${Math.max(...samples).toFixed(0)} MiB`,
  )
}
