import { csvLine, escapeCell } from '../../values/csv.ts'
import { formatUsd } from '../../values/money.ts'
import type { Download, Visit } from '../frame/frame.ts'
import { readCorrections } from './corrections.ts'
import { readShowback, type ShownPart } from './showback-view.ts'

/** Pages of the API that a file has at most: twenty thousand parts and months. */
const filePages = 100

const columns = [
  'kind',
  'month',
  'by',
  'name',
  'runs',
  'tokens',
  'cost_usd',
  'month_before_cost_usd',
  'reason',
] as const

/** Makes a file of showback. Its first column tells parts from what nobody named, the total, and what corrects limits. */
export async function showbackFile(visit: Visit): Promise<Download> {
  const { by, month, parts, unallocated, total, isWhole } = await readShowback(visit, filePages)
  const corrections = visit.may('limits:read') ? (await readCorrections(visit, month)).list : []
  const line = (kind: string, { name, now, before }: ShownPart) =>
    csvLine([
      kind,
      month.text,
      by.name,
      escapeCell(name),
      String(now.runs),
      String(now.tokens),
      formatUsd(now.costNano),
      formatUsd(before.costNano),
      '',
    ])
  const lines = [
    ...parts.map((part) => line('part', part)),
    line('unallocated', { ...unallocated, name: '' }),
    line('total', { ...total, name: '' }),
    ...corrections.map(({ kind, about, usd, why }) =>
      csvLine([kind, month.text, '', escapeCell(about), '', '', usd, '', escapeCell(why)]),
    ),
  ]
  return {
    text: csvLine([...columns]) + lines.join(''),
    type: 'text/csv; charset=utf-8',
    name: `showback-${month.text}${isWhole ? '' : '-cut'}.csv`,
  }
}
