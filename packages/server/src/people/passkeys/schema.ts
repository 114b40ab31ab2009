import { type Static, Type } from 'typebox'
import { Id, Nullable, PathId, Timestamp } from '../../contract/wire.ts'

export const Passkey = Type.Object(
  {
    id: Id('passkey'),
    name: Type.String({ description: 'The name that you gave it.', examples: ['Laptop'] }),
    is_backed_up: Type.Boolean({
      description: 'True for a passkey that its owner’s devices share; false for one that is lost with its device.',
      examples: [true],
    }),
    last_used_at: Nullable({ ...Timestamp, description: 'null before its first use.' }),
    created_at: Timestamp,
  },
  { title: 'Passkey', description: 'A passkey of a person.' },
)
export type PasskeyView = Static<typeof Passkey>

export const PasskeyList = Type.Object(
  { data: Type.Array(Passkey, { description: 'All of them, the oldest first.' }) },
  { title: 'PasskeyList', description: 'The passkeys of a person.' },
)

export const PasskeyPath = Type.Object({ passkey_id: PathId('passkey') })

export const PasskeyName = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 100, description: 'Its new name.', examples: ['Laptop'] }) },
  { title: 'PasskeyName', examples: [{ name: 'Laptop' }] },
)
