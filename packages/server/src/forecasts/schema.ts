import { type Static, Type } from 'typebox'
import { withCheck } from '../contract/semantic-check.ts'
import { Count, IsoDate, Nullable, OneOf, OwnId, Picture, Timestamp } from '../contract/wire.ts'
import { scheduleFaults } from '../ledger/ledger.ts'
import { Model } from '../run-log/run-log.ts'
import { steps } from './calendar.ts'
import { maxScenarioLength, maxScenarios, scenarioFaults } from './scenario-input.ts'

const own = (description: string) => Type.Optional(Type.String({ ...OwnId, description, 'x-filter': true }))

const query = Type.Object({
  metric: Type.Optional(
    Type.Enum(['cost', 'runs', 'tokens'], {
      default: 'cost',
      description: 'What is forecast. Tokens are input and output together.',
    }),
  ),
  by: Type.Optional(
    Type.Enum(['model', 'workflow', 'deployment', 'department'], {
      description: 'Also a forecast for each of these: the 20 largest, and all others as one.',
    }),
  ),
  model: Type.Optional({ ...Model, description: 'Only runs of this model.', 'x-filter': true }),
  workflow_id: own('Only runs of this workflow.'),
  deployment_id: own('Only runs of this deployment.'),
  department_id: own('Only runs of this department.'),
  horizon_days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 180, default: 30, description: 'How many days, today included.' }),
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
    Type.Integer({ minimum: 14, maximum: 730, default: 365, description: 'How far back to look, at most.' }),
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
      description: '`svg` draws the whole, its limits and its scenarios.',
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
    description: `${description} US dollars as a decimal string for \`cost\`, a number otherwise.`,
    examples: ['1204.5'],
  })
const Interval = (share: number) =>
  Type.Array(Amount(`The interval that ${share} of 100 fall into.`), { minItems: 2, maxItems: 2 })
const expected = { mean: Amount('What is expected.'), p50: Interval(50), p80: Interval(80), p95: Interval(95) }
const span = { start: IsoDate, end: { ...IsoDate, description: 'Not included.' } }
const Total = Nullable(Type.Object(expected, { description: 'Of the whole horizon; null where nothing can be said.' }))

const Exhaustion = Type.Object({
  limit_id: Type.String({ description: 'The organization’s own id for its prepaid quota.' }),
  kind: OneOf(['budget', 'spend_cap', 'quota', 'plan']),
  name: Type.String(),
  enforcement: OneOf(['block', 'alert']),
  limit: Amount('The limit.'),
  used: Amount('What is used of it in the running period.'),
  date: Nullable({
    ...IsoDate,
    description: 'The first day on which it is expected to be reached; null if that is not within the horizon.',
  }),
  earliest: Nullable({ ...IsoDate, description: 'One in ten times it is reached before this.' }),
  latest: Nullable({
    ...IsoDate,
    description: 'One in ten times it is reached after this, or not at all where this is null.',
  }),
  within_period: Type.Boolean({ description: 'Whether `date` lies in the period that is running now.' }),
})
const exhaustion = {
  exhaustion: Type.Array(Exhaustion, { description: 'Each limit that this feeds, and nothing else does.' }),
}

const series = {
  history: Type.Array(Type.Object({ ...span, value: Amount('What was used.') }), {
    description: 'Whole days up to yesterday, from the first that has any.',
  }),
  used_today: Amount('What today has already.'),
  forecast: Type.Array(Type.Object({ ...span, ...expected }), {
    description: 'From today on; empty where nothing can be said.',
  }),
  total: Total,
  method: OneOf(
    ['holt_winters', 'weekday_trend', 'weekday_mean', 'mean', 'mstl+ets', 'ets', 'seasonal_naive', 'none'],
    { description: 'Whichever was best on this series; `none` without a forecast.' },
  ),
  training: Nullable(
    Type.Object({ from: IsoDate, to: IsoDate, days: Count }, { description: 'The days that the method was given.' }),
  ),
  error: Nullable(
    Type.Object(
      {
        origins: { ...Count, description: 'From how many days of the past it was tried.' },
        days_ahead: { ...Count, description: 'How far ahead of them.' },
        mase: Nullable(
          Type.Number({ description: 'Its mean error over that of repeating the last week: below 1 is better.' }),
        ),
        wape: Nullable(Type.Number({ description: 'The sum of its errors over the sum of what was used.' })),
        coverage_80: Nullable(Type.Number({ description: 'The share that fell into its 80 % interval.' })),
      },
      { description: 'Back-tested on days that the method had not seen; null where there are too few.' },
    ),
  ),
  confidence: OneOf(['high', 'medium', 'low']),
  reasons: Type.Array(Type.String(), { description: 'Why the confidence is not high, and what was left out.' }),
  ...exhaustion,
}

const Scenario = Type.Object({
  name: Type.String(),
  kind: OneOf(['team_growth', 'price_change', 'model_switch', 'launch', 'cap']),
  at: IsoDate,
  parameters: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()]), {
    description: 'What the formula was filled with: found in the history, given or assumed.',
  }),
  notes: Type.Array(Type.String()),
  forecast: Type.Array(Type.Object({ ...span, ...expected })),
  total: Total,
  difference: Nullable(Amount('Of the total to that without the scenario.')),
  difference_percent: Nullable(Type.Number()),
  ...exhaustion,
})

const Forecasts = Type.Object({
  metric: Type.String({ examples: ['cost'] }),
  unit: OneOf(['usd', 'runs', 'tokens']),
  by: Nullable(Type.String()),
  step: Type.String({ examples: ['day'] }),
  timezone: Type.String({ examples: ['Europe/Berlin'] }),
  today: IsoDate,
  horizon_days: Count,
  computed_at: Timestamp,
  total: Type.Object(series, { description: 'All of what was asked for, forecast by itself.' }),
  series: Type.Array(
    Type.Object({
      key: Nullable(Type.String({ description: 'null for runs that had none, and for all others.' })),
      is_other: Type.Boolean({ description: 'Whether this is all others together.' }),
      ...series,
    }),
    { description: 'With `by` only, the largest first.' },
  ),
  scenarios: Type.Array(Scenario, {
    description: 'Each applied to the whole by itself, in the order in which they were asked for.',
  }),
})

/** Written by the thread that computes it, so this documents it and nothing is made from it. */
export const ForecastAnswer = Type.Unsafe<Buffer>({
  description: 'Forecasts, or a drawing of them.',
  content: {
    'application/json': { schema: Forecasts },
    'image/svg+xml': { schema: Picture },
  },
})
