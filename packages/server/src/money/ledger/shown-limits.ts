import { maxPageSize, type PageRequest } from '../../contract/lists.ts'
import { isSharedInPage, readOncePerPage } from '../../contract/page-reads.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { present } from '../../values/present.ts'
import { allowanceAt, type Limit } from './allowances.ts'
import { type LimitUsage, loadUsage } from './limit-fields.ts'
import { plannedOf } from './limits.ts'
import {
  balancesOf,
  type LimitFilters,
  type LimitRow,
  limitsInForce,
  limitsWithPlaces,
  listLimits,
  type PlacedLimitRow,
  type UsedBalance,
} from './queries.ts'

const allLimits = (tx: Tx, orgId: string): Promise<PlacedLimitRow[]> =>
  readOncePerPage(`limits of ${orgId}`, () => limitsWithPlaces(tx, orgId))

/** Returns the limits in force, for an answer: those of one kind, or all. A page that shows most of them reads them once. */
export async function shownLimits(tx: Tx, orgId: string, kind?: string): Promise<readonly LimitRow[]> {
  if (!isSharedInPage('limits')) return limitsInForce(tx, orgId, kind)
  const all = await allLimits(tx, orgId)
  return kind === undefined ? all : all.filter((row) => row.kind === kind)
}

/** Returns a page of the limits of a kind, as `listLimits` does. */
export async function listShownLimits(
  tx: Tx,
  orgId: string,
  kind: string,
  page: PageRequest<'created_at' | 'name'>,
  filters: LimitFilters,
): Promise<readonly PlacedLimitRow[]> {
  const { scope_kind, scope_ids, period, enforcement } = filters
  const isFiltered = [scope_kind, scope_ids, period, enforcement].some((filter) => filter !== undefined)
  const isWhole = page.sort === 'created_at' && !page.after && !isFiltered
  if (!isWhole || !isSharedInPage('limits')) return listLimits(tx, orgId, kind, page, filters)
  const rows = (await allLimits(tx, orgId)).filter((row) => row.kind === kind)
  return (page.descending ? rows.toReversed() : rows).slice(0, page.limit + 1)
}

/** Returns the newest rows of each kind and kind of scope, as many as a list shows: those of which pages ask the usage. */
function newestOfEach(rows: readonly LimitRow[]): LimitRow[] {
  const groups = Map.groupBy(rows, ({ kind, scope_kind }) => `${kind} ${scope_kind}`)
  return [...groups.values()].flatMap((group) => group.slice(-maxPageSize))
}

const keyOf = (row: LimitRow, nowMs: number): string => {
  const { id, kind, unit, amount } = row
  const limit = { id, kind, unit, amount, schedule: plannedOf(row), enforcement: 'block', thresholds: [] } as Limit
  return allowanceAt(limit, row.scope_id, nowMs).key
}

const balancesOfPage = (tx: Tx, orgId: string, nowMs: number): Promise<Map<string, UsedBalance>> =>
  readOncePerPage(`balances of ${orgId}`, async () => {
    const rows = newestOfEach(await allLimits(tx, orgId))
    return balancesOf(
      tx,
      orgId,
      rows.map((row) => keyOf(row, nowMs)),
    )
  })

/** Returns the current usage of limits, for an answer, as `loadUsage` does. */
export async function shownUsage<L extends Limit>(
  tx: Tx,
  orgId: string,
  nowMs: number,
  limits: readonly (readonly [limit: L, subject: string])[],
): Promise<LimitUsage<L>[]> {
  if (!isSharedInPage('limits')) return loadUsage(tx, orgId, nowMs, limits)
  const found = limits.map(([limit, subject]) => ({ limit, allowance: allowanceAt(limit, subject, nowMs) }))
  const shared = await balancesOfPage(tx, orgId, nowMs)
  const others = found.map(({ allowance }) => allowance.key).filter((key) => !shared.has(key))
  const balances = others.length === 0 ? shared : new Map([...shared, ...(await balancesOf(tx, orgId, others))])
  return found.map((one) => ({ ...one, balance: present(balances.get(one.allowance.key)) }))
}
