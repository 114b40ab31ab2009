import { type Static, Type } from 'typebox'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import {
  Count,
  exampleId,
  Id,
  IsoDate,
  Nullable,
  OneOf,
  OwnId,
  PathId,
  SvgImage,
  Timestamp,
  Usd,
} from '../../contract/wire.ts'
import { idPattern } from '../../values/id.ts'
import { percents, withholdReasons } from './percentiles.ts'
import { cohortPeriods } from './periods.ts'

const maxMemberships = 100
const statuses = ['open', 'closed'] as const

const Label = (example: string) => Type.String({ ...OwnId, maxLength: 100, examples: [example] })
const definition = {
  industry: Label('fintech'),
  size: Label('50-249 people'),
  workload: Label('customer support'),
}
const Name = Type.String({ ...OwnId, examples: ['Fintech, customer support'] })
const CohortPeriod = Type.Enum([...cohortPeriods], {
  description: 'The compared periods: weeks from Monday, or months, in UTC.',
  examples: ['month'],
})
const Status = Type.Enum([...statuses], { description: 'No further periods are published for a closed cohort.' })

export const CohortInput = Type.Object(
  {
    name: Name,
    industry: Type.Optional(Nullable(definition.industry)),
    size: Type.Optional(Nullable(definition.size)),
    workload: Type.Optional(Nullable(definition.workload)),
    period: Type.Optional({ ...CohortPeriod, default: 'month' }),
  },
  {
    title: 'CohortInput',
    examples: [
      {
        name: 'Fintech, customer support',
        industry: 'fintech',
        size: '50-249 people',
        workload: 'customer support',
        period: 'month',
      },
    ],
  },
)
export type CohortInput = Static<typeof CohortInput>

/** The changeable fields of a cohort; its definition never changes. */
export const CohortReplacement = Type.Object(
  { name: Name, status: Status },
  { title: 'CohortReplacement', examples: [{ name: 'Fintech, support', status: 'open' }] },
)
export type CohortReplacement = Static<typeof CohortReplacement>

const cohort = {
  id: Id('cohort'),
  name: Type.String({ examples: ['Fintech, customer support'] }),
  industry: Nullable(Type.String()),
  size: Nullable(Type.String()),
  workload: Nullable(Type.String()),
  period: OneOf(['week', 'month'], { examples: ['month'] }),
  status: OneOf(['open', 'closed']),
  created_at: Timestamp,
  updated_at: Timestamp,
}
export const Cohort = Type.Object(cohort, { title: 'Cohort', description: 'The cohort.' })
export type Cohort = Static<typeof Cohort>
export const CohortPath = Type.Object({ cohort_id: PathId('cohort') })

export const CohortListQuery = ListQuery(
  { created_at: 'time', name: 'text' },
  { ...definition, period: CohortPeriod, status: Status },
)
export const CohortList = ListOf(Cohort)

const ListedCohort = Type.Object(
  {
    ...cohort,
    member: Type.Boolean({ description: 'Whether your organization has joined it.' }),
    latest_period_start: Nullable({ ...Timestamp, description: 'The start of the newest published period.' }),
  },
  { title: 'ListedCohort' },
)
export const ListedCohorts = ListOf(ListedCohort)

export const MembershipInput = Type.Object(
  {
    cohort_ids: Type.Array(
      Type.String({
        pattern: idPattern('cohort'),
        maxLength: 40,
        examples: ['coh_01jbsteb4peb5vskx602h9mw4q'],
      }),
      {
        maxItems: maxMemberships,
        uniqueItems: true,
        description: 'All cohorts to be a member of; cohorts that are not listed are left.',
      },
    ),
  },
  { title: 'MembershipInput', examples: [{ cohort_ids: [exampleId('cohort')] }] },
)
export type MembershipInput = Static<typeof MembershipInput>

export const BenchmarkMembership = Type.Object(
  {
    cohort_ids: MembershipInput.properties.cohort_ids,
    cohorts: Type.Array(
      Type.Object({
        cohort_id: Id('cohort'),
        name: Type.String(),
        status: OneOf(['open', 'closed']),
        joined_at: Timestamp,
      }),
    ),
  },
  { title: 'BenchmarkMembership', description: 'The cohorts that the organization contributes to.' },
)
export type BenchmarkMembership = Static<typeof BenchmarkMembership>

const query = Type.Object({
  period: Type.Optional({
    ...IsoDate,
    description: 'Any day of the period; by default the newest published period.',
    examples: ['2026-10-01'],
  }),
  format: Type.Optional(
    Type.Enum(['json', 'svg'], { default: 'json', description: 'With `svg` the response is a chart.' }),
  ),
})
export type BenchmarkQuery = Static<typeof query>
export const BenchmarkQuery = withCheck(query, ({ period }: BenchmarkQuery) => {
  const time = period === undefined ? 0 : Date.parse(`${period}T00:00:00Z`)
  const exists = period === undefined || (!Number.isNaN(time) && new Date(time).toISOString().startsWith(period))
  return exists ? [] : [{ field: 'period', code: 'invalid_value', message: 'This date does not exist.' }]
})

/** The schema of one metric, in US dollars or as a number. */
const metricOf = <T extends typeof Usd | typeof Amount>(title: string, value: T, description: string) =>
  Type.Object(
    {
      ...(Object.fromEntries(percents.map((percent) => [`p${percent}`, Nullable(value)])) as Record<
        `p${(typeof percents)[number]}`,
        ReturnType<typeof Nullable<T>>
      >),
      withheld: Type.Record(Type.String(), Type.String(), {
        description: `The reason for each percentile that is null: ${withholdReasons.map((reason) => `\`${reason}\``).join(' or ')}.`,
        examples: [{ p10: 'too_few_contributors', p90: 'too_few_contributors' }],
      }),
      own: Nullable(
        Type.Object(
          {
            value: Nullable(value),
            percentile_from: Nullable({ ...Count, examples: [25] }),
            percentile_to: Nullable({ ...Count, examples: [50] }),
          },
          { description: 'Your own value and the percentiles between which it lies; `null` without runs.' },
        ),
      ),
    },
    { title, description },
  )
const Amount = Type.Number({ minimum: 0, examples: [0.12] })

export const Benchmark = Type.Object(
  {
    cohort: Cohort,
    period_start: Timestamp,
    period_end: Timestamp,
    published_at: Timestamp,
    contributors_at_least: {
      ...Count,
      description: 'A lower bound of the number of contributors, in steps.',
      examples: [20],
    },
    metrics: Type.Object({
      cost_per_run_usd: metricOf('BenchmarkCost', Usd, 'The cost of a run.'),
      tokens_per_run: metricOf('BenchmarkMetric', Amount, 'Input and output tokens of a run.'),
      refusal_rate: metricOf('BenchmarkMetric', Amount, 'The share of calls that were refused, 0 to 1.'),
      cache_share: metricOf(
        'BenchmarkMetric',
        Amount,
        'The share of input tokens that were read from a cache, 0 to 1.',
      ),
      latency_ms: metricOf('BenchmarkMetric', Amount, 'The duration of a run, over runs whose duration is known.'),
      failure_rate: metricOf('BenchmarkMetric', Amount, 'The share of runs that failed, 0 to 1.'),
    }),
  },
  { title: 'Benchmark' },
)
export type Benchmark = Static<typeof Benchmark>

export const BenchmarkAnswer = Type.Unsafe<Benchmark | string>({
  description: 'The values of a period in the cohort, with your own position.',
  content: {
    'application/json': { schema: Benchmark },
    'image/svg+xml': { schema: SvgImage },
  },
})
