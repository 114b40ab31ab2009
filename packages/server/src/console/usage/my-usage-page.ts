import { isoOf } from '../../values/time.ts'
import type { Schemas } from '../api/api.ts'
import {
  badge,
  barChart,
  blank,
  type Column,
  type Content,
  chartLegend,
  code,
  counted,
  countText,
  curl,
  gauge,
  html,
  linkButton,
  type Markup,
  moneyText,
  note,
  nothing,
  pageHead,
  section,
  table,
  tokensText,
} from '../components/components.ts'
import { type ConsolePage, part, shown, type Visit } from '../frame/frame.ts'
import {
  axisTexts,
  barFields,
  dimensionNamed,
  metricValue,
  type ReadUsage,
  rangeFields,
  readPages,
  stepsOf,
  type UsageWindow,
  usageBars,
  windowOf,
} from '../series/series.ts'
import { lengthOf, metricOf } from './usage-view.ts'

type OwnLimit = Schemas['OwnLimit']

const path = '/console/my-usage'

/** Usage of whoever looks, and what is left of every limit on them. Nobody needs a scope for it. */
export async function myUsagePage(visit: Visit): Promise<ConsolePage> {
  const { api, query, times, org } = visit
  const window = windowOf(query, times)
  const length = lengthOf(query, window)
  const metric = metricOf(query)
  const asked = {
    from: isoOf(window.fromMs),
    to: isoOf(window.toMs),
    granularity: length,
    timezone: org.timezone,
    group_by: 'model',
  } as const
  const [usage, limits] = await Promise.all([
    part(readPages((page) => api.get('/v1/me/usage', { query: { ...asked, ...page } }))),
    part(api.get('/v1/me/limits')),
  ])
  const sum = usage.value && metricValue(usage.value.totals, 'cost').text
  return {
    title: 'My usage',
    here: path,
    body: html`${pageHead(
      'My usage',
      sum === undefined
        ? nothing
        : html`${sum} in ${counted(usage.value?.totals.runs ?? 0, 'run')}, ${window.text}, ${times.zone}`,
    )}${section(
      'What is left',
      shown(limits, visit, (own) => limitTable(own, visit)),
    )}${section(
      'By model',
      html`<form class="tools gap16" method="get" action="${path}">${rangeFields(query)}${barFields(length, metric)}<button class="btn" type="submit">Show</button></form>${shown(
        usage,
        visit,
        (read) => picture(read, window, visit),
      )}`,
    )}`,
  }
}

function picture(read: ReadUsage, window: UsageWindow, { query, times }: Visit): Content {
  if (read.totals.runs === 0)
    return html`${blank('Nothing was used', 'Runs of your key, or of your user if your key is pinned to one, are added up here as soon as they have ended.')}${code('Terminal', curl('GET', '/v1/me/usage?group_by=model'), 'the command for your usage')}`
  const model = dimensionNamed('model')
  const metric = metricOf(query)
  const length = lengthOf(query, window)
  const { bars, chart, sums } = usageBars({
    rows: read.rows,
    by: model ? [model] : [],
    metric,
    steps: stepsOf(window, length, times),
    nameOf: ({ values }) => values[0] ?? 'no model',
  })
  return html`${read.isWhole ? nothing : note('warn', 'There are more rows than one page reads. Choose longer bars or a shorter range to see all of them.')}${chartLegend(
    chart,
    sums.map((one) => metricValue(one, metric).text),
  )}${barChart({
    ...chart,
    bars,
    period: length === 'hour' ? 'Hour' : length === 'week' ? 'Week' : length === 'month' ? 'Month' : 'Day',
    sentence: `My usage by ${length} and model, ${window.text}. ${metricValue(read.totals, metric).text} in all`,
    axisText: axisTexts[metric],
  })}`
}

const kinds: Readonly<Record<string, string>> = {
  budget: 'Budget',
  customer: 'Customer limit',
  concurrency: 'Runs at once',
  spend_cap: 'Daily cap',
  plan: 'Plan',
}
const units: Readonly<Record<string, string>> = { runs: 'runs', tokens: 'tokens', concurrent_runs: 'runs at once' }

const amount = (value: string | number, unit: string): string => {
  if (unit === 'usd') return moneyText(String(value))
  return `${unit === 'tokens' ? tokensText(Number(value)) : countText(Number(value))} ${units[unit] ?? unit}`
}

const scopeText = ({ scope_kind: kind, scope_id: id, and_scope_kind: and, and_scope_id: andId }: OwnLimit): Markup =>
  html`<span class="sub">${kind === 'org' ? 'the whole organization' : html`${kind === 'department' ? 'team' : kind} ${id ?? ''}`}${and === null ? nothing : html` and ${and} ${andId ?? ''}`}</span>`

const isStopped = ({ remaining, enforcement }: OwnLimit) => Number(remaining ?? 1) <= 0 && enforcement === 'block'

const columnsOf = ({ times }: Visit): readonly Column<OwnLimit>[] => [
  { name: 'Limit', kind: 'name', cell: (limit) => html`${kinds[limit.kind] ?? limit.kind} ${scopeText(limit)}` },
  {
    name: 'Spent and held',
    kind: 'all bar',
    cell: ({ unit, spent, held, limit, ...rest }) =>
      limit === null
        ? amount(spent, unit)
        : html`${
            unit === 'usd'
              ? gauge({
                  spent: String(spent),
                  held: String(held),
                  limit: String(limit),
                  tone: isStopped({ unit, spent, held, limit, ...rest }) ? 'stop' : '',
                })
              : nothing
          }<span class="sub">${amount(spent, unit)} spent, ${amount(held, unit)} held of ${amount(limit, unit)}</span>`,
  },
  {
    name: 'Left',
    isNumber: true,
    label: 'Left',
    cell: ({ remaining, unit }) => (remaining === null ? 'no limit' : html`<b>${amount(remaining, unit)}</b>`),
  },
  {
    name: 'State',
    kind: 'out',
    cell: (limit) => {
      if (limit.frozen !== null) return badge('Frozen', 'loud', 'lock')
      if (isStopped(limit)) return badge('Stopped: used up', 'loud', 'stop')
      return limit.enforcement === 'alert' ? badge('Only alerts', 'info') : badge('On track')
    },
  },
  {
    name: 'Starts again',
    label: 'Starts again',
    cell: ({ resets_at: at }) => (at === null ? 'never' : times.time(at)),
  },
]

function limitTable({ frozen, data }: Schemas['OwnLimits'], visit: Visit): Content {
  const ice =
    frozen === null
      ? nothing
      : note(
          'stop',
          html`<b class="t-stop">You are frozen</b> since ${visit.times.time(frozen.frozen_at)}: ${frozen.reason}`,
        )
  if (data.length === 0)
    return html`${ice}${blank('No limit is on you alone', 'Limits of the whole organization may still refuse calls.', visit.may('limits:read') ? linkButton('/console/budgets', 'Budgets', { kind: 'sm' }) : nothing)}`
  return html`${ice}${table(columnsOf(visit), data, { caption: 'Limits on you' })}`
}
