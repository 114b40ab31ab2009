import { type Static, Type } from 'typebox'
import { exampleId, Id, OneOf, PathId, Timestamp } from '../../contract/wire.ts'

export const FreezeInput = Type.Object(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$',
      description: 'Why; it is part of every refusal.',
      examples: ['An agent loops.'],
    }),
  },
  { title: 'FreezeInput', examples: [{ reason: 'An agent loops.' }] },
)
export type FreezeInput = Static<typeof FreezeInput>

export const Freeze = Type.Object(
  {
    id: Id('freeze'),
    target_kind: OneOf(['org', 'key', 'limit'], { examples: ['limit'] }),
    target_id: Type.String({
      description: 'The id of the organization, of the first key of the rotations of a key, or of the limit.',
      examples: ['bud_01jbsteb4peb5vskx602h9mw4q'],
    }),
    reason: Type.String({ examples: ['An agent loops.'] }),
    frozen_at: Timestamp,
  },
  { title: 'Freeze', description: 'What is frozen, and why.' },
)
export type FreezeView = Static<typeof Freeze>

export const FreezeList = Type.Object(
  { data: Type.Array(Freeze) },
  { title: 'FreezeList', description: 'Everything that is frozen, the earliest first.' },
)

export const FrozenKeyPath = Type.Object({ id: PathId('org'), key_id: PathId('key') })
export const FrozenLimitPath = Type.Object({
  id: PathId('org'),
  limit_id: Type.String({
    maxLength: 40,
    'x-path-id': true,
    description: 'The id of a budget, default budget, spend cap, concurrency limit or limit of a customer.',
    examples: [exampleId('budget')],
  }),
})
