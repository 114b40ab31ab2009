import { formatDollars, parseUsd } from '../../values/money.ts'
import {
  blank,
  type Column,
  type Content,
  changeText,
  counted,
  countText,
  html,
  linkButton,
  type Markup,
  note,
  nothing,
  pageHead,
  percentText,
  section,
  table,
} from '../components/components.ts'
import { addressWith, type ConsolePage, part, shown, type Visit } from '../frame/frame.ts'
import { noSums, plus, queryOption, querySelect } from '../series/series.ts'
import { type Correction, type Corrections, readCorrections } from './corrections.ts'
import {
  type Month,
  monthBefore,
  monthOf,
  monthText,
  parts,
  readShowback,
  type Showback,
  type ShownPart,
  showbackPath,
} from './showback-view.ts'

/** Most parts that a page shows by name; the others are added up. */
const maxShown = 100
const monthsBack = 24

/** Amounts are shown whole: rounded to cents, a column would not add up. Those of a column have as many decimals as one of them needs. */
const exact = (nano: bigint, decimals = 2): Markup => {
  const text = formatDollars(nano).replace('-', '−')
  return html`<span class="nowrap">${text}${'0'.repeat(Math.max(0, decimals - decimalsOf(nano)))}</span>`
}
const decimalsOf = (nano: bigint): number => (formatDollars(nano).split('.')[1] ?? '').length
const mostDecimals = (column: readonly bigint[]): number => Math.max(...column.map(decimalsOf))

/** The page of showback: each part of the organization with what it spent in a month, to be printed. */
export async function showbackPage(visit: Visit): Promise<ConsolePage> {
  const { org, query, now, may, times } = visit
  const month = monthOf(query, now)
  const [read, corrections] = await Promise.all([
    part(readShowback(visit)),
    may('limits:read') ? part(readCorrections(visit, month)) : undefined,
  ])
  const title = `Showback, ${monthText(month)}`
  return {
    title: 'Showback',
    here: showbackPath,
    body: html`<p class="print-head">${org.name}. ${title} (UTC), as of ${times.long(now)}, ${times.zone}</p>${pageHead(
      title,
      read.value
        ? html`${exact(read.value.total.now.costNano)} in ${counted(read.value.total.now.runs, 'run')}; ${monthText(read.value.before)}: ${exact(read.value.total.before.costNano)}. Months are in UTC.`
        : nothing,
      linkButton(`${showbackPath}/showback.csv?${query}`, 'CSV', { iconName: 'export' }),
    )}${tools(visit, month)}${shown(read, visit, (found) => showbackTable(found))}${section(
      'Credits and adjustments',
      corrections === undefined
        ? html`<p class="small dim">You may not see limits, to which they belong.</p>`
        : shown(corrections, visit, (found) => correctionTable(found, visit)),
    )}`,
  }
}

function tools({ address, query, now }: Visit, month: Month): Markup {
  const by = parts.find(({ name }) => name === query.get('by'))?.name ?? 'department_id'
  let back = monthOf(new URLSearchParams(), now)
  const months = Array.from({ length: monthsBack }, () => {
    const one = back
    back = monthBefore(back)
    return one
  })
  const choices = months.some(({ text }) => text === month.text) ? months : [month, ...months]
  return html`<form class="tools" method="get" action="${showbackPath}"><div class="seg" role="group" aria-label="Show back by">${parts.map(
    ({ name, title }) =>
      html`<a href="${addressWith(address, { by: name })}"${name === by ? html` aria-current="true"` : nothing}>${title}</a>`,
  )}</div><input type="hidden" name="by" value="${by}">${querySelect(
    'month',
    'Month',
    choices.map((one) => queryOption(one.text, monthText(one), month.text)),
  )}<button class="btn" type="submit">Show</button></form>`
}

const share = (of: bigint, all: bigint) => (all === 0n ? '' : percentText(Number((of * 100_000n) / all) / 1_000))

function showbackTable({ by, before, parts: all, unallocated, total, isWhole }: Showback): Content {
  if (total.now.runs === 0 && total.before.runs === 0)
    return blank('Nothing was used', 'Neither in this month nor in the one before.')
  const others = all.slice(maxShown)
  const rest: ShownPart = {
    name: `${countText(others.length)} others`,
    now: others.map(({ now }) => now).reduce(plus, noSums),
    before: others.map((one) => one.before).reduce(plus, noSums),
  }
  const rows = [...all.slice(0, maxShown), ...(others.length > 0 ? [rest] : []), unallocated, total]
  const decimals = mostDecimals(rows.map(({ now }) => now.costNano))
  const decimalsBefore = mostDecimals(rows.map((one) => one.before.costNano))
  const columns: readonly Column<ShownPart>[] = [
    {
      name: by.title,
      kind: 'name',
      cell: (one) => (one === total || one === unallocated ? html`<b>${one.name}</b>` : one.name),
    },
    { name: 'Runs', isNumber: true, label: 'Runs', cell: ({ now }) => countText(now.runs) },
    { name: 'Tokens', isNumber: true, label: 'Tokens', cell: ({ now }) => countText(now.tokens) },
    { name: 'Cost', isNumber: true, label: 'Cost', cell: ({ now }) => html`<b>${exact(now.costNano, decimals)}</b>` },
    { name: 'Share', isNumber: true, label: 'Share', cell: ({ now }) => share(now.costNano, total.now.costNano) },
    {
      name: monthText(before),
      isNumber: true,
      label: monthText(before),
      cell: (one) => exact(one.before.costNano, decimalsBefore),
    },
    {
      name: 'Change',
      isNumber: true,
      label: 'Change',
      cell: (one) => changeText(Number(one.now.costNano), Number(one.before.costNano)),
    },
  ]
  return html`${isWhole ? nothing : note('warn', `There are more than can be read for a page. What is missing by name is in “${unallocated.name}”; the CSV file has more.`)}${table(columns, rows, { caption: `Spend by ${by.title.toLowerCase()}` })}<p class="small dim">${
    by.name === 'customer_id'
      ? '“Not allocated” is everything that named no customer.'
      : `“Not allocated” is everything that named no ${by.title.toLowerCase()}; “(other)” are names beyond those that usage tells apart.`
  } All rows add up to the total exactly.</p>`
}

const correctionWords = { adjustment: 'Adjustment', credit: 'Credits given' } as const

function correctionTable({ list, isWhole }: Corrections, { times }: Visit): Content {
  const intro = html`<p class="small dim">They correct limits, not what runs cost: none of them is in the sums above.${isWhole ? nothing : ' Only the newest 200 of each kind are shown.'}</p>`
  if (list.length === 0) return html`${intro}<p>None in this month.</p>`
  const sumOf = (kind: Correction['kind']) =>
    list.filter((one) => one.kind === kind).reduce((sum, { usd }) => sum + parseUsd(usd), 0n)
  const columns: readonly Column<Correction>[] = [
    {
      name: 'What',
      kind: 'name',
      cell: ({ kind, about }) => html`${correctionWords[kind]} <span class="sub">${about}</span>`,
    },
    { name: 'When', label: 'When', cell: ({ at }) => times.time(at) },
    { name: 'Why', label: 'Why', cell: ({ why }) => why },
    { name: 'Amount', isNumber: true, label: 'Amount', cell: ({ usd }) => exact(parseUsd(usd)) },
  ]
  return html`${intro}${table(columns, list, { caption: 'Credits and adjustments' })}<p>Adjustments: ${exact(sumOf('adjustment'))}. Credits given: ${exact(sumOf('credit'))}.</p>`
}
