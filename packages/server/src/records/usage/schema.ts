import type { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { ListOf, ListQuery, pageRequest, windowFilters } from '../../contract/lists.ts'
import { checkOf, withCheck } from '../../contract/semantic-check.ts'
import { Count, MadeByFilter, Nullable, OwnId, SvgImage, Timestamp } from '../../contract/wire.ts'
import { scheduleFaults, Timezone } from '../../money/ledger/ledger.ts'
import { Model, Provider } from '../run-log/run-log.ts'
import { granularities } from './granules.ts'

/** The dimensions of usage by quarters of an hour. */
export const dimensions = [
  'model',
  'provider',
  'workflow_id',
  'deployment_id',
  'department_id',
  'key_id',
  'user_id',
] as const
const groupings = [...dimensions, 'customer_id'] as const
export type Grouping = (typeof groupings)[number]

const maxGroupings = 4
/** Most periods of a window with more than two dimensions: each is a row for every combination that was used in it. */
export const maxFinePeriods = 100
const maxFewGroupings = 2
export const isFine = (groups: readonly Grouping[]) => groups.length > maxFewGroupings

/** A cursor names its group, and a group has four names of 200 characters, each up to four bytes. */
const maxCursorLength = 8_192

const own = (description: string) => Type.String({ ...OwnId, description })
const filters = {
  ...windowFilters,
  model: { ...Model, description: 'Only runs of this model.' },
  provider: { ...Provider, description: 'Only runs of this provider.' },
  workflow_id: own('Only runs of this workflow.'),
  deployment_id: own('Only runs of this deployment.'),
  department_id: own('Only runs of this department.'),
  key_id: MadeByFilter('Only runs that this key, or support grant, made.'),
  user_id: own('Only runs of this user.'),
  customer_id: own('Only runs of this customer; by UTC day, and with no other dimension.'),
}

const listed = ListQuery({ period_start: 'time' }, filters, 'text', 'oldest first')
const query = Type.Object(
  {
    ...listed.properties,
    cursor: Type.Optional(
      Type.String({ minLength: 1, maxLength: maxCursorLength, description: '`next_cursor` of the page before.' }),
    ),
    granularity: Type.Optional(
      Type.Enum([...granularities], {
        default: 'day',
        description: 'How long the periods are; a week begins on Monday.',
      }),
    ),
    group_by: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: `Up to four of ${groupings.map((name) => `\`${name}\``).join(', ')}, with a comma between. \`customer_id\` stands alone, by UTC day.`,
        examples: ['model,workflow_id'],
      }),
    ),
    format: Type.Optional(
      Type.Enum(['json', 'svg'], {
        default: 'json',
        description: '`svg` draws the cost by period and group as a picture, without pages.',
      }),
    ),
    timezone: Type.Optional({ ...Timezone, description: 'The IANA name of the zone whose clock forms the periods.' }),
  },
  { 'x-filter': true },
)
export type UsageQuery = Static<typeof query>
export const UsageQuery = withCheck(query, (asked: UsageQuery) => usageFaults(asked))

const usageFaults = (asked: UsageQuery): FieldFault[] => [
  ...cursorFaults(asked),
  ...groupFaults(asked),
  ...chartFaults(asked),
  ...scheduleFaults(asked),
  ...(isByCustomer(asked) ? customerFaults(asked) : []),
]

const { key_id: _key, user_id: _user, customer_id: _customer, ...ownFields } = query.properties
const ownQuery = Type.Object(ownFields, { 'x-filter': true })
export type OwnUsageQuery = Static<typeof ownQuery>
/** A query of one's own usage: whose it is cannot be asked for. */
export const OwnUsageQuery = withCheck(ownQuery, (asked: OwnUsageQuery) => usageFaults(asked))

export const groupsOf = ({ group_by }: UsageQuery): Grouping[] =>
  group_by === undefined ? [] : (group_by.split(',') as Grouping[])

/** Returns the groups of a cursor, if it belongs to a list with this many. */
export function groupsAt(id: string, count: number): string[] | undefined {
  try {
    const parts: unknown = JSON.parse(id)
    const isOurs = Array.isArray(parts) && parts.length === count && parts.every((part) => typeof part === 'string')
    return isOurs ? parts : undefined
  } catch {
    return undefined
  }
}

function cursorFaults(asked: UsageQuery): FieldFault[] {
  const faults = checkOf(listed)!(asked)
  const { after } = pageRequest(asked, 'period_start')
  const isForeign = after !== undefined && groupsAt(after.id, groupsOf(asked).length) === undefined
  if (!isForeign || faults.some(({ field }) => field === 'cursor')) return faults
  const message = 'Use the next_cursor of a page with the same sort and group_by.'
  return [...faults, { field: 'cursor', code: 'invalid_value', message }]
}

function groupFaults(asked: UsageQuery): FieldFault[] {
  const groups = groupsOf(asked)
  if (groups.length > maxGroupings)
    return [{ field: 'group_by', code: 'too_many', message: `Group by at most ${maxGroupings} dimensions.` }]
  const isSound = groups.every((name) => groupings.includes(name)) && new Set(groups).size === groups.length
  const message = `Group by one to four of ${groupings.join(', ')}, with a comma between.`
  return isSound ? [] : [{ field: 'group_by', code: 'invalid_value', message }]
}

