import type { Schemas } from '../api/api.ts'
import {
  badge,
  blank,
  type Column,
  code,
  counted,
  curl,
  gauge,
  html,
  joined,
  linkButton,
  liveRegion,
  type Markup,
  money,
  note,
  nothing,
  pageHead,
  table,
} from '../components/components.ts'
import { type ConsolePage, filterForm, filtersOf, pager, pageSize, type Visit } from '../frame/frame.ts'
import {
  amountColumns,
  coverChoices,
  type Frozen,
  freezesOf,
  frozenBadge,
  isStopped,
  kindText,
  stateOf,
} from '../limit-parts/limit-parts.ts'

type Budget = Schemas['Budget']

const path = '/console/budgets'
const filterNames = ['scope_kind', 'scope_id', 'period', 'enforcement'] as const

/** States by which the list can be asked for, with their words. */
const stateChoices = [
  ['stopped', 'Stopped'],
  ['nearly', 'Nearly used up, or refuses large calls'],
  ['frozen', 'Frozen'],
  ['calm', 'Nothing to do'],
] as const

/** Returns the state of a budget, as the list is asked for it. */
const askedState = (budget: Budget, freezes: ReadonlyMap<string, Frozen>): (typeof stateChoices)[number][0] => {
  if (freezes.has(budget.id)) return 'frozen'
  const { tone } = stateOf(budget)
  return tone === 'stop' ? 'stopped' : tone === 'warn' ? 'nearly' : 'calm'
}

const scannedSize = 200
const mostScans = 5

/** Reads a page of budgets. The API knows no state, so those of one state are sought among up to a thousand of them. */
async function readBudgets(visit: Visit, freezes: ReadonlyMap<string, Frozen>) {
  const { api, query } = visit
  const state = query.get('state') ?? ''
  const read = (limit: number, cursor: string | undefined) =>
    api.get('/v1/orgs/{id}/budgets', { query: { ...filtersOf(query, filterNames), limit, cursor } as never })
  const first = query.get('cursor') ?? undefined
  if (state === '') return read(pageSize, first)
  const data: Budget[] = []
  let cursor: string | null | undefined = first
  for (let scan = 0; scan < mostScans && cursor !== null && data.length < pageSize; scan++) {
    const page: Schemas['BudgetList'] = await read(scannedSize, cursor)
    data.push(...page.data.filter((budget) => askedState(budget, freezes) === state))
    cursor = page.next_cursor
  }
  return { data, next_cursor: cursor ?? null }
}

const coverage = ({ scope_kind, scope_id, and_scope_kind, and_scope_id }: Budget): Markup =>
  html`<span class="kind">${kindText(scope_kind)}</span> <span class="path">${scope_id === null ? 'everything' : html`<code>${scope_id}</code>`}${
    and_scope_kind === null ? nothing : html` and ${kindText(and_scope_kind)} <code>${and_scope_id ?? ''}</code>`
  }</span>`

const columnsOf = (visit: Visit, freezes: ReadonlyMap<string, Frozen>): readonly Column<Budget>[] => [
  {
    name: 'Budget',
    kind: 'who',
    cell: (budget) => html`<a class="plain" href="${path}/${budget.id}">${budget.name}</a> ${coverage(budget)}`,
  },
  {
    name: 'State',
    kind: 'st',
    cell: (budget) => {
      if (freezes.has(budget.id)) return frozenBadge
      const state = stateOf(budget)
      return badge(state.text, state.badge, state.icon)
    },
  },
  { name: 'Spent and held', kind: 'all bar', cell: (budget) => spentCell(budget, visit) },
  ...amountColumns,
  {
    name: 'Actions',
    isAction: true,
    cell: (budget) =>
      visit.may('limits:write', 'admin')
        ? linkButton(`${path}/${budget.id}/edit`, isStopped(budget) ? 'Raise limit' : 'Change', {
            kind: isStopped(budget) ? 'sm primary' : 'sm quiet',
            of: budget.name,
          })
        : nothing,
  },
]

function spentCell(budget: Budget, { times }: Visit): Markup {
  const { limit_usd: limit, spent_usd: spent, held_usd: held, thresholds } = budget
  const state = stateOf(budget)
  const picture = limit === null ? nothing : gauge({ spent, held, limit, thresholds, tone: state.tone })
  const refused =
    budget.exhausted_at !== null && isStopped(budget)
      ? html` <b class="t-stop">Refusing since ${times.time(budget.exhausted_at)}.</b> ${counted(budget.refused_count, 'call')} refused. Starts again ${times.day(budget.period_end)}.`
      : nothing
  return html`${picture}<span class="sub">${money(spent)} spent${held === '0' ? '' : html` + ${money(held)} held`}.${refused}</span>`
}

