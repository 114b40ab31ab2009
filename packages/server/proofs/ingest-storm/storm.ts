import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatUsd, nanoPerUsd, parseUsd } from '../../src/values/money.ts'
import { eventually } from '../../test/support/programs.ts'
import { call } from '../../test/support/tenants.ts'
import { faultsOfJournal, readBooks } from '../storm/books.ts'
import { randomFrom } from '../storm/clients.ts'
import { type FaultCounts, faultsOf } from '../storm/faults.ts'
import { createTenant, type Installation } from '../storm/installation.ts'
import { codesIn } from '../storm/storm.ts'
import { type Batch, makeBatch, meanNano, type StormOrg } from './batches.ts'
import { faultsOfAtomic, faultsOfNames, faultsOfRuns, faultsOfSums, readSums } from './books.ts'
import { IngestClient, type IngestTraffic } from './clients.ts'
import { IngestLog } from './log.ts'

/**
 * A storm on ingest: clients of several organizations send batches of runs, each at least twice, while API processes are killed
 * and stopped, PostgreSQL crashes and the worker that folds usage dies. Afterwards every run that was acknowledged is there once,
 * and runs, usage, budgets and journal say the same.
 */

/** Whoever waits in a circle is told at once, before its time to wait is over: a deadlock shows as one. */
export const deadlocksShow = { deadlock_timeout: '100ms' }

export interface IngestStormOptions {
  readonly runs: number
  /** After so long no new batch is begun. */
  readonly seconds: number
  readonly seed: number
  readonly withFaults: boolean
  /** How long clients go on asking after that; who has no answer then will have none. */
  readonly patienceSeconds: number
}

export interface IngestStormReport {
  readonly faults: readonly string[]
  readonly figures: IngestLog['counts'] & Record<string, string | number>
  readonly weather: FaultCounts | undefined
  /** What the clients were told; gone where nothing was wrong. */
  readonly path: string
}

const plan = [
  { name: 'hot', share: 0.76, clients: 5, isTight: false },
  { name: 'tight', share: 0.06, clients: 2, isTight: true },
  { name: 'small-1', share: 0.06, clients: 1, isTight: false },
  { name: 'small-2', share: 0.06, clients: 1, isTight: false },
  { name: 'small-3', share: 0.06, clients: 1, isTight: false },
] as const

const amplyNano = 1_000_000n * nanoPerUsd
/** A tight budget is used up by less than half of what would be charged to it. */
const limitOf = ({ isTight, share }: { isTight: boolean; share: number }, runs: number): bigint =>
  isTight ? BigInt(Math.ceil(runs * share * meanNano * 0.4)) : amplyNano

/** The pace of crashes: soon after the beginning, then ever more rarely. */
function* crashes(random: () => number) {
  for (let ms = 4_000; ; ms = Math.min(30_000, ms * 1.5)) yield ms * (0.7 + random() * 0.6)
}

