import { formatId } from '../../values/id.ts'
import { timestamp, timestampOrNull } from '../../values/timestamp.ts'
import type { KeyRow } from './queries.ts'
import type { KeyStatus, KeyView } from './schema.ts'

const keyStatus = ({ revoked_at, expires_at, not_before }: KeyRow, now: Date): KeyStatus => {
  if (revoked_at !== null) return 'revoked'
  if (expires_at !== null && expires_at <= now) return 'expired'
  return not_before !== null && not_before > now ? 'pending' : 'active'
}

const keyIdOrNull = (id: string | null) => (id === null ? null : formatId('key', id))
const memberIdOrNull = (id: string | null) => (id === null ? null : formatId('member', id))

export const keyView = (row: KeyRow, now: Date): KeyView => ({
  id: formatId('key', row.id),
  org_id: formatId('org', row.org_id),
  name: row.name,
  role: row.role,
  scopes: row.scopes,
  pins: row.pins,
  status: keyStatus(row, now),
  not_before: timestampOrNull(row.not_before),
  expires_at: timestampOrNull(row.expires_at),
  owner_id: memberIdOrNull(row.owner_id),
  minted_by: keyIdOrNull(row.minted_by) ?? memberIdOrNull(row.minted_by_member),
  rotated_from: keyIdOrNull(row.rotated_from),
  rotated_to: keyIdOrNull(row.rotated_to),
  last_used_at: timestampOrNull(row.last_used_at),
  revoked_at: timestampOrNull(row.revoked_at),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})