/** The list of budgets: what is stopped first in words, then every budget with its gauge. */
export async function budgetList(visit: Visit): Promise<ConsolePage> {
  const { address, query, may } = visit
  const freezing = freezesOf(visit)
  const [{ data, next_cursor }, freezes] = await Promise.all([
    query.has('state') ? freezing.then((known) => readBudgets(visit, known)) : readBudgets(visit, new Map()),
    freezing,
  ])
  const stopped = data.filter(isStopped)
  const isEmpty = data.length === 0 && [...query.keys()].length === 0 && next_cursor === null
  return {
    title: 'Budgets',
    here: path,
    body: html`${pageHead(
      'Budgets',
      isEmpty ? 'Nothing is limited yet.' : summary(data, next_cursor !== null),
      may('limits:write', 'admin')
        ? linkButton(`${path}/new`, 'New budget', { kind: 'primary', iconName: 'plus' })
        : nothing,
    )}${liveRegion('stopped', ['budgets'], joined(stopped.map((budget) => stoppedNote(budget, visit))))}${
      isEmpty
        ? emptyList(visit)
        : html`${filterForm(address, [
            { name: 'scope_id', label: 'Covered name', type: 'search' },
            {
              name: 'scope_kind',
              label: 'Covers',
              choices: coverChoices.map(({ value, text }) => [value, text] as const),
            },
            {
              name: 'enforcement',
              label: 'When used up',
              choices: [
                ['block', 'Stop'],
                ['alert', 'Only alert'],
              ],
            },
            { name: 'state', label: 'State', choices: stateChoices },
          ])}${legend}${liveRegion('list', ['budgets'], data.length === 0 ? blank('No budget matches', 'Remove a filter to see more.', linkButton(path, 'All budgets', { kind: 'sm' })) : table(columnsOf(visit, freezes), data, { kind: 'budgets', caption: 'Budgets', rowKind: (budget) => (isStopped(budget) ? 'is-stopped' : undefined) }))}${pager(address, next_cursor)}`
    }`,
  }
}

function summary(budgets: readonly Budget[], hasMore: boolean): string {
  const states = budgets.map((budget) => stateOf(budget).tone)
  const count = (tone: string) => states.filter((one) => one === tone).length
  const parts = [`${counted(budgets.length, 'budget')}${hasMore ? ' on this page' : ''}.`]
  if (count('stop') > 0) parts.push(`${count('stop')} stopped,`)
  parts.push(`${count('warn')} nearly used up.`)
  return parts.join(' ')
}

const stoppedNote = (budget: Budget, { times, may }: Visit): Markup =>
  note(
    'stop',
    html`<b class="t-stop">${budget.name}: ${stateOf(budget).text}.</b> ${
      budget.exhausted_at === null
        ? nothing
        : html`Since ${times.time(budget.exhausted_at)} it has refused ${counted(budget.refused_count, 'call')}.`
    }`,
    may('limits:write', 'admin')
      ? linkButton(`${path}/${budget.id}/edit`, 'Raise limit', { kind: 'sm danger solid', of: budget.name })
      : nothing,
    linkButton(`/console/refusals?limit_id=${encodeURIComponent(budget.id)}`, 'See what was refused', { kind: 'sm' }),
  )

const legend: Markup = html`<div class="key"><span><svg class="sw" aria-hidden="true"><rect class="g-spent" width="12" height="10"/></svg>spent</span><span><svg class="sw" aria-hidden="true"><rect class="g-spent" width="12" height="10"/><rect width="12" height="10" fill="url(#hatch)"/></svg>held for calls that run now</span><span><svg class="sw" aria-hidden="true"><rect class="g-track" width="12" height="10"/></svg>free</span><span>gaps mark the alerts</span></div>`

const emptyList = ({ org, may }: Visit): Markup =>
  html`${blank(
    'No budget yet',
    'A budget stops calls before they would cost more than a team, a workflow or the whole organization may spend.',
    may('limits:write', 'admin') ? linkButton(`${path}/new`, 'New budget', { kind: 'sm' }) : nothing,
  )}${code('Terminal', curl('POST', `/v1/orgs/${org.id}/budgets`, { name: 'Everything', scope_kind: 'org', period: 'month', limit_usd: '100' }), 'the command for a budget')}`
