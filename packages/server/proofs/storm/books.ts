import type pg from 'pg'

/** The books as the superuser reads them, and what must be true of them at any time and in the end. */

interface Standing {
  readonly key: string
  readonly name: string
  readonly spent: bigint
  readonly held: bigint
  readonly overrun: bigint
  readonly late: bigint
  readonly amount: bigint | null
  readonly holds: bigint
}

/** One statement, so one moment: every allowance with its limit, and with what the open holds hold there. */
const standingsText = `
  with held as (
    select k.key, sum(k.amount)::bigint as amount
      from holds h cross join lateral (
             select key, case cardinality(h.amounts) when 1 then h.amounts[1] else coalesce(h.amounts[i], 0) end as amount
               from unnest(h.keys) with ordinality as u (key, i)) as k
     where h.org_id = $1 and h.state = 'open' group by 1)
  select a.key, concat_ws(' ', a.kind, l.name, a.subject, a.unit, a.period_label) as name,
         a.spent, a.held, a.overrun, a.late, coalesce(h.amount, 0) as holds,
         case when a.kind = 'new_customers' then c.max_new_customers_per_day
              when l.enforcement = 'alert' then null
              else coalesce(l.amount, c.amount, p.amount) end as amount
    from allowances a
    left join limits l on l.org_id = a.org_id and l.id = a.limit_id
    left join customer_limits c on c.org_id = a.org_id and c.id = a.limit_id
    left join packs p on p.org_id = a.org_id and p.id = a.limit_id
    left join held h on h.key = a.key
   where a.org_id = $1`

/** A column of changes, written out: it is empty where all are 0, and has one element where all are the same. */
const filled = (column: string) =>
  `case when cardinality(${column}) < cardinality(keys)
        then array_fill(coalesce(${column}[1], 0), array[cardinality(keys)]) else ${column} end as ${column}`

export async function readStandings(client: pg.Client, orgId: string): Promise<Standing[]> {
  return (await client.query<Standing>(standingsText, [orgId])).rows
}

/** Only cost that came above or after its hold may stand above a limit, and it is counted; all else must fit to the nano-dollar. */
export const faultsOfStandings = (standings: readonly Standing[]): string[] =>
  standings.flatMap(({ name, spent, held, overrun, late, amount, holds }) => [
    ...(amount !== null && spent + held - overrun - late > amount
      ? [`${name}: ${spent} spent + ${held} held is above ${amount} (overrun ${overrun}, late ${late})`]
      : []),
    ...(held === holds ? [] : [`${name}: ${held} held, but its open holds are ${holds}`]),
  ])

export interface Movement {
  readonly seq: bigint
  readonly idx: number
  readonly kind: string
  readonly hold_id: string
  readonly keys: string[]
  readonly d_spent: bigint[]
  readonly d_held: bigint[]
  readonly d_overrun: bigint[]
  readonly d_late: bigint[]
}

export interface HoldRow {
  readonly id: string
  readonly state: string
  readonly amount_nano: bigint
  readonly charged_nano: bigint | null
  readonly overrun_nano: bigint | null
  readonly seq: bigint
  readonly ended_seq: bigint | null
  readonly keys: string[]
  readonly call: number
}

interface BatchRow {
  readonly seq: bigint
  readonly keys: string[]
  readonly spent_after: bigint[]
  readonly held_after: bigint[]
}

export interface Books {
  readonly standings: readonly Standing[]
  readonly movements: readonly Movement[]
  readonly holds: ReadonlyMap<string, HoldRow>
  readonly batches: readonly BatchRow[]
  readonly seq: bigint
}

export async function readBooks(client: pg.Client, orgId: string): Promise<Books> {
  const bigints = <T extends object>(rows: T[], ...columns: (keyof T)[]): T[] =>
    rows.map((row) => {
      const exact = columns.map((name) => [name, (row[name] as string[]).map(BigInt)])
      return Object.assign(row, Object.fromEntries(exact))
    })
  const movements = await client.query<Movement>(
    `select seq, idx, kind, hold_id, keys, ${['d_spent', 'd_held', 'd_overrun', 'd_late'].map(filled).join(', ')} from movements where org_id = $1 order by seq, idx`,
    [orgId],
  )
  const holds = await client.query<HoldRow>(
    `select id, state, amount_nano, charged_nano, overrun_nano, seq, ended_seq, keys, (inputs -> 'request' ->> 'input_tokens')::int as call
       from holds where org_id = $1`,
    [orgId],
  )
  const batches = await client.query<BatchRow>(
    `select seq, keys, spent_after, held_after from ledger_batches where org_id = $1 order by seq`,
    [orgId],
  )
  const ledger = await client.query<{ seq: bigint }>('select seq from org_ledgers where org_id = $1', [orgId])
  return {
    standings: await readStandings(client, orgId),
    movements: bigints(movements.rows, 'd_spent', 'd_held', 'd_overrun', 'd_late'),
    holds: new Map(holds.rows.map((hold) => [hold.id, hold])),
    batches: bigints(batches.rows, 'spent_after', 'held_after'),
    seq: ledger.rows[0]!.seq,
  }
}

