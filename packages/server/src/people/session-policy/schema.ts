import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Timestamp } from '../../contract/wire.ts'

const shortest = 60
const longest = 2_592_000

const seconds = (description: string, example: number) =>
  Type.Optional(
    Type.Union([Type.Integer({ minimum: shortest, maximum: longest }), Type.Null()], {
      default: null,
      description,
      examples: [example],
    }),
  )
const idle =
  'A session ends when it was unused for so long; null for what the installation has set. A longer time than that has no effect.'
const most = 'A session ends after so long, however much it is used; null likewise.'
const keySignIn =
  'Whether keys and support tokens open sessions. `refuse` also ends the sessions that they have opened.'
const sso =
  '`required`: people sign in through an identity provider of the organization and in no other way. It also ends the sessions that they have opened otherwise.'

export const SessionPolicyInput = Type.Object(
  {
    idle_seconds: seconds(idle, 3_600),
    max_seconds: seconds(most, 28_800),
    key_sign_in: Type.Optional(Type.Enum(['allow', 'refuse'], { default: 'allow', description: keySignIn })),
    sso: Type.Optional(Type.Enum(['optional', 'required'], { default: 'optional', description: sso })),
  },
  {
    title: 'SessionPolicyInput',
    examples: [{ idle_seconds: 3_600, max_seconds: 28_800, key_sign_in: 'allow', sso: 'optional' }],
  },
)
export type SessionPolicyInput = Static<typeof SessionPolicyInput>

export const SessionPolicy = Type.Object(
  {
    idle_seconds: Nullable(Type.Integer({ description: idle, examples: [3_600] })),
    max_seconds: Nullable(Type.Integer({ description: most, examples: [28_800] })),
    key_sign_in: OneOf(['allow', 'refuse'], { description: keySignIn }),
    sso: OneOf(['optional', 'required'], { description: sso }),
    created_at: Nullable({ ...Timestamp, description: 'null where nothing was set.' }),
    updated_at: Nullable(Timestamp),
  },
  { title: 'SessionPolicy', description: 'What the organization demands of sessions.' },
)
export type SessionPolicy = Static<typeof SessionPolicy>
