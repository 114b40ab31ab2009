import { type Static, Type } from 'typebox'
import { withCheck } from '../../contract/semantic-check.ts'
import { Count, IsoDate, Nullable, OneOf, OwnId, SvgImage, Timestamp } from '../../contract/wire.ts'
import { scheduleFaults } from '../../money/ledger/ledger.ts'
import { limitKinds } from '../../money/limit-kinds.ts'
import { Model } from '../../records/run-log/run-log.ts'
import { steps } from './calendar.ts'
import { maxScenarioLength, maxScenarios, scenarioFaults } from './scenarios/scenario-input.ts'

const own = (description: string) => Type.Optional(Type.String({ ...OwnId, description, 'x-filter': true }))

const query = Type.Object({
  metric: Type.Optional(
    Type.Enum(['cost', 'runs', 'tokens'], {
      default: 'cost',
      description: 'The metric to forecast. Tokens are input and output tokens together.',
    }),
  ),
  by: Type.Optional(
    Type.Enum(['model', 'workflow', 'deployment', 'department'], {
      description: 'Adds a forecast for each of these: the 20 largest, and all others combined.',
    }),
  ),
  model: Type.Optional({ ...Model, description: 'Only runs of this model.', 'x-filter': true }),
  workflow_id: own('Only runs of this workflow.'),
  deployment_id: own('Only runs of this deployment.'),
  department_id: own('Only runs of this department.'),
  horizon_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 180,
      default: 30,
      description: 'The number of days to forecast, including today.',
    }),
  ),
  step: Type.Optional(
    Type.Enum([...steps], { default: 'day', description: 'Days, calendar weeks from Monday on, or calendar months.' }),
  ),
  timezone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The IANA name of the zone whose midnights bound the days; by default the organization’s own.',
      examples: ['Europe/Berlin'],
    }),
  ),
  training_days: Type.Optional(
    Type.Integer({ minimum: 14, maximum: 730, default: 365, description: 'The most days of history to train on.' }),
  ),
  scenario: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: maxScenarioLength }), {
      maxItems: maxScenarios,
      description:
        'A JSON object with `name`, `kind` (`team_growth`, `price_change`, `model_switch`, `launch` or `cap`), `at` (a date) and the fields of its kind. May be repeated.',
      examples: [['{"name":"Twice the teams","kind":"team_growth","teams_now":4,"teams_then":8,"at":"2026-12-01"}']],
    }),
  ),
  format: Type.Optional(
    Type.Enum(['json', 'svg'], {
      default: 'json',
      description: '`svg` draws the total with its limits and scenarios.',
    }),
  ),
})
export type ForecastQuery = Static<typeof query>
export const ForecastQuery = withCheck(query, (asked: ForecastQuery) => [
  ...scheduleFaults(asked as { timezone?: string }),
  ...scenarioFaults(asked),
])

const Amount = (description: string) =>
  Type.Union([Type.String(), Type.Number()], {
    title: 'ForecastAmount',
    description: `${description} US dollars as a decimal string for \`cost\`, a number otherwise.`,
    examples: ['1204.5'],
  })
const Interval = (share: number) => Type.Array(Amount(`The ${share} % interval.`), { minItems: 2, maxItems: 2 })
const expected = { mean: Amount('The expected value.'), p50: Interval(50), p80: Interval(80), p95: Interval(95) }
const span = { start: IsoDate, end: { ...IsoDate, description: 'Not included.' } }
const ForecastStep = Type.Object({ ...span, ...expected }, { title: 'ForecastStep' })
const Total = Nullable(
  Type.Object(expected, {
    title: 'ForecastTotal',
    description: 'The expected value over the whole horizon; `null` when there is no forecast.',
  }),
)