/** The journal, gone through from its beginning: no hold was admitted above a limit, no number is missing, and every sum is the row. */
export function faultsOfJournal({ standings, movements, batches, seq }: Books): string[] {
  const faults: string[] = []
  const limits = new Map(standings.map(({ key, amount }) => [key, amount]))
  const names = new Map(standings.map(({ key, name }) => [key, name]))
  const sums = new Map<string, { spent: bigint; held: bigint; overrun: bigint; late: bigint }>()
  const bySeq = Map.groupBy(movements, (movement) => movement.seq)
  const numbers = batches.map((batch) => batch.seq)
  for (const [i, number] of numbers.entries())
    if (number !== BigInt(i + 1)) {
      faults.push(`batch ${i + 1} of the journal has the number ${number}`)
      break
    }
  if (seq !== BigInt(batches.length)) faults.push(`the ledger says ${seq}, and there are ${batches.length} batches`)
  if (bySeq.size !== batches.length) faults.push(`${bySeq.size} numbers of movements, ${batches.length} batches`)

  for (const batch of batches) {
    for (const [i, movement] of (bySeq.get(batch.seq) ?? []).entries()) {
      if (movement.idx !== i) faults.push(`batch ${batch.seq}: movement ${movement.idx} stands at ${i}`)
      for (const [k, key] of movement.keys.entries()) {
        const sum = sums.get(key) ?? { spent: 0n, held: 0n, overrun: 0n, late: 0n }
        sum.spent += movement.d_spent[k]!
        sum.held += movement.d_held[k]!
        sum.overrun += movement.d_overrun[k]!
        sum.late += movement.d_late[k]!
        sums.set(key, sum)
        const limit = limits.get(key) ?? null
        const isAdmitted = movement.kind === 'hold' && movement.d_held[k]! > 0n
        if (isAdmitted && limit !== null && sum.spent + sum.held > limit)
          faults.push(
            `batch ${batch.seq} admitted ${movement.hold_id} to ${sum.spent + sum.held} of ${limit} on ${names.get(key)}`,
          )
      }
    }
    for (const [k, key] of batch.keys.entries()) {
      const sum = sums.get(key)
      if (sum?.spent !== batch.spent_after[k] || sum?.held !== batch.held_after[k])
        faults.push(
          `batch ${batch.seq} left ${names.get(key)} at ${batch.spent_after[k]} + ${batch.held_after[k]}, its movements at ${sum?.spent} + ${sum?.held}`,
        )
    }
  }
  for (const { key, name, spent, held, overrun, late } of standings) {
    const sum = sums.get(key) ?? { spent: 0n, held: 0n, overrun: 0n, late: 0n }
    if (sum.spent !== spent || sum.held !== held || sum.overrun !== overrun || sum.late !== late)
      faults.push(`drift on ${name}: the row says ${spent} + ${held}, its movements ${sum.spent} + ${sum.held}`)
  }
  return faults
}

/** Each hold begins once and ends once; only a settlement may follow an expiry or a release, and all that was booked is what it charged. */
export function faultsOfHolds({ movements, holds, standings }: Books): string[] {
  const faults: string[] = []
  const names = new Map(standings.map(({ key, name }) => [key, name]))
  const kinds = new Map<string, string[]>()
  const booked = new Map<string, Map<string, bigint>>()
  for (const { hold_id, kind, seq, d_spent, keys } of movements) {
    kinds.set(hold_id, [...(kinds.get(hold_id) ?? []), kind])
    const hold = holds.get(hold_id)
    if (!hold) faults.push(`movement ${seq} is of a hold that is not there: ${hold_id}`)
    if (kind === 'settle' && hold && hold.ended_seq !== seq)
      faults.push(`hold ${hold_id} was settled in ${seq} and says ${hold.ended_seq}`)
    const sums = booked.get(hold_id) ?? new Map<string, bigint>()
    for (const [k, key] of keys.entries()) sums.set(key, (sums.get(key) ?? 0n) + d_spent[k]!)
    booked.set(hold_id, sums)
  }
  // What an expiry charged is replaced by the cost that is reported after all, so only the sum of a hold's movements is its charge.
  for (const { id, charged_nano } of holds.values())
    for (const [key, spent] of booked.get(id) ?? []) {
      const name = names.get(key)!
      if (/^(budget|spend_cap)/.test(name) && spent !== (charged_nano ?? 0n))
        faults.push(`hold ${id} was charged ${charged_nano ?? 0n}, but ${spent} on ${name}`)
    }
  const lives: Record<string, string[]> = {
    open: ['hold'],
    released: ['hold release'],
    expired: ['hold expire'],
    settled: ['hold settle', 'hold expire settle', 'hold release settle'],
  }
  for (const { id, state } of holds.values()) {
    // A hold that is raised is held again.
    const life = (kinds.get(id) ?? []).join(' ').replace(/^hold( hold)+/, 'hold')
    if (!lives[state]!.includes(life)) faults.push(`hold ${id} is ${state}, and went through: ${life}`)
  }
  return faults
}
