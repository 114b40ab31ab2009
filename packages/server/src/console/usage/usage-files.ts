import { csvLine, escapeCell } from '../../values/csv.ts'
import { isoOf } from '../../values/time.ts'
import type { Download, Visit } from '../frame/frame.ts'
import { readView } from './usage-page.ts'
import { viewOf } from './usage-view.ts'

const counts = [
  'runs',
  'failed_runs',
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'reasoning_output_tokens',
  'cost_usd',
  'estimated_usd',
  'overrun_usd',
  'value_usd',
] as const

/** Pages of the API that a file has at most: twenty thousand rows. */
const filePages = 100

/** Rows of a view as CSV, under the names of the API. Names that a spreadsheet would run as a formula are escaped. */
export async function rowsFile(visit: Visit): Promise<Download> {
  const view = viewOf(visit)
  const { rows, isWhole } = await readView(visit, view, filePages)
  const names = view.by.map(({ name }) => name)
  const lines = rows.map((row) =>
    csvLine([
      row.period_start,
      row.period_end,
      ...names.map((name) => escapeCell(row[name] ?? '')),
      ...counts.map((name) => String(row[name])),
    ]),
  )
  // A file that is cut says so where it ends, and in its name.
  const end = isWhole ? '' : csvLine([`Cut after ${rows.length} rows: choose a shorter range or fewer dimensions.`])
  return {
    text: csvLine(['period_start', 'period_end', ...names, ...counts]) + lines.join('') + end,
    type: 'text/csv; charset=utf-8',
    name: `usage-${visit.times.date(new Date(view.window.fromMs))}${isWhole ? '' : '-cut'}.csv`,
  }
}

/** Makes files of the cost of the window of a view in the columns of FOCUS, as the API exports it: by UTC day, of everything. */
export const focusFile =
  (version: '1.2' | '1.4') =>
  async (visit: Visit): Promise<Download> => {
    const { window } = viewOf(visit)
    const format = version === '1.2' ? 'focus-csv' : 'focus-1.4-csv'
    const { text, type } = await visit.api.text('/v1/orgs/{id}/usage/export', {
      query: { format, from: isoOf(window.fromMs), to: isoOf(window.toMs) },
    })
    return { text, type, name: `focus-${version}-${visit.times.date(new Date(window.fromMs))}.csv` }
  }
