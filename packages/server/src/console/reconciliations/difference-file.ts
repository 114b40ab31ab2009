import { csvLine, escapeCell } from '../../values/csv.ts'
import type { Download, Visit } from '../frame/frame.ts'
import { filteredDifferences, readReconciliation } from './reconciliation-page.ts'

const kinds = ['input', 'cache_read', 'cache_write', 'output'] as const

/** Makes a file of the differences that the filters leave. Names that a spreadsheet would run as a formula are escaped. */
export async function differencesFile(visit: Visit): Promise<Download> {
  const found = await readReconciliation(visit)
  const lines = filteredDifferences(found, visit.query).map((one) =>
    csvLine([
      one.date,
      escapeCell(one.model),
      escapeCell(one.names.join('; ')),
      one.reason,
      one.billed_usd ?? '',
      one.booked_usd,
      one.difference_usd ?? '',
      ...kinds.flatMap((kind) => {
        const { booked = '', billed = '' } = one.tokens?.[kind] ?? {}
        return [String(billed), String(booked)]
      }),
      escapeCell(one.tiers.join('; ')),
    ]),
  )
  const { count, difference_usd: rest } = found.unlisted
  // Differences that are not listed are said where the file ends, so that its sum is the whole.
  const end = count === 0 ? '' : csvLine(['', `${count} smaller differences`, '', '', '', '', rest])
  const names = ['date', 'model', 'names', 'reason', 'billed_usd', 'booked_usd', 'difference_usd']
  const tokens = kinds.flatMap((kind) => [`billed_${kind}_tokens`, `booked_${kind}_tokens`])
  return {
    text: csvLine([...names, ...tokens, 'tiers']) + lines.join('') + end,
    type: 'text/csv; charset=utf-8',
    name: `differences-${found.provider}-${found.from}.csv`,
  }
}
