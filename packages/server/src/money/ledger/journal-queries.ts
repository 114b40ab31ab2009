import { type RawBuilder, sql as raw } from 'kysely'
import type { MakerColumns, MakerId } from '../../access/identity/identity.ts'
import type { PageRequest } from '../../contract/lists.ts'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { one, present } from '../../values/present.ts'
import type { Allowance, NamedAllowanceRow } from './allowances.ts'

export interface MovementRow extends MakerColumns {
  readonly seq: bigint
  readonly idx: number
  readonly at: Date
  readonly kind: string
  readonly hold_id: string | null
  /** Number of allowances that it touched, of which `keys` may be the first. */
  readonly key_count: number
  readonly keys: string[]
  readonly d_spent: string[]
  readonly d_held: string[]
  readonly d_overrun: string[]
  readonly d_late: string[]
  readonly actor: unknown
  readonly reason: string | null
}

interface JournalFilters {
  readonly from?: Date
  readonly to?: Date
  readonly kind?: string
  readonly limitId?: string
  readonly holdId?: string
  readonly madeBy?: MakerId
  /** Only movements of what keys of one lineage made. */
  readonly lineageId?: string
}

export interface JournalSelection extends JournalFilters {
  /** Most allowances of each movement. */
  readonly mostKeys?: number
}

const allKeys = raw`keys, d_spent, d_held, d_overrun, d_late`
/** Selects the first elements of each array; an encoded column, of at most one element, stays as it is. */
const firstKeys = (most: number) =>
  raw.join(
    ['keys', 'd_spent', 'd_held', 'd_overrun', 'd_late'].map(
      (name) => raw`${raw.ref(name)}[1:${most}::integer] as ${raw.ref(name)}`,
    ),
  )
const columnsWith = (arrays: RawBuilder<unknown>) =>
  raw`seq, idx, at, kind, hold_id, cardinality(keys) as key_count, ${arrays}, key_id, grant_id, actor, reason`
const columns = columnsWith(allKeys)

/** Returns one page of the journal, in the order in which it was written. */
export async function listMovements(
  tx: Tx,
  orgId: string,
  page: PageRequest,
  { mostKeys, ...filters }: JournalSelection,
): Promise<MovementRow[]> {
  const { from, to, kind, limitId, holdId, madeBy, lineageId } = filters
  const where = [
    raw`org_id = ${orgId}`,
    ...(from ? [raw`at >= ${from}`] : []),
    ...(to ? [raw`at < ${to}`] : []),
    ...(kind === undefined ? [] : [raw`kind = ${kind}`]),
    ...(holdId === undefined ? [] : [raw`hold_id = ${holdId}`]),
    ...(madeBy === undefined ? [] : [raw`${raw.ref(madeBy.kind === 'key' ? 'key_id' : 'grant_id')} = ${madeBy.id}`]),
    ...byLineage(orgId, lineageId),
    ...(limitId === undefined
      ? []
      : [
          raw`keys && (select coalesce(array_agg(key), '{}') from allowances where org_id = ${orgId} and limit_id = ${limitId})`,
        ]),
  ]
  const selected = mostKeys === undefined ? columns : columnsWith(firstKeys(mostKeys))
  const { after, descending, limit } = page
  const position = after && { seq: after.value, idx: after.id }
  const { rows } = await raw<MovementRow>`
    ${movementsInOrder(selected, where, { after: position, descending, most: limit + 1 })}`.execute(tx)
  return rows
}

/**
 * Selects the first movements behind a position, from each of the two places that the view `movements` shows: an index of each has their order,
 * and nothing has that of the view.
 */
export function movementsInOrder(
  selected: RawBuilder<unknown>,
  conditions: readonly RawBuilder<unknown>[],
  page: {
    readonly after: { readonly seq: unknown; readonly idx: unknown } | undefined
    readonly descending: boolean
    readonly most: number
  },
): RawBuilder<unknown> {
  const { after, descending, most } = page
  const direction = descending ? raw`desc` : raw`asc`
  const beyond = descending ? raw`<` : raw`>`
  // The first of the two alone can use the index of batches.
  const position = after
    ? [raw`seq ${beyond}= ${after.seq}::bigint`, raw`(seq, idx) ${beyond} (${after.seq}::bigint, ${after.idx}::bigint)`]
    : []
  const where = raw.join([...conditions, ...position], raw` and `)
  const order = raw`order by seq ${direction}, idx ${direction} limit ${most}`
  const from = (place: string) => raw`(select ${selected} from ${raw.table(place)} where ${where} ${order})`
  return raw`${from('batch_movements')} union all ${from('movement_rows')} ${order}`
}

