import type { Schemas } from '../api/api.ts'
import {
  badge,
  type Column,
  type Content,
  counted,
  countText,
  facts,
  figures,
  html,
  linkButton,
  type Markup,
  note,
  nothing,
  pageHead,
  section,
  table,
} from '../components/components.ts'
import { type ConsolePage, filterForm, type Visit } from '../frame/frame.ts'
import { reconciliationsPath } from './reconciliation-list.ts'
import { daysText, exact, exactText, providerText, reasonText, reasonWords } from './reconciliation-words.ts'

type Reconciliation = Schemas['Reconciliation']
type Difference = Reconciliation['differences'][number]

/** Reads a reconciliation. */
export const readReconciliation = ({ api, params }: Visit): Promise<Reconciliation> =>
  api.get('/v1/orgs/{id}/reconciliations/{reconciliation_id}', {
    path: { reconciliation_id: params['reconciliation_id'] ?? '' },
  })

/** Returns the differences that the filters of an address leave. */
export function filteredDifferences({ differences }: Reconciliation, query: URLSearchParams): readonly Difference[] {
  const [reason, model, date] = [query.get('reason'), query.get('model'), query.get('date')]
  const word = model?.trim().toLowerCase()
  return differences.filter(
    (one) =>
      (!reason || one.reason === reason) &&
      (!date || one.date === date) &&
      (!word || [one.model, ...one.names].some((name) => name.toLowerCase().includes(word))),
  )
}

/** Most differences that a page shows; all of them are in its file. */
const maxShown = 200

/** One bill: its sums, its differences by reason and day, its files. */
export async function reconciliationPage(visit: Visit): Promise<ConsolePage> {
  const { org, times, query } = visit
  const found = await readReconciliation(visit)
  const title = `${providerText(found.provider)}, ${daysText(found)}`
  const shown = filteredDifferences(found, query)
  return {
    title: 'Bill of a provider',
    here: reconciliationsPath,
    body: html`<p class="print-head">${org.name}. Bill of ${title}, compared with runs on ${times.long(found.created_at)}, ${times.zone}</p>${pageHead(
      title,
      `${counted(found.compared, 'model and day', 'models and days')} compared in UTC, ${countText(found.equal)} of them equal within ${exactText(found.tolerance_usd)} and ${counted(found.tolerance_tokens, 'token')}.`,
      linkButton(`${reconciliationsPath}/${found.id}/differences.csv?${query}`, 'CSV', { iconName: 'export' }),
    )}${sums(found)}${found.difference_count === 0 ? note('', html`<b>No difference</b> beyond the tolerance.`) : html`${section('By reason', reasonTable(found))}${section('Differences', html`${filterForm(visit.address, filtersIn(found))}${differences(found, shown)}`)}`}${section('Files', files(found, visit))}`,
  }
}

const sums = (found: Reconciliation): Markup =>
  figures([
    { label: 'Billed', big: exact(found.billed_usd) },
    { label: 'Booked', big: exact(found.booked_usd), foot: counted(found.runs, 'run') },
    {
      label: 'Difference',
      big: exact(found.difference_usd, true),
      foot: html`${exactText(found.within_tolerance_usd, true)} of it within the tolerance`,
    },
    { label: 'On other days', big: exact(found.outside_usd), foot: 'in the files, not compared' },
  ])

function reasonTable({ by_reason: reasons }: Reconciliation): Content {
  const columns: readonly Column<Reconciliation['by_reason'][number]>[] = [
    {
      name: 'Likely reason',
      kind: 'name',
      cell: ({ reason }) => html`${reasonText(reason)} <span class="sub">${reasonWords[reason]?.[1] ?? ''}</span>`,
    },
    { name: 'Models and days', isNumber: true, label: 'Models and days', cell: ({ count }) => countText(count) },
    { name: 'Comes to', isNumber: true, label: 'Comes to', cell: ({ difference_usd: usd }) => exact(usd, true) },
  ]
  return table(columns, reasons, { caption: 'Differences by their likely reason' })
}

const filtersIn = ({ by_reason: reasons }: Reconciliation) => [
  {
    name: 'reason',
    label: 'Reason',
    choices: reasons.map(({ reason }) => [reason, reasonText(reason)] as const),
  },
  { name: 'model', label: 'Model', type: 'search' as const },
  { name: 'date', label: 'Day', type: 'date' as const },
]

const tokenTitles = { input: 'input', cache_read: 'cached', cache_write: 'written', output: 'output' } as const

/** Kinds of tokens of which the sides have different numbers. */
export function tokenDifferences({ tokens }: Difference): string[] {
  if (tokens === null) return []
  return Object.entries(tokenTitles).flatMap(([kind, title]) => {
    const { difference } = tokens[kind as keyof typeof tokenTitles] ?? { difference: 0 }
    return difference === 0 ? [] : [`${difference > 0 ? '+' : ''}${countText(difference)} ${title}`]
  })
}

const columns: readonly Column<Difference>[] = [
  {
    name: 'Day and model',
    kind: 'name',
    cell: ({ date, model, names }) =>
      html`<span class="nowrap">${date}</span> <b>${model}</b>${names.some((name) => name !== model) ? html` <span class="sub">${names.join(', ')}</span>` : nothing}`,
  },
  {
    name: 'Likely reason',
    label: 'Likely reason',
    cell: ({ reason, tiers }) =>
      html`${reasonText(reason)}${tiers.length === 0 ? nothing : html` ${badge(tiers.join(', '), 'line')}`}`,
  },
  { name: 'Billed', isNumber: true, label: 'Billed', cell: ({ billed_usd: usd }) => exact(usd) },
  { name: 'Booked', isNumber: true, label: 'Booked', cell: ({ booked_usd: usd }) => exact(usd) },
  {
    name: 'Difference',
    isNumber: true,
    label: 'Difference',
    cell: ({ difference_usd: usd }) => html`<b>${exact(usd, true)}</b>`,
  },
  {
    name: 'Tokens',
    isNumber: true,
    label: 'Tokens',
    cell: (one) => (one.tokens === null ? 'not in the files' : tokenDifferences(one).join(', ') || 'equal'),
  },
]

function differences({ differences: all, unlisted }: Reconciliation, shown: readonly Difference[]): Content {
  const rest = shown.length - maxShown
  return html`${shown.length === 0 ? note('', 'No difference fits these filters.') : table(columns, shown.slice(0, maxShown), { caption: 'Differences, the largest first' })}<p class="small dim">${counted(Math.min(shown.length, maxShown), 'difference')} of ${countText(all.length + unlisted.count)} shown${rest > 0 ? `; ${countText(rest)} more are in the CSV file` : ''}.${
    unlisted.count > 0
      ? html` ${counted(unlisted.count, 'smaller one')} are not listed; they come to ${exactText(unlisted.difference_usd, true)}.`
      : nothing
  }</p>`
}

const files = (found: Reconciliation, { times }: Visit): Content =>
  facts([
    ...found.files.map(({ name, format, lines, bytes, sha256 }): readonly [string, Content] => [
      name ?? format,
      html`${format}, ${counted(lines, 'line')}, ${counted(bytes, 'byte')}<br><span class="mono small wrap-any">SHA-256 ${sha256}</span>`,
    ]),
    ['Compared by', html`<span class="mono">${found.created_by}</span>, ${times.time(found.created_at)}`],
  ])
