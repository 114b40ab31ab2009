import { describe, expect, test } from 'vitest'
import { firstSeed, Random } from '../../../test/support/random.ts'
import { newUuidAt } from '../../values/id.ts'
import { formatUsd } from '../../values/money.ts'
import { dayMs } from '../../values/time.ts'
import { replayLimit } from './limit-replay.ts'
import type { StoredRun } from './queries.ts'
import type { DraftLimit } from './schema.ts'

const startMs = Date.UTC(2026, 2, 20)
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata']

const storedRun = (more: Partial<StoredRun> & { atMs: number }): StoredRun => ({
  id: newUuidAt(more.atMs),
  model: 'gpt-4o',
  provider: null,
  operation: null,
  action: null,
  workflow_id: null,
  deployment_id: null,
  department_id: null,
  customer_id: null,
  user_id: null,
  chain_id: null,
  depth: null,
  input_tokens: null,
  output_tokens: null,
  cost_nano: 1n,
  tags: [],
  metadata: null,
  admission: null,
  ...more,
})

const names = ['a', 'b', 'c', null]
const randomRuns = (random: Random) =>
  Array.from({ length: random.between(1, 400) }, () => startMs + random.int(70 * dayMs))
    .sort((a, b) => a - b)
    .map((atMs) =>
      storedRun({
        atMs,
        cost_nano: random.chance(0.1) ? 0n : random.amount(1_000),
        workflow_id: random.pick(names),
        deployment_id: random.pick(names),
        department_id: random.pick(names),
        customer_id: random.pick(names),
      }),
    )

const calendars = new Map(
  zones.map((timeZone) => [timeZone, new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })]),
)

/** The local day or month, from the platform's calendar and not from ours. */
function periodName(period: 'day' | 'month', timeZone: string, id: string): string {
  const atMs = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
  const date = calendars.get(timeZone)!.format(atMs)
  return period === 'day' ? date : date.slice(0, 7)
}

/** A running sum for each subject and period; what would pass the limit is refused and not added. */
function naive(
  runs: readonly StoredRun[],
  draft: DraftLimit & { period: 'day' | 'month'; timezone: string },
  most: bigint,
) {
  const sums = new Map<string, bigint>()
  const column = draft.scope_kind === 'org' ? undefined : (`${draft.scope_kind}_id` as const)
  return runs.map((run) => {
    const subject = column === undefined ? '' : run[column]
    if (subject === null || (draft.scope_id !== undefined && subject !== draft.scope_id)) return 'allow'
    const key = `${subject} ${periodName(draft.period, draft.timezone, run.id)}`
    const spent = sums.get(key) ?? 0n
    if (run.cost_nano > 0n && spent + run.cost_nano > most) return 'over_limit'
    sums.set(key, spent + run.cost_nano)
    return 'allow'
  })
}

describe('a limit that was not there', () => {
  const seed = firstSeed()
  console.info(`seed ${seed}`)

  test('refuses what a running sum per period says, however the runs are cut into batches', () => {
    let refused = 0
    for (let i = 0; i < 150; i++) {
      const random = new Random(seed + i)
      const runs = randomRuns(random)
      const most = random.amount(8_000)
      const scope_kind = random.pick(['org', 'department', 'workflow', 'deployment', 'customer'] as const)
      const isEach = scope_kind === 'org' || (scope_kind === 'customer' && random.chance(0.5))
      const draft = {
        scope_kind,
        ...(!isEach && { scope_id: 'a' }),
        limit_usd: formatUsd(most),
        period: random.pick(['day', 'month'] as const),
        timezone: random.pick(zones),
      }
      const charge = replayLimit(draft)
      const found: string[] = []
      for (let at = 0; at < runs.length; ) {
        const size = random.between(1, 90)
        found.push(...charge(runs.slice(at, at + size)))
        at += size
      }
      expect(found, `seed ${seed + i}`).toEqual(naive(runs, draft, most))
      refused += found.filter((outcome) => outcome === 'over_limit').length
    }
    expect(refused).toBeGreaterThan(0)
  })

  test('tells customers apart only so far as memory is given, and says so of the rest', () => {
    const charge = replayLimit({ scope_kind: 'customer', limit_usd: '0.000000001', period: 'day' }, 2)
    const on = (day: number, customer_id: string) => storedRun({ atMs: startMs + day * dayMs, customer_id })
    expect(charge([on(0, 'a'), on(0, 'b'), on(0, 'c'), on(0, 'a')])).toEqual([
      'allow',
      'allow',
      'uncounted',
      'over_limit',
    ])
    // What is over makes room.
    expect(charge([on(1, 'c'), on(1, 'c'), on(1, 'd'), on(1, 'e')])).toEqual([
      'allow',
      'over_limit',
      'allow',
      'uncounted',
    ])
  })
})
