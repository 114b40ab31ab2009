import { isDeepStrictEqual } from 'node:util'
import type { PageTools } from '../../access/changes/changes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { lockOrg } from '../../tenants/orgs/orgs.ts'
import { formatId, parseId } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { timestamp } from '../../values/timestamp.ts'
import {
  addMember,
  changeMember,
  endMember,
  lockMember,
  type MemberChanges,
  type MemberRow,
  memberStatus,
  normalEmail,
  reactivateMember,
} from '../members/members.ts'
import { userKind } from './attributes.ts'
import { applyRoles, roleOfNewUser } from './directory-roles.ts'
import { readPatch } from './patch.ts'
import { patchUser } from './patched-user.ts'
import { deleteUser, findUser, findUsersNamed, type UserAttributes, type UserRow, upsertUser } from './queries.ts'
import { ScimError } from './refusals.ts'
import { addressOf, readUser, shownNameOf, type UserDocument, type UserEmail, userView } from './user-document.ts'

/** Users of directories: each is a member of the organization. */

export const noSuchUser = () => new ScimError(404, 'There is no such user.')

/** Returns a member as the directory knows them. Whatever the membership has is taken from there. */
export const documentOf = (row: UserRow): UserDocument => ({
  userName: row.user_name ?? row.email,
  externalId: row.external_id ?? undefined,
  active: row.deactivated_at === null,
  displayName: row.attributes ? row.attributes.displayName : row.name === '' ? undefined : row.name,
  name: row.attributes?.name ?? {},
  emails: row.attributes?.emails ?? [{ value: row.email, type: 'work', primary: true }],
})

export function viewOfUser(row: UserRow, base: string) {
  const id = formatId('member', row.id)
  const document = documentOf(row)
  const emails: readonly UserEmail[] =
    document.emails.length > 0 ? document.emails : [{ value: row.email, primary: true }]
  return userView(
    { ...document, emails },
    {
      id,
      created: timestamp(row.created_at),
      lastModified: timestamp(row.updated_at),
      location: `${base}/Users/${id}`,
    },
  )
}

const attributesOf = ({ displayName, name, emails }: UserDocument): UserAttributes => ({
  ...(displayName !== undefined && { displayName }),
  name,
  emails,
})

/** Stores what a directory says of a member; throws where another user has the name. */
async function store(tx: Tx, orgId: string, memberId: string, user: UserDocument) {
  const key = normalEmail(user.userName)
  const isOther = (row: UserRow) => row.id !== memberId && normalEmail(documentOf(row).userName) === key
  if ((await findUsersNamed(tx, orgId, key)).some(isOther))
    throw new ScimError(409, 'Another user has this userName.', 'uniqueness')
  await upsertUser(tx, orgId, memberId, { key, attributes: attributesOf(user) })
}

const reread = async (tx: Tx, orgId: string, id: string): Promise<UserRow> => present(await findUser(tx, orgId, id))

/** Makes a user, who is a member from now on. */
export async function createUser(platform: Platform, tools: PageTools, orgId: string, body: unknown): Promise<UserRow> {
  const { tx } = tools
  const user = readUser(body)
  await lockOrg(tx, orgId)
  const member = await addMember(tools, orgId, {
    email: addressOf(user),
    name: shownNameOf(user) ?? '',
    role: await roleOfNewUser(tx, orgId),
    userName: user.userName,
    externalId: user.externalId ?? null,
    isAccepted: true,
  })
  await store(tx, orgId, member.id, user)
  if (!user.active) await endMember(platform, tools, member, 'deactivated', { isDirectory: true })
  return reread(tx, orgId, member.id)
}

/** Changes a user to what `desired` makes of the current one. */
async function changeUser(
  platform: Platform,
  tools: PageTools,
  orgId: string,
  text: string,
  desired: (current: UserDocument) => UserDocument,
): Promise<UserRow> {
  const { tx } = tools
  const id = parseId('member', text)
  await lockOrg(tx, orgId)
  const member = id === undefined ? undefined : await lockMember(tx, orgId, id)
  if (!member || memberStatus(member) === 'removed') throw noSuchUser()
  const row = await reread(tx, orgId, member.id)
  const current = documentOf(row)
  const user = desired(current)
  const isKnown = row.attributes !== null
  if (isKnown && isDeepStrictEqual(user, current)) return row
  await store(tx, orgId, member.id, user)
  await changeMembership(platform, tools, member, user)
  // Somebody who was invited by hand: from now on their groups decide.
  if (!isKnown) await applyRoles(platform, tools, orgId, [member.id])
  return reread(tx, orgId, member.id)
}

/** Brings a membership to what its user is now. An end binds every process before the directory is answered. */
async function changeMembership(platform: Platform, tools: PageTools, member: MemberRow, user: UserDocument) {
  const email = addressOf(user)
  const name = shownNameOf(user) ?? ''
  const externalId = user.externalId ?? null
  const changes: MemberChanges = {
    ...(email !== member.email && { email }),
    ...(name !== member.name && { name }),
    ...(user.userName !== member.user_name && { userName: user.userName }),
    ...(externalId !== member.external_id && { externalId }),
  }
  const changed = await changeMember(platform, tools, member, changes, { isDirectory: true })
  const isActive = memberStatus(changed) !== 'deactivated'
  if (isActive && !user.active) await endMember(platform, tools, changed, 'deactivated', { isDirectory: true })
  if (!isActive && user.active) await reactivateMember(tools, changed)
}

/** Replaces a user. Whether they are active stays as it is where the directory does not say. */
export const replaceUser = (platform: Platform, tools: PageTools, orgId: string, id: string, body: unknown) =>
  changeUser(platform, tools, orgId, id, ({ active }) => readUser(body, active))

export function patchUserById(platform: Platform, tools: PageTools, orgId: string, id: string, body: unknown) {
  const operations = readPatch(body, userKind)
  return changeUser(platform, tools, orgId, id, (current) => patchUser(current, operations))
}

/** Removes a user: the membership ends, with its sessions and keys. */
export async function removeUser(platform: Platform, tools: PageTools, orgId: string, text: string) {
  const { tx } = tools
  const id = parseId('member', text)
  await lockOrg(tx, orgId)
  const member = id === undefined ? undefined : await lockMember(tx, orgId, id)
  if (!member || memberStatus(member) === 'removed') throw noSuchUser()
  await endMember(platform, tools, member, 'removed', { isDirectory: true })
  await deleteUser(tx, orgId, member.id)
}
