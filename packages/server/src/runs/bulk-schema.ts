import { type Static, Type } from 'typebox'
import type { FieldFault } from '../contract/errors.ts'
import { withCheck } from '../contract/semantic-check.ts'
import { Count, Id, Moment, Nullable } from '../contract/wire.ts'
import { dimensionFields, Model, Provider } from '../run-log/run-log.ts'
import { costFaults, EndStatus, endFields, runFields } from './schema.ts'

export const maxBulkRuns = 5_000

const dimensions = Object.fromEntries(
  Object.entries(dimensionFields).map(([name, schema]) => [name, Type.Optional(schema)]),
) as { [K in keyof typeof dimensionFields]: ReturnType<typeof Type.Optional<(typeof dimensionFields)[K]>> }

const BulkRun = Type.Object({
  model: Model,
  provider: Type.Optional(Provider),
  ...dimensions,
  ...runFields,
  run_id: Type.Optional(
    Type.String({ maxLength: 40, description: 'A run that was started: what follows is its end.', examples: [] }),
  ),
  reservation_id: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'The reservation of the edge that this run settles. It is never refused.',
    }),
  ),
  status: Type.Optional({ ...EndStatus, default: 'succeeded' }),
  started_at: Type.Optional({ ...Moment, description: 'At most 90 days ago. Without it, when it ended, or now.' }),
  ...endFields,
})
export type BulkRun = Static<typeof BulkRun>

const bulk = Type.Object({
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
})
export type BulkInput = Static<typeof bulk>

export const BulkInput = withCheck(bulk, ({ runs }: BulkInput): FieldFault[] =>
  runs.flatMap((run, i) => {
    const faults = costFaults(run, `runs.${i}.`)
    if (run.run_id !== undefined && run.reservation_id !== undefined)
      faults.push({
        field: `runs.${i}.reservation_id`,
        code: 'invalid_value',
        message: 'A run that was started has no other reservation.',
      })
    return faults
  }),
)

export const BulkAnswer = Type.Object({
  accepted: { ...Count, description: 'Runs that were recorded now.' },
  duplicates: { ...Count, description: 'Runs that had been recorded before.' },
  refused: Count,
  results: Type.Array(
    Type.Object({
      index: Count,
      run_id: Nullable(Id('run')),
      external_id: Nullable(Type.String()),
      duplicate: Type.Boolean(),
      error: Type.Optional(
        Type.Object({
          code: Type.String(),
          message: Type.String(),
          details: Type.Record(Type.String(), Type.Unknown()),
        }),
      ),
    }),
  ),
})
export type BulkAnswer = Static<typeof BulkAnswer>
