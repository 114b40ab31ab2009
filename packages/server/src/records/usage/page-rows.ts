import { isSharedInPage, readOncePerPage } from '../../contract/page-reads.ts'
import type { Sql } from '../../platform/infra/sql.ts'
import { type PeriodRow, readUsageRows, type UsageRead, type UsageSums } from './queries.ts'

/** A page of rows, with one more where others follow, and the sums over all pages. */
interface UsageRows {
  readonly totals: UsageSums
  readonly rows: readonly PeriodRow[]
}

/** Most rows that the calls of one console page take from the same read: ten pages of the API. */
const maxSharedRows = 2_000

/** Reads a page of usage. The calls of a console page that go through one list take its first rows from one read. */
export async function readPageRows(sql: Sql, orgId: string, read: UsageRead): Promise<UsageRows> {
  const fromDatabase = (asked: UsageRead) => sql.asOrgs([orgId], (tx) => readUsageRows(tx, orgId, asked))
  if (!isSharedInPage('usage')) return fromDatabase(read)
  const { limit, after, ...list } = read
  const { totals, rows } = await readOncePerPage(`usage ${orgId} ${JSON.stringify(list)}`, () =>
    fromDatabase({ ...list, limit: maxSharedRows, after: undefined }),
  )
  const first = after === undefined ? 0 : rows.findIndex((row) => isAt(row, after)) + 1
  const page = rows.slice(first, first + limit + 1)
  const isKnown = (after === undefined || first > 0) && (page.length > limit || rows.length <= maxSharedRows)
  return isKnown ? { totals, rows: page } : fromDatabase(read)
}

const isAt = ({ period, groups }: PeriodRow, place: NonNullable<UsageRead['after']>) =>
  period === place.period && groups.every((group, i) => group === place.groups[i])
