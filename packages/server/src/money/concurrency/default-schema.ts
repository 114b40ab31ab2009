import { type Static, Type } from 'typebox'
import { Count, Id, OneOf, PathId } from '../../contract/wire.ts'
import { rowTimes } from '../ledger/ledger.ts'

const scopes = ['department', 'workflow', 'deployment', 'customer', 'user', 'key'] as const
export type ConcurrencyDefaultScope = (typeof scopes)[number]

export const ConcurrencyDefaultInput = Type.Object(
  {
    max_runs: Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'The most runs at once of each of them; 0 refuses every run.',
      examples: [4],
    }),
  },
  { title: 'ConcurrencyDefaultInput', examples: [{ max_runs: 4 }] },
)
export type ConcurrencyDefaultInput = Static<typeof ConcurrencyDefaultInput>

export const ConcurrencyDefault = Type.Object(
  {
    id: Id('concurrencyLimit'),
    scope_kind: OneOf(scopes, { examples: ['user'] }),
    max_runs: Type.Integer({ ...Count, examples: [4] }),
    ...rowTimes,
  },
  { title: 'ConcurrencyDefault', description: 'The concurrency limit of every such scope without one of its own.' },
)
export type ConcurrencyDefaultView = Static<typeof ConcurrencyDefault>

export const ConcurrencyDefaultList = Type.Object(
  { data: Type.Array(ConcurrencyDefault) },
  { title: 'ConcurrencyDefaultList', description: 'The default concurrency limits.' },
)

export const ConcurrencyDefaultPath = Type.Object({
  id: PathId('org'),
  scope_kind: Type.Unsafe<ConcurrencyDefaultScope>({
    type: 'string',
    enum: [...scopes],
    'x-path-id': true,
    examples: ['user'],
  }),
})
