import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Computed, Count, Id, IdFilter, Moment, Nullable, OneOf, PathId, Timestamp } from '../../contract/wire.ts'
import { keyFaults, keyLabels } from '../keys/keys.ts'

export const maxRegisteredAtOnce = 200
export const foreignKeyStatuses = ['active', 'contested', 'expired', 'ended', 'revoked'] as const
export type ForeignKeyStatus = (typeof foreignKeyStatuses)[number]

const registration = Type.Object({
  sha256: Type.String({
    pattern: '^[0-9a-f]{64}$',
    maxLength: 64,
    description: 'The SHA-256 of the key’s text, in hexadecimal, as LiteLLM keeps it.',
    examples: ['7c1f3a5d90b2e4886a0d5c1b7e9f24638d0a6b5c4e3f2a1908b7c6d5e4f3a2b1'],
  }),
  ...keyLabels,
  ends_at: Type.Optional({
    ...Moment,
    description: 'When the foreign key stops working; by default as late as the installation allows.',
    // It would have passed one day.
    examples: [],
  }),
})
export type Registration = Static<typeof registration>

const input = Type.Object(
  {
    keys: Type.Array(registration, { minItems: 1, maxItems: maxRegisteredAtOnce }),
    dry_run: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Registers nothing: the answer has those that the organization has already, and null for others.',
      }),
    ),
  },
  {
    title: 'ForeignKeysInput',
    examples: [
      {
        keys: [
          {
            sha256: '7c1f3a5d90b2e4886a0d5c1b7e9f24638d0a6b5c4e3f2a1908b7c6d5e4f3a2b1',
            name: 'checkout agent',
            pins: { department_id: 'support' },
          },
        ],
      },
    ],
  },
)
export type ForeignKeysInput = Static<typeof input>

export const ForeignKeysInput = withCheck(input, ({ keys }: ForeignKeysInput): FieldFault[] =>
  keys.flatMap((key, i) => keyFaults(key).map((fault) => ({ ...fault, field: `keys.${i}.${fault.field}` }))),
)

const fields = {
  id: Id('foreignKey'),
  key_id: Type.String({
    ...Id('key'),
    description: 'The key that it stands for, with whose powers and limits it works.',
  }),
  name: Type.String({ description: 'The name of that key.', examples: ['checkout agent'] }),
  owner_id: Nullable(Type.String({ ...Id('member'), description: 'The member who answers for that key.' })),
  pins: Type.Record(Type.String(), Type.String(), { examples: [{ department_id: 'support' }] }),
  status: Computed(
    OneOf(foreignKeyStatuses, {
      description:
        '`active`: it is taken. `contested`: another organization claims the same key, so this one is not taken until an operator decides. `expired`: after `ends_at`, or after its key has expired. `ended`: somebody has ended it. `revoked`: its key is.',
    }),
  ),
  ends_at: Timestamp,
  uses: Computed({ ...Count, description: 'Calls that it was presented for and that were let in.', examples: [42] }),
  last_used_at: Computed(Nullable(Timestamp)),
  ended_at: Nullable(Timestamp),
  contested_at: Nullable({
    ...Timestamp,
    description:
      'Since when another organization claims the same key. One that was in use before is taken all the same.',
    examples: [null],
  }),
  created_at: Timestamp,
}

export const ForeignKey = Type.Object(fields, {
  title: 'ForeignKey',
  description: 'The foreign key. Neither its text nor its digest is shown.',
})
export type ForeignKeyView = Static<typeof ForeignKey>

export const RegisteredForeignKeys = Type.Object(
  {
    data: Type.Array(
      Nullable(
        Type.Object({
          ...fields,
          created: Type.Boolean({
            description: 'False where the organization had it already: then nothing was changed.',
          }),
        }),
      ),
    ),
  },
  { title: 'RegisteredForeignKeys', description: 'The foreign keys, in the order of the request.' },
)

export type RegisteredForeignKeys = Static<typeof RegisteredForeignKeys>

export const ForeignKeyPath = Type.Object({ id: PathId('org'), foreign_key_id: PathId('foreignKey') })
export const ForeignKeyList = ListOf(ForeignKey)
export const ForeignKeyListQuery = ListQuery(
  { created_at: 'time' },
  {
    status: Type.Enum([...foreignKeyStatuses]),
    key_id: IdFilter(['key'], 'The one that stands for this key.'),
    owner_id: IdFilter(['member'], 'Those whose key this member answers for.'),
    used_since: { ...Moment, description: 'Only those used at this time or later: whoever has still to change.' },
  },
)

export const AdminForeignKeyPath = Type.Object({ org_id: PathId('org'), foreign_key_id: PathId('foreignKey') })

export const ContestedForeignKey = Type.Object(
  {
    id: Id('foreignKey'),
    org_id: Id('org'),
    contest_id: Type.String({
      description: 'The same for all claims of one key.',
      examples: ['0193a1c2-7f31-7d52-9d35-8a5b1c2d3e4f'],
    }),
    status: OneOf(['active', 'contested'], {
      description: '`active`: it was in use before anybody else claimed the key, and is taken. `contested`: it is not.',
    }),
    uses: { ...Count, examples: [42] },
    last_used_at: Nullable(Timestamp),
    contested_at: Timestamp,
    created_at: Timestamp,
  },
  { title: 'ContestedForeignKey', description: 'One of several claims of a key, by different organizations.' },
)
export type ContestedForeignKeyView = Static<typeof ContestedForeignKey>
export const ContestedForeignKeyList = ListOf(ContestedForeignKey)
export const ContestedForeignKeyListQuery = ListQuery({ contested_at: 'time' }, {})
