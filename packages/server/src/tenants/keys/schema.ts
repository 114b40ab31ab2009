import { type Static, Type } from 'typebox'
import { tenantScopes } from '../../access/identity/identity.ts'
import type { FieldFault } from '../../contract/errors.ts'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { roles } from '../../contract/routes.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import {
  Computed,
  exampleId,
  Id,
  isOwnId,
  Moment,
  maxOwnIdLength,
  Nullable,
  OneOf,
  PathId,
  Timestamp,
} from '../../contract/wire.ts'
import { idPattern } from '../../values/id.ts'

const tenantRoles = ['owner', 'admin', 'member', 'viewer', 'service'] as const
export const keyStatuses = ['active', 'pending', 'expired', 'revoked'] as const
export type KeyStatus = (typeof keyStatuses)[number]
const maxRotationOverlapSeconds = 30 * 86_400

/** A time given by a caller, with any offset. */
const Instant = Type.String({ format: 'date-time', maxLength: 35, examples: ['2027-01-01T00:00:00+00:00'] })

/** A dimension value that a call could send. Its pattern is checked separately, because the released schema has none. */
const PinnedValue = Type.String({ minLength: 1, maxLength: maxOwnIdLength })

const Pins = Type.Object(
  {
    workflow_id: Type.Optional(PinnedValue),
    deployment_id: Type.Optional(PinnedValue),
    department_id: Type.Optional(PinnedValue),
    customer_id: Type.Optional(PinnedValue),
    user_id: Type.Optional(PinnedValue),
  },
  { title: 'Pins' },
)

export const KeyName = Type.String({ minLength: 1, maxLength: 100, examples: ['checkout agent'] })

const OwnerId = Type.Union([Type.String({ pattern: idPattern('member'), maxLength: 40 }), Type.Null()], {
  description:
    'The member who answers for the key; it ends when they are removed or deactivated. By default you, or whoever answers for your key.',
  examples: [exampleId('member')],
})

const input = Type.Object(
  {
    name: KeyName,
    role: Type.Enum([...tenantRoles]),
    scopes: Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...tenantScopes] }), {
      minItems: 1,
      maxItems: tenantScopes.length,
      uniqueItems: true,
      examples: [['runs:write', 'edge:decide']],
    }),
    pins: Type.Optional(Pins),
    owner_id: Type.Optional(OwnerId),
    not_before: Type.Optional(Instant),
    expires_at: Type.Optional(Instant),
  },
  {
    title: 'KeyInput',
    examples: [
      {
        name: 'checkout agent',
        role: 'service',
        scopes: ['edge:decide', 'runs:write'],
        pins: { department_id: 'support' },
      },
    ],
  },
)
export type KeyInput = Static<typeof input>

const isText = (value: unknown): value is string => typeof value === 'string'
const faultIn = (field: string, message: string): FieldFault => ({ field, code: 'invalid_format', message })

/** Field errors of times and pins of a key that their schemas do not find. */
export const keyFaults = ({
  not_before,
  expires_at,
  pins,
}: Pick<KeyInput, 'not_before' | 'expires_at' | 'pins'>): FieldFault[] => [
  // A leap second is valid by its format, but no clock here has one.
  ...Object.entries({ not_before, expires_at })
    .filter(([, value]) => isText(value) && Number.isNaN(Date.parse(value)))
    .map(([field]) => faultIn(field, 'Must be an existing time.')),
  ...Object.entries(pins ?? {})
    .filter(([, value]) => isText(value) && value !== '' && !isOwnId(value))
    .map(([name]) => faultIn(`pins.${name}`, 'Must not contain control characters, nor be "." or "..".')),
]

export const KeyInput = withCheck(input, keyFaults)

/** Fields of a new key beside its role and scopes. */
export const keyLabels = {
  name: KeyName,
  pins: Type.Optional(Pins),
  owner_id: Type.Optional(OwnerId),
  expires_at: Type.Optional(Instant),
}

/** Changeable fields of a key: its powers are fixed when it is minted. */
export const KeyChange = Type.Object(
  {
    name: KeyName,
    owner_id: Type.Optional({
      ...OwnerId,
      default: null,
      description: 'The member who answers for the key; it ends when they are removed or deactivated.',
    }),
  },
  { title: 'KeyChange', examples: [{ name: 'checkout agent, second region' }] },
)

export type KeyChange = Static<typeof KeyChange>

export const RevokeInput = Type.Object(
  {
    descendants: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Also revokes every key that this one has created or rotated, recursively.',
      }),
    ),
  },
  { title: 'RevokeInput', examples: [{ descendants: true }] },
)

/** Input of an owner's key that an operator mints for an organization that has lost its own. */
export const OwnerKeyInput = Type.Object(
  { name: KeyName, expires_at: Type.Optional(Moment) },
  { title: 'OwnerKeyInput', examples: [{ name: 'Second owner' }] },
)

export const RotateKeyInput = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxRotationOverlapSeconds,
        default: 0,
        description: 'How long the old key continues to work.',
      }),
    ),
  },
  { title: 'RotateKeyInput', examples: [{ overlap_seconds: 3_600 }] },
)

const fields = {
  id: Id('key'),
  org_id: Id('org'),
  name: Type.String(),
  role: OneOf(roles, { examples: ['admin'] }),
  scopes: Type.Array(Type.String()),
  pins: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
  status: Computed(
    OneOf(keyStatuses, {
      description:
        '`active`: it works. `pending`: before `not_before`. `expired`: after `expires_at`, for a rotated key after its overlap. `revoked`.',
    }),
  ),
  not_before: Nullable(Timestamp),
  expires_at: Nullable(Timestamp),
  owner_id: Nullable(
    Type.String({ ...Id('member'), description: 'The member who answers for it, and with whom it ends.' }),
  ),
  minted_by: Nullable(
    Type.String({
      description: 'The key that created this one, or the member (`mbr_…`) who was shown its secret.',
      examples: [exampleId('key')],
    }),
  ),
  rotated_from: Nullable(Type.String({ ...Id('key'), description: 'The key that this one replaced.' })),
  rotated_to: Nullable(Type.String({ ...Id('key'), description: 'The key that replaced this one.' })),
  last_used_at: Computed(Nullable(Timestamp)),
  revoked_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const Key = Type.Object(fields, { title: 'Key', description: 'The key, without its secret.' })
export const KeyWithSecret = Type.Object(
  {
    ...fields,
    secret: Type.String({ description: 'The whole key. Shown only here: it is not stored.', examples: ['weir_c1…'] }),
  },
  { title: 'KeyWithSecret', description: 'The key, with its secret: shown in this response only.' },
)
export const RevokedKey = Type.Object(
  {
    ...fields,
    revoked_descendants: Type.Optional(
      Type.Array(Id('key'), { description: 'The keys revoked with it, if `descendants` was requested.' }),
    ),
  },
  { title: 'RevokedKey', description: 'The key, revoked.' },
)
export type KeyView = Static<typeof Key>

export const KeyPath = Type.Object({ id: PathId('org'), key_id: PathId('key') })
export const KeyList = ListOf(Key)
export const KeyListQuery = ListQuery(
  { created_at: 'time', name: 'text' },
  {
    role: Type.Enum([...tenantRoles]),
    status: Type.Enum([...keyStatuses]),
    minted_by: Type.String({ pattern: idPattern('key'), maxLength: 40, description: 'The key that created them.' }),
    owner_id: Type.String({
      pattern: idPattern('member'),
      maxLength: 40,
      description: 'The member who answers for them.',
    }),
  },
  'uuid',
  'oldest first',
)
