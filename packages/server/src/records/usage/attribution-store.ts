import { emit } from '../../access/events/events.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId } from '../../values/id.ts'
import { recordBy } from '../../values/records.ts'
import {
  admitValues,
  type BoundedDimension,
  type Combination,
  chosenDimensions,
  isAlwaysKnown,
  keyOf,
  mostCombinations,
  other,
  type PeriodState,
  placeCombination,
} from './attribution.ts'
import {
  countNewValues,
  countRows,
  type DimensionValue,
  type Rollup,
  readBounds,
  readExisting,
  readKnownValues,
  storeValues,
} from './attribution-queries.ts'
import type { FoldBatch, FoldedRow } from './rollup-queries.ts'
import { dimensions } from './schema.ts'

const defaultNewCustomersPerDay = 10_000
const combination = 'combination'

/** The inputs of folding: the day, and the number of new values a day where the organization has not set one. */
export interface FoldingRules {
  readonly today: string
  readonly newValuesPerDay: number
}

/**
 * Returns the names under which new usage is counted: its own, as long as it does not bring more new values or combinations than
 * an organization may have. The transaction must hold the organization's folding lock.
 */
export async function attributeNew(
  tx: Tx,
  orgId: string,
  rows: readonly FoldedRow[],
  { today, newValuesPerDay }: FoldingRules,
): Promise<FoldBatch> {
  const set = await readBounds(tx, orgId)
  const values = set.values ?? newValuesPerDay
  const customers = set.customers ?? defaultNewCustomersPerDay
  const mostNew = (dimension: BoundedDimension) => (dimension === 'customer_id' ? customers : values)
  const refused = await refusedValues(tx, orgId, rows, mostNew, today)
  const named = rows.map((row) => withKnownNames(row, refused))
  const { isLimited, ...folding } = await placeRows(tx, orgId, 'usage_15m', rows, named, values)
  await emitTooManyValues(tx, orgId, today, [
    ...Array.from(refused.keys(), (dimension) => ({ dimension, limit: mostNew(dimension) })),
    ...(isLimited ? [{ dimension: combination, limit: mostCombinations(values) }] : []),
  ])
  return folding
}

/** Does the same for quarters of an hour that become days: their values are known, only the combinations of a day are bounded. */
export async function attributeOld(
  tx: Tx,
  orgId: string,
  rows: readonly FoldedRow[],
  { newValuesPerDay }: FoldingRules,
): Promise<FoldBatch> {
  const { values } = await readBounds(tx, orgId)
  return placeRows(tx, orgId, 'usage_days', rows, rows, values ?? newValuesPerDay)
}

async function refusedValues(
  tx: Tx,
  orgId: string,
  rows: readonly FoldedRow[],
  mostNew: (dimension: BoundedDimension) => number,
  today: string,
): Promise<Map<BoundedDimension, Set<string>>> {
  const said = valuesIn(rows)
  const known = await readKnownValues(tx, orgId, said, today)
  const knownIn = Map.groupBy(known, ({ dimension }) => dimension)
  const refused = new Map<BoundedDimension, Set<string>>()
  const kept: DimensionValue[] = known.filter(({ isStale }) => isStale)
  if (known.length < said.length) {
    const saidIn = Map.groupBy(said, ({ dimension }) => dimension)
    const counts = await countNewValues(tx, orgId, [...saidIn.keys()], today)
    for (const [dimension, own] of saidIn) {
      const state = {
        said: own.map(({ value }) => value),
        known: new Set(knownIn.get(dimension)?.map(({ value }) => value)),
        room: mostNew(dimension) - (counts.get(dimension) ?? 0),
      }
      const judged = admitValues(state)
      kept.push(...judged.admitted.map((value) => ({ dimension, value })))
      if (judged.refused.size > 0) refused.set(dimension, judged.refused)
    }
  }
  if (kept.length > 0) await storeValues(tx, orgId, kept, today)
  return refused
}

/** Returns each value once, in the order in which they came. */
function valuesIn(rows: readonly FoldedRow[]): DimensionValue[] {
  const found = new Map<string, DimensionValue>()
  for (const row of rows)
    for (const dimension of [...chosenDimensions, 'customer_id'] as const) {
      const value = row[dimension]
      if (value !== null && !isAlwaysKnown(value)) found.set(`${dimension} ${value}`, { dimension, value })
    }
  return [...found.values()]
}

