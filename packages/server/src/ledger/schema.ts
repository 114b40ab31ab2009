import { type Static, Type } from 'typebox'
import { ListOf, ListQuery, windowFilters } from '../contract/lists.ts'
import { Count, Id, Nullable, Timestamp } from '../contract/wire.ts'

export const movementKinds = ['hold', 'settle', 'release', 'expire', 'charge', 'adjust'] as const

/** A change as `/v1` writes it: dollars as a decimal string, all else as a number; either may be negative. */
const SignedAmount = Type.Union([Type.String({ examples: ['-0.25'] }), Type.Integer()])

export const JournalEntry = Type.Object({
  id: Type.String({
    description: 'The number of the batch and of the movement in it: without gaps.',
    examples: ['1042.3'],
  }),
  batch: Count,
  created_at: Timestamp,
  kind: Type.String({ description: movementKinds.map((kind) => `\`${kind}\``).join(', '), examples: ['settle'] }),
  reservation_id: Nullable(Id('reservation')),
  changes: Type.Array(
    Type.Object({
      limit_id: Type.String(),
      kind: Type.String(),
      subject: Type.String(),
      unit: Type.String(),
      period_start: Nullable(Timestamp),
      period_end: Nullable(Timestamp),
      spent: SignedAmount,
      held: SignedAmount,
      overrun: SignedAmount,
      late: SignedAmount,
    }),
    { description: 'What the movement added to each allowance that it touched.' },
  ),
  actor: Nullable(
    Type.Record(Type.String(), Type.Unknown(), { description: 'Who adjusted; null for other movements.' }),
  ),
  reason: Nullable(Type.String()),
})
export type JournalEntry = Static<typeof JournalEntry>

export const Journal = ListOf(JournalEntry)
export const JournalQuery = ListQuery(
  { seq: 'integer' },
  {
    ...windowFilters,
    kind: Type.Enum([...movementKinds]),
    limit_id: Type.String({ minLength: 1, maxLength: 40, description: 'Movements on this limit.' }),
    reservation_id: Type.String({ minLength: 1, maxLength: 40, description: 'Movements of this reservation.' }),
  },
  'integer',
)
export type JournalQuery = Static<typeof JournalQuery>
