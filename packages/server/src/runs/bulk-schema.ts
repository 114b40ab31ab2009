import { type Static, Type } from 'typebox'
import type { FieldFault } from '../contract/errors.ts'
import { withCheck } from '../contract/semantic-check.ts'
import { Count, exampleId, Id, Moment, Nullable } from '../contract/wire.ts'
import { Model, Provider } from '../records/run-log/run-log.ts'
import { idPattern } from '../values/id.ts'
import { EndStatus, endFaults, endFields, IgnoredFields, optionalDimensions, runFields } from './schema.ts'

export const maxBulkRuns = 5_000

/** Schema condition that a field is present. A settlement has the model of its hold; every other run must name one. */
const has = (name: string) => ({ properties: { [name]: {} }, required: [name] })
const needsModel = { allOf: [{ if: { anyOf: [has('run_id'), has('reservation_id')] }, else: has('model') }] }

const ProviderRequestId = Type.String({
  minLength: 8,
  maxLength: 200,
  pattern: '^[\\x21-\\x7e]+$',
  examples: ['req_011CSHoEeqs5C35K2UUqR7Fy'],
})

const BulkRun = Type.Object(
  {
    model: Type.Optional({
      ...Model,
      description: 'May be left out of a settlement: then it is the requested one.',
    }),
    provider: Type.Optional(Provider),
    ...optionalDimensions,
    ...runFields,
    run_id: Type.Optional(
      Type.String({ maxLength: 40, description: 'A run that was started: what follows is its end.', examples: [] }),
    ),
    reservation_id: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          'The reservation of the edge that this run settles. It is never refused, and keeps the labels that it was admitted with.',
      }),
    ),
    provider_request_id: Type.Optional({
      ...ProviderRequestId,
      description:
        'With a `run_id`: the id that the provider gave the request. It is noted at the first end of the run, from keys with the scope `runs:manage` only: telemetry of the client about the same request is then not counted again.',
    }),
    key_id: Type.Optional(
      Type.String({
        pattern: idPattern('key'),
        maxLength: 40,
        description:
          'History of another key of the organization, to which it is charged and listed. With `enforce: false` only; needs the scopes `runs:import` and `keys:write`, and a key without pins.',
        examples: [],
      }),
    ),
    status: Type.Optional({ ...EndStatus, default: 'succeeded' }),
    started_at: Type.Optional({ ...Moment, description: 'At most 90 days ago. Without it, when it ended, or now.' }),
    ...endFields,
  },
  needsModel,
)
export type BulkRun = Static<typeof BulkRun>

/** True when a run ends what was admitted before: it only has to name it, and its usage. */
export const isSettlement = ({ run_id, reservation_id }: Pick<BulkRun, 'run_id' | 'reservation_id'>) =>
  run_id !== undefined || reservation_id !== undefined

const bulk = Type.Object(
  {
    runs: Type.Array(BulkRun, { minItems: 1, maxItems: maxBulkRuns }),
    mode: Type.Optional(
      Type.Enum(['atomic', 'partial'], {
        default: 'atomic',
        description:
          'Whether a limit that refuses one run refuses all new charges, or only that run. What settles a reservation is recorded in any case.',
      }),
    ),
    enforce: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'With false everything is recorded whatever the limits say, and what they had no room for is overrun. Needs the scope runs:import.',
      }),
    ),
    count_in: Type.Optional(
      Type.Enum(['current_period', 'started_period'], {
        default: 'current_period',
        description:
          'The periods of limits that runs are charged to: those that run now or, with `enforce: false`, those in which each run started.',
        examples: [],
      }),
    ),
  },
  {
    title: 'BulkInput',
    examples: [
      {
        runs: [
          {
            model: 'gpt-4o',
            input_tokens: 1_180,
            output_tokens: 412,
            department_id: 'support',
            customer_id: 'acme',
            external_id: 'ticket-8812-3',
          },
        ],
      },
      { runs: [{ reservation_id: exampleId('reservation'), input_tokens: 1_180, output_tokens: 412 }] },
    ],
  },
)
export type BulkInput = Static<typeof bulk>

export const BulkInput = withCheck(bulk, ({ runs, enforce, count_in }: BulkInput): FieldFault[] => [
  ...(count_in === 'started_period' && enforce !== false ? [notHistory] : []),
  ...runs.flatMap((run, i) => {
    const faults = endFaults(run, `runs.${i}.`)
    if (run.provider_request_id !== undefined && run.run_id === undefined)
      faults.push({
        field: `runs.${i}.provider_request_id`,
        code: 'invalid_value',
        message: 'Only allowed together with a run_id.',
      })
    if (run.key_id !== undefined && (enforce !== false || isSettlement(run)))
      faults.push({
        ...notHistory,
        field: `runs.${i}.key_id`,
        message: 'Only history, with enforce: false, is of other keys.',
      })
    if (run.run_id !== undefined && run.reservation_id !== undefined)
      faults.push({
        field: `runs.${i}.reservation_id`,
        code: 'invalid_value',
        message: 'A started run has its own reservation: leave this out.',
      })
    return faults
  }),
])

const notHistory: FieldFault = {
  field: 'count_in',
  code: 'invalid_value',
  message: 'Only history, with enforce: false, is charged to the periods in which it ran.',
}

export const BulkAnswer = Type.Object(
  {
    accepted: { ...Count, description: 'Runs that were recorded now.' },
    duplicates: { ...Count, description: 'Runs that had been recorded before.' },
    refused: Count,
    results: Type.Array(
      Type.Object({
        index: Count,
        run_id: Nullable(Id('run')),
        external_id: Nullable(Type.String()),
        duplicate: Type.Boolean(),
        ignored_fields: Type.Optional(IgnoredFields),
        error: Type.Optional(
          Type.Object({
            code: Type.String(),
            message: Type.String(),
            details: Type.Record(Type.String(), Type.Unknown()),
          }),
        ),
      }),
    ),
  },
  { title: 'BulkAnswer', description: 'The result of each run, in the order of the request.' },
)
export type BulkAnswer = Static<typeof BulkAnswer>
