import { setTimeout as pause } from 'node:timers/promises'
import { faultsOfHolds, faultsOfJournal, faultsOfStandings, readBooks } from '../../../server/proofs/storm/books.ts'
import { type FaultCounts, faultsOf } from '../../../server/proofs/storm/faults.ts'
import { eventually } from '../../../server/test/support/programs.ts'
import { Random } from '../support/random.ts'
import type { Site } from '../support/site.ts'
import { startCheckThenCharge } from './check-then-charge.ts'
import { billOf, bodyOf, budgetHeader, type Outcomes, runLoad } from './load.ts'

/**
 * A storm on budgets of 40 worst cases each: many callers through several gateways, while gateways and Weir's processes are killed and
 * PostgreSQL crashes. In the end the provider's books say whether any budget was passed.
 */
export interface LimitStormOptions {
  readonly clients: number
  readonly calls: number
  readonly budgets: number
  readonly seed: number
  /** The shortest and the longest time between two kills of a gateway. */
  readonly gatewayKillsEveryMs: readonly [number, number]
  readonly crashes: number
  /** The longest time for all calls. */
  readonly seconds: number
}

export interface LimitReport {
  /** The most that the provider billed in a budget, as a share of its limit. */
  readonly worstRatio: number
  /** The same of the usual way, under the same load and without any fault. */
  readonly checkThenCharge: number
  /** Charged of what was billed, in all. */
  readonly charged: number
  readonly outcomes: Outcomes
  readonly counts: FaultCounts & { gatewayKills: number }
  readonly faults: readonly string[]
  readonly seconds: number
}

const worstCases = 40

export async function runLimitStorm(site: Site, options: LimitStormOptions): Promise<LimitReport> {
  const began = performance.now()
  const { installation, tenant, provider, gateways, ask } = site
  const limitNano = worstCases * (await worstCase(site))
  const budgets = await Promise.all(
    Array.from({ length: options.budgets }, (_, i) => makeBudget(site, `storm-${options.seed}-${i}`, limitNano)),
  )
  const counts = { gatewayKills: 0 }
  let isOver = false
  installation.calm.value = false
  const load = runLoad({
    ...options,
    urls: () => gateways.filter(({ serves }) => serves).map(({ url }) => url),
    budgetOf: (call) => budgets[Math.min(budgets.length - 1, Math.floor((call * budgets.length) / options.calls))]!,
    mayStream: true,
  }).finally(() => {
    isOver = true
  })
  const random = new Random(options.seed)
  const killing = killGateways(site, options, random, counts, () => isOver)
  const weather = faultsOf(installation, {
    seconds: 600,
    random: () => random.next(),
    crashAfterMs: Array.from({ length: options.crashes }, () => 1_500 + random.next() * 4_000),
    isEnough: () => isOver,
    rarer: 3,
    killsEveryMs: [2_500, 6_000],
  })
  const [outcomes, found] = await Promise.all([load, weather, killing])
  installation.calm.value = true
  await Promise.all(gateways.map((gateway) => gateway.settled()))
  // A gateway that was killed settles what it left open when it starts again; what is lost all the same ends with its lease.
  const heldIn = async ({ id }: { id: string }) => (await ask('GET', `/v1/orgs/${tenant.id}/budgets/${id}`))['held_usd']
  const open = await eventually(
    async () => (await Promise.all(budgets.map(heldIn))).every((held) => held === '0'),
    90_000,
  ).then(
    () => [],
    () => ['some holds never ended'],
  )

  const billed = new Map<string, number>()
  for (const entry of provider.books.entries) {
    const budget = String(entry.headers[budgetHeader])
    billed.set(budget, (billed.get(budget) ?? 0) + billOf(entry))
  }
  const faults: string[] = [...open]
  let [spentNano, billedNano, worstRatio] = [0, 0, 0]
  for (const { name, id } of budgets) {
    const spent = Math.round(Number((await ask('GET', `/v1/orgs/${tenant.id}/budgets/${id}`))['spent_usd']) * 1e9)
    const bill = billed.get(name) ?? 0
    spentNano += spent
    billedNano += bill
    worstRatio = Math.max(worstRatio, bill / limitNano)
    if (bill > limitNano) faults.push(`${name}: the provider billed ${bill} of ${limitNano} nano-dollars`)
    if (spent < bill) faults.push(`${name}: ${spent} nano-dollars are charged, ${bill} were billed`)
  }
  faults.push(...(await driftOf(site)))
  for (const gateway of gateways) faults.push(...gateway.surprises)
  return {
    worstRatio,
    checkThenCharge: await ratioOfCheckThenCharge(site, options, limitNano),
    charged: spentNano / billedNano,
    outcomes,
    counts: { ...found, ...counts },
    faults,
    seconds: (performance.now() - began) / 1_000,
  }
}

/** Asks for one call without a limit, and returns what was held for it, in nano-dollars. */
async function worstCase({ gateways, tenant }: Site): Promise<number> {
  const answer = await fetch(`${gateways[0]!.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(bodyOf(true)),
  })
  await answer.text()
  return Math.round(Number(answer.headers.get('x-weir-reserved-usd')) * 1e9)
}

async function makeBudget({ ask, tenant }: Site, name: string, limitNano: number) {
  const pins = { workflow_id: name }
  const org = `/v1/orgs/${tenant.id}`
  const { secret } = await ask('POST', `${org}/keys`, { name, role: 'service', scopes: ['runs:write'], pins })
  const limit_usd = (limitNano / 1e9).toFixed(9)
  const budget = { name, scope_kind: 'workflow', scope_id: name, period: 'year', limit_usd }
  const { id } = await ask('POST', `${org}/budgets`, budget)
  return { name, key: String(secret), id: String(id) }
}

async function killGateways(
  { gateways }: Site,
  { gatewayKillsEveryMs: [least, most] }: LimitStormOptions,
  random: Random,
  counts: { gatewayKills: number },
  isOver: () => boolean,
) {
  const revivals: Promise<void>[] = []
  for (;;) {
    const until = performance.now() + random.between(least, most)
    while (performance.now() < until && !isOver()) await pause(50)
    if (isOver()) break
    const victim = random.pick(gateways)
    if (!victim.serves) continue
    counts.gatewayKills += 1
    revivals.push(victim.kill())
  }
  await Promise.all(revivals)
}

/** Compares the counters with the journal and the holds, as the owner of the database sees them. */
async function driftOf({ installation, tenant }: Site): Promise<string[]> {
  const client = await installation.cluster.connect()
  try {
    const books = await readBooks(client, tenant.uuid)
    return [...faultsOfStandings(books.standings), ...faultsOfJournal(books), ...faultsOfHolds(books)]
  } finally {
    await client.end()
  }
}

async function ratioOfCheckThenCharge({ provider }: Site, options: LimitStormOptions, limitNano: number) {
  const name = `usual-${options.seed}`
  const usual = await startCheckThenCharge(provider.url, limitNano)
  const calls = Math.ceil(options.calls / options.budgets)
  await runLoad({ ...options, calls, urls: () => [usual.url], budgetOf: () => ({ name, key: '' }), mayStream: false })
  usual.close()
  const own = provider.books.entries.filter(({ headers }) => headers[budgetHeader] === name)
  return own.reduce((sum, entry) => sum + billOf(entry), 0) / limitNano
}
