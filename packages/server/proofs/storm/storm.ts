import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { formatUsd, nanoPerUsd } from '../../src/values/money.ts'
import { eventually } from '../../test/support/programs.ts'
import { type Books, faultsOfHolds, faultsOfJournal, faultsOfStandings, readBooks, readStandings } from './books.ts'
import { type Entry, post, randomFrom, StormClient } from './clients.ts'
import type { Cluster } from './cluster.ts'
import { type FaultCounts, faultsOf } from './faults.ts'
import type { Installation, Tenant } from './installation.ts'
import { answersOf, faultsOfAnswers } from './oracle.ts'
import { faultsOfRunLives, type RunTraffic, StormAgent, tenantOfAgents } from './runs.ts'

/**
 * A storm: many callers share one budget and twenty other limits through several API processes, while processes are killed and
 * stopped, PostgreSQL crashes and connections break. Afterwards what the callers were told is compared with the books.
 */

export interface StormOptions {
  readonly seconds: number
  readonly connections: number
  readonly seed: number
  readonly withFaults: boolean
  /** Agents that start and finish runs beside them, in an organization of their own. */
  readonly agents: number
  /** Whether it ends only when every lease is over and swept up after. */
  readonly waitsForLeases: boolean
}

export interface StormReport {
  readonly faults: readonly string[]
  readonly counts: FaultCounts | undefined
  readonly answers: Record<string, number>
  readonly figures: Record<string, string | number>
}

export async function runStorm(
  installation: Installation,
  tenant: Tenant,
  options: StormOptions,
): Promise<StormReport> {
  const { apis, worker, cluster, calm } = installation
  const { seconds, connections, seed } = options
  const log: Entry[] = []
  const startedMs = performance.now()
  const seenLog = cluster.log.length
  let isOver = false
  let calls = 0
  let settledNano = 0n
  const traffic = {
    key: tenant.key,
    ports: () => apis.flatMap(({ port }) => (port === undefined ? [] : [port])),
    log,
    isOver: () => isOver,
    isAhead: () => Number(settledNano) > 90e9 + 7e9 * Math.min(1, (performance.now() - startedMs) / (seconds * 1_000)),
    nextCall: () => ++calls,
    settled: (costNano: bigint) => {
      settledNano += costNano
    },
  }
  const working = await tenantOfAgents(installation)
  const runs: RunTraffic = { key: working.key, ports: traffic.ports, isOver: () => isOver, lives: [], faults: [] }
  // Most of the budget is gone before the storm: from its first moment on it is about the rest.
  await new StormClient(traffic, 0, randomFrom(seed)).spend(9, 10n * nanoPerUsd)
  const snapshots = watch(cluster, tenant, () => isOver)
  const clients = Array.from({ length: connections }, (_, i) =>
    new StormClient(traffic, i, randomFrom(seed * 1_000 + i)).run(),
  )
  const agents = Array.from({ length: options.agents }, (_, i) =>
    new StormAgent(runs, randomFrom(seed * 1_000 + connections + i)).run(),
  )
  calm.value = false
  let counts: FaultCounts | undefined
  try {
    const random = randomFrom(seed)
    const crashAfterMs = [0.35, 0.4].map((share) => seconds * 1_000 * share * (0.8 + random() * 0.2))
    if (options.withFaults) counts = await faultsOf(installation, { seconds, random, crashAfterMs })
    else await sleep(seconds * 1_000)
  } finally {
    isOver = true
    calm.value = true
    await Promise.all([...clients, ...agents])
  }

  const client = await cluster.connect()
  try {
    // The leases are over, and those who ended none of them are swept up after.
    const open = async () =>
      (
        await client.query<{ count: bigint }>(`select count(*) from holds where org_id = $1 and state = 'open'`, [
          tenant.uuid,
        ])
      ).rows[0]!.count
    const leaked = !options.waitsForLeases
      ? 0n
      : await eventually(async () => (await open()) === 0n, 25_000).then(() => 0n, open)
    const seen = await snapshots
    const books = await readBooks(client, tenant.uuid)
    const runBooks = await readBooks(client, working.uuid)
    const serverLog = cluster.log.slice(seenLog)
    const faults = [
      ...seen.faults,
      ...(leaked > 0n ? [`${leaked} holds are still open`] : []),
      ...faultsOfStandings(books.standings),
      ...faultsOfJournal(books),
      ...faultsOfHolds(books),
      ...faultsOfAnswers(log, books),
      ...totalFaults(books),
      ...runs.faults,
      ...[faultsOfStandings(runBooks.standings), faultsOfJournal(runBooks), faultsOfHolds(runBooks)].flat(),
      ...(await faultsOfRunLives(installation, working, runs.lives)),
      ...serverLog.filter((line) => / (40P01|WE001|XX\d{3}) |PANIC/.test(line)),
      ...[...apis, worker].flatMap(({ surprises }) => surprises),
      ...[...apis, worker].flatMap(({ complaints }) => complaints),
    ]
    const budget = books.standings.find(({ name }) => name.startsWith('budget storm '))
    const figures = {
      decisions: log.filter(({ type }) => type === 'decided').length,
      holds: books.holds.size,
      settlements: [...books.holds.values()].filter(({ state }) => state === 'settled').length,
      runs: runs.lives.length,
      expired: [...books.holds.values()].filter(({ state }) => state === 'expired').length,
      batches: books.batches.length,
      snapshots: seen.count,
      'most of the budget in use': formatUsd(seen.most),
      'spent of the budget': formatUsd(budget?.spent ?? 0n),
      'settled late': formatUsd(budget?.late ?? 0n),
      'refused by PostgreSQL': JSON.stringify(codesIn(serverLog)),
      seconds: ((performance.now() - startedMs) / 1_000).toFixed(1),
    }
    return { faults, counts, answers: answersOf(log), figures }
  } finally {
    await client.end()
  }
}

