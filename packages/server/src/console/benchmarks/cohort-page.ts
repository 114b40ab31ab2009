import { ApiFault, type Schemas } from '../api/api.ts'
import {
  blank,
  type Column,
  countText,
  durationText,
  html,
  linkButton,
  type Markup,
  money,
  nothing,
  pageHead,
  percentText,
  section,
  table,
  tokensText,
} from '../components/components.ts'
import type { ConsolePage, Visit } from '../frame/frame.ts'
import { benchmarksPath } from './cohort-list.ts'

type Benchmark = Schemas['Benchmark']
type Value = string | number | null
type Metric = Benchmark['metrics'][keyof Benchmark['metrics']]

const percentiles = ['p10', 'p25', 'p50', 'p75', 'p90'] as const

/** Metrics of a benchmark, with their words and how their values are written. */
const metrics: readonly {
  name: keyof Benchmark['metrics']
  text: string
  show: (value: string | number) => Markup | string
}[] = [
  { name: 'cost_per_run_usd', text: 'Cost for each run', show: (value) => money(String(value), 'small') },
  { name: 'tokens_per_run', text: 'Tokens for each run', show: (value) => tokensText(Number(value)) },
  { name: 'refusal_rate', text: 'Calls refused', show: (value) => percentText(Number(value) * 100) },
  { name: 'cache_share', text: 'Input read from a cache', show: (value) => percentText(Number(value) * 100) },
  { name: 'latency_ms', text: 'Duration of a run', show: (value) => durationText(Number(value)) },
  { name: 'failure_rate', text: 'Runs that failed', show: (value) => percentText(Number(value) * 100) },
]

const withheldTexts: Readonly<Record<string, string>> = {
  too_few_contributors: 'too few contributors',
  dominated: 'one organization would show',
}

/** One cohort: percentiles over its contributors beside the values of the organization. */
export async function cohortPage(visit: Visit): Promise<ConsolePage> {
  const { api, params, times } = visit
  try {
    const benchmark = await api.get('/v1/benchmarks/cohorts/{cohort_id}', {
      path: { cohort_id: params['cohort_id'] ?? '' },
      query: { ...(visit.query.get('period') && { period: visit.query.get('period') ?? '' }) },
    })
    const { cohort, period_start: start, period_end: end, contributors_at_least: count } = benchmark
    return {
      title: cohort.name,
      here: benchmarksPath,
      body: html`${pageHead(
        cohort.name,
        html`${times.day(start)} to ${times.day(end)} (UTC), at least ${countText(count)} organizations, published ${times.time(benchmark.published_at)}`,
        linkButton(benchmarksPath, 'All cohorts'),
      )}${section('How you compare', table(columns, rowsOf(benchmark), { caption: 'Your values beside the percentiles of the cohort' }))}<p class="small dim gap16">Half of the organizations lie between 25% and 75%. A percentile that would rest on too few of them is withheld.</p>`,
    }
  } catch (error) {
    if (!(error instanceof ApiFault) || error.code !== 'insufficient_cohort_size') throw error
    return {
      title: 'Not published yet',
      here: benchmarksPath,
      body: html`${pageHead('Not published yet', nothing, linkButton(benchmarksPath, 'All cohorts'))}${blank('Too few organizations so far', html`${error.message} Values are published three days after a period has ended, when enough organizations have contributed to it.`)}`,
    }
  }
}

interface Row {
  readonly text: string
  readonly metric: Metric
  readonly show: (value: string | number) => Markup | string
}

const rowsOf = ({ metrics: all }: Benchmark): readonly Row[] =>
  metrics.map(({ name, text, show }) => ({ text, metric: all[name], show }))

const shownValue = ({ metric, show }: Row, name: (typeof percentiles)[number]): Markup | string => {
  const value: Value = metric[name]
  if (value !== null) return show(value)
  const reason = (metric.withheld as Readonly<Record<string, string>>)[name] ?? ''
  return html`<span class="faint small">${withheldTexts[reason] ?? 'withheld'}</span>`
}

function place({ metric }: Row): string {
  const { percentile_from: from, percentile_to: to } = metric.own ?? { percentile_from: null, percentile_to: null }
  if (from === null && to === null) return ''
  if (from === null) return `below ${to}% of them`
  return to === null ? `above ${from}% of them` : `between ${from}% and ${to}%`
}

const columns: readonly Column<Row>[] = [
  { name: 'Metric', kind: 'name', cell: ({ text }) => text },
  {
    name: 'You',
    isNumber: true,
    label: 'You',
    cell: ({ metric, show }) => (metric.own?.value == null ? 'no runs' : html`<b>${show(metric.own.value)}</b>`),
  },
  { name: 'Where you are', label: 'Where you are', cell: place },
  ...percentiles.map(
    (name): Column<Row> => ({
      name: name === 'p50' ? 'Middle' : `${name.slice(1)}%`,
      isNumber: true,
      label: name === 'p50' ? 'Middle' : `${name.slice(1)}%`,
      cell: (row) => shownValue(row, name),
    }),
  ),
]
