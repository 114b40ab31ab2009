import type { Schemas } from '../api/api.ts'
import {
  badge,
  blank,
  code,
  counted,
  countText,
  curl,
  html,
  linkButton,
  liveRegion,
  type Markup,
  nothing,
  pageHead,
  section,
} from '../components/components.ts'
import { readLimitNames, refusalChoices, refusalText } from '../explanations/explanations.ts'
import { addressWith, type ConsolePage, filterForm, filtersOf, pager, part, shown, type Visit } from '../frame/frame.ts'
import { refusalDetail, type ShownRefusal } from './refusal-detail.ts'

const path = '/console/refusals'
const perPage = 20
const filterNames = [
  'limit_id',
  'rule_id',
  'error_code',
  'surface',
  'key_id',
  'model',
  'workflow_id',
  'deployment_id',
  'department_id',
  'customer_id',
  'user_id',
  'chain_id',
] as const

/** Filters that come by links from other pages and have no field of their own. */
const quiet = ['limit_id', 'rule_id', 'key_id', 'chain_id', 'user_id', 'deployment_id', 'department_id'] as const

const row = (refusal: ShownRefusal, chosen: ShownRefusal | undefined, { address, query, times }: Visit): Markup =>
  html`<li><a href="${addressWith(address, { id: refusal.id, cursor: query.get('cursor') ?? undefined })}"${refusal.id === chosen?.id ? html` aria-current="true"` : nothing}><b>${refusalText(refusal.error_code)}</b><time class="dim" datetime="${refusal.last_at}">${times.short(refusal.last_at)}</time><span class="dim">${[refusal.workflow_id, refusal.customer_id, refusal.model].filter(Boolean).join(', ') || 'nothing was named'}</span><span class="dim nowrap">${countText(refusal.count)} ×</span></a></li>`

/** Counts of refusals by day and reason, newest day first. */
function dailyTable({ data }: Schemas['DailyRefusals'], { times }: Visit): Markup {
  const days = [...Map.groupBy(data, ({ day }) => day)].toReversed()
  const total = (entries: readonly { count: number }[]) => entries.reduce((sum, { count }) => sum + count, 0)
  return html`<table class="t dense still"><thead><tr><th scope="col">Day (UTC)</th><th scope="col">Reasons</th><th scope="col" class="n">Refused</th></tr></thead><tbody>${days.map(
    ([day, entries]) =>
      html`<tr><th scope="row">${times.day(`${day}T12:00:00Z`)}</th><td>${entries
        .toSorted((a, b) => b.count - a.count)
        .map(({ error_code, count }) => `${refusalText(error_code)} ${countText(count)}`)
        .join(', ')}</td><td class="n">${countText(total(entries))}</td></tr>`,
  )}</tbody></table>`
}

/** The refusals of an organization: the list at the left, the plain answer why at the right; then counts by day. */
export async function refusalList(visit: Visit): Promise<ConsolePage> {
  const { api, address, query, times } = visit
  const filters = filtersOf(query, filterNames)
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? '']
  const wanted = query.get('id') ?? ''
  const [list, names, daily, single] = await Promise.all([
    part(
      api.get('/v1/orgs/{id}/refusals', {
        query: {
          ...filters,
          from: times.startOfDay(from) ?? from,
          to: times.endOfDay(to) ?? to,
          limit: perPage,
          cursor: query.get('cursor') ?? undefined,
        } as never,
      }),
    ),
    readLimitNames(visit),
    part(api.get('/v1/orgs/{id}/refusals/daily')),
    wanted === '' ? undefined : api.get('/v1/orgs/{id}/refusals/{refusal_id}', { path: { refusal_id: wanted } }),
  ])
  const chosen = single ?? list.value?.data[0]
  const prices =
    chosen?.explanation.price.price_id && chosen.model
      ? await part(api.get('/v1/orgs/{id}/prices', { query: { model: chosen.model } }))
      : undefined
  const allPrices = prices?.value ? [...prices.value.prices, ...prices.value.list_prices] : []
  const isFiltered = Object.keys(filters).length > 0 || from !== '' || to !== '' || query.has('cursor')
  const hidden = quiet.flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]] as const]))
  return {
    title: 'Refusals',
    here: path,
    body: html`${pageHead('Refusals', `What was not allowed to run, and why. Kept for 30 days. A day with very many different ones lists the first of them; all are counted below. Times are of ${times.zone}.`)}${filterForm(
      address,
      [
        { name: 'workflow_id', label: 'Workflow', type: 'search' },
        { name: 'model', label: 'Model' },
        { name: 'error_code', label: 'Reason', choices: refusalChoices },
        { name: 'from', label: 'From', type: 'date' },
        { name: 'to', label: 'To', type: 'date' },
      ],
      ...hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`),
    )}${
      hidden.length === 0
        ? nothing
        : html`<p class="small">Only ${hidden.map(([name, value]) => badge(`${name.replace('_id', '').replace('department', 'team')} ${names.get(value) ?? value}`, 'line'))} <a href="${addressWith(address, Object.fromEntries(hidden.map(([name]) => [name, undefined])))}">Show all</a></p>`
    }${liveRegion(
      'refusals',
      ['refusals'],
      shown(list, visit, ({ data, next_cursor }) =>
        data.length === 0 && chosen === undefined
          ? isFiltered
            ? blank(
                'No refusal matches',
                'Remove a filter to see more.',
                linkButton(path, 'All refusals', { kind: 'sm' }),
              )
            : emptyList
          : html`<div class="split gap16"><div class="list">${liveRegion('rows', ['refusals'], html`<ul class="rows"><li class="day">${counted(data.length, 'line')} on this page. Alike within a minute are one line.</li>${data.map((one) => row(one, chosen, visit))}</ul>`, addressWith(address, { id: chosen?.id, cursor: query.get('cursor') ?? undefined }))}${pager(addressWith(address, { id: undefined, cursor: query.get('cursor') ?? undefined }), next_cursor)}</div>${chosen ? refusalDetail(chosen, names, allPrices, visit) : nothing}</div>`,
      ),
    )}${liveRegion(
      'daily',
      ['refusals'],
      shown(daily, visit, (counts) =>
        counts.data.length === 0 ? nothing : section('By day', dailyTable(counts, visit), 'the last 30 days'),
      ),
    )}`,
  }
}

const emptyList: Markup = html`${blank(
  'Nothing was refused',
  'When a limit, a rule or a missing price stops a call, it appears here with what would have fitted.',
)}${code('Terminal', curl('POST', '/v1/edge/decision', { model: 'gpt-4o', estimated_cost_usd: '1000000' }), 'a command that a limit would refuse')}`
