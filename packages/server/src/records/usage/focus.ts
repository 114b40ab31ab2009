import type { TimeWindow } from '../../contract/lists.ts'
import type { Sql } from '../../platform/infra/sql.ts'
import { findOrg } from '../../tenants/orgs/orgs.ts'
import { csvLine } from '../../values/csv.ts'
import { formatId } from '../../values/id.ts'
import { type FocusCharge, type FocusVersion, focusColumns } from './focus-columns.ts'
import { utcMidnight } from './granules.ts'
import { type DimensionRow, type Filters, readDay } from './queries.ts'

/** The FinOps Open Cost and Usage Specification: usage by UTC day, for tools that compare it with other costs. */

const pageRows = 500

/** Exports the usage of whole UTC days, a page at a time: a slow reader keeps nothing in memory but one page. */
export async function* exportFocus(
  sql: Sql,
  orgId: string,
  { from, to }: TimeWindow,
  version: FocusVersion,
  filters: Filters = {},
): AsyncGenerator<string, void, undefined> {
  const org = await sql.asOrgs([orgId], (tx) => findOrg(tx, orgId))
  const account = { id: formatId('org', orgId), name: org?.name ?? '' }
  const columns: Record<string, (charge: FocusCharge) => string> = focusColumns[version]
  const lineOf = (charge: FocusCharge) => csvLine(Object.values(columns).map((column) => column(charge)))
  yield csvLine(Object.keys(columns))
  for (let day = from; day < to; day = utcMidnight(day, 1)) {
    const window = { from: day, to: utcMidnight(day, 1) }
    for (let after: DimensionRow | undefined, isLast = false; !isLast; ) {
      const rows = await sql.asOrgs([orgId], (tx) => readDay(tx, orgId, { window, filters, after, limit: pageRows }))
      const text = rows.map((row) => lineOf({ ...row, day, account })).join('')
      if (text !== '') yield text
      after = rows.at(-1)
      isLast = rows.length < pageRows
    }
  }
}