export async function runIngestStorm(
  installation: Installation,
  options: IngestStormOptions,
): Promise<IngestStormReport> {
  const { apis, worker, cluster, calm } = installation
  const { seed, seconds, runs } = options
  const startedMs = performance.now()
  const seenLog = cluster.log.length
  const orgs: StormOrg[] = []
  for (const each of plan) orgs.push(await createOrg(installation, each, limitOf(each, runs)))
  const log = new IngestLog(join(tmpdir(), `weir-ingest-storm-${process.pid}-${seed}.log`))
  const traffic = new Traffic(installation, log, options)
  const random = randomFrom(seed)

  calm.value = false
  let isSending = true
  const clients = orgs.flatMap((org, o) =>
    Array.from({ length: org.clients }, (_, i) =>
      new IngestClient(traffic, org, randomFrom(seed * 1_000 + o * 100 + i)).run(),
    ),
  )
  const sending = Promise.all(clients).finally(() => {
    isSending = false
  })
  const watching = watch(installation, orgs, runs, () => !isSending)
  let weather: FaultCounts | undefined
  try {
    const isEnough = () => !isSending
    if (options.withFaults)
      weather = await faultsOf(installation, { seconds, random, crashAfterMs: crashes(random), isEnough, rarer: 3 })
    else await sending
  } finally {
    traffic.endNow()
    calm.value = true
    await sending
  }
  const stormMs = performance.now() - startedMs
  const seen = await watching
  await silence(installation)
  // What a limit refused may have found room since, or may be there without an answer: now it is told for good.
  await inTurns(4, traffic.tight, (batch) => new IngestClient(traffic, batch.org, random).repeat(batch))

  const client = await cluster.connect()
  try {
    const faults = [...seen.faults, ...log.faults]
    for (const org of orgs) {
      faults.push(...(await faultsOfRuns(client, org, log)), ...(await faultsOfNames(client, org)))
      faults.push(...(await totalFaults(installation, client, org, limitOf(org, runs), 'before it is folded')))
    }
    faults.push(...faultsOfAtomic(traffic.tight, log))
    const waiting = async () =>
      (await client.query<{ count: bigint }>('select count(*) from usage_deltas')).rows[0]!.count
    await eventually(async () => (await waiting()) === 0n, 180_000).catch(async () =>
      faults.push(`${await waiting()} deltas of usage were not folded`),
    )
    for (const org of orgs) {
      faults.push(...(await totalFaults(installation, client, org, limitOf(org, runs), 'after it was folded')))
      faults.push(...faultsOfJournal(await readBooks(client, org.uuid)).map((fault) => `${org.name}: ${fault}`))
    }
    const { faults: drift, ...verified } = JSON.parse(installation.verify()) as { faults: object[] }
    const serverLog = cluster.log.slice(seenLog)
    faults.push(
      ...drift.map((fault) => `verify: ${JSON.stringify(fault)}`),
      ...serverLog.filter((line) => / (40P01|WE001|XX\d{3}) |PANIC/.test(line)),
      ...[...apis, worker].flatMap(({ surprises, complaints }) => [...surprises, ...complaints]),
    )
    const tight = await readSums(client, orgs.find(({ isTight }) => isTight)!)
    const recorded = [...log.fates.values()].flatMap((own) => [...own.values()]).filter(({ found }) => found > 0).length
    log.close()
    if (faults.length === 0) rmSync(log.path)
    const figures = {
      seed,
      batches: traffic.batches,
      resends: log.counts.sends - traffic.batches,
      ...log.counts,
      runs: recorded,
      'runs in 1 s': Math.round((recorded * 1_000) / stormMs),
      snapshots: seen.count,
      'spent of the tight budget': `${formatUsd(tight.spent)} of ${formatUsd(limitOf(plan[1], runs))}`,
      verified: JSON.stringify(verified),
      'refused by PostgreSQL': JSON.stringify(codesIn(serverLog)),
      'storm in s': Math.round(stormMs / 1_000),
      'all in s': Math.round((performance.now() - startedMs) / 1_000),
    }
    return { faults, figures, weather, path: log.path }
  } finally {
    await client.end()
  }
}

/** Hands out batches until there were enough, or it took too long. */
class Traffic implements IngestTraffic {
  readonly log: IngestLog
  readonly tight: Batch[] = []
  batches = 0
  readonly ports: () => readonly number[]
  readonly isCalm: () => boolean
  readonly isHopeless: () => boolean
  private readonly left: Map<string, number>
  private readonly endMs: number
  private isOver = false

  constructor({ apis, calm }: Installation, log: IngestLog, { runs, seconds, patienceSeconds }: IngestStormOptions) {
    this.log = log
    this.ports = () => apis.flatMap(({ port }) => (port === undefined ? [] : [port]))
    this.isCalm = () => calm.value
    this.isHopeless = () => performance.now() > this.endMs + patienceSeconds * 1_000
    this.left = new Map(plan.map(({ name, share }) => [name, Math.round(runs * share)]))
    this.endMs = performance.now() + seconds * 1_000
  }

  endNow() {
    this.isOver = true
  }

  nextBatch(org: StormOrg, random: () => number) {
    const left = this.left.get(org.name)!
    // However slow the machine is, the tight budget is met.
    const isLate = (this.isOver || performance.now() > this.endMs) && !(org.isTight && this.hasRoom())
    if (left === 0 || isLate) return undefined
    const batch = makeBatch(org, ++this.batches, left, random)
    this.left.set(org.name, left - batch.runs.length)
    return batch
  }

  private hasRoom() {
    const { refusedRuns, refusedBatches } = this.log.counts
    return refusedRuns + refusedBatches === 0
  }

  done(batch: Batch) {
    if (batch.org.isTight) this.tight.push(batch)
  }
}

