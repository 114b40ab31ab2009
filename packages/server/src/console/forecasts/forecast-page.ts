import type { Schemas } from '../api/api.ts'
import {
  axisMoney,
  barChart,
  blank,
  type ChartBar,
  code,
  countText,
  curl,
  figures,
  forecastKey,
  html,
  linkButton,
  type Markup,
  note,
  nothing,
  pageHead,
  percentText,
  tokensText,
} from '../components/components.ts'
import type { ConsolePage, Visit } from '../frame/frame.ts'
import { dayText, queryOption, querySelect } from '../series/series.ts'
import { type Amount, amountText, limitSection, rangeText, scenarioSection, seriesSection } from './forecast-tables.ts'

type Forecasts = Schemas['Forecasts']

const path = '/console/forecasts'
const shownHistory = 60

/** Fields of the address, with the words for their values; the first value is what it is without one. */
const fields = [
  [
    'metric',
    'Metric',
    [
      ['cost', 'Cost'],
      ['runs', 'Runs'],
      ['tokens', 'Tokens'],
    ],
  ],
  [
    'by',
    'Split by',
    [
      ['', 'in total'],
      ['department', 'by team'],
      ['model', 'by model'],
      ['workflow', 'by workflow'],
      ['deployment', 'by deployment'],
    ],
  ],
  [
    'horizon_days',
    'Horizon',
    [
      ['30', 'Next 30 days'],
      ['14', 'Next 14 days'],
      ['60', 'Next 60 days'],
      ['90', 'Next 90 days'],
      ['180', 'Next 180 days'],
    ],
  ],
  [
    'step',
    'Each bar is',
    [
      ['day', 'by day'],
      ['week', 'by week'],
      ['month', 'by month'],
    ],
  ],
] as const

const tools = (query: URLSearchParams): Markup =>
  html`<form class="tools" method="get" action="${path}">${fields.map(([name, label, choices]) =>
    querySelect(
      name,
      label,
      choices.map(([value, text]) => queryOption(value, text, query.get(name) ?? '')),
    ),
  )}${query.getAll('scenario').map((scenario) => html`<input type="hidden" name="scenario" value="${scenario}">`)}<button class="btn" type="submit">Show</button></form>`

/** The forecast of usage, with its ranges, the days on which limits are reached, and scenarios. */
export async function forecastPage(visit: Visit): Promise<ConsolePage> {
  const { api, query } = visit
  const asked = Object.fromEntries(
    ['metric', 'by', 'horizon_days', 'step'].flatMap((name) => {
      const value = query.get(name)
      return value ? [[name, value]] : []
    }),
  )
  const scenarios = query.getAll('scenario')
  const forecasts = await api.get('/v1/capacity/forecasts', { query: { ...asked, scenario: scenarios } })
  const { total, metric, horizon_days: days } = forecasts
  const isLow = total.confidence === 'low'
  const answer = total.total
    ? html`${rangeText(total.total, metric)} in the next ${days} days, 4 of 5 times`
    : 'There is no forecast yet.'
  return {
    title: 'Forecasts',
    here: path,
    body: html`${pageHead(
      'Forecasts',
      html`${answer}, ${forecasts.timezone}`,
      linkButton(`${path}/scenario?${new URLSearchParams({ view: String(query) })}`, 'New scenario', {
        kind: 'primary',
        iconName: 'plus',
      }),
    )}${tools(query)}${isLow ? reasonsNote(forecasts) : nothing}${total.history.length === 0 && total.forecast.length === 0 ? emptyForecast : html`${totals(forecasts, visit)}${picture(forecasts, visit)}`}${limitSection(forecasts, visit)}${seriesSection(forecasts)}${scenarioSection(forecasts, visit)}`,
  }
}

const reasonsNote = ({ total }: Forecasts): Markup =>
  note('warn', html`<b class="t-warn">This forecast is not sure.</b> ${total.reasons.join(' ')}`)

const emptyForecast: Markup = html`${blank('Nothing to go by yet', 'A forecast is made from your own usage. Three days of it give a first, unsure one; four weeks a good one.')}${code('Terminal', curl('GET', '/v1/capacity/forecasts?horizon_days=30'), 'the command for a forecast')}`

function totals({ total, metric, horizon_days: days, computed_at: madeAt }: Forecasts, { times }: Visit): Markup {
  const { error, training, total: sum } = total
  return figures([
    {
      label: `Next ${days} days`,
      big: sum ? amountText(sum.mean, metric) : 'none',
      ...(sum && { foot: `4 of 5 times ${rangeText(sum, metric)}` }),
    },
    { label: 'Used today', big: amountText(total.used_today, metric), foot: 'counts towards today’s bar' },
    {
      label: 'How sure',
      big: total.confidence,
      foot:
        error?.coverage_80 == null
          ? 'not tested yet'
          : `in tests ${percentText(error.coverage_80 * 100)} of days ended in the range`,
    },
    {
      label: 'Made from',
      big: training ? countText(training.days) : '0',
      small: 'days',
      foot: html`${total.method.replaceAll('_', ' ')}, made at ${times.short(madeAt)}`,
    },
  ])
}

function picture(forecasts: Forecasts, { times }: Visit): Markup {
  const { total, metric, step, today, scenarios } = forecasts
  const isLow = total.confidence === 'low'
  const value = (amount: Amount) => ({ amount: Number(amount), text: amountText(amount, metric) })
  const tickOf = (start: string) =>
    (step === 'month' ? dayText(start, times).split(' ').at(-1) : String(Number(start.slice(8)))) ?? ''
  const past = total.history.slice(-shownHistory).map(
    ({ start, value: used }): ChartBar => ({
      label: dayText(start, times),
      tick: tickOf(start),
      values: [value(used)],
      total: value(used),
    }),
  )
  const ahead = total.forecast.map(({ start, end, mean, p50, p80 }): ChartBar => {
    const isNow = start <= today && today < end
    const used = value(isNow && step === 'day' ? total.used_today : 0)
    return {
      label: dayText(start, times),
      tick: tickOf(start),
      values: [used],
      total: used,
      isNow,
      ...(!isLow && {
        expected: {
          mean: value(mean),
          half: [Number(p50[0] ?? mean), Number(p50[1] ?? mean)],
          most: [value(p80[0] ?? mean), value(p80[1] ?? mean)],
        },
      }),
    }
  })
  const lines = scenarios.slice(0, 3).map(({ name, forecast }) => ({
    name,
    amounts: [...past.map(() => null), ...forecast.map(({ mean }) => Number(mean))],
  }))
  const what = { cost: 'Spend', runs: 'Runs', tokens: 'Tokens' }[metric] ?? metric
  return html`${barChart(
    {
      series: [what],
      bars: [...past, ...ahead],
      period: { day: 'Day', week: 'Week', month: 'Month' }[step] ?? step,
      sentence: `${what} by ${step}, and what is expected. ${total.total ? `${rangeText(total.total, metric)} in the next ${forecasts.horizon_days} days` : 'No forecast'}`,
      axisText: metric === 'cost' ? axisMoney : metric === 'tokens' ? tokensText : countText,
      lines,
    },
    isLow
      ? nothing
      : forecastKey(...lines.map(({ name }, index) => `${['solid', 'dashed', 'dotted'][index]} line: ${name}`)),
  )}`
}
