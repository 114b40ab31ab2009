import { type Static, Type } from 'typebox'
import { deprecationFields } from '../../contract/deprecations/deprecations.ts'
import { ListOf, ListQuery, windowFilters } from '../../contract/lists.ts'
import { Count, exampleId, IdFilter, IsoDate, Nullable, Timestamp } from '../../contract/wire.ts'

const DeprecatedCalls = Type.Object(
  {
    ...deprecationFields,
    caller_id: Type.String({
      description: 'The caller: `key_…`, `mbr_…` for a member in a session, or `sgr_…` for a support grant.',
      examples: [exampleId('key')],
    }),
    name: Nullable(
      Type.String({ description: 'The name of the key; null for other callers.', examples: ['exporter'] }),
    ),
    calls: { ...Count, description: 'Calls in the window.', examples: [42] },
    first_day: Type.String({ ...IsoDate, description: 'The first UTC day of the window with a call.' }),
    last_called_at: Timestamp,
  },
  { title: 'DeprecatedCalls', description: 'Calls of a deprecated route by one caller.' },
)
export type DeprecatedCalls = Static<typeof DeprecatedCalls>

export const DeprecatedCallsList = ListOf(DeprecatedCalls)
export const DeprecatedCallsQuery = ListQuery(
  { last_called_at: 'time', calls: 'integer' },
  {
    ...windowFilters,
    caller_id: IdFilter(['key', 'member', 'grant'], 'Calls of this key, member or support grant.'),
  },
  'text',
)
