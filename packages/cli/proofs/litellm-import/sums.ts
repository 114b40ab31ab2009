import type pg from 'pg'

/**
 * Sums of calls in nano-dollars, by plain SQL on both sides. That on LiteLLM's is written anew and shares nothing with the import: a float is its
 * shortest decimal, rounded up.
 */
const nanos = `ceil((greatest(spend, 0))::text::numeric * 1000000000)`

const parts = {
  all: [`'all'`, `'all'`],
  day: [`to_char("startTime", 'YYYY-MM-DD')`, `to_char(started_at at time zone 'utc', 'YYYY-MM-DD')`],
  team: [`team_id`, `department_id`],
  user: [`nullif(nullif("user", ''), 'default_user_id')`, `user_id`],
  customer: [`nullif(end_user, '')`, `customer_id`],
  model: [`coalesce(nullif(model, ''), model_group)`, `model`],
  status: [`case status when 'failure' then 'failed' else 'succeeded' end`, `status`],
} as const
type Part = keyof typeof parts | 'key'

export interface Sum {
  readonly name: string | null
  readonly calls: string
  readonly nanos: string
}

const select = (name: string, cost: string, from: string) =>
  `select (${name})::text as name, count(*)::text as calls, sum(${cost})::bigint::text as nanos from ${from} group by 1 order by 1 nulls first`

/** Returns the parts by which the sums of Weir are not those of LiteLLM, and how many sums were compared. */
export async function compareSums(
  litellm: pg.Client,
  weir: pg.Client,
  since: Date,
  keyIds: ReadonlyMap<string, string>,
  importer: string,
) {
  const logs = `"LiteLLM_SpendLogs" where "startTime" >= '${since.toISOString().replace('Z', '')}'`
  const sums = async (client: pg.Client, text: string) => (await client.query<Sum>(text)).rows
  const faults: string[] = []
  let compared = 0
  const compare = (part: Part, wanted: readonly Sum[], seen: readonly Sum[]) => {
    const byName = new Map(seen.map((sum) => [sum.name, sum]))
    compared += Math.max(wanted.length, seen.length)
    if (wanted.length !== seen.length) faults.push(`${part}: ${wanted.length} in LiteLLM, ${seen.length} in Weir`)
    for (const { name, calls, nanos: amount } of wanted) {
      const found = byName.get(name)
      if (found?.calls !== calls || found.nanos !== amount)
        faults.push(
          `${part} ${name}: ${calls} calls, ${amount} in LiteLLM; ${found?.calls} calls, ${found?.nanos} in Weir`,
        )
    }
  }
  for (const [part, [theirs, ours]] of Object.entries(parts) as [Part, readonly [string, string]][])
    compare(part, await sums(litellm, select(theirs, nanos, logs)), await sums(weir, select(ours, 'cost_nano', 'runs')))
  const byKey = new Map<string, { calls: bigint; nanos: bigint }>()
  for (const { name, calls, nanos: amount } of await sums(litellm, select('api_key', nanos, logs))) {
    const id = keyIds.get(name ?? '') ?? importer
    const sum = byKey.get(id) ?? { calls: 0n, nanos: 0n }
    byKey.set(id, { calls: sum.calls + BigInt(calls), nanos: sum.nanos + BigInt(amount) })
  }
  const wanted = [...byKey].map(([name, sum]) => ({ name, calls: `${sum.calls}`, nanos: `${sum.nanos}` }))
  compare('key', wanted, await sums(weir, select('key_id', 'cost_nano', 'runs')))
  return { faults, compared }
}
