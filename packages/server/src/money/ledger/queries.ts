import { sql as raw } from 'kysely'
import { ApiError } from '../../contract/errors.ts'
import type { PageRequest } from '../../contract/lists.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'
import { type Balance, emptyBalance, type LimitUnit } from './allowances.ts'
import { stoppedThreshold } from './thresholds.ts'

export const insertLedger = (tx: Tx, orgId: string) =>
  tx
    .insertInto('org_ledgers')
    .values({ org_id: orgId })
    .onConflict((c) => c.doNothing())
    .execute()

/** True when the organization exists: every organization has a ledger from the moment it is created. */
export const ledgerExists = async (tx: Tx, orgId: string): Promise<boolean> =>
  (await tx.selectFrom('org_ledgers').select('org_id').where('org_id', '=', orgId).executeTakeFirst()) !== undefined

/**
 * Takes the organization's lock: no decision runs until this transaction ends. For changes of what each decision reads anew:
 * customers' own limits, packs, balances. Returns the database's time under the lock.
 */
export async function lockLedger(tx: Tx, orgId: string): Promise<number> {
  const { rows } = await raw`select org_id from org_ledgers where org_id = ${orgId} for no key update`.execute(tx)
  if (rows.length === 0) throw new ApiError('not_found')
  return databaseTime(tx)
}

/**
 * Takes the organization's lock and marks its configuration as changed: no decision runs until this transaction ends, and every
 * process reloads the configuration before its next one. Returns the database's time under the lock.
 */
export async function lockLedgerForConfigChange(tx: Tx, orgId: string): Promise<number> {
  const { numAffectedRows } =
    await raw`update org_ledgers set config_version = config_version + 1 where org_id = ${orgId}`.execute(tx)
  if (numAffectedRows !== 1n) throw new ApiError('not_found')
  return databaseTime(tx)
}

/**
 * Takes the lock of every organization, one after the other as decisions do, and marks their configuration as changed: every
 * process reloads it before the next decision. Only operators can.
 */
export async function changeEveryConfiguration(tx: Tx) {
  await raw`select change_every_configuration()`.execute(tx)
}

export async function configVersion(tx: Tx, orgId: string): Promise<bigint> {
  const { config_version } = await tx
    .selectFrom('org_ledgers')
    .select('config_version')
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow()
  return config_version
}

/** Reads the time in a separate statement: one that waits for a lock may return the time from before the wait. */
export async function databaseTime(tx: Tx): Promise<number> {
  const { rows } = await raw<{ now: Date }>`select clock_timestamp() as now`.execute(tx)
  return one(rows).now.getTime()
}

/** Columns of a schedule as they are selected: dates as text, because a driver's dates have a time zone. */
export const scheduleSelection = [
  'period',
  raw<string | null>`anchor::text`.as('anchor'),
  'timezone',
  'next_period',
  raw<string | null>`next_anchor::text`.as('next_anchor'),
  'next_timezone',
  'next_from',
] as const

export const limitColumns = [
  'id',
  'kind',
  'name',
  'scope_kind',
  'scope_id',
  'and_kind',
  'and_id',
  'unit',
  'amount',
  ...scheduleSelection,
  'enforcement',
  'thresholds',
  'max_new_per_day',
  'counts_from',
  'created_at',
  'updated_at',
] as const

export interface NewLimit {
  readonly id: string
  readonly kind: string
  readonly name: string
  readonly scope_kind: string
  readonly scope_id: string
  readonly and_kind?: string | null
  readonly and_id?: string | null
  readonly unit: LimitUnit
  readonly amount: bigint | null
  readonly period: string
  readonly anchor: string | null
  readonly timezone: string
  readonly enforcement: 'block' | 'alert'
  readonly thresholds: number[]
  readonly max_new_per_day?: number
  /** The time from which it counts, where that is before its creation. */
  readonly counts_from?: Date | null
}

export const insertLimit = (tx: Tx, orgId: string, limit: NewLimit) =>
  tx
    .insertInto('limits')
    .values({ ...limit, org_id: orgId })
    .returning(limitColumns)
    .executeTakeFirstOrThrow()

export type LimitRow = Awaited<ReturnType<typeof insertLimit>>

/** Returns the limits of an organization that are in force. */
export const limitsInForce = (tx: Tx, orgId: string, kind?: string): Promise<LimitRow[]> => {
  const query = tx.selectFrom('limits').select(limitColumns).where('org_id', '=', orgId).where('ended_at', 'is', null)
  return (kind === undefined ? query : query.where('kind', '=', kind)).orderBy('created_at').orderBy('id').execute()
}

/** A limit with its place in the order of creation, as cursors name it. */
export type PlacedLimitRow = LimitRow & { readonly sort_value: string }

