import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ensureRunPartitions } from '../../src/records/run-log/run-log.ts'
import { newUuid } from '../../src/values/id.ts'
import { cpuMicrosOf, cpuMicrosOfFamily } from '../support/cpu.ts'
import { type BenchPostgres, makePostgres } from '../support/postgres.ts'
import { type BenchOrg, call, openBenchPlatform, prepare, type Server, startApi } from '../support/server.ts'

/** Prices by which a cost in money is shown: examples, to be replaced by your own. */
const prices = { coreHourUsd: 0.04, diskGigabyteMonthUsd: 0.1, archiveGigabyteMonthUsd: 0.023 }
const archiveDays = 7
const million = 1_000_000
const gigabyte = 1e9

interface Stand {
  readonly postgres: BenchPostgres
  readonly owner: pg.Client
  readonly api: Server
  readonly worker: Server
  readonly orgs: readonly BenchOrg[]
}

/** Resources that something uses, for each of it. */
interface Cost {
  readonly perSecond: number
  readonly apiMicros: number
  readonly workerMicros: number
  readonly postgresMicros: number
  readonly walBytes: number
  readonly diskBytes: number
}

interface Work {
  readonly title: string
  readonly count: number
  readonly inFlight: number
  /** Does a piece of the work; returns of how many it was. */
  readonly once: (send: Send, i: number) => Promise<number>
}
type Send = (org: BenchOrg, path: string, body: object) => Promise<Record<string, unknown>>

/**
 * `pnpm bench cost`: processor time, WAL and disk of a million decisions, of a million calls from start to finish, and of a million runs
 * recorded in bulk, measured on real processes with their worker; and what they would cost at given prices.
 */
export async function benchCost({ smoke }: { smoke: boolean }) {
  const scale = smoke ? 0.01 : 1
  const postgres = makePostgres()
  try {
    await postgres.start()
    const orgs = await prepare(postgres, 20)
    const platform = await openBenchPlatform(postgres)
    await ensureRunPartitions(platform.sql, new Date())
    await platform.close()
    const owner = new pg.Client({ connectionString: postgres.url() })
    await owner.connect()
    const api = await startApi(postgres)
    const worker = await startApi(postgres, { role: 'worker' })
    try {
      const stand = { postgres, owner, api, worker, orgs }
      // What is set for each organization has been read, and its rows are made.
      await measure(stand, decisions(stand, 2_000 * scale, 100))
      for (const work of [
        decisions(stand, 60_000 * scale, 200),
        decisions(stand, 4_000 * scale, 4),
        calls(stand, 30_000 * scale),
        bulk(stand, 100_000 * scale),
      ])
        print(work.title, await measure(stand, work))
    } finally {
      await worker.stop()
      await api.stop()
      await owner.end()
    }
  } finally {
    await postgres.remove()
  }
}

const decisions = ({ orgs }: Stand, count: number, inFlight: number): Work => ({
  title: `decisions, ${inFlight} in flight`,
  count,
  inFlight,
  once: async (send, i) => {
    await send(orgs[i % orgs.length]!, '/v1/edge/decision', call)
    return 1
  },
})

const calls = ({ orgs }: Stand, count: number): Work => ({
  title: 'calls, each a run started and finished',
  count,
  inFlight: 100,
  once: async (send, i) => {
    const org = orgs[i % orgs.length]!
    const { id } = await send(org, '/v1/runs', call)
    await send(org, `/v1/runs/${String(id)}/finish`, {
      status: 'succeeded',
      input_tokens: 1_150,
      output_tokens: 300 + (i % 70),
    })
    return 1
  },
})

const bulk = ({ orgs }: Stand, count: number): Work => {
  const batch = Math.min(1_000, count)
  return {
    title: `runs recorded in batches of ${batch}`,
    count,
    inFlight: 4,
    once: async (send, i) => {
      const runs = Array.from({ length: batch }, (_, j) => ({
        ...recorded,
        customer_id: `customer-${j % 50}`,
        deployment_id: `d-${j % 5}`,
        external_id: newUuid(),
        input_tokens: 1_200 + (j % 100),
        output_tokens: 300 + (j % 70),
      }))
      await send(orgs[i % orgs.length]!, '/v1/runs/bulk', { runs })
      return batch
    },
  }
}

