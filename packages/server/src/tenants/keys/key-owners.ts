import { lockMemberShared } from '../../access/identity/identity.ts'
import { type FieldFault, validationFailed } from '../../contract/errors.ts'
import { includesRole, type Role } from '../../contract/routes.ts'
import type { Tx } from '../../platform/infra/sql.ts'

/** Members who answer for keys. */

/** Returns what speaks against an owner who is not a member, or whose role is below that of an administrator's key. */
export async function faultsOfOwner(tx: Tx, orgId: string, role: Role, ownerId: string | null): Promise<FieldFault[]> {
  if (ownerId === null) return []
  const member = await lockMemberShared(tx, orgId, ownerId)
  const fault = (message: string): FieldFault[] => [{ field: 'owner_id', code: 'invalid_value', message }]
  if (!member || member.removed_at !== null || member.deactivated_at !== null)
    return fault('Must be an active member of the organization.')
  return exceedsMember(role, member.role as Role) ? fault('Must have at least the role of the key.') : []
}

/** Refuses an owner against whom something speaks. */
export async function requireOwner(...asked: Parameters<typeof faultsOfOwner>) {
  const faults = await faultsOfOwner(...asked)
  if (faults.length > 0) throw validationFailed(faults)
}

/** True when a key of an administrator has more power than a member. Keys that do not administer are not bound by a member's role. */
export const exceedsMember = (role: Role, memberRole: Role) =>
  includesRole(role, 'admin') && !includesRole(memberRole, role)
