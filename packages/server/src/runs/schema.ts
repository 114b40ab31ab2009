import { type Static, Type } from 'typebox'
import type { FieldFault } from '../contract/errors.ts'
import { withCheck } from '../contract/semantic-check.ts'
import { Id, Moment, Nullable, OwnId, optionalFields, PathId, Usd } from '../contract/wire.ts'
import { amountFaults, decisionFields, GrantedOutput } from '../decisions/decisions.ts'
import { SafetyInput, safetyInputFaults } from '../governance/safety/safety.ts'
import { ChainBoundsInput } from '../money/chains/chains.ts'
import {
  Action,
  detailFields,
  dimensionFields,
  ExternalId,
  endStatuses,
  Metadata,
  Model,
  OperationName,
  Provider,
  Run,
  Tags,
  type UsageDetail,
  usageFaults,
  usageFields,
} from '../records/run-log/run-log.ts'
import { formatDollars, maxChargeNano, parseUsd } from '../values/money.ts'
import { RouteReference, Sticky } from './routing/routing.ts'

export const RunPath = Type.Object({ run_id: PathId('run') })

export const ChainId = Type.String({
  ...OwnId,
  description: 'The chain that the run belongs to: your own name for it. It begins with its first run.',
  examples: ['ticket-8812'],
})
export const ParentRunId = Type.String({
  maxLength: 40,
  description: 'The run that caused this one, in the same chain.',
  examples: ['run_01jfb5nb4pexxbskpk0846kr2q'],
})

/** Fields that describe a run, apart from what it may cost. */
export const runFields = {
  operation: Type.Optional(OperationName),
  action: Type.Optional(Action),
  chain_id: Type.Optional(ChainId),
  parent_run_id: Type.Optional(ParentRunId),
  external_id: Type.Optional(ExternalId),
  tags: Type.Optional(Tags),
  metadata: Type.Optional(Metadata),
}

const start = Type.Object(
  {
    ...decisionFields,
    model: Type.Optional(Model),
    route: Type.Optional({
      ...RouteReference,
      description: 'Instead of a model: the name or id of a route, which chooses one. The response says which.',
    }),
    sticky: Type.Optional(Sticky),
    provider: Type.Optional(Provider),
    ...runFields,
    input: Type.Optional({
      ...SafetyInput,
      description: 'The input for the model, or parts of it, for detectors to inspect. Never stored and never logged.',
    }),
    dry_run: Type.Optional(
      Type.Boolean({
        description: 'Checks everything and starts nothing: the response is 200 and says what would have happened.',
      }),
    ),
    chain_limits: Type.Optional({
      ...ChainBoundsInput,
      description:
        'For the first run of a chain: bounds of the whole chain. May be tighter than those the organization has set, not looser.',
    }),
  },
  {
    title: 'StartInput',
    examples: [
      {
        model: 'gpt-4o',
        input_tokens: 1_200,
        max_output_tokens: 500,
        department_id: 'support',
        customer_id: 'acme',
        chain_id: 'ticket-8812',
        external_id: 'ticket-8812-3',
      },
    ],
  },
)
export type StartInput = Static<typeof start>
export const StartInput = withCheck(start, (body: StartInput) => [
  ...amountFaults(body),
  ...modelFaults(body),
  ...safetyInputFaults(body.input),
])

/** A start with its model resolved, without the input, which only detectors see. */
export type ResolvedStart = Omit<StartInput, 'model' | 'route' | 'sticky' | 'input'> & { readonly model: string }

function modelFaults({ model, route, provider, sticky }: StartInput): FieldFault[] {
  const unrouted = { field: 'sticky', code: 'invalid_value', message: 'Only allowed together with a route.' } as const
  if (route === undefined && sticky !== undefined) return [unrouted]
  if (route === undefined)
    return model === undefined ? [{ field: 'model', code: 'required', message: 'This field is required.' }] : []
  const chosen = [...(model === undefined ? [] : ['model']), ...(provider === undefined ? [] : ['provider'])]
  return chosen.map((field) => ({
    field,
    code: 'invalid_value',
    message: 'Not allowed together with a route, which chooses this.',
  }))
}

