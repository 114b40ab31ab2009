import {
  blank,
  type Column,
  code,
  countText,
  curl,
  durationText,
  html,
  linkButton,
  type Markup,
  money,
  nothing,
  pageHead,
  shortId,
  table,
  tokensText,
} from '../components/components.ts'
import { type ConsolePage, filterForm, filtersOf, pager, pageSize, part, shown, type Visit } from '../frame/frame.ts'
import { runBadge, runMs, runName, runStateChoices, type ShownRun } from './run-words.ts'

const path = '/console/runs'
const filterNames = [
  'status',
  'model',
  'workflow_id',
  'department_id',
  'customer_id',
  'user_id',
  'key_id',
  'chain_id',
  'parent_run_id',
  'external_id',
  'tag',
] as const

const tokensOf = ({ input_tokens: input, output_tokens: output }: ShownRun) =>
  input === null && output === null ? undefined : (input ?? 0) + (output ?? 0)

const columnsOf = ({ times }: Visit): readonly Column<ShownRun>[] => [
  {
    name: 'Run',
    cell: (run) =>
      html`<a class="plain" href="${path}/${run.id}">${runName(run)}</a><span class="sub">${shortId(run.id)}</span>`,
  },
  { name: 'Model', label: 'Model', cell: ({ model }) => model },
  { name: 'State', label: 'State', cell: ({ status }) => runBadge(status) },
  {
    name: 'For',
    label: 'For',
    cell: ({ workflow_id, department_id, customer_id }) =>
      html`${workflow_id ?? nothing}<span class="sub">${[department_id, customer_id].filter(Boolean).join(', ')}</span>`,
  },
  {
    name: 'Tokens',
    label: 'Tokens',
    isNumber: true,
    cell: (run) => {
      const tokens = tokensOf(run)
      return tokens === undefined ? nothing : html`<span title="${countText(tokens)}">${tokensText(tokens)}</span>`
    },
  },
  {
    name: 'Took',
    label: 'Took',
    isNumber: true,
    cell: (run) => {
      const ms = runMs(run)
      return ms === undefined ? nothing : durationText(ms)
    },
  },
  {
    name: 'Cost',
    label: 'Cost',
    isNumber: true,
    cell: ({ cost_usd: cost, reserved_usd: held }) =>
      cost === null
        ? held === null
          ? nothing
          : html`<span class="dim">${money(held, 'small')} held</span>`
        : money(cost, 'small'),
  },
  { name: 'Started', label: 'Started', isNumber: true, cell: ({ started_at }) => times.time(started_at) },
]

/** The list of runs, newest first, with its filters in the address. */
export async function runList(visit: Visit): Promise<ConsolePage> {
  const { api, address, query, times } = visit
  const filters = filtersOf(query, filterNames)
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? '']
  const runs = await part(
    api.get('/v1/runs', {
      query: {
        ...filters,
        from: times.startOfDay(from) ?? from,
        to: times.endOfDay(to) ?? to,
        limit: pageSize,
        cursor: query.get('cursor') ?? undefined,
      } as never,
    }),
  )
  const isFiltered = Object.keys(filters).length > 0 || from !== '' || to !== ''
  return {
    title: 'Runs',
    here: path,
    body: html`${pageHead('Runs', `Every call that was let through, with what it cost. Times are of ${times.zone}.`)}${filterForm(
      address,
      [
        { name: 'workflow_id', label: 'Workflow', type: 'search' },
        { name: 'model', label: 'Model' },
        { name: 'customer_id', label: 'Customer' },
        { name: 'status', label: 'State', choices: runStateChoices },
        { name: 'from', label: 'From', type: 'date' },
        { name: 'to', label: 'To', type: 'date' },
      ],
    )}${shown(runs, visit, ({ data, next_cursor }) =>
      data.length === 0
        ? isFiltered || query.has('cursor')
          ? blank('No run matches', 'Remove a filter to see more.', linkButton(path, 'All runs', { kind: 'sm' }))
          : emptyList
        : html`${table(columnsOf(visit), data, { kind: 'runs', caption: 'Runs' })}${pager(address, next_cursor)}`,
    )}`,
  }
}

const emptyList: Markup = html`${blank(
  'No run yet',
  'A run is a call to a model: asked for before it is made, and settled at its real cost afterwards.',
)}${code('Terminal', curl('POST', '/v1/runs', { model: 'gpt-4o', input_tokens: 1200, max_output_tokens: 500 }), 'the command for a run')}`
