import type pg from 'pg'
import type { Answer } from '../../../server/test/support/tenants.ts'

/**
 * Sums of calls in nano-dollars, by plain SQL on both sides. That on LiteLLM's is written anew and shares nothing with the import: a float is its
 * shortest decimal, rounded up.
 */
const nanos = `ceil((greatest(spend, 0))::text::numeric * 1000000000)`

const parts = {
  all: [`'all'`, `'all'`],
  day: [`to_char("startTime", 'YYYY-MM-DD')`, `to_char(started_at at time zone 'utc', 'YYYY-MM-DD')`],
  team: [`lower(team_id)`, `department_id`],
  user: [`nullif(nullif("user", ''), 'default_user_id')`, `user_id`],
  customer: [`nullif(end_user, '')`, `customer_id`],
  model: [`coalesce(nullif(model, ''), model_group)`, `model`],
  status: [`case status when 'failure' then 'failed' else 'succeeded' end`, `status`],
} as const
type Part = keyof typeof parts | 'key'

/** The dimension of usage for each part; days come without one. */
const groupings: Partial<Record<Part, string>> = {
  team: 'department_id',
  user: 'user_id',
  customer: 'customer_id',
  model: 'model',
  key: 'key_id',
}

export interface Sum {
  readonly name: string | null
  readonly calls: string
  readonly nanos: string
}

const select = (name: string, cost: string, from: string) =>
  `select (${name})::text as name, count(*)::text as calls, sum(${cost})::bigint::text as nanos from ${from} group by 1 order by 1 nulls first`

interface Sources {
  readonly litellm: pg.Client
  readonly weir: pg.Client
  /** Gets a page of usage from the API, with a query. */
  readonly usage: (query: Readonly<Record<string, string>>) => Promise<Answer>
  readonly since: Date
  readonly keyIds: ReadonlyMap<string, string>
  readonly importer: { readonly id: string; readonly uuid: string }
  /** Writes the id of a key as the API shows it. */
  readonly formatKey: (uuid: string) => string
}

/**
 * Returns the parts by which the sums of Weir are not those of LiteLLM, and how many sums were compared: the rows of runs, and what the API says
 * of usage, to the nano-dollar.
 */
export async function compareSums({ litellm, weir, usage, since, keyIds, importer, formatKey }: Sources) {
  const logs = `"LiteLLM_SpendLogs" where "startTime" >= '${since.toISOString().replace('Z', '')}'`
  const sums = async (client: pg.Client, text: string) => (await client.query<Sum>(text)).rows
  const faults: string[] = []
  let compared = 0
  const compare = (where: string, wanted: readonly Sum[], seen: readonly Sum[]) => {
    const byName = new Map(seen.map((sum) => [sum.name, sum]))
    compared += Math.max(wanted.length, seen.length)
    if (wanted.length !== seen.length) faults.push(`${where}: ${wanted.length} in LiteLLM, ${seen.length} in Weir`)
    for (const { name, calls, nanos: amount } of wanted) {
      const found = byName.get(name)
      if (found?.calls !== calls || found.nanos !== amount)
        faults.push(
          `${where} ${name}: ${calls} calls, ${amount} in LiteLLM; ${found?.calls} calls, ${found?.nanos} in Weir`,
        )
    }
  }
  const compareBoth = async (part: Part, wanted: readonly Sum[], rows: readonly Sum[], shown = wanted) => {
    compare(`runs by ${part}`, wanted, rows)
    if (part === 'day') compare('usage by day', shown, await usageOf(usage, since, undefined))
    const grouping = groupings[part]
    // A call without an end user is in no usage by end users.
    const named = part === 'customer' ? shown.filter(({ name }) => name !== null) : shown
    if (grouping !== undefined) compare(`usage by ${part}`, named, await usageOf(usage, since, grouping))
  }
  for (const [part, [theirs, ours]] of Object.entries(parts) as [Part, readonly [string, string]][])
    await compareBoth(
      part,
      await sums(litellm, select(theirs, nanos, logs)),
      await sums(weir, select(ours, 'cost_nano', 'runs')),
    )
  const byKey = new Map<string, { calls: bigint; nanos: bigint }>()
  for (const { name, calls, nanos: amount } of await sums(litellm, select('api_key', nanos, logs))) {
    const id = keyIds.get(name ?? '') ?? importer.uuid
    const sum = byKey.get(id) ?? { calls: 0n, nanos: 0n }
    byKey.set(id, { calls: sum.calls + BigInt(calls), nanos: sum.nanos + BigInt(amount) })
  }
  const wanted = [...byKey].map(([name, sum]) => ({ name, calls: `${sum.calls}`, nanos: `${sum.nanos}` }))
  const shown = wanted.map((sum) => ({ ...sum, name: formatKey(sum.name) }))
  await compareBoth('key', wanted, await sums(weir, select('key_id', 'cost_nano', 'runs')), shown)
  return { faults, compared }
}

const dayMs = 86_400_000
/** A window of what the API sums within its time, also on a busy machine: it shows 90 days, and the log of an import touches 91. */
const windowMs = 30 * dayMs

/** Adds up what the API says of usage, by days or by a dimension. */
async function usageOf(usage: Sources['usage'], since: Date, grouping: string | undefined): Promise<Sum[]> {
  const found = new Map<string | null, { calls: bigint; nanos: bigint }>()
  const first = Math.floor(since.getTime() / dayMs) * dayMs
  for (let from = first; from <= Date.now(); from += windowMs) {
    const window = { from: new Date(from).toISOString(), to: new Date(from + windowMs).toISOString(), limit: '200' }
    const query = {
      ...window,
      granularity: grouping === undefined ? 'day' : 'month',
      ...(grouping && { group_by: grouping }),
    }
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { json }: Answer = await usage({ ...query, ...(cursor !== '' && { cursor }) })
      for (const row of json['data'] as Record<string, string | number | null>[]) {
        const name =
          grouping === undefined ? String(row['period_start']).slice(0, 10) : (row[grouping] as string | null)
        const sum = found.get(name) ?? { calls: 0n, nanos: 0n }
        const cost = nanosIn(String(row['cost_usd']))
        found.set(name, { calls: sum.calls + BigInt(Number(row['runs'])), nanos: sum.nanos + cost })
      }
      cursor = json['next_cursor'] as string | null
    }
  }
  return [...found]
    .filter(([, sum]) => sum.calls > 0n)
    .map(([name, sum]) => ({ name, calls: `${sum.calls}`, nanos: `${sum.nanos}` }))
}

/** Reads an amount of the API in nano-dollars. */
export const nanosIn = (text: string) => {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))
}
