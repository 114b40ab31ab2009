import type { Schemas } from '../api/api.ts'
import {
  blank,
  type Column,
  type Content,
  code,
  countText,
  curl,
  html,
  linkButton,
  type Markup,
  moneyText,
  note,
  nothing,
  pageHead,
  shortId,
  table,
  tabs,
} from '../components/components.ts'
import { type ConsolePage, type Filter, filterForm, filtersOf, pager, pageSize, type Visit } from '../frame/frame.ts'

type Movement = Schemas['JournalEntry']
type Change = Movement['changes'][number]

/** Path of the pages of the ledger. */
export const ledgerPath = '/console/ledger'
export const adjustmentsPath = `${ledgerPath}/adjustments`

const kinds: Readonly<Record<string, string>> = {
  hold: 'Held',
  settle: 'Settled at its real cost',
  release: 'Given back',
  expire: 'Lease ended',
  adjust: 'Adjusted',
}

const head = (isAdjustments: boolean, visit: Visit): Markup =>
  html`${pageHead(
    'Ledger',
    isAdjustments
      ? 'Corrections of what a limit shows as spent, each with its author and reason.'
      : 'Every movement on every limit of the last 35 days, newest first. Their sum is what the limit shows.',
    visit.may('limits:write', 'admin')
      ? linkButton(`${adjustmentsPath}/new`, 'Adjust', { kind: isAdjustments ? 'primary' : '' })
      : nothing,
  )}${tabs('Parts of the ledger', [
    { href: ledgerPath, text: 'Movements', isHere: !isAdjustments },
    { href: adjustmentsPath, text: 'Adjustments', isHere: isAdjustments },
  ])}`

const isZero = (value: string | number) => /^-?0(\.0+)?$/.test(String(value))
const amountText = (value: string | number, unit: string) => {
  const text =
    unit === 'usd' || typeof value === 'string'
      ? moneyText(String(value))
      : `${countText(value)} ${unit.replaceAll('_', ' ')}`
  return /^[-−]/.test(text) ? text.replace('-', '−') : `+${text}`
}

const partsOf = ({ unit, spent, held, overrun, late }: Change): string =>
  (
    [
      ['spent', spent],
      ['held', held],
      ['over what was held', overrun],
      ['reported late', late],
    ] as const
  )
    .flatMap(([name, value]) => (isZero(value) ? [] : [`${amountText(value, unit)} ${name}`]))
    .join(', ')

const changeLine = (change: Change): Markup =>
  html`<span class="sub"><a href="${ledgerPath}?limit_id=${encodeURIComponent(change.limit_id)}">${shortId(change.limit_id)}</a> ${change.subject === '' ? nothing : html`<code>${change.subject}</code>`} ${partsOf(change)}</span>`

/** Most lines of one movement: that of many runs at once can be on hundreds of counters. */
const shownChanges = 20

/** Changes of a movement: of the limit that is looked for, or one of them with the others behind it. */
function changesCell({ changes, change_count, reason }: Movement, limitId: string): Markup {
  const wanted = limitId === '' ? changes : changes.filter((change) => change.limit_id === limitId)
  const count = limitId === '' ? change_count : wanted.length
  const first = wanted.find(({ unit }) => unit === 'usd') ?? wanted[0]
  return html`${
    first === undefined
      ? nothing
      : count === 1
        ? changeLine(first)
        : html`<span>${partsOf(first)}</span><details><summary class="small">on ${count} counters</summary>${wanted.slice(0, shownChanges).map(changeLine)}${count > shownChanges ? html`<span class="sub">and ${count - shownChanges} more: look for one of them by its limit</span>` : nothing}</details>`
  }${reason === null ? nothing : html`<span class="sub">Reason: ${reason}</span>`}`
}

const actorText = (actor: Movement['actor']): string => {
  const id = actor === null ? undefined : Object.entries(actor).find(([name]) => name === 'id')?.[1]
  return typeof id === 'string' ? id : ''
}

