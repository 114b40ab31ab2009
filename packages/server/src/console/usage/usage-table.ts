import { formatUsd } from '../../values/money.ts'
import {
  type Column,
  changeText,
  countText,
  html,
  type Markup,
  money,
  nothing,
  percentText,
  shareBar,
  table,
  tokensText,
} from '../components/components.ts'
import { addressWith } from '../frame/frame.ts'
import {
  amountOf,
  type Dimension,
  dimensions,
  type GroupSums,
  minus,
  noSums,
  plus,
  type ReadUsage,
  type UsageMetric,
  type UsageTotals,
} from '../series/series.ts'

/** All that the table of a view is made of. */
export interface UsageTable {
  readonly groups: readonly GroupSums[]
  readonly before: ReadonlyMap<string, UsageTotals> | undefined
  /** Name of the window that the change is counted from. */
  readonly beforeText: string
  readonly read: ReadUsage
  readonly by: readonly Dimension[]
  readonly metric: UsageMetric
  readonly address: string
  readonly nameOf: (group: Pick<GroupSums, 'values'>) => string
  /** Part of its budget that a group has used, in percent. */
  readonly budgetUsed: ReadonlyMap<string, number> | undefined
}

const shownRows = 100
const notableChange = 25

/** Returns the address that goes into the detail of a group: only it, by the next dimension. */
export function detailAddress(address: string, by: readonly Dimension[], group: GroupSums): string | undefined {
  const [dimension] = by
  const [value] = group.values
  if (dimension === undefined || value === null || value === undefined || dimension.name === 'customer_id')
    return undefined
  const known = new URL(address, 'http://weir.invalid').searchParams
  const next =
    by[1] ?? dimensions.find(({ name }) => name !== dimension.name && name !== 'customer_id' && !known.has(name))
  return addressWith(address, { [dimension.name]: value, by: next?.name, and: undefined })
}

const cost = (sums: UsageTotals) => money(formatUsd(sums.costNano))
const perRun = ({ costNano, runs }: UsageTotals) =>
  runs === 0 ? nothing : money(formatUsd(costNano / BigInt(runs)), 'small')

type Row = GroupSums & { readonly kind: 'group' | 'others' | 'total'; readonly count?: number }

function change(row: Row, { before, metric }: UsageTable): Markup {
  if (before === undefined || row.kind === 'others') return nothing
  const was = row.kind === 'total' ? [...before.values()].reduce(plus, noSums) : (before.get(row.key) ?? noSums)
  const [now, then] = [amountOf(row, metric), amountOf(was, metric)]
  const isNotable = then > 0 && (now / then - 1) * 100 > notableChange
  return html`<span class="${isNotable ? 't-warn' : 'dim'}">${changeText(now, then)}</span>`
}

/** Table of the groups, largest first, with all of them at its end: its rows add up to the window. */
export function usageTable(options: UsageTable): Markup {
  const { groups, read, by, metric, address, nameOf, budgetUsed, beforeText } = options
  const most = Math.max(...groups.map((group) => amountOf(group, metric)), 0)
  const shown = groups.slice(0, shownRows)
  const rest = minus(read.totals, shown.reduce<UsageTotals>(plus, noSums))
  const rows: Row[] = shown.map((group) => ({ ...group, kind: 'group' }))
  const hidden = groups.length - shown.length
  if (rest.runs !== 0 || rest.costNano !== 0n)
    rows.push({ ...rest, key: 'others', values: [], kind: 'others', count: hidden })
  rows.push({ ...read.totals, key: 'total', values: [], kind: 'total' })
  const title = by.map(({ title: text }) => text).join(' and ')
  const columns: Column<Row>[] = [
    {
      name: title,
      cell: (row) => {
        if (row.kind === 'total') return html`<b>All</b>`
        if (row.kind === 'others') return read.isWhole ? `${row.count ?? 0} others` : 'Not read: too many rows'
        const href = detailAddress(address, by, row)
        const isNone = row.values.every((value) => value === null)
        return href === undefined
          ? html`<span class="${isNone ? 'dim' : ''}">${nameOf(row)}</span>`
          : html`<a class="plain" href="${href}">${nameOf(row)}</a>`
      },
    },
    { name: 'Cost', isNumber: true, kind: 'cst', cell: (row) => html`<b>${cost(row)}</b>` },
    {
      name: 'Share',
      kind: 'all shr',
      cell: (row) => (row.kind === 'total' || most === 0 ? nothing : shareBar((amountOf(row, metric) / most) * 100)),
    },
    { name: `vs ${beforeText}`, isNumber: true, label: 'Change', cell: (row) => change(row, options) },
    { name: 'Runs', isNumber: true, kind: 'gone', cell: ({ runs }) => countText(runs) },
    { name: 'Per run', isNumber: true, kind: 'gone', cell: perRun },
    {
      name: 'Tokens',
      isNumber: true,
      kind: 'gone',
      cell: ({ tokens }) => html`<span title="${countText(tokens)}">${tokensText(tokens)}</span>`,
    },
  ]
  if (budgetUsed !== undefined && budgetUsed.size > 0)
    columns.push({
      name: 'Budget used',
      isNumber: true,
      label: 'Budget used',
      cell: ({ values }) => {
        const percent = budgetUsed.get(values[0] ?? '')
        if (percent === undefined) return nothing
        const tone = percent >= 100 ? 't-stop' : percent >= 90 ? 't-warn' : ''
        return tone === '' ? percentText(percent) : html`<b class="${tone}">${percentText(percent)}</b>`
      },
    })
  return table(columns, rows, { kind: 'dense', caption: `Usage by ${title.toLowerCase()}` })
}
