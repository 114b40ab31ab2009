import { formatId } from '../../values/id.ts'
import { timestamp, timestampOrNull } from '../../values/timestamp.ts'
import type { GrantRow } from './queries.ts'
import type { GrantView } from './schema.ts'

export const grantView = (row: GrantRow, now: Date): GrantView => ({
  id: formatId('grant', row.id),
  org_id: formatId('org', row.org_id),
  operator_key_id: formatId('key', row.operator_key_id),
  scope: row.scope,
  reason: row.reason,
  status: row.revoked_at !== null ? 'revoked' : row.expires_at <= now ? 'expired' : 'active',
  expires_at: timestamp(row.expires_at),
  revoked_at: timestampOrNull(row.revoked_at),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})
