import { type TSchema, Type } from 'typebox'
import { elementAt } from '../values/present.ts'
import { namesOf } from '../values/records.ts'
import { dayMs } from '../values/time.ts'
import { type FieldFault, validationFailed } from './errors.ts'
import { withCheck } from './semantic-check.ts'
import { optionalFields } from './wire.ts'

/**
 * Conventions of every list: `limit`, `cursor`, `sort` and named filters in the query, `data` and `next_cursor` in the
 * response. Pages are delimited by the sort value and the id of the last row, so rows inserted meanwhile neither repeat nor
 * hide others.
 */

export const maxPageSize = 200
const defaultPageSize = 50
const maxCursorLength = 2_048

type Filters = Record<string, TSchema>

/** Type of a sort field, so that a forged cursor is refused here and not by the database. */
export type SortKind = 'text' | 'time' | 'integer' | 'int32' | 'uuid'

const maxInt32 = 2_147_483_647
const isInteger = (value: string) => /^(0|-?[1-9]\d{0,17})$/.test(value)
const time = /^(?!0000)(\d{4}-\d{2}-\d{2})[ T]([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,6})?([+-](0\d|1[0-5])(:[0-5]\d)?|Z)$/

const fits: Record<SortKind, (value: string) => boolean> = {
  text: (value) => !value.includes('\0') && value.isWellFormed(),
  time: (value) => time.test(value) && isDay(value.slice(0, 10)),
  integer: isInteger,
  int32: (value) => isInteger(value) && Math.abs(Number(value)) <= maxInt32,
  uuid: (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
}

export const NextCursor = (description: string) =>
  Type.Union([Type.String({ description }), Type.Null()], { title: 'NextCursor', examples: [null] })

export const ListOf = <T extends TSchema>(item: T) =>
  Type.Object(
    {
      data: Type.Array(item),
      next_cursor: NextCursor('Pass it as `cursor` for the next page; null on the last one.'),
    },
    { ...('title' in item && { title: `${item.title as string}List` }), description: 'A page of the list.' },
  )

/** Types of sort fields that grow with time, so that the largest is the newest. */
const growingKinds = new Set<SortKind>(['time', 'integer', 'uuid'])

/** Returns filters as properties of a query: optional, and with `invalid_filter` as the code of an invalid one. */
const filterProperties = <F extends Filters>(filters: F) => optionalFields(filters, { 'x-filter': true })

/** Query schema of counts by day: a time window and filters. */
export const DailyQuery = <F extends Filters>(filters: F) =>
  withCheck(
    Type.Object({ ...filterProperties(windowFilters), ...filterProperties(filters) }, { 'x-filter': true }),
    windowFaults,
  )

/**
 * Query schema of a list. Sort fields must never be null; the first is the default, newest first unless `order` says otherwise.
 * Each sorts ascending, or descending with a leading `-`; ties are broken by the id.
 */
export function ListQuery<const S extends string, F extends Filters>(
  sorts: Readonly<Record<S, SortKind>>,
  filters: F,
  idKind: SortKind = 'uuid',
  order: 'newest first' | 'oldest first' = 'newest first',
) {
  const fields = namesOf(sorts)
  const first = elementAt(fields, 0)
  const byDefault = order === 'newest first' && growingKinds.has(sorts[first]) ? (`-${first}` as const) : first
  const choices = fields.flatMap((field): (S | `-${S}`)[] => [field, `-${field}`])
  const schema = Type.Object(
    {
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: maxPageSize,
          default: defaultPageSize,
          description: 'Number of rows per page.',
        }),
      ),
      cursor: Type.Optional(
        Type.String({ minLength: 1, maxLength: maxCursorLength, description: '`next_cursor` of the previous page.' }),
      ),
      sort: Type.Optional(
        Type.Unsafe<S | `-${S}`>({
          type: 'string',
          enum: choices,
          default: byDefault,
          description: 'A field, descending with a leading `-`.',
          'x-sort': true,
        }),
      ),
      ...filterProperties(filters),
    },
    { 'x-filter': true },
  )
  return withCheck(schema, (query: ListParameters & { from?: string; to?: string }) => {
    const faults: FieldFault[] = []
    if (query.cursor !== undefined) {
      const sort: string = query.sort ?? byDefault
      const position = parseCursor(query.cursor, sort)
      const field = fields.find((name) => name === sort.replace(/^-/, ''))
      const isOurs = position && field && fits[sorts[field]](position.value) && fits[idKind](position.id)
      if (!isOurs)
        faults.push({
          field: 'cursor',
          code: 'invalid_value',
          message: 'Must be the next_cursor of a page with the same sort.',
        })
    }
    if ('from' in filters) faults.push(...windowFaults(query))
    return faults
  })
}

