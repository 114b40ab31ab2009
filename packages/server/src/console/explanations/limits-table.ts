import { type Column, type Content, html, type Times, table } from '../components/components.ts'
import {
  type AskedLimit,
  amountText,
  excessOf,
  type LimitNames,
  leftAfter,
  leftBefore,
  limitLink,
} from './limit-words.ts'

const orNone = (limit: AskedLimit, amount: string | number | null | undefined): Content =>
  amount === undefined || amount === null ? 'no limit' : amountText(limit, amount)

const answer = (limit: AskedLimit): Content =>
  limit.fits
    ? html`<span class="t-ok nowrap">fits</span>`
    : limit.enforcement === 'alert'
      ? html`<span class="t-warn nowrap">only alerts</span>`
      : html`<b class="t-stop nowrap">${amountText(limit, excessOf(limit))} too much</b>`

const about = ({ subject, period_end: end }: AskedLimit, times: Times): string =>
  [subject === '' ? 'whole organization' : subject, end === null ? undefined : `until ${times.short(end)}`]
    .filter((text) => text !== undefined)
    .join(', ')

const amountColumn = (name: string, amount: (limit: AskedLimit) => Content): Column<AskedLimit> => ({
  name,
  label: name,
  isNumber: true,
  cell: amount,
})

const answerColumn: Column<AskedLimit> = { name: 'Answer', isAction: true, isNumber: true, cell: answer }
const caption = 'Limits in the order in which they were asked'

/** The limits of a decision in the order in which they were asked, with what was read there. */
export const limitsTable = (limits: readonly AskedLimit[], names: LimitNames, times: Times): Content =>
  table(
    [
      {
        name: 'Limit',
        cell: (limit) => html`${limitLink(limit, names)}<span class="sub">${about(limit, times)}</span>`,
      },
      amountColumn('Allows', (limit) => orNone(limit, limit.limit)),
      amountColumn('Spent', (limit) => amountText(limit, limit.spent)),
      amountColumn('Held', (limit) => amountText(limit, limit.held)),
      amountColumn('This call', (limit) => amountText(limit, limit.attempted)),
      amountColumn('Left', (limit) => html`<b>${orNone(limit, limit.fits ? leftAfter(limit) : leftBefore(limit))}</b>`),
      answerColumn,
    ],
    limits,
    { kind: 'still limits', caption },
  )

/** The same where there is little room: what was left, what the call needed, and the answer. */
export const shortLimitsTable = (limits: readonly AskedLimit[], names: LimitNames): Content =>
  table(
    [
      { name: 'Limit', cell: (limit) => limitLink(limit, names) },
      amountColumn('Left before', (limit) => orNone(limit, leftBefore(limit))),
      amountColumn('This call', (limit) => amountText(limit, limit.attempted)),
      answerColumn,
    ],
    limits,
    { kind: 'still dense', caption },
  )