/** The response to a start. */
export const StartedRun = Type.Object(
  {
    ...Run.properties,
    remaining_usd: Type.Optional(
      Nullable({
        ...Usd,
        description:
          'What the tightest limit leaves after this run’s reservation; null where no limit applies. Absent where the run had started before.',
      }),
    ),
  },
  { title: 'StartedRun', description: 'The run, which has started.' },
)
export type StartedRun = Static<typeof StartedRun>

/** The response to a dry run. */
export const DryRun = Type.Object(
  {
    decision: Type.String({ description: '`allow`.', examples: ['allow'] }),
    decision_id: Id('decision'),
    model: Type.String({ examples: ['gpt-4o'] }),
    provider: Nullable(Type.String({ examples: ['openai'] })),
    reserved_usd: { ...Usd, description: 'What would have been reserved.' },
    max_output_tokens: GrantedOutput,
    remaining_usd: Nullable({ ...Usd, description: 'What the tightest limit would have left.' }),
  },
  { title: 'DryRun', description: 'What would have happened: nothing was started.' },
)
export type DryRun = Static<typeof DryRun>

export const EndStatus = Type.Enum([...endStatuses])

export const CostUsd = {
  ...Usd,
  description: 'Cost of the run. Takes precedence over the cost of its tokens. At most $1,000,000.',
}
export const ValueUsd = { ...Usd, description: 'What the run was worth to you.' }

/** Fields that report the end of a run. */
export const endFields = {
  ...optionalFields(usageFields),
  ...detailFields,
  cost_usd: Type.Optional(CostUsd),
  value_usd: Type.Optional(ValueUsd),
  ended_at: Type.Optional(Moment),
  estimated: Type.Optional(
    Type.Boolean({
      description:
        'Says that tokens or cost are an estimate: the run is charged by them and marked `estimated`, and for a started run an exact report replaces them, once.',
      examples: [false],
    }),
  ),
}

/** Field errors of an ending: amounts above the maximum, and parts of counts that are more than the whole. */
export const endFaults = (end: UsageDetail & { cost_usd?: string; value_usd?: string }, prefix = ''): FieldFault[] => [
  ...costFaults(end, prefix),
  ...usageFaults(end, prefix),
]

const costFaults = ({ cost_usd, value_usd }: { cost_usd?: string; value_usd?: string }, prefix: string): FieldFault[] =>
  Object.entries({ cost_usd, value_usd }).flatMap(([field, amount]) =>
    amount !== undefined && parseUsd(amount) > maxChargeNano
      ? [
          {
            field: `${prefix}${field}`,
            code: 'out_of_range' as const,
            message: `This may be at most ${formatDollars(maxChargeNano)}.`,
          },
        ]
      : [],
  )

/** Dimensions of a run, where they may be left out. */
export const optionalDimensions = optionalFields(dimensionFields)

export const IgnoredFields = Type.Array(Type.String(), {
  description: 'Fields that were ignored, because the run was admitted with other values. Absent where there are none.',
  examples: [['workflow_id']],
})

export const FinishedRun = Type.Object(
  { ...Run.properties, ignored_fields: Type.Optional(IgnoredFields) },
  { title: 'FinishedRun', description: 'The run, with what it cost.' },
)
export type FinishedRun = Static<typeof FinishedRun>

const finish = Type.Object(
  {
    status: EndStatus,
    model: Type.Optional({ ...Model, description: 'The model that ran, where it is not the one that was asked for.' }),
    provider: Type.Optional({ ...Provider, description: 'The provider that ran it, where it is another one.' }),
    ...optionalDimensions,
    chain_id: Type.Optional(ChainId),
    ...endFields,
  },
  { title: 'FinishInput', examples: [{ status: 'succeeded', input_tokens: 1_180, output_tokens: 412 }] },
)
export const FinishInput = withCheck(finish, (body: FinishInput) => endFaults(body))
export type FinishInput = Static<typeof finish>