export interface Position {
  /** Value of the sort field in the last row. */
  readonly value: string
  readonly id: string
}

export interface PageRequest<S extends string = string> {
  readonly limit: number
  readonly sort: S
  readonly descending: boolean
  readonly after: Position | undefined
}

interface ListParameters {
  limit?: number
  cursor?: string
  sort?: string
}

/** Reads the list parameters of a validated query. A cursor is valid only for the sort it was made under. */
export function pageRequest<S extends string>(query: ListParameters, defaultSort: S): PageRequest<S> {
  const sort = query.sort ?? defaultSort
  return {
    limit: query.limit ?? defaultPageSize,
    sort: sort.replace(/^-/, '') as S,
    descending: sort.startsWith('-'),
    after: query.cursor === undefined ? undefined : parseCursor(query.cursor, sort),
  }
}

/** Formats a cursor as the server reads it; callers see it encrypted. */
const writeCursor = (sort: string, { value, id }: Position) => JSON.stringify([sort, value, id])

function parseCursor(cursor: string, sort: string): Position | undefined {
  try {
    const parts: unknown = JSON.parse(cursor)
    if (!Array.isArray(parts) || parts.length !== 3) return undefined
    const [ownSort, value, id]: unknown[] = parts
    return ownSort === sort && typeof value === 'string' && typeof id === 'string' ? { value, id } : undefined
  } catch {
    return undefined
  }
}

/** Builds the response from the requested rows plus one, whose presence means that there is a next page. */
export function pageResponse<T>(rows: readonly T[], request: PageRequest, positionOf: (row: T) => Position) {
  const data = rows.slice(0, request.limit)
  const last = data.at(-1)
  const sort = `${request.descending ? '-' : ''}${request.sort}`
  return {
    data,
    next_cursor: rows.length > request.limit && last !== undefined ? writeCursor(sort, positionOf(last)) : null,
  }
}

/** Pages a list that is held in memory and small enough to sort, with the same conventions. */
export function pageInMemory<T>(all: readonly T[], request: PageRequest, positionOf: (row: T) => Position) {
  const direction = request.descending ? -1 : 1
  const compare = (a: Position, b: Position) => direction * (compareText(a.value, b.value) || compareText(a.id, b.id))
  const { after } = request
  const rows = all
    .filter((row) => after === undefined || compare(positionOf(row), after) > 0)
    .sort((a, b) => compare(positionOf(a), positionOf(b)))
    .slice(0, request.limit + 1)
  return pageResponse(rows, request, positionOf)
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const maxWindowDays = 90
const instant = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2}))?$/

const Instant = Type.String({
  pattern: instant.source,
  maxLength: 35,
  description: 'RFC 3339 timestamp, or a date for its midnight in UTC.',
  examples: ['2026-11-01'],
})

/** Filters `from` and `to` of a half-open time window. */
export const windowFilters = { from: Instant, to: { ...Instant, examples: ['2026-11-15'] } }

export interface TimeWindow {
  readonly from: Date
  readonly to: Date
}

/** Reads a validated window; the caller's defaults fill a missing end. */
export function readWindow(query: { from?: string; to?: string }, defaults: TimeWindow): TimeWindow {
  const from = query.from === undefined ? defaults.from : new Date(query.from)
  const to = query.to === undefined ? defaults.to : new Date(query.to)
  const faults = spanFaults(from, to)
  if (faults.length > 0) throw validationFailed(faults)
  return { from, to }
}

/** Returns the faults of a window that do not depend on its defaults. */
export function windowFaults({ from, to }: { from?: string; to?: string }): FieldFault[] {
  const missing = Object.entries({ from, to }).filter(([, text]) => text !== undefined && !exists(text))
  if (missing.length > 0) {
    return missing.map(([field]) => ({ field, code: 'invalid_filter', message: 'Must be an existing date.' }))
  }
  return from === undefined || to === undefined ? [] : spanFaults(new Date(from), new Date(to))
}

function spanFaults(from: Date, to: Date): FieldFault[] {
  const spanMs = to.getTime() - from.getTime()
  if (spanMs > 0 && spanMs <= maxWindowDays * dayMs) return []
  const message =
    spanMs <= 0
      ? `Must be later than "from", by at most ${maxWindowDays} days.`
      : `The range is ${Math.ceil(spanMs / dayMs)} days; the maximum is ${maxWindowDays} days.`
  return [{ field: 'to', code: 'out_of_range', message }]
}

const exists = (text: string) => !Number.isNaN(Date.parse(text)) && isDay(text.slice(0, 10))

/** True when the day exists: a pattern cannot tell that February has no 30th, and the parser would move it into March. */
function isDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}