const columnsOf = ({ times, query }: Visit): readonly Column<Movement>[] => [
  {
    name: 'Movement',
    kind: 'who',
    cell: ({ kind, created_at }) =>
      html`<b>${kinds[kind] ?? kind}</b> <span class="path">${times.time(created_at)}</span>`,
  },
  {
    name: 'On limits',
    kind: 'all bar',
    cell: (movement) => changesCell(movement, query.get('limit_id') ?? ''),
  },
  {
    name: 'Of',
    label: 'Of',
    cell: ({ reservation_id, key_id, actor }): Content =>
      reservation_id === null
        ? html`<span class="mono">${actorText(actor) || (key_id ?? '')}</span>`
        : html`<a href="${ledgerPath}?reservation_id=${encodeURIComponent(reservation_id)}">${shortId(reservation_id)}</a>`,
  },
]

/** Returns the query of a list by the filters of its address. */
const queryOf = ({ query }: Visit, names: readonly string[]) => {
  const filters = filtersOf(query, names)
  return { ...filters, limit: pageSize, cursor: query.get('cursor') ?? undefined } as never
}

const common: readonly Filter[] = [
  { name: 'limit_id', label: 'Limit id', type: 'search' },
  { name: 'from', label: 'From', type: 'date' },
  { name: 'to', label: 'Before', type: 'date' },
]

const isFiltered = (query: URLSearchParams) => [...query].some(([name, value]) => name !== 'done' && value !== '')

/** Movements of the ledger, with filters. */
export async function movementList(visit: Visit): Promise<ConsolePage> {
  const { address, org, query } = visit
  const asked: object = queryOf(visit, ['limit_id', 'reservation_id', 'kind', 'from', 'to'])
  // Where a limit is looked for, its change can be any of them.
  const isOfLimit = Boolean(query.get('limit_id'))
  const { data, next_cursor } = await visit.api.get('/v1/orgs/{id}/ledger', {
    query: { ...asked, ...(!isOfLimit && { max_changes: shownChanges }) },
  })
  return {
    title: 'Ledger',
    here: ledgerPath,
    body: html`${head(false, visit)}${filterForm(address, [
      ...common,
      { name: 'reservation_id', label: 'Reservation id', type: 'text' },
      { name: 'kind', label: 'Movement', choices: Object.entries(kinds) },
    ])}${
      data.length > 0
        ? table(columnsOf(visit), data, { kind: 'budgets', caption: 'Movements of the ledger' })
        : isFiltered(query)
          ? blank(
              'No movement matches',
              'Remove a filter to see more.',
              linkButton(ledgerPath, 'All movements', { kind: 'sm' }),
            )
          : html`${blank('No movement yet', 'Each call holds its worst case on every limit that it touches, and is settled at its real cost. Both are movements.')}${code('Terminal', curl('GET', `/v1/orgs/${org.id}/ledger`), 'the command that lists movements')}`
    }${pager(address, next_cursor)}`,
  }
}

/** Adjustments, each with its author and reason. */
export async function adjustmentList(visit: Visit): Promise<ConsolePage> {
  const { address, org, query } = visit
  const { data, next_cursor } = await visit.api.get('/v1/orgs/{id}/ledger/adjustments', {
    query: queryOf(visit, ['limit_id', 'from', 'to']),
  })
  return {
    title: 'Adjustments',
    here: ledgerPath,
    body: html`${head(true, visit)}${query.get('done') === 'adjusted' ? note('info', 'The adjustment is on the ledger.') : nothing}${filterForm(address, common)}${
      data.length > 0
        ? table(columnsOf(visit), data, { kind: 'budgets', caption: 'Adjustments' })
        : isFiltered(query)
          ? blank(
              'No adjustment matches',
              'Remove a filter to see more.',
              linkButton(adjustmentsPath, 'All adjustments', { kind: 'sm' }),
            )
          : html`${blank('Nothing was adjusted', 'An adjustment corrects what a limit shows as spent: a refund, or what was spent before Weir.')}${code('Terminal', curl('POST', `/v1/orgs/${org.id}/ledger/adjustments`, { limit_id: 'bud_…', amount_usd: '-12.5', reason: 'Refund of invoice 4711' }), 'the command for an adjustment')}`
    }${pager(address, next_cursor)}`,
  }
}
