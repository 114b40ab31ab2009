import { type Static, Type } from 'typebox'
import type { Schemas } from '../../console/api/api.ts'
import { Amount, Closed, Data, DataOrNull, Time, Whole, Word, WordOrNull } from '../fields.ts'
import { amount, phrase, word } from '../phrases.ts'
import { defineTool } from '../tool.ts'

const shownSeries = 10
const shownLimits = 10

const Range = Closed({
  mean: Amount('What is expected.'),
  low: Amount('Nine of ten times it is more than this.'),
  high: Amount('Nine of ten times it is less than this.'),
})
type Range = Static<typeof Range>

const unknown: Range = { mean: null, low: null, high: null }
const rangeOf = (total: Schemas['ForecastTotal'] | null): Range =>
  total === null ? unknown : { mean: total.mean, low: total.p80[0] ?? null, high: total.p80[1] ?? null }

const Exhaustion = Closed({
  limit_id: Word('The limit.'),
  name: Data('Its name.'),
  limit: Amount('The limit.'),
  used: Amount('What is used of it.'),
  date: WordOrNull('When it is expected to be reached; null if not within the horizon.'),
  earliest: WordOrNull('When it may be reached at the earliest.'),
})

export const forecast = defineTool({
  name: 'forecast',
  title: 'Forecast',
  description:
    'Forecasts cost, runs or tokens of the organization from its own history: what is expected within the horizon, an 80% interval, and when limits would be reached. Needs the scope forecasts:read.',
  input: Closed({
    metric: Type.Optional(
      Type.Union([Type.Literal('cost'), Type.Literal('runs'), Type.Literal('tokens')], {
        description: 'cost by default.',
      }),
    ),
    horizon_days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 180, description: 'How many days, today included; 30 by default.' }),
    ),
    by: Type.Optional(
      Type.Union(
        (['model', 'workflow', 'deployment', 'department'] as const).map((name) => Type.Literal(name)),
        { description: 'Adds a forecast for each of the largest of these.' },
      ),
    ),
  }),
  output: Closed({
    metric: Word('What was forecast.'),
    unit: Word('usd, runs or tokens.'),
    today: Time('The first day.'),
    horizon_days: Whole('How many days.'),
    confidence: Word('low, medium or high.'),
    reasons: Type.Array(Data('Why it is not higher.')),
    used_today: Amount('What is used today.'),
    total: Range,
    exhaustion: Type.Array(Exhaustion),
    series: Type.Array(Closed({ name: DataOrNull('Its name.'), is_other: Type.Boolean(), total: Range })),
  }),
  answer: async ({ api }, asked) => {
    const found = await api.get('/v1/capacity/forecasts', { query: { ...asked, step: 'month' } })
    if (typeof found !== 'object') throw new Error('a forecast is no picture')
    const { total } = found
    const range = rangeOf(total.total)
    const exhaustion = total.exhaustion
      .slice(0, shownLimits)
      .map(({ limit_id, name, limit, used, date, earliest }) => ({
        limit_id,
        name,
        limit,
        used,
        date,
        earliest,
      }))
    return {
      data: {
        metric: found.metric,
        unit: found.unit,
        today: found.today,
        horizon_days: found.horizon_days,
        confidence: total.confidence,
        reasons: total.reasons.slice(0, 10),
        used_today: total.used_today,
        total: range,
        exhaustion,
        series: found.series
          .slice(0, shownSeries)
          .map((series) => ({ name: series.key, is_other: series.is_other, total: rangeOf(series.total) })),
      },
      lines: [
        range.mean === null
          ? phrase`There is too little history for a forecast.`
          : phrase`Expected within ${found.horizon_days} days: ${amount(range.mean)}, and four of five times between ${amount(range.low)} and ${amount(range.high)}. Confidence: ${word(total.confidence)}.`,
        ...exhaustion.map(({ name, date, limit, used }) =>
          date === null
            ? phrase`- ${name}: ${amount(used)} of ${amount(limit)}, not reached within the horizon`
            : phrase`- ${name}: ${amount(used)} of ${amount(limit)}, reached on ${date}`,
        ),
      ],
    }
  },
})
