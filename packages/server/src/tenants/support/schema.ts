import { type Static, Type } from 'typebox'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { exampleId, Id, Nullable, OneOf, PathId, Timestamp } from '../../contract/wire.ts'
import { idPattern } from '../../values/id.ts'

const maxDurationSeconds = 7 * 86_400

export const GrantInput = Type.Object(
  {
    org_id: Type.String({ minLength: 1, maxLength: 40 }),
    scope: Type.Enum(['read', 'billing', 'configuration']),
    reason: Type.String({ minLength: 1, maxLength: 500, examples: ['Ticket 4711: budget refuses every call'] }),
    duration_seconds: Type.Integer({ minimum: 60, maximum: maxDurationSeconds, examples: [3600] }),
  },
  {
    title: 'GrantInput',
    examples: [
      {
        org_id: exampleId('org'),
        scope: 'read',
        reason: 'Ticket 4711: budget refuses every call',
        duration_seconds: 3_600,
      },
    ],
  },
)
export type GrantInput = Static<typeof GrantInput>

const fields = {
  id: Id('grant'),
  org_id: Id('org'),
  operator_key_id: Id('key'),
  scope: OneOf(['read', 'billing', 'configuration']),
  reason: Type.String(),
  status: OneOf(['active', 'revoked', 'expired']),
  expires_at: Timestamp,
  revoked_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const SupportGrant = Type.Object(fields, {
  title: 'SupportGrant',
  description: 'The support grant, without its token.',
})
export const GrantWithToken = Type.Object(
  {
    ...fields,
    token: Type.String({ description: 'Used like a key. Shown only here.' }),
  },
  { title: 'GrantWithToken', description: 'The support grant, with its token: shown in this response only.' },
)
export type GrantView = Static<typeof SupportGrant>

export const SupportGrantList = ListOf(SupportGrant)
export const grantStatuses = ['active', 'revoked', 'expired'] as const
const status = Type.Enum([...grantStatuses])
export const GrantListQuery = ListQuery({ created_at: 'time' }, { status }, 'uuid', 'oldest first')
export const AdminGrantListQuery = ListQuery(
  { created_at: 'time' },
  {
    status,
    org_id: Type.String({
      pattern: idPattern('org'),
      maxLength: 40,
      description: 'Only grants for this organization.',
    }),
  },
  'uuid',
  'oldest first',
)
export const AdminGrantPath = Type.Object({ grant_id: PathId('grant') })
export const OrgGrantPath = Type.Object({ id: PathId('org'), grant_id: PathId('grant') })
