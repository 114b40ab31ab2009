import { Type } from 'typebox'
import { Count, Usd } from './wire.ts'

/**
 * The amounts behind a refusal and the decision that explains it; in a batch also the run concerned, and what was recorded
 * despite the refusal.
 */
export const explanationFields = {
  decision_id: Type.Optional(Type.String()),
  index: Type.Optional(Count),
  settled: Type.Optional(Type.Array(Type.Object({ index: Count, run_id: Type.String() }, { title: 'SettledRun' }))),
  fits: Type.Optional(
    Type.String({ description: 'A cheaper model of the same route that every limit still has room for.' }),
  ),
  remaining_usd: Type.Optional({
    ...Usd,
    description: 'What the tightest limit leaves for this call. Absent where no limit in dollars applies.',
  }),
  fits_max_output_tokens: Type.Optional({
    ...Count,
    description:
      'The largest `max_output_tokens` with which every limit, rates of tokens included, has room for this call if it is sent again. Absent where not even its input fits.',
  }),
}
/** The kind of scope that a limit is set on. */
export const ScopeKindOfLimit = Type.Enum([
  'org',
  'workflow',
  'deployment',
  'department',
  'customer',
  'user',
  'key',
  'provider',
  'model',
  'tag',
])

export const refusalFields = { held_usd: Type.Optional(Usd), attempted_usd: Type.Optional(Usd), ...explanationFields }