async function createOrg(
  installation: Installation,
  { name, share, clients, isTight }: (typeof plan)[number],
  limitNano: bigint,
): Promise<StormOrg> {
  const tenant = await createTenant(installation)
  const url = `http://127.0.0.1:${installation.apis[0]!.port}`
  const set = async (method: string, path: string, body: object) => {
    const { status, text, json } = await call(url, method, `/v1/orgs/${tenant.id}${path}`, { key: tenant.key, body })
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    return json as unknown as { id: string }
  }
  const price = { model: 'storm', input_usd_per_million: '0', output_usd_per_million: '0', max_output_tokens: 1 }
  await set('PUT', '/prices', { prices: [price], min_hold_usd: '0.000001' })
  const budget = { period: 'year', scope_kind: 'org', name: 'storm', limit_usd: formatUsd(limitNano) }
  const { id } = await set('POST', '/budgets', budget)
  const own = { scope_kind: 'workflow', scope_id: 'workflow-0', name: 'workflow-0', limit_usd: formatUsd(amplyNano) }
  await set('POST', '/budgets', { ...budget, ...own })
  return { ...tenant, name, share, clients, isTight, budgetId: id }
}

/** The books, what the API tells of usage and budget, and all of it the same. */
async function totalFaults(
  { apis }: Installation,
  client: Parameters<typeof readSums>[0],
  org: StormOrg,
  limitNano: bigint,
  when: string,
): Promise<string[]> {
  const sums = await readSums(client, org)
  const get = async (path: string) => {
    const { status, text, json } = await call(`http://127.0.0.1:${apis[0]!.port}`, 'GET', `/v1/orgs/${org.id}${path}`, {
      key: org.key,
    })
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`)
    return json as Record<string, unknown>
  }
  const { totals } = (await get('/usage?granularity=day')) as { totals: { runs: number; cost_usd: string } }
  const { spent_usd } = (await get(`/budgets/${org.budgetId}`)) as { spent_usd: string }
  const told = [
    ['usage has runs', BigInt(totals.runs), sums.runs],
    ['usage costs', parseUsd(totals.cost_usd), sums.cost],
    ['the budget says as spent', parseUsd(spent_usd), sums.cost],
  ] as const
  return [
    ...faultsOfSums(org, sums, limitNano),
    ...told.flatMap(([what, is, expected]) => (is === expected ? [] : [`${org.name}: ${what} ${is}, not ${expected}`])),
    ...(sums.held === 0n ? [] : [`${org.name}: ${sums.held} is held, and nothing runs`]),
  ].map((fault) => `${fault} (${when})`)
}

/** Ends what may still be under way for callers that have given up: nothing happens any more that nobody asks for. */
async function silence({ apis, cluster }: Installation) {
  await Promise.all(apis.map((api) => api.kill()))
  const client = await cluster.connect()
  try {
    await eventually(async () => {
      const { rows } = await client.query<{ count: bigint }>(
        `select count(*) from pg_stat_activity where application_name like 'api-%' and xact_start is not null`,
      )
      return rows[0]!.count === 0n
    }, 60_000)
  } finally {
    await client.end()
  }
}

/** Looks at the books of one organization after the other, as far as PostgreSQL answers. */
async function watch({ cluster }: Installation, orgs: readonly StormOrg[], runs: number, isOver: () => boolean) {
  const faults: string[] = []
  let count = 0
  while (!isOver()) {
    try {
      const client = await cluster.connect()
      try {
        while (!isOver()) {
          const org = orgs[count % orgs.length]!
          const sinceMs = performance.now()
          const found = faultsOfSums(org, await readSums(client, org), limitOf(org, runs))
          if (faults.length < 20) faults.push(...found.map((fault) => `${fault} (while it stormed)`))
          count++
          // To look must not become the load.
          await sleep(100 + 10 * (performance.now() - sinceMs))
        }
      } finally {
        await client.end()
      }
    } catch {
      // PostgreSQL has gone; it will be back.
      await sleep(50)
    }
  }
  return { faults, count }
}

async function inTurns<T>(atOnce: number, all: readonly T[], work: (one: T) => Promise<void>) {
  const waiting = [...all]
  const turn = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await work(one)
  }
  await Promise.all(Array.from({ length: atOnce }, turn))
}
