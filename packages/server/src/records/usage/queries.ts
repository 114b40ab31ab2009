import { type RawBuilder, sql as raw } from 'kysely'
import type { TimeWindow } from '../../contract/lists.ts'
import { normalName } from '../../money/prices/prices.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'
import { recordBy } from '../../values/records.ts'
import { areWholeHours, dayMs, hourMs } from '../../values/time.ts'
import { usageCounters } from '../run-log/run-log.ts'
import { dimensions, type Grouping } from './schema.ts'

export type UsageSums = Record<(typeof usageCounters)[number], bigint>

export type Filters = Partial<Record<Grouping, string>>

/** Longest duration of a read: nothing may keep a snapshot open for long. */
const maxReadMs = 4_500
/** Settings of the read: groups that fit into memory are summed without a sort on disk. */
const prepare = (tx: Tx) =>
  raw`select set_config('statement_timeout', ${String(maxReadMs)}, true), set_config('work_mem', '32MB', true)`.execute(
    tx,
  )

const columns = (names: readonly string[]) => raw.join(names.map((name) => raw.ref(name)))
/** Sorts in byte order, which is the same on every machine. */
const inByteOrder = (names: readonly string[]) =>
  names.map((name) => raw`${raw.ref(name)} collate "C" as ${raw.ref(name)}`)
const summed = (prefix = '') =>
  raw.join(usageCounters.map((name) => raw`coalesce(sum(${raw.ref(name)}), 0) as ${raw.ref(prefix + name)}`))

const conditions = (parts: readonly RawBuilder<unknown>[]) => raw.join([...parts], raw` and `)

type Part = (columns: RawBuilder<unknown>) => RawBuilder<unknown>

/** Dimensions whose values have usage by the hour of their own; '' stands for everything together. */
const countedAlone = new Set(['', 'model', 'workflow_id', 'deployment_id', 'department_id'])

/** The table of usage by the hour with these dimensions: that of the values of one, where it is the only one. */
export function hourTable(names: Iterable<string>): RawBuilder<unknown> {
  const [name = '', another] = new Set(names)
  if (another !== undefined || !countedAlone.has(name)) return raw`usage_hours`
  const column = name === '' ? raw`` : raw`, value as ${raw.ref(name)}`
  return raw`(
    select org_id, bucket, ${columns(usageCounters)}${column} from usage_hour_values where dimension = ${name}) as usage_hours`
}

const roundToHours = (time: Date, round: (hours: number) => number) => new Date(round(time.getTime() / hourMs) * hourMs)

/** A window in a table of folded usage. */
interface FoldedPart extends TimeWindow {
  readonly table: RawBuilder<unknown>
}

/**
 * Cuts a window into what is read of each table: the whole hours in it by the hour, and its ends by quarters of an hour, as far as they are
 * scanned. Where not all periods begin on the hour, everything by quarters.
 */
function foldedPartsOf(
  { window, starts }: Pick<UsageRead, 'window' | 'starts'>,
  { from, to }: TimeWindow,
  names: Iterable<string>,
): FoldedPart[] {
  const quarters = raw`usage_15m`
  const [first, last] = [roundToHours(window.from, Math.ceil), roundToHours(window.to, Math.floor)]
  if (first >= last || !areWholeHours(starts.slice(1))) return [{ table: quarters, from, to }]
  const ends = [
    { table: quarters, from, to: first },
    { table: quarters, from: last, to },
  ]
  return [{ table: hourTable(names), from: first, to: last }, ...ends.filter((end) => end.from < end.to)]
}

/**
 * The sources of a window's usage, folded and not yet folded: a reader sums all of them in one statement, so that a run counts
 * once.
 */
function partsOf(
  orgId: string,
  window: TimeWindow,
  filters: Filters,
  folded: readonly FoldedPart[] = [{ table: raw`usage_15m`, ...window }],
): Part[] {
  const within = ({ from, to }: TimeWindow) =>
    conditions([raw`org_id = ${orgId}`, raw`bucket >= ${from}`, raw`bucket < ${to}`, ...matching(filters)])
  return [
    ...folded.map(
      (part): Part =>
        (wanted) =>
          raw`select ${wanted} from ${part.table} where ${within(part)}`,
    ),
    (wanted) => raw`select ${wanted} from usage_days where ${within(window)}`,
    (wanted) => raw`select ${wanted} from usage_deltas where customer_id is null and ${within(window)}`,
  ]
}

/** The sources of usage by customer: days in UTC, without other dimensions. */
function customerPartsOf(orgId: string, { from, to }: TimeWindow, filters: Filters): Part[] {
  const utcDay = (time: Date) => raw`(${time}::timestamptz at time zone 'UTC')::date`
  const own = [raw`org_id = ${orgId}`, ...matching(filters)]
  const days = conditions([raw`day >= ${utcDay(from)}`, raw`day < ${utcDay(to)}`, ...own])
  const buckets = conditions([raw`bucket >= ${from}`, raw`bucket < ${to}`, ...own])
  return [
    (wanted) => raw`
      select ${wanted} from (
        select *, day::timestamp at time zone 'UTC' as bucket from usage_customer_days where ${days}) as folded`,
    (wanted) => raw`select ${wanted} from usage_deltas where customer_id is not null and ${buckets}`,
  ]
}

const matching = (filters: Filters) =>
  Object.entries(filters).map(([name, value]) =>
    // Names of models are kept in their normal form; usage that is older than that, as it was sent.
    name === 'model' || name === 'provider'
      ? raw`${raw.ref(name)} in (${value}, ${normalName(value)})`
      : raw`${raw.ref(name)} = ${value}`,
  )

