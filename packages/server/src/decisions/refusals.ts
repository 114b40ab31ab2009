import { applyPins, type Caller, isPinned, isWithinPins } from '../access/identity/identity.ts'
import { pageRequest, pageResponse, readWindow } from '../contract/lists.ts'
import type { Sql, Tx } from '../platform/infra/sql.ts'
import { formatId, parseId } from '../values/id.ts'
import { dayMs } from '../values/time.ts'
import { timestamp, timestampOrNull } from '../values/timestamp.ts'
import { minuteOf } from './refusal-list.ts'
import {
  chainRefusals,
  dailyListed,
  dailyRefusals,
  findRefusalRow,
  listRefusalRows,
  type RefusalFilters,
  type RefusalRow,
} from './refusal-queries.ts'
import type { Refusal } from './refusal-schema.ts'
import type { Explanation } from './schema.ts'

/** Age up to which refusals are listed: whole days are dropped, so a part of one more is still there. */
const keptMs = 30 * dayMs

type Filters = Omit<RefusalFilters, 'decided_by'> & { readonly limit_id?: string; readonly rule_id?: string }
type Page = Parameters<typeof pageRequest>[0]
interface Window {
  readonly from?: string
  readonly to?: string
}

/** Returns one page of refusals; those outside the caller's pins are not found. */
export async function listRefusals(sql: Sql, caller: Caller, query: Filters & Page & Window, now: Date) {
  const { orgId } = caller
  const asked = pageRequest(query, 'minute')
  const {
    from,
    to,
    limit: _limit,
    cursor: _cursor,
    sort: _sort,
    limit_id,
    rule_id,
    ...filters
  } = applyPins(query, caller)
  if (limit_id !== undefined && rule_id !== undefined) return { data: [], next_cursor: null }
  const earliest = new Date(now.getTime() - keptMs)
  const start = from === undefined ? earliest : new Date(Math.max(Date.parse(from), earliest.getTime()))
  const window = { from: start, to: to === undefined ? undefined : new Date(to) }
  const decidedBy = limit_id ?? rule_id
  const rows = await sql.asOrgs([orgId], (tx) =>
    listRefusalRows(tx, orgId, asked, window, { ...filters, decided_by: decidedBy }),
  )
  const answer = pageResponse(rows, asked, ({ id }) => ({ value: id, id }))
  return { ...answer, data: answer.data.map(viewOf) }
}

export async function findRefusal(sql: Sql, { orgId, pins }: Caller, id: string): Promise<Refusal | undefined> {
  const row = await sql.asOrgs([orgId], (tx) => findRefusalRow(tx, orgId, id))
  return row && isWithinPins(pins, row) ? viewOf(row) : undefined
}

/** Returns the refusals of a chain within the time that refusals are listed and the key's pins. */
export async function refusalsOfChain(tx: Tx, orgId: string, chainId: string, pins: Caller['pins'], now: Date) {
  const from = new Date(now.getTime() - keptMs)
  const { refused, exhausted_at } = await chainRefusals(tx, orgId, { chain_id: chainId, ...pins }, from)
  return { refused_count: Number(refused), exhausted_at: timestampOrNull(exhausted_at) }
}

/** Returns refusals by day and code, of the last 30 days unless the query says otherwise. */
export async function refusalsByDay(sql: Sql, caller: Caller, query: Window, now: Date) {
  const { orgId, pins } = caller
  const { from, to } = readWindow(query, { from: new Date(now.getTime() - keptMs), to: now })
  const rows = await sql.asOrgs([orgId], (tx) =>
    isPinned(caller) ? dailyListed(tx, orgId, { from, to }, pins) : dailyRefusals(tx, orgId, from, to),
  )
  return {
    from: timestamp(from),
    to: timestamp(to),
    data: rows.map(({ count, ...row }) => ({ ...row, count: Number(count) })),
  }
}

function viewOf({ id, decided_by, count, first_at, last_at, body, ...row }: RefusalRow): Refusal {
  const isRule = decided_by !== null && parseId('rule', decided_by) !== undefined
  return {
    id: formatId('refusal', id),
    minute: timestamp(minuteOf(id)),
    count: Number(count),
    first_at: timestamp(first_at),
    last_at: timestamp(last_at),
    limit_id: isRule ? null : decided_by,
    rule_id: isRule ? decided_by : null,
    explanation: body as unknown as Explanation,
    ...row,
  }
}
