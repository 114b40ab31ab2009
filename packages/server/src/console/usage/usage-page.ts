import { isoOf } from '../../values/time.ts'
import {
  barChart,
  blank,
  chartLegend,
  code,
  counted,
  curl,
  html,
  linkButton,
  type Markup,
  note,
  nothing,
  pageHead,
  percentOf,
  sumUsd,
} from '../components/components.ts'
import { addressWith, type ConsolePage, part, shown, type Visit } from '../frame/frame.ts'
import {
  axisTexts,
  barFields,
  type Dimension,
  dimensionNamed,
  dimensions,
  type GroupSums,
  groupSums,
  metricValue,
  queryOption,
  querySelect,
  type ReadUsage,
  rangeFields,
  readPages,
  stepsOf,
  usageBars,
  windowBefore,
} from '../series/series.ts'
import { usageTable } from './usage-table.ts'
import { apiQuery, type UsageView, viewOf } from './usage-view.ts'

export const usagePath = '/console/usage'

/** Dimensions that a budget can cover alone, by their names in usage. */
const coveredKinds = {
  department_id: 'department',
  workflow_id: 'workflow',
  deployment_id: 'deployment',
  user_id: 'user',
  key_id: 'key',
  model: 'model',
  provider: 'provider',
} as const

/** Reads the usage of a view. */
export const readView = ({ api }: Visit, view: UsageView, mostPages?: number): Promise<ReadUsage> =>
  readPages((page) => api.get('/v1/orgs/{id}/usage', { query: { ...apiQuery(view), ...page } }), mostPages)

/** Reads how much of its budget each group has used, in percent. */
async function readBudgetUse({ api }: Visit, { name }: Dimension): Promise<ReadonlyMap<string, number>> {
  const kind = name === 'customer_id' ? undefined : coveredKinds[name]
  if (kind === undefined) return new Map()
  const { data } = await api.get('/v1/orgs/{id}/budgets', { query: { scope_kind: kind, limit: 200 } })
  return new Map(
    data.flatMap(({ scope_id: id, and_scope_kind: and, limit_usd: limit, spent_usd: spent, held_usd: held }) =>
      id === null || and !== null || limit === null ? [] : [[id, percentOf(sumUsd(spent, held), limit)] as const],
    ),
  )
}

/** Names of keys by their ids, for those who may see keys. */
async function readKeyNames({ api }: Visit): Promise<ReadonlyMap<string, string>> {
  const { data } = await api.get('/v1/orgs/{id}/keys', { query: { limit: 200 } })
  return new Map(data.map(({ id, name }) => [id, name]))
}

/** The explorer of usage: its address is the view. */
export async function usagePage(visit: Visit): Promise<ConsolePage> {
  const { times, may } = visit
  const view = viewOf(visit)
  const before = windowBefore(view.window, times.now.getTime())
  const [first] = view.by
  const showsKeys = view.by.some(({ name }) => name === 'key_id') || 'key_id' in view.filters
  const [usage, earlier, budgets, keys] = await Promise.all([
    part(readView(visit, view)),
    part(readView(visit, { ...view, window: before, length: 'month' })),
    view.by.length === 1 && first && may('limits:read') ? part(readBudgetUse(visit, first)) : undefined,
    showsKeys && may('keys:read', 'admin') ? part(readKeyNames(visit)) : undefined,
  ])
  const nameOf = nameIn(view.by, keys?.value)
  const whole = earlier.value?.isWhole ? earlier.value : undefined
  const was = whole && new Map(groupSums(whole.rows, view.by, view.metric).map((group) => [group.key, group]))
  const title = usage.value
    ? html`${metricValue(usage.value.totals, 'cost').text} in ${counted(usage.value.totals.runs, 'run')}, ${view.window.text}, ${view.times.zone}`
    : nothing
  return {
    title: 'Usage',
    here: usagePath,
    body: html`${pageHead('Usage', title, ...exportLinks(visit))}${tools(visit, view)}${filterChips(visit, view, keys?.value)}${shown(
      usage,
      visit,
      (read) =>
        read.totals.runs === 0
          ? emptyUsage(visit, view)
          : html`${read.isWhole ? nothing : note('warn', 'There are more rows than one page reads. Choose longer bars, a shorter range or one dimension to see all of them.')}${picture(read, view, nameOf)}<div class="gap">${usageTable(
              {
                groups: groupSums(read.rows, view.by, view.metric),
                before: was,
                beforeText: before.text,
                read,
                by: view.by,
                metric: view.metric,
                address: visit.address,
                nameOf,
                budgetUsed: budgets?.value,
              },
            )}</div>${first?.name !== 'customer_id' ? nothing : html`<p class="small dim">Usage of customers is counted by UTC day, and apart from other dimensions.</p>`}`,
    )}`,
  }
}

