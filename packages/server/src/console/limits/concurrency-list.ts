import type { Schemas } from '../api/api.ts'
import {
  badge,
  blank,
  type Column,
  code,
  counted,
  countGauge,
  countText,
  curl,
  html,
  linkButton,
  type Markup,
  nothing,
  section,
  table,
} from '../components/components.ts'
import { type ConsolePage, filterForm, filtersOf, pager, pageSize, part, shown, type Visit } from '../frame/frame.ts'
import { type Frozen, freezeAction, freezesOf, frozenBadge, kindText } from '../limit-parts/limit-parts.ts'
import { concurrencyKinds, concurrencyPath, defaultConcurrencyKinds } from './concurrency-kinds.ts'
import { limitsHead, limitsPath } from './limit-tabs.ts'

type Limit = Schemas['ConcurrencyLimit']
type Default = Schemas['ConcurrencyDefault']

const isFull = ({ running, max_runs }: Limit) => running >= max_runs

const stateCell = (limit: Limit, isFrozen: boolean): Markup => {
  if (isFrozen) return frozenBadge
  return isFull(limit) ? badge('Full: new runs are refused', 'loud', 'stop') : badge('Has room')
}

const columnsOf = (visit: Visit, freezes: ReadonlyMap<string, Frozen>): readonly Column<Limit>[] => [
  {
    name: 'Limit',
    kind: 'who',
    cell: ({ name, scope_kind, scope_id }) =>
      html`<b>${name}</b> <span class="kind">${kindText(scope_kind)}</span> <span class="path">${scope_id === null ? 'every run' : html`<code>${scope_id}</code>`}</span>`,
  },
  { name: 'State', kind: 'st', cell: (limit) => stateCell(limit, freezes.has(limit.id)) },
  {
    name: 'Running now',
    kind: 'all bar',
    cell: (limit) =>
      html`${countGauge(limit.running, limit.max_runs, 'run', isFull(limit) ? 'stop' : '')}<span class="sub">${countText(limit.running)} of ${countText(limit.max_runs)}. ${
        limit.refused_count === 0
          ? nothing
          : html`<a href="/console/refusals?limit_id=${limit.id}">${counted(limit.refused_count, 'run')} refused</a> today (UTC).`
      }</span>`,
  },
  {
    name: 'At most',
    isNumber: true,
    label: 'At most',
    cell: ({ max_runs }) => html`<b>${countText(max_runs)}</b>`,
  },
  {
    name: 'Actions',
    isAction: true,
    cell: (limit) =>
      visit.may('limits:write', 'admin')
        ? html`${linkButton(`${concurrencyPath}/${limit.id}/edit`, 'Change', { kind: 'sm quiet', of: limit.name })}${freezeAction(
            visit,
            freezes.get(limit.id),
            { name: limit.name, path: `${limitsPath}/${limit.id}`, from: concurrencyPath, kind: 'sm quiet' },
          )}`
        : nothing,
  },
]

/** Limits on runs at once, and the defaults of those that have none of their own. */
export async function concurrencyPage(visit: Visit): Promise<ConsolePage> {
  const { api, query, address, may } = visit
  const filters = filtersOf(query, ['scope_kind', 'scope_id'])
  const [{ data, next_cursor }, defaults, freezes] = await Promise.all([
    api.get('/v1/orgs/{id}/concurrency-limits', {
      query: { ...filters, limit: pageSize, cursor: query.get('cursor') ?? undefined } as never,
    }),
    part(api.get('/v1/orgs/{id}/concurrency-defaults')),
    freezesOf(visit),
  ])
  const isEmpty = data.length === 0 && Object.keys(filters).length === 0 && !query.has('cursor')
  const full = data.filter(isFull).length
  return {
    title: 'Runs at once',
    here: limitsPath,
    body: html`${limitsHead(
      visit,
      '/concurrency',
      isEmpty
        ? 'Any number of runs may run at once.'
        : `${counted(data.length, 'limit')}${next_cursor === null ? '' : ' on this page'}. ${full === 0 ? 'All have room.' : `${full} full.`}`,
      may('limits:write', 'admin')
        ? linkButton(`${concurrencyPath}/new`, 'New limit', { kind: 'primary', iconName: 'plus' })
        : nothing,
    )}${
      isEmpty
        ? emptyList(visit)
        : html`${filterForm(address, [
            { name: 'scope_id', label: 'Covered name', type: 'search' },
            { name: 'scope_kind', label: 'Covers', choices: concurrencyKinds.map(({ value, text }) => [value, text]) },
          ])}${data.length === 0 ? blank('No limit matches', 'Remove a filter to see more.', linkButton(concurrencyPath, 'All limits', { kind: 'sm' })) : table(columnsOf(visit, freezes), data, { kind: 'budgets', caption: 'Limits on runs at once' })}${pager(address, next_cursor)}`
    }${section(
      'Everyone without a limit of their own',
      shown(defaults, visit, ({ data: list }) => defaultTable(visit, list, freezes)),
    )}`,
  }
}

const emptyList = ({ org }: Visit): Markup =>
  html`${blank('No limit on runs at once', 'It stops an agent that starts itself over and over: further runs are refused until one has ended.')}${code('Terminal', curl('POST', `/v1/orgs/${org.id}/concurrency-limits`, { name: 'Everything', scope_kind: 'org', max_runs: 50 }), 'the command for a limit on runs at once')}`

const defaultTable = (visit: Visit, list: readonly Default[], freezes: ReadonlyMap<string, Frozen>): Markup => {
  const rows = defaultConcurrencyKinds.map((kind) => ({
    kind,
    limit: list.find(({ scope_kind }) => scope_kind === kind),
  }))
  const path = `${limitsPath}/concurrency-defaults`
  return table(
    [
      { name: 'Each', kind: 'who', cell: ({ kind }) => html`<b>Each ${kindText(kind)}</b>` },
      {
        name: 'At most',
        label: 'At most',
        cell: ({ limit }) =>
          limit === undefined
            ? html`<span class="dim">any number of runs</span>`
            : html`${counted(limit.max_runs, 'run')} ${freezes.has(limit.id) ? frozenBadge : nothing}`,
      },
      {
        name: 'Actions',
        isAction: true,
        cell: ({ kind, limit }) =>
          visit.may('limits:write', 'admin')
            ? html`${linkButton(`${path}/${kind}/edit`, limit ? 'Change' : 'Set', { kind: 'sm quiet', of: `for each ${kindText(kind)}` })}${
                limit
                  ? linkButton(`${path}/${kind}/delete`, 'Remove', {
                      kind: 'sm quiet',
                      of: `for each ${kindText(kind)}`,
                    })
                  : nothing
              }`
            : nothing,
      },
    ],
    rows,
    { kind: 'budgets', caption: 'Default limits on runs at once' },
  )
}
