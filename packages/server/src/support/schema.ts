import { type Static, Type } from 'typebox'
import { ListOf, ListQuery } from '../contract/lists.ts'
import { Id, Nullable, PathId, Timestamp } from '../contract/wire.ts'

const maxDurationSeconds = 7 * 86_400

export const GrantInput = Type.Object({
  org_id: Type.String({ minLength: 1, maxLength: 40 }),
  scope: Type.Enum(['read', 'billing', 'configuration']),
  reason: Type.String({ minLength: 1, maxLength: 500, examples: ['Ticket 4711: budget refuses every call'] }),
  duration_seconds: Type.Integer({ minimum: 60, maximum: maxDurationSeconds, examples: [3600] }),
})
export type GrantInput = Static<typeof GrantInput>

const fields = {
  id: Id('grant'),
  org_id: Id('org'),
  operator_key_id: Id('key'),
  scope: Type.String(),
  reason: Type.String(),
  status: Type.String({ description: '`active`, `revoked` or `expired`.' }),
  expires_at: Timestamp,
  revoked_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const Grant = Type.Object(fields)
export const GrantWithToken = Type.Object({
  ...fields,
  token: Type.String({ description: 'Used like a key. Shown here only.' }),
})
export type GrantView = Static<typeof Grant>

export const GrantList = ListOf(Grant)
export const GrantListQuery = ListQuery({ created_at: 'time' })
export const AdminGrantPath = Type.Object({ grant_id: PathId('grant') })
export const OrgGrantPath = Type.Object({ id: PathId('org'), grant_id: PathId('grant') })