const nameIn =
  (by: readonly Dimension[], keys: ReadonlyMap<string, string> | undefined) =>
  ({ values }: Pick<GroupSums, 'values'>): string =>
    values
      .map((value, index) =>
        value === null
          ? (by[index]?.none ?? 'none')
          : by[index]?.name === 'key_id'
            ? (keys?.get(value) ?? value)
            : value,
      )
      .join(', ')

function picture(read: ReadUsage, view: UsageView, nameOf: (group: Pick<GroupSums, 'values'>) => string): Markup {
  const { by, metric, window, length, times } = view
  const steps = stepsOf(window, length, times)
  const { bars, chart, sums } = usageBars({ rows: read.rows, by, metric, steps, nameOf })
  const what = { cost: 'Spend', runs: 'Runs', tokens: 'Tokens' }[metric]
  const names = by.map(({ title }) => title.toLowerCase()).join(' and ')
  return html`${chartLegend(
    chart,
    sums.map((sum) => metricValue(sum, metric).text),
  )}${barChart({
    ...chart,
    bars,
    period: { hour: 'Hour', day: 'Day', week: 'Week', month: 'Month' }[length],
    sentence: `${what} by ${length} and ${names}, ${window.text}. ${metricValue(read.totals, metric).text} in all`,
    axisText: axisTexts[metric],
  })}`
}

const exportLinks = ({ query }: Visit) => [
  linkButton(`${usagePath}/rows.csv?${query}`, 'CSV', { iconName: 'export' }),
  linkButton(`${usagePath}/focus.csv?${query}`, 'FOCUS 1.2', { iconName: 'export' }),
  linkButton(`${usagePath}/focus-1.4.csv?${query}`, 'FOCUS 1.4', { iconName: 'export' }),
]

function tools({ address, query }: Visit, { by, length, metric, filters }: UsageView): Markup {
  const [first, second] = by
  const others = dimensions.filter(({ name }) => name !== first?.name && name !== 'customer_id')
  return html`<form class="tools" method="get" action="${usagePath}"><div class="seg" role="group" aria-label="Split by">${dimensions.map(
    ({ name, title }) =>
      html`<a href="${addressWith(address, { by: name, and: undefined })}"${name === first?.name ? html` aria-current="true"` : nothing}>${title}</a>`,
  )}</div><input type="hidden" name="by" value="${first?.name ?? ''}">${Object.entries(filters).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${
    first?.name === 'customer_id'
      ? nothing
      : querySelect('and', 'Then by', [
          queryOption('', 'and nothing else', second?.name ?? ''),
          ...others.map(({ name, title }) => queryOption(name, `and ${title.toLowerCase()}`, second?.name ?? '')),
        ])
  }${rangeFields(query)}${barFields(length, metric)}<button class="btn" type="submit">Show</button></form>`
}

function filterChips({ address }: Visit, { filters }: UsageView, keys: ReadonlyMap<string, string> | undefined) {
  const entries = Object.entries(filters)
  if (entries.length === 0) return nothing
  return html`<p class="chips gap16">${entries.map(([name, value]) => {
    const title = dimensionNamed(name)?.title.toLowerCase() ?? name
    return html`<span class="chip">${title} ${keys?.get(value) ?? value}</span> <a href="${addressWith(address, { [name]: undefined })}">Show all<span class="hidden"> of every ${title}</span></a>`
  })}</p>`
}

const emptyUsage = ({ org }: Visit, { window, filters }: UsageView): Markup =>
  html`${blank(
    'No usage here',
    Object.keys(filters).length > 0
      ? 'No run that ended in this range matches. Show all, or choose another range.'
      : 'A run counts as soon as it has ended, in the period in which it started. Choose another range, or ask the API for the same:',
    linkButton(`${usagePath}?range=90`, 'Last 90 days', { kind: 'sm' }),
  )}${code('Terminal', curl('GET', `/v1/orgs/${org.id}/usage?from=${isoOf(window.fromMs).slice(0, 10)}&group_by=model`), 'the command for usage')}`