export async function findMovement(
  tx: Tx,
  orgId: string,
  seq: string,
  idx: string,
  lineageId: string | undefined,
): Promise<MovementRow | undefined> {
  const where = [
    raw`org_id = ${orgId}`,
    raw`seq = ${seq}::bigint`,
    raw`idx = ${idx}::bigint`,
    ...byLineage(orgId, lineageId),
  ]
  const { rows } = await raw<MovementRow>`
    select ${columns} from movements where ${raw.join(where, raw` and `)}`.execute(tx)
  return rows[0]
}

const byLineage = (orgId: string, lineageId: string | undefined) =>
  lineageId === undefined
    ? []
    : [raw`key_id in (select id from api_keys where org_id = ${orgId} and lineage_id = ${lineageId})`]

export async function findAllowances(
  tx: Tx,
  orgId: string,
  keys: readonly string[],
): Promise<Map<string, NamedAllowanceRow>> {
  const { rows } = await raw<NamedAllowanceRow>`
    select a.* from unnest(${[...new Set(keys)]}::uuid[]) k cross join lateral (
      select key, limit_id, kind, subject, unit, period_label, period_start, period_end
        from allowances where org_id = ${orgId} and key = k limit 1) a`.execute(tx)
  return new Map(rows.map((row) => [row.key, row]))
}

/** Returns the row of a limit whose period contains a time, whatever the limit's schedule is by now. */
export async function findAllowanceAt(tx: Tx, orgId: string, { limitId, subject, unit }: Allowance, at: Date) {
  const { rows } = await raw<{ key: string; period_label: string; period_start: Date; period_end: Date }>`
    select key, period_label, period_start, period_end from allowances
     where org_id = ${orgId} and limit_id = ${limitId} and subject = ${subject} and unit = ${unit}
       and period_start <= ${at} and period_end > ${at} order by period_start desc limit 1`.execute(tx)
  return rows[0]
}

/** Returns the number of the organization's last batch; the holder of the lock books the next one. */
export async function lastBatch(tx: Tx, orgId: string): Promise<bigint> {
  const { seq } = await tx.selectFrom('org_ledgers').select('seq').where('org_id', '=', orgId).executeTakeFirstOrThrow()
  return seq
}

/**
 * Books a correction under the organization's lock: row and journal, like everything else that moves money. Throws where
 * another batch came after the one that was read.
 */
export async function bookAdjustment(
  tx: Tx,
  orgId: string,
  allowance: Allowance,
  adjustment: {
    readonly delta: bigint
    readonly lastBatch: bigint
    readonly madeBy: MakerColumns
    readonly actor: unknown
    readonly reason: string
    readonly version: number
  },
): Promise<MovementRow> {
  const { key, limitId, kind, subject, unit, period } = allowance
  const time = (ms: number | undefined) => (ms === undefined ? null : new Date(ms))
  const { rows } = await raw<{ seq: bigint }>`
    with ledger as (update org_ledgers set seq = seq + 1 where org_id = ${orgId} and seq = ${adjustment.lastBatch} returning seq),
    now as (select clock_timestamp() as at),
    before as (select last_seq from allowances where org_id = ${orgId} and key = ${key}),
    changed as (
      insert into allowances (org_id, key, limit_id, kind, subject, unit, period_label, period_start, period_end, spent, last_seq)
      select ${orgId}, ${key}, ${limitId}, ${kind}, ${subject}, ${unit}, ${period?.label ?? ''}, ${time(period?.startMs)}::timestamptz, ${time(period?.endMs)}::timestamptz, greatest(${adjustment.delta}::bigint, 0), seq from ledger
      on conflict (org_id, key) do update set spent = allowances.spent + ${adjustment.delta}::bigint, last_seq = excluded.last_seq
      returning spent, held)
    insert into ledger_batches (org_id, seq, at, keys, spent_after, held_after, prev_seq, decide_version, kinds, hold_ids, changes_by_key, d_spent,
                                made_by_keys, made_by_grants, actors, reason)
    select ${orgId}, seq, at, array[${key}::uuid], array[spent], array[held], array[coalesce((select last_seq from before), 0)], ${adjustment.version},
           array['adjust'], array[null::uuid], false, array[${adjustment.delta}::bigint],
           array[${adjustment.madeBy.key_id}::uuid], array[${adjustment.madeBy.grant_id}::uuid], array[${JSON.stringify(adjustment.actor)}::jsonb],
           ${adjustment.reason}
      from ledger, now, changed returning seq`.execute(tx)
  if (rows.length === 0)
    throw new Error(`the ledger of organization ${orgId} changed during an adjustment: its lock was lost`)
  return present(await findMovement(tx, orgId, one(rows).seq.toString(), '0', undefined))
}

