import { sql as raw, type SelectQueryBuilder } from 'kysely'
import type { DB } from './tables.ts'

interface Page {
  readonly limit: number
  readonly descending: boolean
  readonly after: { readonly value: string; readonly id: string } | undefined
}

/**
 * Restricts a query to one page: the rows after the last one seen, by sort column and then id, so that rows inserted meanwhile
 * neither repeat nor hide others. One extra row tells whether there is a next page. The position holds the column's exact text:
 * a timestamp read as a `Date` has lost its microseconds.
 */
export function keysetPage<T extends keyof DB, O>(
  query: SelectQueryBuilder<DB, T, O>,
  columns: { sort: string; id: string },
  { limit, descending, after }: Page,
): SelectQueryBuilder<DB, T, O> {
  const sort = raw.ref(columns.sort)
  const id = raw.ref(columns.id)
  const direction = descending ? 'desc' : 'asc'
  const ordered = query
    .orderBy(sort, direction)
    .orderBy(id, direction)
    .limit(limit + 1)
  if (!after) return ordered
  const beyond = descending
    ? raw<boolean>`(${sort}, ${id}) < (${after.value}, ${after.id})`
    : raw<boolean>`(${sort}, ${id}) > (${after.value}, ${after.id})`
  return ordered.where(beyond)
}
