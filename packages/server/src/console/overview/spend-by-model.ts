import type { Schemas } from '../api/api.ts'
import {
  barChart,
  type ChartBar,
  type Content,
  chartLegend,
  type ExpectedBar,
  forecastKey,
  html,
  linkButton,
  moneyText,
  nothing,
  section,
} from '../components/components.ts'
import { shown, type Visit } from '../frame/frame.ts'
import { axisTexts, dimensionNamed, metricValue, type ReadUsage, stepsOf, usageBars } from '../series/series.ts'
import { type OverviewData, valueOf } from './overview-data.ts'

type Forecasts = Schemas['Forecasts']

const valueText = (amount: string | number) => ({ amount: Number(amount), text: moneyText(String(amount), 'cents') })

/** Returns what is expected of a day; nothing where the forecast is not sure enough to be drawn. */
function expectedOf({ total }: Forecasts, date: string): ExpectedBar | undefined {
  const step = total.forecast.find(({ start }) => start === date)
  if (step === undefined || total.confidence === 'low') return undefined
  const { mean, p50, p80 } = step
  return {
    mean: valueText(mean),
    half: [Number(p50[0] ?? mean), Number(p50[1] ?? mean)],
    most: [valueText(p80[0] ?? mean), valueText(p80[1] ?? mean)],
  }
}

/** Spend of this month by day and model, with what is expected of its other days. */
export function spendByModel(data: OverviewData, visit: Visit): Content {
  if (data.models === undefined) return nothing
  return section(
    'Spend by model',
    shown(data.models, visit, (read) => chart(read, data, visit)),
    'this month, by day',
  )
}

function chart(read: ReadUsage, data: OverviewData, { times }: Visit): Content {
  const forecast = valueOf(data.forecast)
  const model = dimensionNamed('model')
  const steps = stepsOf(data.month, 'day', times)
  const {
    bars,
    sums,
    chart: names,
  } = usageBars({
    rows: read.rows,
    by: model ? [model] : [],
    metric: 'cost',
    steps,
    nameOf: ({ values }) => values[0] ?? 'no model',
  })
  const expected = bars.map((bar, index): ChartBar => {
    const step = steps[index]
    const ahead = forecast && step ? expectedOf(forecast, times.date(new Date(step.startMs))) : undefined
    return ahead ? { ...bar, expected: ahead } : bar
  })
  const cap = data.cap?.value?.cap_usd
  const soFar = metricValue(read.totals, 'cost').text
  const rest = forecast?.total.confidence === 'low' ? undefined : forecast?.total.total
  const restText = rest
    ? `${moneyText(String(rest.p80[0] ?? rest.mean), 'cents')} to ${moneyText(String(rest.p80[1] ?? rest.mean), 'cents')}`
    : undefined
  return html`${chartLegend(
    names,
    sums.map((sum) => metricValue(sum, 'cost').text),
  )}${barChart(
    {
      ...names,
      bars: expected,
      period: 'Day',
      sentence: `Spend by day and model this month. ${soFar} until now${restText === undefined ? '' : `, ${restText} more expected by its end`}`,
      axisText: axisTexts.cost,
      limits: cap == null ? [] : [{ name: `Daily cap ${moneyText(cap, 'whole')}`, amount: Number(cap) }],
      width: 800,
    },
    below(data, forecast, visitTime(forecast, times)),
  )}${read.isWhole ? nothing : html`<p class="small dim">Only the first rows are drawn: there are very many models. ${linkButton('/console/usage?by=model', 'Explore usage', { kind: 'sm quiet' })}</p>`}`
}

const visitTime = (forecast: Forecasts | undefined, times: Visit['times']) =>
  forecast === undefined ? '' : times.short(forecast.computed_at)

/** The legend of the forecast, or why there is none. */
function below({ forecast: awaited }: OverviewData, forecast: Forecasts | undefined, madeAt: string): Content {
  if (awaited === 'late')
    return html`<p class="small dim">The forecast is still being made. It is here when you load the page again.</p>`
  if (forecast === undefined) return nothing
  const { confidence, reasons, training } = forecast.total
  if (confidence === 'low')
    return html`<p class="small dim">No forecast is drawn: ${reasons.length === 0 ? 'there is too little to go by.' : reasons.join(' ')}</p>`
  return forecastKey(`${training ? `from ${training.days} days, ` : ''}made at ${madeAt}`)
}