/** Field errors of a chart, which shows the whole window, in the order of time. */
const chartFaults = (asked: UsageQuery): FieldFault[] =>
  asked.format === 'svg'
    ? (['limit', 'cursor', 'sort'] as const).flatMap((field) =>
        asked[field] === undefined || asked[field] === 'period_start'
          ? []
          : [{ field, code: 'invalid_value' as const, message: 'A picture has no pages: leave this out.' }],
      )
    : []

export const isByCustomer = (asked: UsageQuery): boolean =>
  asked.customer_id !== undefined || groupsOf(asked).includes('customer_id')

/**
 * Field errors of usage by customer: customers are many, and a row for each one, quarter of an hour and workflow would be as many
 * rows as runs.
 */
export function customerFaults(asked: UsageQuery): FieldFault[] {
  const why = 'Usage by customer is kept by UTC day and apart from all other dimensions'
  const fault = (field: string, how: string): FieldFault => ({
    field,
    code: 'invalid_value',
    message: `${why}: ${how}.`,
  })
  const { granularity, timezone } = asked
  return [
    ...dimensions.filter((name) => asked[name] !== undefined).map((name) => fault(name, 'leave this filter out')),
    ...(groupsOf(asked).some((name) => name !== 'customer_id')
      ? [fault('group_by', 'group by customer_id alone')]
      : []),
    ...(granularity === 'hour' ? [fault('granularity', 'ask for day, week or month')] : []),
    ...(timezone === undefined || /^(etc\/)?utc$/i.test(timezone) ? [] : [fault('timezone', 'ask for UTC')]),
  ]
}

/** A sum: it is not bounded like a single amount, and a correction can leave a period below zero. */
const Sum = (description: string) =>
  Type.String({
    pattern: '^-?(0|[1-9][0-9]{0,18})(\\.[0-9]{1,9})?$',
    maxLength: 30,
    description: `${description} US dollars as a decimal string, exact to nine decimals.`,
    examples: ['1204.000000371'],
  })

const sums = {
  runs: { ...Count, description: 'Runs that have ended, by when they started.' },
  failed_runs: Count,
  input_tokens: { ...Count, description: 'All of them, cached ones included.' },
  output_tokens: { ...Count, description: 'All of them, reasoning included.' },
  cache_read_input_tokens: Count,
  cache_creation_input_tokens: Count,
  reasoning_output_tokens: Count,
  cost_usd: Sum('What the runs cost.'),
  estimated_usd: Sum('The part of it that was charged by estimate.'),
  overrun_usd: Sum('The part of it that went above reservations.'),
  value_usd: Sum('What the runs were worth, as reported.'),
  average_duration_ms: Nullable({
    ...Count,
    description: 'Of the runs whose end was reported; null where there is none.',
  }),
}

const Group = Type.Optional(
  Nullable(
    Type.String({
      title: 'UsageGroup',
      description:
        'With `group_by` only; null for runs that had none, `(other)` for names beyond those that usage distinguishes.',
    }),
  ),
)

const UsageRow = Type.Object(
  {
    period_start: Timestamp,
    period_end: Timestamp,
    model: Group,
    provider: Group,
    workflow_id: Group,
    deployment_id: Group,
    department_id: Group,
    key_id: Group,
    user_id: Group,
    customer_id: Group,
    ...sums,
  },
  { title: 'UsageRow' },
)
export type UsageRow = Static<typeof UsageRow>

export const Usage = Type.Object(
  {
    ...ListOf(UsageRow).properties,
    totals: Type.Object(sums, { description: 'Of the whole window, not of the page.' }),
    granularity: Type.String({ examples: ['day'] }),
    from: { ...Timestamp, description: 'Where the window begins, as a whole quarter of an hour.' },
    to: { ...Timestamp, description: 'Where it ends, not included.' },
  },
  { title: 'Usage', description: 'A page of usage, and the totals of the whole window.' },
)
export type Usage = Static<typeof Usage>

/** The response in the requested form; a chart is written by hand, so this only documents it. */
export const UsageAnswer = Type.Unsafe<Usage | string>({
  description: 'Usage by period and group, or a picture of its cost.',
  content: {
    'application/json': { schema: Usage },
    'image/svg+xml': { schema: SvgImage },
  },
})

const exportQuery = Type.Object(
  {
    from: Type.Optional({ ...windowFilters.from, 'x-filter': true }),
    to: Type.Optional({ ...windowFilters.to, 'x-filter': true }),
    format: Type.Optional(
      Type.Enum(['focus-csv', 'focus-1.4-csv'], {
        default: 'focus-csv',
        description: 'FOCUS as CSV: `focus-csv` in version 1.2.',
        'x-filter': true,
      }),
    ),
  },
  { 'x-filter': true },
)
export const UsageExportQuery = withCheck(exportQuery, ({ from, to }: Static<typeof exportQuery>) =>
  checkOf(listed)!({ from, to }),
)

/** The export is streamed, so this only documents it. */
export const UsageExport = Type.Unsafe<Readable | string>({
  description: 'A header line and a line per UTC day, model, provider, workflow, deployment, department, key and user.',
  content: {
    'text/csv': {
      schema: Type.String({
        examples: ['BilledCost,BillingAccountId,BillingAccountName,…\n0.0085,org_01jbstbb4pex5vsknk084sn02q,Acme,…\n'],
      }),
    },
  },
})
