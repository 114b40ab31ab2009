import type { ChangeTools, PageTools } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { lockOrg } from '../../tenants/orgs/orgs.ts'
import { formatId } from '../../values/id.ts'
import { normalForm } from '../../values/normal-form.ts'
import { timestampOrNull } from '../../values/timestamp.ts'
import { changeMember, lockMember } from '../members/members.ts'
import { countOwnersBeside, findGroupedUsers } from './queries.ts'
import { ScimError } from './refusals.ts'
import type { DirectoryRole, DirectoryRolesInput, DirectoryRolesView } from './schema.ts'
import { type DirectoryRolesRow, findRoles, upsertRoles } from './token-queries.ts'

type Rules = Pick<DirectoryRolesRow, 'rules' | 'default_role'>

const none: Rules = { rules: [], default_role: 'viewer' }

const viewOf = (row: DirectoryRolesRow | undefined): DirectoryRolesView => ({
  rules: row?.rules ?? none.rules,
  default_role: row?.default_role ?? none.default_role,
  created_at: timestampOrNull(row?.created_at ?? null),
  updated_at: timestampOrNull(row?.updated_at ?? null),
})

export const getRoles = async (tx: Tx, orgId: string): Promise<DirectoryRolesView> => viewOf(await findRoles(tx, orgId))

/** Returns the role that rules give to somebody with these groups, named in their normal form. */
export function roleBy({ rules, default_role }: Rules, groups: readonly string[]): DirectoryRole {
  const names = new Set(groups)
  return rules.find(({ group }) => names.has(normalForm(group)))?.role ?? default_role
}

/** Sets the rules, and gives everybody whom a directory keeps the role that follows from them. */
export async function putRoles(
  platform: Platform,
  tools: ChangeTools,
  orgId: string,
  wanted: DesiredState<DirectoryRolesInput>,
): Promise<DirectoryRolesView> {
  const { tx, audit, replaces } = tools
  await lockOrg(tx, orgId)
  const before = viewOf(await findRoles(tx, orgId))
  replaces(before)
  const { rules, default_role = none.default_role } = wanted(before)
  const after = viewOf(await upsertRoles(tx, orgId, { rules, default_role }))
  const target = { kind: 'directory_roles', id: formatId('org', orgId) }
  audit({ action: 'directory_roles.set', target, before, after })
  await applyRoles(platform, tools, orgId, 'all').catch((error: unknown) => {
    throw error instanceof ScimError ? new ApiError('conflict', {}, { message: error.message }) : error
  })
  return after
}

/** Returns the role of somebody who is in no group yet. */
export const roleOfNewUser = async (tx: Tx, orgId: string): Promise<DirectoryRole> =>
  roleBy((await findRoles(tx, orgId)) ?? none, [])

/** Most roles that one request changes: each change binds every process and may end keys, so it takes its time. */
const maxChanges = 5_000

/**
 * Gives users whom a directory keeps the role that follows from their groups. Without rules roles stay as they are; and the last owner
 * who can act stays one, so that no directory locks an organization out by a mistake in its groups.
 */
export async function applyRoles(platform: Platform, tools: PageTools, orgId: string, ids: readonly string[] | 'all') {
  const { tx } = tools
  const roles = (await findRoles(tx, orgId)) ?? none
  if (roles.rules.length === 0 || ids.length === 0) return
  const users = (await findGroupedUsers(tx, orgId, ids)).map((user) => ({
    ...user,
    wanted: roleBy(roles, user.groups),
  }))
  const due = users.filter(({ role, wanted }) => role !== wanted)
  if (due.length > maxChanges)
    throw new ScimError(
      409,
      `This would change ${due.length} roles; one request changes ${maxChanges} at most. Take smaller steps.`,
      'tooMany',
    )
  for (const { member_id, role, wanted } of due) {
    if (role === 'owner' && (await countOwnersBeside(tx, orgId, member_id)) === 0) continue
    const row = await lockMember(tx, orgId, member_id)
    if (row) await changeMember(platform, tools, row, { role: wanted }, { isDirectory: true })
  }
}
