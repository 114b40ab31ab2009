import { isoOf } from '../../values/time.ts'
import type { Visit } from '../frame/frame.ts'
import {
  type Dimension,
  dimensionNamed,
  type GroupSums,
  groupSums,
  minus,
  noSums,
  plus,
  readPages,
  sumsOf,
  type UsageTotals,
} from '../series/series.ts'

export const showbackPath = '/console/showback'

/** Dimensions that spend is shown back by. */
export const parts: readonly Dimension[] = (
  ['department_id', 'customer_id', 'workflow_id', 'user_id'] as const
).flatMap((name) => dimensionNamed(name) ?? [])

/** A month in UTC, which is how providers bill. */
export interface Month {
  /** `2026-11` */
  readonly text: string
  readonly startMs: number
  readonly endMs: number
}

const monthAt = (year: number, month: number): Month => ({
  text: isoOf(Date.UTC(year, month)).slice(0, 7),
  startMs: Date.UTC(year, month),
  endMs: Date.UTC(year, month + 1),
})

/** Returns the month that an address asks for, else the running one. */
export function monthOf(query: URLSearchParams, now: Date): Month {
  const [, year, month] = /^(20\d\d)-(0[1-9]|1[0-2])$/.exec(query.get('month') ?? '') ?? []
  return year === undefined
    ? monthAt(now.getUTCFullYear(), now.getUTCMonth())
    : monthAt(Number(year), Number(month) - 1)
}
export const monthBefore = ({ startMs }: Month): Month => {
  const start = new Date(startMs)
  return monthAt(start.getUTCFullYear(), start.getUTCMonth() - 1)
}

/** Returns a month in words: `November 2026`. */
export const monthText = ({ startMs }: Month): string =>
  new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(startMs))

/** Spend of one part in a month, and in the one before. */
export interface ShownPart {
  readonly name: string
  readonly now: UsageTotals
  readonly before: UsageTotals
}

/** Showback of a month: its parts add up to its total, to the nano-dollar. */
export interface Showback {
  readonly by: Dimension
  readonly month: Month
  readonly before: Month
  readonly parts: readonly ShownPart[]
  /** Runs that named no such part, and what was not read because there are too many parts. */
  readonly unallocated: ShownPart
  readonly total: ShownPart
  readonly isWhole: boolean
}

/** Reads what each part spent in a month and the one before, with the rights of whoever looks. */
export async function readShowback(visit: Visit, mostPages?: number): Promise<Showback> {
  const { api, query, now } = visit
  const by = parts.find(({ name }) => name === query.get('by')) ?? parts[0]!
  const month = monthOf(query, now)
  const before = monthBefore(month)
  const window = { from: isoOf(before.startMs), to: isoOf(month.endMs), granularity: 'month', timezone: 'UTC' } as const
  const ask = (more: object) => api.get('/v1/orgs/{id}/usage', { query: { ...window, ...more } })
  const [usage, sums] = await Promise.all([
    readPages((page) => ask({ group_by: by.name, ...page }), mostPages),
    ask({}),
  ])
  const isOf =
    ({ startMs, endMs }: Month) =>
    ({ period_start: start }: { readonly period_start: string }) =>
      Date.parse(start) >= startMs && Date.parse(start) < endMs
  const groupsOf = (which: Month) =>
    new Map(groupSums(usage.rows.filter(isOf(which)), [by], 'cost').map((group) => [group.key, group]))
  const [here, earlier] = [groupsOf(month), groupsOf(before)]
  const groups = [...new Map([...earlier, ...here]).values()].map((group) => ({
    values: group.values,
    now: here.get(group.key) ?? noSums,
    before: earlier.get(group.key) ?? noSums,
  }))
  const isNamed = ({ values }: Pick<GroupSums, 'values'>) => values[0] != null
  const named = groups.filter(isNamed).toSorted((a, b) => order(b, a))
  // Where no part is left unread, the sums are of the very statement that has the parts.
  const isWhole = usage.isWhole && by.name !== 'customer_id'
  const totalOf = (which: Month, of: 'now' | 'before') =>
    isWhole
      ? groups.reduce<UsageTotals>((sum, group) => plus(sum, group[of]), noSums)
      : sums.data.filter(isOf(which)).map(sumsOf).reduce<UsageTotals>(plus, noSums)
  const total = { now: totalOf(month, 'now'), before: totalOf(before, 'before') }
  const restOf = (of: 'now' | 'before') => named.reduce<UsageTotals>((rest, group) => minus(rest, group[of]), total[of])
  return {
    by,
    month,
    before,
    parts: named.map(({ values, ...group }) => ({ name: values[0] ?? '', ...pick(group) })),
    unallocated: { name: 'Not allocated', now: restOf('now'), before: restOf('before') },
    total: { name: 'Total', ...total },
    isWhole: usage.isWhole,
  }
}

const pick = ({ now, before }: Pick<ShownPart, 'now' | 'before'>) => ({ now, before })
const order = (a: Pick<ShownPart, 'now' | 'before'>, b: Pick<ShownPart, 'now' | 'before'>): number =>
  Number(a.now.costNano - b.now.costNano) || Number(a.before.costNano - b.before.costNano)
