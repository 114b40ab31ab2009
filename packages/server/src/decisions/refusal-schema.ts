import { type Static, Type } from 'typebox'
import { DailyQuery, ListOf, ListQuery, windowFilters } from '../contract/lists.ts'
import { Count, Id, IdFilter, MadeBy, MadeByFilter, Nullable, OwnId, PathId, Timestamp } from '../contract/wire.ts'
import { limitIdKinds } from '../money/limit-kinds.ts'
import { Explanation } from './schema.ts'

const text = Type.String()
const Code = Type.String({ minLength: 1, maxLength: 100, examples: ['budget_exceeded'] })

export const Refusal = Type.Object(
  {
    id: Id('refusal'),
    minute: Type.String({ ...Timestamp, description: 'Equal refusals of one minute are one entry.' }),
    count: { ...Count, description: 'How many there were.' },
    first_at: Timestamp,
    last_at: Timestamp,
    error_code: Type.String({ description: 'The error code that the caller got.', examples: ['budget_exceeded'] }),
    message: text,
    limit_id: Nullable(
      Type.String({ description: 'The limit that refused.', examples: ['bud_01jbsteb4peb5vskx602h9mw4q'] }),
    ),
    rule_id: Nullable(Type.String({ description: 'The rule that refused.' })),
    surface: Type.String({
      description: 'Where it was asked: `edge`, `run` for the start of a run, `bulk` for runs that had happened.',
      examples: ['edge'],
    }),
    key_id: Nullable(MadeBy),
    model: Nullable(text),
    workflow_id: Nullable(text),
    deployment_id: Nullable(text),
    department_id: Nullable(text),
    customer_id: Nullable(text),
    user_id: Nullable(text),
    chain_id: Nullable(text),
    explanation: {
      ...Explanation,
      description: 'The first of them explained, as `GET /v1/decisions/{decision_id}` does.',
    },
  },
  { title: 'Refusal', description: 'The refusal, with its explanation.' },
)
export type Refusal = Static<typeof Refusal>

export const RefusalPath = Type.Object({ id: PathId('org'), refusal_id: PathId('refusal') })
export const RefusalsAnswer = ListOf(Refusal)
export const RefusalQuery = ListQuery(
  { minute: 'uuid' },
  {
    ...windowFilters,
    limit_id: IdFilter(limitIdKinds, 'What this limit has refused.', 'budget'),
    rule_id: IdFilter(['rule'], 'What this rule has refused.'),
    error_code: Code,
    surface: Type.Enum(['edge', 'run', 'bulk']),
    key_id: MadeByFilter('What was refused to this key, or support grant.'),
    model: Type.String({ minLength: 1, maxLength: 200 }),
    workflow_id: OwnId,
    deployment_id: OwnId,
    department_id: OwnId,
    customer_id: OwnId,
    user_id: OwnId,
    chain_id: OwnId,
  },
)

export const DailyRefusalQuery = DailyQuery({})
export const DailyRefusals = Type.Object(
  {
    from: Timestamp,
    to: Timestamp,
    data: Type.Array(
      Type.Object({
        day: Type.String({ description: 'The UTC day.', examples: ['2026-11-15'] }),
        error_code: Type.String({ examples: ['budget_exceeded'] }),
        count: Count,
      }),
      { description: 'By day, and by code within one. A day without refusals is not there.' },
    ),
  },
  { title: 'DailyRefusals', description: 'Refusals by day.' },
)
