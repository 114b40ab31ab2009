import { type Static, Type } from 'typebox'
import { ListOf, ListQuery, windowFilters } from '../../contract/lists.ts'
import { Count, Id, IdFilter, MadeBy, MadeByFilter, Nullable, OneOf, PathId, Timestamp } from '../../contract/wire.ts'
import { limitIdKinds } from '../limit-kinds.ts'

const movementKinds = ['hold', 'settle', 'release', 'expire', 'charge', 'adjust'] as const

/** A change as `/v1` writes it: dollars as a decimal string, everything else as a number; either may be negative. */
const SignedAmount = Type.Union([Type.String({ examples: ['-0.25'] }), Type.Integer()])

export const JournalEntry = Type.Object(
  {
    id: Type.String({
      description: 'The number of the batch and of the movement in it: without gaps.',
      examples: ['1042.3'],
    }),
    batch: Count,
    created_at: Timestamp,
    kind: OneOf(movementKinds, { examples: ['settle'] }),
    reservation_id: Nullable(Id('reservation')),
    key_id: Nullable({
      ...MadeBy,
      description:
        'The key that made the reservation, recorded the runs or adjusted: `key_…`, or `sgr_…` for a support grant; null for entries from before this was recorded.',
    }),
    change_count: {
      ...Count,
      examples: [1],
      description: 'The number of allowances that the movement touched, listed or not.',
    },
    changes: Type.Array(
      Type.Object({
        limit_id: Type.String(),
        kind: Type.String({ description: 'The kind of limit.', examples: ['budget'] }),
        subject: Type.String(),
        unit: OneOf(['usd', 'runs', 'tokens', 'concurrent_runs']),
        period_start: Nullable(Timestamp),
        period_end: Nullable(Timestamp),
        spent: SignedAmount,
        held: SignedAmount,
        overrun: SignedAmount,
        late: SignedAmount,
      }),
      { description: 'The change of each allowance that the movement touched, or of the first `max_changes`.' },
    ),
    actor: Nullable(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'Who moved it: its maker, another key that ended it, or `{"kind": "system"}` where a lease ended or an unanswered reservation was released; null for entries from before this was recorded.',
      }),
    ),
    reason: Nullable(Type.String()),
  },
  { title: 'JournalEntry', description: 'The movement in the ledger.' },
)
export type JournalEntry = Static<typeof JournalEntry>

export const AdjustmentPath = Type.Object({
  id: PathId('org'),
  adjustment_id: Type.String({
    pattern: '^[1-9][0-9]{0,17}\\.[0-9]{1,9}$',
    maxLength: 28,
    'x-path-id': true,
    examples: ['1042.0'],
  }),
})
export const Journal = ListOf(JournalEntry)
const filters = {
  ...windowFilters,
  limit_id: IdFilter(limitIdKinds, 'Movements on this limit.', 'budget'),
  key_id: MadeByFilter('Movements of what this key, or support grant, made.'),
}
export const AdjustmentListQuery = ListQuery({ batch: 'integer' }, filters, 'integer')
export const JournalQuery = ListQuery(
  { batch: 'integer' },
  {
    ...filters,
    kind: Type.Enum([...movementKinds]),
    reservation_id: IdFilter(['reservation'], 'Movements of this reservation.'),
    max_changes: Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description:
        'Most changes that are listed of each movement: that of many runs at once can touch hundreds of allowances.',
    }),
  },
  'integer',
)
export type JournalQuery = Static<typeof JournalQuery>
