import { formatId } from '../../values/id.ts'
import { timestamp, timestampOrNull } from '../../values/timestamp.ts'
import type { DomainRow } from './queries.ts'
import type { DomainView } from './schema.ts'

/** Returns the name of the DNS records that prove a domain: one name, whichever organization proves it. */
export const recordNameOf = (domain: string) => `_weir-challenge.${domain}`

/** Returns the DNS record by which an organization proves that a domain is its own. */
export const recordOf = ({ domain, token }: Pick<DomainRow, 'domain' | 'token'>) => ({
  type: 'TXT',
  name: recordNameOf(domain),
  value: `weir-domain-verification=${token}`,
})

export const domainView = (row: DomainRow): DomainView => ({
  id: formatId('domain', row.id),
  org_id: formatId('org', row.org_id),
  domain: row.domain,
  description: row.description,
  status: row.verified_at === null ? 'pending' : 'verified',
  connection_id: row.connection_id === null ? null : formatId('connection', row.connection_id),
  record: recordOf(row),
  verified_at: timestampOrNull(row.verified_at),
  checked_at: timestampOrNull(row.checked_at),
  missed_days: row.missed_days,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})