/** How often PostgreSQL failed a statement, by SQLSTATE. */
export function codesIn(lines: readonly string[]) {
  const counts: Record<string, number> = {}
  for (const line of lines) {
    const code = / ([0-9A-Z]{5}) .*(?:ERROR|FATAL|PANIC):/.exec(line)?.[1]
    if (code !== undefined) counts[code] = (counts[code] ?? 0) + 1
  }
  return counts
}

function totalFaults({ standings, holds }: Books): string[] {
  const total = [...holds.values()].reduce(
    (sum, { state, charged_nano }) => (state === 'settled' ? sum + charged_nano! : sum),
    0n,
  )
  const spent = standings
    .filter(({ name }) => /^budget (storm|alerting|the only model|the only key) /.test(name))
    .reduce((sum, row) => sum + row.spent, 0n)
  // Two budgets of the organization count everything, and so do those of the only model and of the only key.
  return spent === total * 4n
    ? []
    : [`the settlements are ${total}, and the four budgets that count everything have ${spent} together`]
}

/** Looks at the books all the time, as far as PostgreSQL answers. */
async function watch(cluster: Cluster, { uuid }: Tenant, isOver: () => boolean) {
  const faults: string[] = []
  let count = 0
  let most = 0n
  const look = async (client: pg.Client) => {
    const standings = await readStandings(client, uuid)
    if (faults.length < 20) faults.push(...faultsOfStandings(standings))
    for (const { name, spent, held } of standings)
      if (name.startsWith('budget storm ') && spent + held > most) most = spent + held
    count++
  }
  while (!isOver()) {
    try {
      const client = await cluster.connect()
      try {
        for (; !isOver(); await sleep(200)) await look(client)
      } finally {
        await client.end()
      }
    } catch {
      // PostgreSQL has gone; it will be back.
      await sleep(50)
    }
  }
  return { faults, count, most }
}

/** What one caller alone can still spend, to the last cent, when the storm is over. */
export async function spendTheRest({ apis, cluster }: Installation, { key, uuid }: Tenant) {
  const agent = new Agent({ keepAlive: true })
  const client = await cluster.connect()
  try {
    const left = async () => {
      const rows = (await readStandings(client, uuid)).filter(({ name }) => /^(budget storm |spend_cap)/.test(name))
      return rows.map((row) => row.amount! - row.spent - row.held).reduce((a, b) => (a < b ? a : b))
    }
    const before = await left()
    for (let rest = before; rest > 0n; rest = await left()) {
      const amount = rest > nanoPerUsd ? nanoPerUsd : rest
      const body = { model: 'storm', estimated_cost_usd: formatUsd(amount), input_tokens: 0 }
      const decided = await post(agent, apis[0]!.port!, '/v1/edge/decision', { key, body })
      if (decided.status !== 200) break
      const { reservation_id } = JSON.parse(decided.text) as { reservation_id: string }
      const settled = await post(agent, apis[0]!.port!, '/v1/storm/settle', {
        key,
        body: { reservation_id, cost_usd: formatUsd(amount), tokens: 1 },
      })
      if (settled.status !== 200) break
    }
    return { before, after: await left() }
  } finally {
    agent.destroy()
    await client.end()
  }
}