const recorded = {
  model: 'gpt-4o',
  provider: 'openai',
  operation: 'chat',
  status: 'succeeded',
  workflow_id: 'triage',
  department_id: 'support',
  tags: ['bench'],
  metadata: { release: '2026-11', attempt: 1 },
}

async function measure({ postgres, owner, api, worker }: Stand, { count, inFlight, once }: Work): Promise<Cost> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
  const send: Send = (org, path, body) => insist(agent, api.port, org, path, JSON.stringify(body))
  await owner.query('checkpoint')
  const before = await used({ postgres, owner, api, worker })
  const startedMs = performance.now()
  let [next, done] = [0, 0]
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (done < count) done += await once(send, next++)
    }),
  )
  const seconds = (performance.now() - startedMs) / 1_000
  agent.destroy()
  await workerIsThrough(worker)
  const after = await used({ postgres, owner, api, worker })
  const each = (name: keyof typeof before) => (after[name] - before[name]) / done
  return {
    perSecond: done / seconds,
    apiMicros: each('api'),
    workerMicros: each('worker'),
    postgresMicros: each('postgres'),
    walBytes: each('wal'),
    diskBytes: each('disk'),
  }
}

async function used({ postgres, owner, api, worker }: Omit<Stand, 'orgs'>) {
  const { rows } = await owner.query<{ wal: string; disk: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as wal, pg_database_size(current_database())::text as disk`,
  )
  return {
    api: cpuMicrosOf(api.pid),
    worker: cpuMicrosOf(worker.pid),
    postgres: cpuMicrosOfFamily(postgres.pid()),
    wal: Number(rows[0]?.wal),
    disk: Number(rows[0]?.disk),
  }
}

/** Waits until the worker rests: what is left to fold and to tell of is done. */
async function workerIsThrough({ pid }: Server) {
  for (let quiet = 0; quiet < 2; ) {
    const before = cpuMicrosOf(pid)
    await sleep(1_000)
    quiet = cpuMicrosOf(pid) - before < 100_000 ? quiet + 1 : 0
  }
}

/** Sends until it is answered: who is turned away at the door comes back, later each time, so that a busy machine is not kept busy by refusals. */
async function insist(agent: Agent, port: number, { key }: BenchOrg, path: string, body: string) {
  for (let pauseMs = 20; ; pauseMs = Math.min(2 * pauseMs, 1_000)) {
    const { status, said } = await new Promise<{ status: number; said: string }>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      }
      request({ agent, port, path, method: 'POST', headers }, (answer) => {
        text(answer).then((found) => resolve({ status: answer.statusCode ?? 0, said: found }), reject)
      })
        .on('error', reject)
        .end(body)
    })
    if (status < 300) return JSON.parse(said) as Record<string, unknown>
    if (status !== 503) throw new Error(`${path}: ${status} ${said.slice(0, 300)}`)
    await sleep(pauseMs)
  }
}

function print(title: string, cost: Cost) {
  const { perSecond, apiMicros, workerMicros, postgresMicros, walBytes, diskBytes } = cost
  const coreHours = ((apiMicros + workerMicros + postgresMicros) * million) / 1e6 / 3_600
  const [wal, disk] = [walBytes, diskBytes].map((bytes) => (bytes * million) / gigabyte) as [number, number]
  const cpuUsd = coreHours * prices.coreHourUsd
  const diskUsd = disk * prices.diskGigabyteMonthUsd
  const archiveUsd = (wal * prices.archiveGigabyteMonthUsd * archiveDays) / 30
  console.log(
    `${title}: ${perSecond.toFixed(0)}/s here; each ${apiMicros.toFixed(0)} µs api + ${workerMicros.toFixed(0)} µs worker + ${postgresMicros.toFixed(0)} µs PostgreSQL, ${walBytes.toFixed(0)} bytes of WAL, ${diskBytes.toFixed(0)} of disk`,
  )
  console.log(
    `  a million: ${coreHours.toFixed(2)} core hours ($${cpuUsd.toFixed(3)}), ${wal.toFixed(2)} GB of WAL (archived for ${archiveDays} days $${archiveUsd.toFixed(3)}), ${disk.toFixed(2)} GB of disk ($${diskUsd.toFixed(3)} a month)`,
  )
}
