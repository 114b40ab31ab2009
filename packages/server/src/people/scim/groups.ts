import type { PageTools } from '../../access/changes/changes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { lockOrg } from '../../tenants/orgs/orgs.ts'
import { formatId, newUuid, parseId } from '../../values/id.ts'
import { normalForm } from '../../values/normal-form.ts'
import { timestamp } from '../../values/timestamp.ts'
import { groupKind } from './attributes.ts'
import { applyRoles } from './directory-roles.ts'
import { type GroupChange, groupView, readGroup, readGroupChange } from './group-document.ts'
import {
  addGroupMembers,
  countGroupMembers,
  countGroups,
  deleteGroup,
  existingMembers,
  findGroup,
  findGroupNamed,
  type GroupMemberRow,
  type GroupRow,
  insertGroup,
  membersOfGroups,
  removeGroupMembers,
  updateGroup,
} from './group-queries.ts'
import { readPatch } from './patch.ts'
import { badValue, ScimError } from './refusals.ts'

/** Groups of directories, by whose names rules give roles. */

const maxGroups = 1_000
const maxMembers = 20_000

export const noSuchGroup = () => new ScimError(404, 'There is no such group.')
const nameTaken = () => new ScimError(409, 'Another group has this displayName.', 'uniqueness')

export function viewOfGroup(row: GroupRow, members: readonly GroupMemberRow[] | undefined, base: string) {
  const id = formatId('scimGroup', row.id)
  return groupView(
    { displayName: row.display_name, externalId: row.external_id ?? undefined },
    members?.map(({ member_id, display }) => ({ value: formatId('member', member_id), display })),
    {
      id,
      created: timestamp(row.created_at),
      lastModified: timestamp(row.updated_at),
      location: `${base}/Groups/${id}`,
    },
  )
}

/** Returns the ids of members that a directory names; throws where one is not a user of the organization. */
async function requireMembers(tx: Tx, orgId: string, texts: readonly string[]): Promise<string[]> {
  const ids = texts.map((text) => parseId('member', text))
  const existing = await existingMembers(
    tx,
    orgId,
    ids.filter((id) => id !== undefined),
  )
  return ids.map((id, i) => {
    if (id === undefined || !existing.has(id)) throw badValue(`There is no user ${texts[i]?.slice(0, 40)}.`)
    return id
  })
}

const targetOf = ({ id }: GroupRow) => ({ kind: 'scim_group', id: formatId('scimGroup', id) })
const namesOf = ({ display_name, external_id }: GroupRow) => ({ display_name, external_id })

export async function createGroup(platform: Platform, tools: PageTools, orgId: string, body: unknown) {
  const { tx, audit } = tools
  const { displayName, externalId, members } = readGroup(body)
  await lockOrg(tx, orgId)
  if ((await countGroups(tx, orgId)) >= maxGroups)
    throw new ScimError(403, `An organization can have ${maxGroups} groups. Push only those that rules name.`)
  const row = await insertGroup(tx, orgId, {
    id: newUuid(),
    display_name: displayName,
    name_key: normalForm(displayName),
    external_id: externalId ?? null,
  })
  if (!row) throw nameTaken()
  const added = await addGroupMembers(tx, orgId, row.id, await requireMembers(tx, orgId, members))
  audit({ action: 'scim_group.created', target: targetOf(row), after: { ...namesOf(row), members: added.length } })
  await applyRoles(platform, tools, orgId, added)
  return row
}

async function lockedGroup(tx: Tx, orgId: string, text: string): Promise<GroupRow> {
  const id = parseId('scimGroup', text)
  await lockOrg(tx, orgId)
  const row = id === undefined ? undefined : await findGroup(tx, orgId, id)
  if (!row) throw noSuchGroup()
  return row
}

/** Changes a group, and the roles of those whom that concerns. What is so already is not changed again. */
async function changeGroup(platform: Platform, tools: PageTools, orgId: string, text: string, change: GroupChange) {
  const { tx, audit } = tools
  const before = await lockedGroup(tx, orgId, text)
  const renamed = await rename(tx, orgId, before, change)
  const added = await requireMembers(tx, orgId, change.added)
  const removed = change.removed.map((id) => parseId('member', id)).filter((id) => id !== undefined)
  const gone = await removeGroupMembers(
    tx,
    orgId,
    before.id,
    change.replacesMembers ? { allBut: added } : { ids: removed },
  )
  const come = await addGroupMembers(tx, orgId, before.id, added)
  const counts = await countGroupMembers(tx, orgId, [before.id])
  if ((counts.get(before.id) ?? 0) > maxMembers) throw badValue(`A group has at most ${maxMembers} members.`)
  const isOtherName = renamed !== undefined && normalForm(renamed.display_name) !== normalForm(before.display_name)
  if (!renamed && gone.length === 0 && come.length === 0) return before
  const after = renamed ?? (await updateGroup(tx, orgId, before.id, {}))
  audit({
    action: 'scim_group.changed',
    target: targetOf(before),
    before: namesOf(before),
    after: { ...namesOf(after), members_added: come.length, members_removed: gone.length },
  })
  const others = isOtherName ? await idsIn(tx, orgId, before.id) : []
  await applyRoles(platform, tools, orgId, [...new Set([...gone, ...come, ...others])])
  return after
}

const idsIn = async (tx: Tx, orgId: string, groupId: string) =>
  (await membersOfGroups(tx, orgId, [groupId])).map(({ member_id }) => member_id)

/** Gives a group another name or external id; undefined when both are the same as before. */
async function rename(tx: Tx, orgId: string, row: GroupRow, { displayName, externalId }: GroupChange) {
  const name = displayName ?? row.display_name
  const external = externalId === undefined ? row.external_id : externalId
  if (name === row.display_name && external === row.external_id) return undefined
  const other = await findGroupNamed(tx, orgId, normalForm(name))
  if (other && other.id !== row.id) throw nameTaken()
  return updateGroup(tx, orgId, row.id, { display_name: name, name_key: normalForm(name), external_id: external })
}

export function patchGroup(platform: Platform, tools: PageTools, orgId: string, id: string, body: unknown) {
  return changeGroup(platform, tools, orgId, id, readGroupChange(readPatch(body, groupKind)))
}

export function replaceGroup(platform: Platform, tools: PageTools, orgId: string, id: string, body: unknown) {
  const { displayName, externalId = null, members } = readGroup(body)
  const change = { displayName, externalId, replacesMembers: true, added: members, removed: [] }
  return changeGroup(platform, tools, orgId, id, change)
}

export async function removeGroup(platform: Platform, tools: PageTools, orgId: string, text: string) {
  const { tx, audit } = tools
  const row = await lockedGroup(tx, orgId, text)
  const members = await idsIn(tx, orgId, row.id)
  await deleteGroup(tx, orgId, row.id)
  audit({ action: 'scim_group.deleted', target: targetOf(row), before: { ...namesOf(row), members: members.length } })
  await applyRoles(platform, tools, orgId, members)
}