/** Returns the limits in force of every kind, each with its place in the order of creation. */
export const limitsWithPlaces = (tx: Tx, orgId: string): Promise<PlacedLimitRow[]> =>
  tx
    .selectFrom('limits')
    .select([...limitColumns, raw<string>`created_at::text`.as('sort_value')])
    .where('org_id', '=', orgId)
    .where('ended_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

export const findLimit = (tx: Tx, orgId: string, kind: string, id: string): Promise<LimitRow | undefined> =>
  tx
    .selectFrom('limits')
    .select(limitColumns)
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst()

/** Selects a part of the schedule that is in force now: the next schedule's, once it has begun. */
export const inForce = (part: 'period') =>
  raw<string>`case when next_from <= clock_timestamp() then ${raw.ref(`next_${part}`)} else ${raw.ref(part)} end`

export interface LimitFilters {
  readonly scope_kind?: string | undefined
  /** Any of these, in normal form. */
  readonly scope_ids?: readonly string[] | undefined
  readonly period?: string | undefined
  readonly enforcement?: string | undefined
}

export async function listLimits(
  tx: Tx,
  orgId: string,
  kind: string,
  page: PageRequest<'created_at' | 'name'>,
  filters: LimitFilters,
): Promise<PlacedLimitRow[]> {
  let query = tx
    .selectFrom('limits')
    .select([...limitColumns, raw<string>`${raw.ref(page.sort)}::text`.as('sort_value')])
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('ended_at', 'is', null)
  if (filters.scope_kind !== undefined) query = query.where('scope_kind', '=', filters.scope_kind)
  if (filters.scope_ids !== undefined) query = query.where(raw<boolean>`lower(scope_id) = any(${filters.scope_ids})`)
  if (filters.period !== undefined) query = query.where(inForce('period'), '=', filters.period)
  if (filters.enforcement !== undefined) query = query.where('enforcement', '=', filters.enforcement)
  return keysetPage(query, { sort: page.sort, id: 'id' }, page).execute()
}

export interface ScheduleColumns {
  readonly period: string
  readonly anchor: string | null
  readonly timezone: string
  readonly next_period: string | null
  readonly next_anchor: string | null
  readonly next_timezone: string | null
  readonly next_from: Date | null
}

export const updateLimit = (
  tx: Tx,
  orgId: string,
  id: string,
  fields: Partial<Pick<NewLimit, 'name' | 'amount' | 'enforcement' | 'thresholds' | 'max_new_per_day'>> &
    Partial<ScheduleColumns>,
) =>
  tx
    .updateTable('limits')
    .set({ ...fields, updated_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(limitColumns)
    .executeTakeFirstOrThrow()

export const endLimit = (tx: Tx, orgId: string, id: string) =>
  tx
    .updateTable('limits')
    .set({ ended_at: raw`clock_timestamp()`, updated_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute()

/** The balance of an allowance, and how often it has refused. */
export interface UsedBalance extends Balance {
  readonly refused: bigint
  /** Time of the first refusal, unless a change of the limit has freed an amount since. */
  readonly exhaustedAt: Date | null
}

export const unusedBalance: UsedBalance = { ...emptyBalance, refused: 0n, exhaustedAt: null }

/** Returns the balances of allowances; one without a row is unused. */
export async function balancesOf(tx: Tx, orgId: string, keys: readonly string[]): Promise<Map<string, UsedBalance>> {
  if (keys.length === 0) return new Map()
  const { rows } = await raw<{
    key: string
    spent: bigint
    held: bigint
    overrun: bigint
    late: bigint
    would_refuse: bigint
    refused: bigint
    exhausted_at: Date | null
  }>`
    select k as key, coalesce(a.spent, 0) as spent, coalesce(a.held, 0) as held, coalesce(a.overrun, 0) as overrun,
           coalesce(a.late, 0) as late, coalesce(a.would_refuse, 0) as would_refuse, coalesce(r.count, 0) as refused, e.at as exhausted_at
      from unnest(${keys}::uuid[]) k
      left join lateral (
        select spent, held, overrun, late, would_refuse from allowances where org_id = ${orgId} and key = k limit 1) a on true
      left join lateral (select count from limit_refusals where org_id = ${orgId} and key = k limit 1) r on true
      left join lateral (
        select at from threshold_events where org_id = ${orgId} and key = k and threshold = ${stoppedThreshold} limit 1) e on true`.execute(
    tx,
  )
  return new Map(
    rows.map(({ key, would_refuse, exhausted_at, ...counters }) => [
      key,
      { ...counters, wouldRefuse: would_refuse, exhaustedAt: exhausted_at },
    ]),
  )
}

/**
 * Re-arms the events of a raised limit, for all its subjects: of thresholds that are no longer reached, of exceeding the limit,
 * and of its refusals.
 */
export async function rearmAllSubjects(tx: Tx, orgId: string, limitId: string, amount: bigint | null) {
  await raw`
    delete from threshold_events e where e.org_id = ${orgId} and exists (
      select from allowances a where a.org_id = e.org_id and a.key = e.key and a.limit_id = ${limitId}
         and (${amount}::bigint is null or case
           when e.threshold = 0 then a.spent <= ${amount}::bigint
           when e.threshold = ${stoppedThreshold} then a.spent + a.held < ${amount}::bigint
           else a.spent::numeric * 100 < ${amount}::numeric * e.threshold end))`.execute(tx)
}

/** Re-arms those thresholds of a raised limit that lie above the spend. */
export async function rearmThresholds(tx: Tx, orgId: string, key: string, reached: readonly number[]) {
  await raw`delete from threshold_events where org_id = ${orgId} and key = ${key} and threshold <> all(${reached}::smallint[])`.execute(
    tx,
  )
}