function withKnownNames(row: FoldedRow, refused: ReadonlyMap<BoundedDimension, ReadonlySet<string>>): FoldedRow {
  const renamed = Array.from(refused).flatMap(([dimension, values]) => {
    const value = row[dimension]
    return value !== null && values.has(value) ? [[dimension, other]] : []
  })
  return renamed.length === 0 ? row : { ...row, ...Object.fromEntries(renamed) }
}

/** Returns the rows of a rollup that usage is added to, so that no period has more of them than it may. */
async function placeRows(
  tx: Tx,
  orgId: string,
  rollup: Rollup,
  rows: readonly FoldedRow[],
  named: readonly FoldedRow[],
  newValuesPerDay: number,
): Promise<FoldBatch & { readonly isLimited: boolean }> {
  const periods = await periodsOf(tx, orgId, rollup, named, newValuesPerDay)
  const final = named.map((row): FoldedRow => {
    const period = periods.get(row.period.getTime())
    if (row.customer_id !== null || !period) return row
    const own = combinationOf(row)
    const place = placeCombination(own, period, newValuesPerDay)
    return place === own ? row : { ...row, ...place }
  })
  return {
    rows,
    renamed: final.filter((row, i) => row !== rows[i]),
    isLimited: final.some((row, i) => row !== named[i]),
  }
}

/** Returns the periods that may become too full, and the rows they have already; the others need not be read. */
async function periodsOf(
  tx: Tx,
  orgId: string,
  rollup: Rollup,
  named: readonly FoldedRow[],
  newValuesPerDay: number,
): Promise<Map<number, PeriodState>> {
  const most = mostCombinations(newValuesPerDay) + newValuesPerDay
  const distinct = new Map(
    named
      .filter(({ customer_id }) => customer_id === null)
      .map((row) => [`${row.period.getTime()} ${keyOf(combinationOf(row))}`, row]),
  )
  const byPeriod = Map.groupBy(distinct.values(), ({ period }) => period.getTime())
  const times = Array.from(byPeriod.keys(), (ms) => new Date(ms))
  const counts = times.length === 0 ? new Map<number, number>() : await countRows(tx, orgId, rollup, times, most + 1)
  const full = [...byPeriod].filter(
    ([ms, own]) => (counts.get(ms) ?? 0) + own.length > mostCombinations(newValuesPerDay),
  )
  if (full.length === 0) return new Map()
  const wanted = full.flatMap(([, own]) => own.flatMap(possibleRows))
  const existing = Map.groupBy(await readExisting(tx, orgId, rollup, wanted), ({ period }) => period.getTime())
  return new Map(
    full.map(([ms]) => [
      ms,
      { count: counts.get(ms) ?? 0, existing: new Set(existing.get(ms)?.map((row) => keyOf(combinationOf(row)))) },
    ]),
  )
}

/** The rows that usage may be added to: its own, and that of its model and provider. */
const possibleRows = (row: FoldedRow): (Combination & { readonly period: Date })[] => {
  const own = { ...combinationOf(row), period: row.period }
  const coarse = { ...own, workflow_id: other, deployment_id: other, department_id: other, user_id: other }
  return [own, coarse, { ...coarse, model: other, provider: other }]
}

const combinationOf = (row: Combination): Combination => recordBy(dimensions, (name) => row[name])

/** Emits an event, once a day per dimension, that further values are no longer distinguished. */
async function emitTooManyValues(
  tx: Tx,
  orgId: string,
  today: string,
  limited: readonly { readonly dimension: string; readonly limit: number }[],
) {
  if (limited.length === 0) return
  const marks = limited.map(({ dimension }) => ({ dimension, value: other }))
  const untold = new Set(await storeValues(tx, orgId, marks, today))
  await emit(
    tx,
    orgId,
    limited
      .filter(({ dimension }) => untold.has(dimension))
      .map(({ dimension, limit }) => ({
        kind: 'usage.values_limited' as const,
        subject: formatId('org', orgId),
        data: { dimension, limit, day: today },
      })),
  )
}