export interface UsageRead {
  readonly window: TimeWindow
  /** The starts of the window's periods. */
  readonly starts: readonly Date[]
  readonly groups: readonly Grouping[]
  readonly filters: Filters
  readonly isByCustomer: boolean
  /** Time before which usage has been folded to UTC days or soon will be, and is read as if it had. */
  readonly daysBefore: Date
  readonly limit: number
  readonly descending: boolean
  readonly after: { readonly period: number; readonly groups: readonly string[] } | undefined
}

export interface PeriodRow extends UsageSums {
  /** The index of the period, from 0. */
  readonly period: number
  readonly groups: readonly string[]
}

/** The statement of one page of usage and of the sums over all pages. */
export function usageStatement(orgId: string, read: UsageRead): RawBuilder<Record<string, unknown>> {
  const { window, starts, groups, filters, isByCustomer, daysBefore, limit, descending, after } = read
  const isOld = window.from < daysBefore && !isByCustomer
  // A day that begins inside the window counts as a whole, to its last bucket.
  const scanned = isOld ? { ...window, to: new Date(Math.ceil(window.to.getTime() / dayMs) * dayMs) } : window
  const at = isOld
    ? raw`case when bucket < ${daysBefore} then date_trunc('day', bucket, 'UTC') else bucket end`
    : raw`bucket`
  const inWindow = isOld ? raw`and ${at} >= ${window.from} and ${at} < ${window.to}` : raw``
  const period = raw`width_bucket(${at}, ${starts}::timestamptz[]) - 1 as period`
  const place = ['period', ...groups]
  // Each source by itself first: the large one can then be summed by parallel workers.
  const found = isByCustomer
    ? customerPartsOf(orgId, scanned, filters)
    : partsOf(orgId, scanned, filters, foldedPartsOf(read, scanned, [...groups, ...Object.keys(filters)]))
  const parts = found.map(
    (part) => raw`${part(raw.join([period, ...inByteOrder(groups), summed()]))} ${inWindow} group by ${columns(place)}`,
  )
  const direction = descending ? raw`desc` : raw`asc`
  const order = raw.join(place.map((name) => raw`${raw.ref(name)} ${direction}`))
  const beyond = after
    ? raw`where (${columns(place)}) ${descending ? raw`<` : raw`>`} (${raw.join([after.period, ...after.groups])})`
    : raw``
  return raw<Record<string, unknown>>`
    with counted as materialized (
      select ${raw.join([columns(place), summed()])} from (${raw.join(parts, raw` union all `)}) as parts
       group by ${columns(place)}),
    page as (select * from counted ${beyond} order by ${order} limit ${limit + 1})
    select totals.*, page.* from (select ${summed('total_')} from counted) as totals left join page on true
     order by ${order}`
}

/** Returns one page of usage, and the sums over all pages, from one snapshot. */
export async function readUsageRows(
  tx: Tx,
  orgId: string,
  read: UsageRead,
): Promise<{ totals: UsageSums; rows: PeriodRow[] }> {
  await prepare(tx)
  const { rows } = await usageStatement(orgId, read).execute(tx)
  return {
    totals: sumsIn(one(rows), 'total_'),
    rows: rows
      .filter(({ period }) => period !== null)
      .map((row) => ({
        period: Number(row['period']),
        groups: read.groups.map((name) => String(row[name])),
        ...sumsIn(row),
      })),
  }
}

const sumsIn = (row: Readonly<Record<string, unknown>>, prefix = ''): UsageSums =>
  recordBy(usageCounters, (name) => BigInt(String(row[prefix + name])))

export type DimensionRow = UsageSums & Record<(typeof dimensions)[number], string>

export interface DayRead {
  readonly window: TimeWindow
  readonly filters: Filters
  /** The last row of the page before. */
  readonly after: DimensionRow | undefined
  readonly limit: number
}

/** Returns the usage of a day by each combination of dimensions, in their order, after those of the last page. */
export async function readDay(
  tx: Tx,
  orgId: string,
  { window, filters, after, limit }: DayRead,
): Promise<DimensionRow[]> {
  await prepare(tx)
  const beyond = after
    ? raw`where (${columns(dimensions)}) > (${raw.join(dimensions.map((name) => after[name]))})`
    : raw``
  const wanted = raw.join([...inByteOrder(dimensions), columns(usageCounters)])
  const parts = partsOf(orgId, window, filters).map((part) => part(wanted))
  const { rows } = await raw<Record<(typeof dimensions)[number], string>>`
    select ${raw.join([columns(dimensions), summed()])} from (${raw.join(parts, raw` union all `)}) as parts ${beyond}
     group by ${columns(dimensions)} order by ${columns(dimensions)} limit ${limit}`.execute(tx)
  return rows.map((row) => ({ ...row, ...sumsIn(row) }))
}

/** Returns the cost of a window by some dimensions, in one statement. */
export async function readCosts(
  tx: Tx,
  orgId: string,
  window: TimeWindow,
  names: readonly (typeof dimensions)[number][],
): Promise<({ cost: bigint } & Partial<Record<(typeof dimensions)[number], string>>)[]> {
  const parts = partsOf(orgId, window, {}).map((part) => part(columns([...names, 'cost_nano'])))
  const by = names.length === 0 ? raw`` : raw`group by ${columns(names)}`
  const wanted = raw.join([...names.map((name) => raw.ref(name)), raw`coalesce(sum(cost_nano), 0)::text as cost`])
  const { rows } = await raw<{ cost: string } & Partial<Record<(typeof dimensions)[number], string>>>`
    select ${wanted} from (${raw.join(parts, raw` union all `)}) as parts ${by}`.execute(tx)
  return rows.map((row) => ({ ...row, cost: BigInt(row.cost) }))
}
