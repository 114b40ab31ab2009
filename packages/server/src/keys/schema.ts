import { type Static, Type } from 'typebox'
import type { FieldFault } from '../contract/errors.ts'
import { ListOf, ListQuery } from '../contract/lists.ts'
import { withCheck } from '../contract/semantic-check.ts'
import { Id, Nullable, PathId, Timestamp } from '../contract/wire.ts'
import { tenantScopes } from '../identity/identity.ts'

const tenantRoles = ['owner', 'admin', 'member', 'viewer', 'service'] as const
const maxRotationOverlapSeconds = 30 * 86_400

/** A time that a caller gives, with any offset. */
const Instant = Type.String({ format: 'date-time', maxLength: 35, examples: ['2027-01-01T00:00:00+00:00'] })
const DimensionValue = Type.String({ minLength: 1, maxLength: 128 })

export const Pins = Type.Object({
  workflow_id: Type.Optional(DimensionValue),
  deployment_id: Type.Optional(DimensionValue),
  department_id: Type.Optional(DimensionValue),
  customer_id: Type.Optional(DimensionValue),
})

const input = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100, examples: ['checkout agent'] }),
  role: Type.Enum([...tenantRoles]),
  scopes: Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...tenantScopes] }), {
    minItems: 1,
    maxItems: tenantScopes.length,
    uniqueItems: true,
    examples: [['runs:write', 'edge:decide']],
  }),
  pins: Type.Optional(Pins),
  not_before: Type.Optional(Instant),
  expires_at: Type.Optional(Instant),
})
export type KeyInput = Static<typeof input>

/** A leap second is a time by its format, but no clock here has one. */
export const KeyInput = withCheck(input, ({ not_before, expires_at }: KeyInput): FieldFault[] =>
  Object.entries({ not_before, expires_at }).flatMap(([field, text]) =>
    text !== undefined && Number.isNaN(Date.parse(text))
      ? [{ field, code: 'invalid_format' as const, message: 'There is no such time.' }]
      : [],
  ),
)

export const RotateInput = Type.Object({
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: maxRotationOverlapSeconds,
      default: 0,
      description: 'How long the old key goes on working.',
    }),
  ),
})

const fields = {
  id: Id('key'),
  org_id: Id('org'),
  name: Type.String(),
  role: Type.String(),
  scopes: Type.Array(Type.String()),
  pins: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
  status: Type.String({ description: '`active` or `revoked`.' }),
  not_before: Nullable(Timestamp),
  expires_at: Nullable(Timestamp),
  last_used_at: Nullable(Timestamp),
  revoked_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const Key = Type.Object(fields)
export const KeyWithSecret = Type.Object({
  ...fields,
  secret: Type.String({ description: 'The whole key. Shown here only: it is not stored.', examples: ['weir_c1…'] }),
})
export type KeyView = Static<typeof Key>

export const KeyPath = Type.Object({ id: PathId('org'), key_id: PathId('key') })
export const KeyList = ListOf(Key)
export const KeyListQuery = ListQuery(
  { created_at: 'time', name: 'text' },
  { role: Type.Enum([...tenantRoles]), status: Type.Enum(['active', 'revoked']) },
)
