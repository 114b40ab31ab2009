import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import { lockLedgerForConfigChange } from '../../money/ledger/ledger.ts'
import { formatId } from '../../values/id.ts'
import { timestamp, timestampOrNull } from '../../values/timestamp.ts'
import { findOrg, lockOrg, type OrgFields, type OrgRow, renewPolicySet, setAddressList, updateOrg } from './queries.ts'
import type { OrgView, ResidencyInput } from './schema.ts'

export { findOrg, lockOrg, setAddressList }

export const orgView = (row: OrgRow): OrgView => ({
  id: formatId('org', row.id),
  name: row.name,
  status: row.status,
  suspended_at: timestampOrNull(row.suspended_at),
  suspension_reason: row.status === 'suspended' ? row.status_reason : null,
  ip_allow_list: row.ip_allow_list,
  required_dimensions: row.required_dimensions,
  residency: row.residency === 'strict' ? 'strict' : 'none',
  home_region: row.home_region,
  timezone: row.timezone,
  max_new_values_per_day: row.max_new_values_per_day,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

/** Changes an organization and records it; a request for its current state changes nothing. */
export async function changeOrg(
  { tx, audit, emit, replaces, accessChanged }: ChangeTools,
  orgId: string,
  action: string,
  given: OrgFields | ((before: OrgView) => OrgFields),
): Promise<OrgView> {
  const found = await lockOrg(tx, orgId)
  if (!found) throw new ApiError('not_found')
  const before = orgView(found)
  replaces(before)
  const fields = typeof given === 'function' ? given(before) : given
  if (fields.status === found.status) return before
  const after = orgView(await updateOrg(tx, orgId, fields))
  if (after.timezone !== before.timezone) {
    await renewPolicySet(tx, orgId)
    await lockLedgerForConfigChange(tx, orgId)
  }
  audit({ action, target: { kind: 'org', id: after.id }, before, after })
  if (fields.status !== undefined)
    emit({
      kind: fields.status === 'suspended' ? 'org.suspended' : 'org.resumed',
      subject: after.id,
      data: { name: after.name, status: after.status },
    })
  if (after.residency !== before.residency)
    emit({
      kind: 'org.residency_changed',
      subject: after.id,
      data: { name: after.name, residency: after.residency, home_region: after.home_region },
    })
  accessChanged()
  return after
}

/** Returns the fields by which an organization is bound to the region of this installation, or no longer. */
export function residencyFields(region: string | undefined, { residency }: ResidencyInput): OrgFields {
  if (residency === 'strict' && region === undefined) throw new ApiError('conflict', {}, { message: noRegion })
  return { residency, home_region: region ?? null }
}

const noRegion =
  'This installation does not say in which region it stands, so nothing can be bound to one: its operator sets SVC_REGION.'
