import type pg from 'pg'
import type { RunRecord } from '../../src/records/run-log/run-log.ts'
import { usageDeltas } from '../../src/records/run-log/usage-deltas.ts'
import { formatUsd } from '../../src/values/money.ts'
import type { Random } from './random.ts'

/** Runs as usage counts them, and what they add up to when nobody is clever about it. */

const quarterMs = 900_000
const dayMs = 86_400_000

const models = ['gpt-4o', 'claude-sonnet', 'ünïcode "modell", ab']
const providers = [undefined, 'openai', 'azure']
const workflows = [undefined, 'checkout', 'Checkout', 'support']
const customers = [undefined, 'c-1', 'c-2', 'ç-3']

export function randomRun(random: Random, fromMs: number, toMs: number): RunRecord {
  const startedAtMs = random.between(fromMs, toMs - 1)
  const costNano = BigInt(random.int(2 ** 31)) * BigInt(random.int(2 ** 20))
  const isTold = (value: number) => (random.chance(0.8) ? value : undefined)
  return {
    id: random.uuid(),
    retentionClass: 90,
    status: random.pick(['succeeded', 'failed', 'cancelled', 'expired']),
    about: {
      model: random.pick(models),
      provider: random.pick(providers),
      workflow_id: random.pick(workflows),
      deployment_id: random.pick([undefined, 'eu-1']),
      department_id: random.pick([undefined, 'sales', 'research']),
      customer_id: random.pick(customers),
    },
    depth: null,
    holdId: null,
    usage: {
      input_tokens: isTold(random.int(100_000)),
      output_tokens: isTold(random.int(10_000)),
      cache_read_input_tokens: isTold(random.int(1_000)),
      cache_creation_input_tokens: isTold(random.int(1_000)),
      reasoning_output_tokens: isTold(random.int(1_000)),
    },
    costNano,
    costBasis: random.pick(['reported', 'computed', 'estimated']),
    reservedNano: null,
    overrunNano: random.chance(0.3) ? costNano / 3n : 0n,
    valueNano: random.chance(0.5) ? costNano * 2n : null,
    startedAtMs,
    endedAtMs: random.chance(0.8) ? startedAtMs + random.int(600_000) : null,
  }
}

/** Records usage as ingest does, and now and then as a correction of an estimate. */
export async function insertUsage(owner: pg.Client, orgId: string, runs: readonly RunRecord[], random: Random) {
  for (let i = 0; i < runs.length; ) {
    const batch = runs.slice(i, (i += random.between(1, 20)))
    const wrong = random.some(batch, 0.1).map((run) => ({ ...run, costNano: run.costNano + 5n }))
    const deltas = [
      ...usageDeltas([...batch, ...wrong].map((run) => ({ orgId, run, sign: 1n as const }))),
      ...usageDeltas(wrong.map((run) => ({ orgId, run, sign: -1n as const }))),
    ]
    await owner.query('insert into usage_deltas select * from json_populate_recordset(null::usage_deltas, $1)', [
      JSON.stringify(deltas),
    ])
  }
}

export interface Asked {
  readonly from: string
  readonly to: string
  readonly granularity: 'hour' | 'day' | 'week' | 'month'
  readonly timezone: string
  readonly groups: readonly string[]
  readonly filters: Readonly<Record<string, string>>
}

type Sums = Record<string, number | string | null>

/** What usage must answer: a sum per period, named as the clocks of the zone name it, and group. */
export function naiveUsage(runs: readonly RunRecord[], asked: Asked, nowMs: number) {
  const fineFromMs = Math.floor(nowMs / dayMs) * dayMs - 90 * dayMs
  const isByCustomer = asked.groups.includes('customer_id') || 'customer_id' in asked.filters
  const stepMs = isByCustomer ? dayMs : quarterMs
  const fromMs = Math.floor(Date.parse(asked.from) / stepMs) * stepMs
  const toMs = Math.ceil(Date.parse(asked.to) / stepMs) * stepMs
  const label = periodNamer(asked.granularity, asked.timezone)
  const groups = new Map<string, RunRecord[]>()
  const counted: RunRecord[] = []
  for (const run of runs) {
    const about = run.about as unknown as Record<string, string | undefined>
    const isOld = isByCustomer || run.startedAtMs < fineFromMs
    const atMs = run.startedAtMs - (run.startedAtMs % (isOld ? dayMs : quarterMs))
    const isWanted = Object.entries(asked.filters).every(([name, value]) => about[name] === value)
    if (atMs < fromMs || atMs >= toMs || !isWanted || (isByCustomer && about['customer_id'] === undefined)) continue
    const key = JSON.stringify([label(atMs), ...asked.groups.map((name) => about[name] ?? null)])
    groups.set(key, [...(groups.get(key) ?? []), run])
    counted.push(run)
  }
  return {
    rows: new Map([...groups].map(([key, members]) => [key, sumsOf(members)])),
    totals: sumsOf(counted),
  }
}

/** A name for the hour, day, week or month of a zone that a time is in, from the platform's own calendar. */
export function periodNamer(granularity: Asked['granularity'], timezone: string) {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    ...(granularity !== 'month' && { day: '2-digit' }),
    ...(granularity === 'hour' && { hour: '2-digit', timeZoneName: 'longOffset' }),
  })
  if (granularity !== 'week') return (ms: number) => format.format(ms)
  // The Monday of a date on the zone's calendar, whatever its clocks do.
  return (ms: number) => {
    const date = new Date(`${format.format(ms)}T00:00:00Z`)
    const sinceMonday = (date.getUTCDay() + 6) % 7
    return new Date(date.getTime() - sinceMonday * dayMs).toISOString()
  }
}

function sumsOf(runs: readonly RunRecord[]): Sums {
  const sum = (of: (run: RunRecord) => number | undefined) => runs.reduce((all, run) => all + (of(run) ?? 0), 0)
  const usd = (of: (run: RunRecord) => bigint) => formatUsd(runs.reduce((all, run) => all + of(run), 0n))
  const timed = runs.filter(({ endedAtMs, status }) => endedAtMs !== null && status !== 'expired')
  const spentMs = timed.reduce((all, { startedAtMs, endedAtMs }) => all + (endedAtMs! - startedAtMs), 0)
  return {
    runs: runs.length,
    failed_runs: sum(({ status }) => (status === 'failed' ? 1 : 0)),
    input_tokens: sum(({ usage }) => usage.input_tokens),
    output_tokens: sum(({ usage }) => usage.output_tokens),
    cache_read_input_tokens: sum(({ usage }) => usage.cache_read_input_tokens),
    cache_creation_input_tokens: sum(({ usage }) => usage.cache_creation_input_tokens),
    reasoning_output_tokens: sum(({ usage }) => usage.reasoning_output_tokens),
    cost_usd: usd(({ costNano }) => costNano),
    estimated_usd: usd(({ costNano, costBasis }) => (costBasis === 'estimated' ? costNano : 0n)),
    overrun_usd: usd(({ overrunNano }) => overrunNano),
    value_usd: usd(({ valueNano }) => valueNano ?? 0n),
    average_duration_ms: timed.length === 0 ? null : Math.round(spentMs / timed.length),
  }
}