const Exhaustion = Type.Object(
  {
    limit_id: Type.String({ description: 'The ID of the limit; for the prepaid quota, the ID of the organization.' }),
    kind: OneOf(
      limitKinds.filter(({ isForecast }) => isForecast).map(({ kind }) => kind),
      { examples: ['budget'] },
    ),
    name: Type.String(),
    enforcement: OneOf(['block', 'alert']),
    limit: Amount('The limit.'),
    used: Amount('The usage in the current period.'),
    date: Nullable({
      ...IsoDate,
      description: 'The day on which the limit is expected to be reached; `null` when that is not within the horizon.',
    }),
    earliest: Nullable({
      ...IsoDate,
      description: 'The limit is reached before this date with a probability of 10 %.',
    }),
    latest: Nullable({
      ...IsoDate,
      description:
        'The limit is reached after this date, or not at all, with a probability of 10 %; `null` when beyond the horizon.',
    }),
    within_period: Type.Boolean({ description: 'Whether `date` lies in the current period.' }),
  },
  { title: 'Exhaustion' },
)
const exhaustion = {
  exhaustion: Type.Array(Exhaustion, { description: 'The limits that count exactly this usage.' }),
}

const series = {
  history: Type.Array(Type.Object({ ...span, value: Amount('The usage.') }), {
    description: 'Whole days up to yesterday, from the first day with usage.',
  }),
  used_today: Amount('The usage of today so far.'),
  forecast: Type.Array(ForecastStep, {
    description: 'The steps from today on; empty when there is no forecast.',
  }),
  total: Total,
  method: OneOf(
    ['holt_winters', 'weekday_trend', 'weekday_mean', 'mean', 'mstl+ets', 'ets', 'seasonal_naive', 'none'],
    { description: 'The method that performed best on this series; `none` without a forecast.' },
  ),
  training: Nullable(
    Type.Object(
      { from: IsoDate, to: IsoDate, days: Count },
      { title: 'ForecastTraining', description: 'The days that the method was trained on.' },
    ),
  ),
  error: Nullable(
    Type.Object(
      {
        origins: { ...Count, description: 'The number of past days from which it was tested.' },
        days_ahead: { ...Count, description: 'The number of days ahead that were tested.' },
        mase: Nullable(
          Type.Number({
            description: 'The mean error relative to that of repeating the last week; below 1 is better.',
          }),
        ),
        wape: Nullable(Type.Number({ description: 'The sum of the errors relative to the sum of the usage.' })),
        coverage_80: Nullable(Type.Number({ description: 'The share of values that lay within the 80 % interval.' })),
      },
      {
        title: 'ForecastError',
        description:
          'The errors in a back-test on days that the method had not seen; `null` when there are too few days.',
      },
    ),
  ),
  confidence: OneOf(['high', 'medium', 'low']),
  reasons: Type.Array(Type.String(), {
    description: 'The reasons that the confidence is not high, and the data that was left out.',
  }),
  ...exhaustion,
}

const Scenario = Type.Object(
  {
    name: Type.String(),
    kind: OneOf(['team_growth', 'price_change', 'model_switch', 'launch', 'cap']),
    at: IsoDate,
    parameters: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()]), {
      description: 'The parameters of the formula: given, fitted to the history or assumed.',
    }),
    notes: Type.Array(Type.String()),
    forecast: Type.Array(ForecastStep),
    total: Total,
    difference: Nullable(Amount('The difference of the total from that without the scenario.')),
    difference_percent: Nullable(Type.Number()),
    ...exhaustion,
  },
  { title: 'Scenario' },
)

const Forecasts = Type.Object(
  {
    metric: Type.String({ examples: ['cost'] }),
    unit: OneOf(['usd', 'runs', 'tokens']),
    by: Nullable(Type.String()),
    step: Type.String({ examples: ['day'] }),
    timezone: Type.String({ examples: ['Europe/Berlin'] }),
    today: IsoDate,
    horizon_days: Count,
    computed_at: Timestamp,
    total: Type.Object(series, { description: 'The total of the query, forecast on its own.' }),
    series: Type.Array(
      Type.Object({
        key: Nullable(Type.String({ description: '`null` for runs without a value, and for all others combined.' })),
        is_other: Type.Boolean({ description: 'Whether this series combines all others.' }),
        ...series,
      }),
      { description: 'Only with `by`; the largest series first.' },
    ),
    scenarios: Type.Array(Scenario, {
      description: 'The scenarios, each applied to the total separately, in the order of the query.',
    }),
  },
  { title: 'Forecasts' },
)

/** The documentation of the response. The worker thread writes it, so nothing is serialised by this schema. */
export const ForecastAnswer = Type.Unsafe<Buffer>({
  description: 'The forecasts, as JSON or as a chart.',
  content: {
    'application/json': { schema: Forecasts },
    'image/svg+xml': { schema: SvgImage },
  },
})
