import { type Static, Type } from 'typebox'
import { Count, Id, MadeBy, maxSafeInteger, Nullable, OneOf, OwnId, Timestamp, Usd } from '../../contract/wire.ts'
import { UsageDetail, usageFields } from './usage-schema.ts'

/** Schema of a run, on every route that shows one. */

const text = (maxLength: number, examples: string[]) => Type.String({ ...OwnId, maxLength, examples })

export const OperationName = text(100, ['chat'])
export const Action = text(200, ['refund'])
export const ExternalId = {
  ...text(200, ['call-7f3a']),
  description: 'Your own id of the run. For 90 days, sending it again means the same run.',
}

export const endStatuses = ['succeeded', 'failed', 'cancelled'] as const
export const runStatuses = ['running', ...endStatuses, 'expired'] as const
export type RunStatus = (typeof runStatuses)[number]

const maxTags = 20
export const Tags = Type.Array(text(100, ['beta']), { maxItems: maxTags, uniqueItems: true, examples: [['beta']] })

const maxMetadata = 50
export const Metadata = Type.Record(
  Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000]+$' }),
  Type.Union([
    Type.String({ maxLength: 1_000, pattern: '^[^\\u0000]*$' }),
    Type.Number({ minimum: -maxSafeInteger, maximum: maxSafeInteger }),
    Type.Boolean(),
  ]),
  {
    title: 'Metadata',
    maxProperties: maxMetadata,
    description: 'Kept and shown, never interpreted.',
    examples: [{ release: '2026-11' }],
  },
)

const dimension = (description: string) => Type.String({ ...OwnId, description })
export const dimensionFields = {
  workflow_id: dimension('What the run is part of.'),
  deployment_id: dimension('Where it runs.'),
  department_id: dimension('Who answers for it.'),
  customer_id: dimension('For whose sake it is made: your own id of an end customer.'),
  user_id: dimension('Who makes it: your own id of a person.'),
}

const optional = <T extends Record<string, Parameters<typeof Nullable>[0]>>(fields: T) =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Nullable(schema)])) as {
    [K in keyof T]: ReturnType<typeof Nullable<T[K]>>
  }

export const Run = Type.Object(
  {
    id: Id('run'),
    status: OneOf(['running', 'succeeded', 'failed', 'cancelled', 'expired'], { examples: ['succeeded'] }),
    model: Type.String({ examples: ['gpt-4o'] }),
    provider: Nullable(Type.String({ examples: ['openai'] })),
    operation: Nullable(Type.String({ examples: ['chat'] })),
    action: Nullable(Type.String()),
    ...optional({
      workflow_id: Type.String(),
      deployment_id: Type.String(),
      department_id: Type.String(),
      customer_id: Type.String(),
      user_id: Type.String(),
    }),
    chain_id: Nullable(Type.String()),
    parent_run_id: Nullable(Id('run')),
    depth: Nullable({ ...Count, description: 'Depth of the run in its chain; 1 for the first.' }),
    external_id: Nullable(Type.String()),
    key_id: Nullable(MadeBy),
    reservation_id: Nullable({ ...Id('reservation'), description: 'The reservation of the edge that it settled.' }),
    decision_id: Nullable({
      ...Id('decision'),
      description: 'The decision that allowed it; explained for seven days.',
    }),
    ...optional(usageFields),
    usage_detail: Nullable(UsageDetail),
    cost_usd: Nullable({ ...Usd, description: 'null while it runs.' }),
    cost_basis: Nullable(
      Type.String({
        description:
          '`reported` by the caller, `computed` from its tokens, or `estimated`: what had been reserved, because nothing else was known, or what was reported as an estimate.',
        examples: ['computed'],
      }),
    ),
    reserved_usd: Nullable({ ...Usd, description: 'What was reserved before it ran.' }),
    max_output_tokens: Type.Optional({
      ...Count,
      description: 'While it runs: the most output that it may have, as it was granted.',
      examples: [500],
    }),
    overrun_usd: Nullable({ ...Usd, description: 'What it cost above the reservation.' }),
    value_usd: Nullable({ ...Usd, description: 'What the run was worth, as you reported it.' }),
    tags: Type.Array(Type.String()),
    metadata: Type.Record(Type.String(), Type.Unknown()),
    started_at: Timestamp,
    ended_at: Nullable(Timestamp),
    expires_at: Nullable({ ...Timestamp, description: 'When the lease of a running run ends.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Run', description: 'The run.' },
)
export type Run = Static<typeof Run>