export interface BatchRow {
  readonly seq: bigint
  readonly keys: string[]
  readonly spent_after: string[]
  readonly held_after: string[]
  readonly prev_seq: string[]
}

export interface BatchesRead {
  readonly after: bigint
  readonly mostBatches: number
  /** The batch that reaches it is the last: one batch can have thousands of movements, and is read whole. */
  readonly mostMovements: number
}

/** Reads the batches after one, in their order, and whether there may be more. */
export async function readBatches(tx: Tx, orgId: string, { after, mostBatches, mostMovements }: BatchesRead) {
  // The version before wrote the movements of a batch as rows of their own.
  const { rows } = await raw<BatchRow & { movements: bigint }>`
    select * from (
      select seq, keys, spent_after, held_after, prev_seq, sum(count) over (order by seq)::bigint as movements, count from (
        select *, coalesce(cardinality(hold_ids), (select count(*) from movement_rows m where m.org_id = b.org_id and m.seq = b.seq)) as count
          from ledger_batches b where org_id = ${orgId} and seq > ${after} order by seq limit ${mostBatches}) as next) as counted
     where movements - count < ${mostMovements} order by seq`.execute(tx)
  const movements = rows.at(-1)?.movements ?? 0n
  return { rows, isMore: rows.length === mostBatches || movements >= BigInt(mostMovements) }
}

export const readBatch = async (tx: Tx, orgId: string, seq: bigint): Promise<BatchRow | undefined> =>
  (
    await raw<BatchRow>`
      select seq, keys, spent_after, held_after, prev_seq from ledger_batches where org_id = ${orgId} and seq = ${seq}`.execute(
      tx,
    )
  ).rows[0]

export const readMovements = async (tx: Tx, orgId: string, after: bigint, upTo: bigint) =>
  (
    await raw<Pick<MovementRow, 'seq' | 'keys' | 'd_spent' | 'd_held'>>`
      select seq, keys, d_spent, d_held from movements
       where org_id = ${orgId} and seq > ${after} and seq <= ${upTo} order by seq, idx`.execute(tx)
  ).rows

export interface CountersRow {
  readonly key: string
  readonly spent: bigint
  readonly held: bigint
}

/** Reads the counters of some allowances, or of all. */
export async function readCounters(tx: Tx, orgId: string, keys?: readonly string[]): Promise<CountersRow[]> {
  const { rows } =
    keys === undefined
      ? await raw<CountersRow>`select key, spent, held from allowances where org_id = ${orgId}`.execute(tx)
      : await raw<CountersRow>`
          select a.* from unnest(${keys}::uuid[]) k cross join lateral (
            select key, spent, held from allowances where org_id = ${orgId} and key = k limit 1) a`.execute(tx)
  return rows
}

/** Reads the amounts of open holds, summed by allowance. */
export const readOpenHolds = async (tx: Tx, orgId: string): Promise<{ key: string; held: bigint }[]> =>
  (
    await raw<{ key: string; held: bigint }>`
      select k as key, sum(case cardinality(amounts) when 1 then amounts[1] else coalesce(amounts[i], 0) end)::bigint as held
        from holds, unnest(keys) with ordinality as h (k, i)
       where org_id = ${orgId} and state = 'open' group by k`.execute(tx)
  ).rows

/** Returns organizations whose ledger has moved since it was last checked, or all of them. */
export async function ledgersToCheck(
  { db }: Sql,
  after: string,
  most: number,
  evenIfChecked: boolean,
): Promise<string[]> {
  const { rows } = await raw<{
    org_id: string
  }>`select ledgers_to_check(${after}, ${most}, ${evenIfChecked}) as org_id`.execute(db)
  return rows.map(({ org_id }) => org_id)
}

export async function checkedUpTo(tx: Tx, orgId: string): Promise<bigint> {
  const { rows } = await raw<{ seq: bigint }>`select seq from ledger_checks where org_id = ${orgId}`.execute(tx)
  return rows[0]?.seq ?? 0n
}

export async function storeCheckedUpTo(tx: Tx, orgId: string, seq: bigint) {
  await raw`
    insert into ledger_checks (org_id, seq) values (${orgId}, ${seq})
    on conflict (org_id) do update set seq = excluded.seq, checked_at = excluded.checked_at`.execute(tx)
}
