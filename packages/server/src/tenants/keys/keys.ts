import type { ChangeTools } from '../../access/changes/changes.ts'
import type { NewEvent } from '../../access/events/events.ts'
import {
  type Caller,
  isWithinPins,
  lockMemberShared,
  mintKey,
  requireCanEnd,
  scopesInGiftOf,
  secretKeyring,
  secretMac,
  tenantScopes,
} from '../../access/identity/identity.ts'
import { ApiError, type FieldFault, isApiError, validationFailed } from '../../contract/errors.ts'
import type { Role } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { requireId } from '../../values/id.ts'
import { one, present } from '../../values/present.ts'
import { exceedsMember, faultsOfOwner, requireOwner } from './key-owners.ts'
import { type Holder, type KeyRequest, type KeySpec, powersOf, specifyKey, specifySuccessor } from './key-spec.ts'
import { keyView } from './key-view.ts'
import { canReplace, isLastResort } from './last-resort.ts'
import {
  endShownTo,
  expireKey,
  insertKeys,
  type KeyRow,
  keysOfRole,
  listLiveDescendants,
  listLiveKeysOfMember,
  lockKey,
  lockKeyShared,
  lockOrgOfKeys,
  revokeKey,
  updateKey,
} from './queries.ts'
import type { KeyChange, KeyView } from './schema.ts'

export { type Holder, powersOf } from './key-spec.ts'
export { keyView } from './key-view.ts'
export { findKey, listKeys, lockOrgOfKeys } from './queries.ts'
export {
  Key,
  KeyList,
  KeyName,
  KeyWithSecret,
  keyFaults,
  keyLabels,
  keyStatuses,
  RevokedKey,
  RevokeInput,
  RotateKeyInput,
} from './schema.ts'

/** Mints a key; its secret is returned once and stored only as a keyed hash. */
export async function mint(
  platform: Platform,
  tx: Tx,
  orgId: string,
  wanted: KeySpec,
): Promise<{ view: KeyView; secret: string }> {
  return one(await mintAll(platform, tx, orgId, [wanted]))
}

/** Mints keys at once, in their order. */
async function mintAll(platform: Platform, tx: Tx, orgId: string, wanted: readonly KeySpec[]) {
  const { id: mac_key_id, bytes } = secretKeyring(platform).current
  const minted = wanted.map((spec) => ({ spec, ...mintKey(platform.config.cell) }))
  const rows = await insertKeys(
    tx,
    orgId,
    minted.map(({ spec, id, secret }) => ({
      id,
      name: spec.name,
      role: spec.role,
      scopes: [...spec.scopes],
      pins: spec.pins ?? {},
      mac: secretMac(bytes, secret),
      mac_key_id,
      not_before: spec.notBefore ?? null,
      expires_at: spec.expiresAt ?? null,
      lineage_id: spec.rotatedFrom?.lineage_id ?? id,
      rotated_from: spec.rotatedFrom?.id ?? null,
      minted_by: spec.mintedBy ?? null,
      minted_by_member: spec.mintedByMember ?? null,
      owner_id: spec.ownerId ?? null,
    })),
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  const now = platform.clock.now()
  return minted.map(({ id, text }) => ({ view: keyView(present(byId.get(id)), now), secret: text }))
}

/** Mints the key that a caller requests. */
export async function mintFor(platform: Platform, tx: Tx, caller: Holder, input: KeyRequest) {
  return one(await mintAllFor(platform, tx, caller, [input]))
}

/** Mints all keys that a caller requests, or none. Faults of all of them are refused together; `fieldOf` names a field of one. */
export async function mintAllFor(
  platform: Platform,
  tx: Tx,
  caller: Holder,
  inputs: readonly KeyRequest[],
  fieldOf = (_place: number, field: string) => field,
) {
  const now = platform.clock.now()
  const holder = await standing(tx, caller, now)
  const faults: FieldFault[] = []
  const refuse = (place: number, found: readonly FieldFault[]) =>
    faults.push(...found.map((fault) => ({ ...fault, field: fieldOf(place, fault.field) })))
  const specs = inputs.map((input, place) => {
    try {
      return specifyKey(holder, input, now)
    } catch (error) {
      if (!isApiError(error, 'validation_failed')) throw error
      refuse(place, error.details.fields)
      return undefined
    }
  })
  const ownerFaults = new Map<string, FieldFault[]>()
  for (const [place, input] of inputs.entries()) {
    const { role } = input
    const named = input.owner_id == null ? undefined : requireId('member', input.owner_id)
    const ownerId = specs[place]?.ownerId ?? named ?? null
    const known = ownerFaults.get(`${role} ${ownerId}`)
    const found = known ?? (await faultsOfOwner(tx, caller.orgId, role, ownerId))
    ownerFaults.set(`${role} ${ownerId}`, found)
    refuse(place, found)
  }
  if (faults.length > 0) throw validationFailed(faults)
  const specified = specs.filter((spec) => spec !== undefined)
  return mintAll(platform, tx, caller.orgId, specified)
}

/**
 * Reloads the caller and locks it until the transaction ends, so that a key being revoked, or a member being removed, cannot create
 * anything.
 */
async function standing(tx: Tx, caller: Holder, now: Date): Promise<Holder> {
  if (caller.id === undefined) return caller
  if (caller.kind === 'person') {
    const member = await lockMemberShared(tx, caller.orgId, caller.id)
    if (!member || member.removed_at !== null || member.deactivated_at !== null) throw new ApiError('session_revoked')
    const role = member.role as Role
    return { ...caller, role, scopesInGift: scopesInGiftOf(role), ownerId: caller.id }
  }
  const row = await lockKeyShared(tx, caller.orgId, caller.id)
  if (!row || row.revoked_at !== null) throw new ApiError('gone', {}, { message: 'This key was revoked.' })
  if (row.expires_at !== null && row.expires_at <= now) throw new ApiError('key_expired')
  return { ...caller, expiresAtMs: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY, ownerId: row.owner_id }
}

interface Revocation {
  readonly before: KeyView
  readonly after: KeyView
  readonly isNew: boolean
}

/** Revokes a key and, if requested, all its descendants; among these the caller's own key is skipped. */
export async function revoke(
  platform: Platform,
  tx: Tx,
  caller: Holder,
  id: string,
  { withDescendants = false, isForced = false }: { withDescendants?: boolean; isForced?: boolean } = {},
): Promise<[Revocation, ...Revocation[]]> {
  const all: [Revocation, ...Revocation[]] = [await revokeOne(platform, tx, caller, id, isForced)]
  // A key found here may have created others before it was locked; a revoked key creates nothing more.
  for (let isMore = withDescendants; isMore; ) {
    const found = (await listLiveDescendants(tx, caller.orgId, id)).filter((descendant) => descendant !== caller.id)
    for (const descendant of found) all.push(await revokeOne(platform, tx, caller, descendant, isForced))
    isMore = found.length > 0
  }
  return all
}

/** Revokes one key; repeating it has no effect. */
async function revokeOne(
  { clock }: Platform,
  tx: Tx,
  caller: Holder,
  id: string,
  isForced: boolean,
): Promise<Revocation> {
  const { orgId } = caller
  const found = await lockKey(tx, orgId, id)
  if (!found) throw new ApiError('not_found')
  requireCanEnd(caller, powersOf(found))
  const now = clock.now()
  const isNew = found.revoked_at === null
  if (isNew && !isForced) await requireOtherLastResort(tx, found, now)
  const revoked = isNew ? await revokeKey(tx, orgId, id) : found
  if (isNew) await endShownTo(tx, orgId, id)
  return { before: keyView(found, now), after: keyView(revoked, now), isNew }
}

/** Refuses to end the last key that can restore others. Concurrent requests are serialized by a lock. */
async function requireOtherLastResort(tx: Tx, target: KeyRow, now: Date) {
  if (!isLastResort(target, now)) return
  await lockOrgOfKeys(tx, target.org_id)
  const others = await keysOfRole(tx, target.org_id, target.role)
  if (others.some((other) => other.id !== target.id && canReplace(other, target, now))) return
  throw conflict(
    `This is the last ${target.role}'s key that can manage others. First create another that expires no earlier.`,
  )
}

/** Ends the keys that a member answers for or was shown, with what they made; on demotion only those above the member's new role. */
export async function revokeKeysOfMember(
  platform: Platform,
  tx: Tx,
  orgId: string,
  memberId: string,
  { above, isForced }: { above?: Role; isForced: boolean },
): Promise<Revocation[]> {
  const ending: Holder = { orgId, ...unbounded }
  const all: Revocation[] = []
  // A key found here may have created others before it was locked; a revoked key creates nothing more.
  for (let isMore = true; isMore; ) {
    const live = await listLiveKeysOfMember(tx, orgId, memberId)
    const found = above === undefined ? live : live.filter(({ role }) => exceedsMember(role, above))
    for (const { id } of found) all.push(await revokeOne(platform, tx, ending, id, isForced))
    isMore = found.length > 0
  }
  return all.filter(({ isNew }) => isNew)
}

/** Powers of the service itself over the keys of an organization. */
const unbounded = {
  role: 'owner',
  scopes: new Set(tenantScopes),
  pins: {},
  expiresAtMs: Number.POSITIVE_INFINITY,
} as const

/** Renames a key, or hands it to another owner. As for revoking it, the caller must not have less power than the key, or be it. */
export async function changeKey(
  { clock }: Platform,
  { tx, audit, replaces, accessChanged }: ChangeTools,
  caller: Holder & Pick<Caller, 'pins'>,
  id: string,
  wanted: (standing: KeyView) => KeyChange,
): Promise<KeyView> {
  const { orgId } = caller
  const found = await lockKey(tx, orgId, id)
  if (!found || !isWithinPins(caller.pins, found.pins)) throw new ApiError('not_found')
  if (id !== caller.id) requireCanEnd(caller, powersOf(found))
  const now = clock.now()
  const before = keyView(found, now)
  replaces(before)
  const { name, owner_id } = wanted(before)
  const ownerId = owner_id == null ? null : requireId('member', owner_id)
  if (ownerId !== found.owner_id) await requireOwner(tx, orgId, found.role, ownerId)
  const after = keyView(await updateKey(tx, orgId, id, { name, owner_id: ownerId }), now)
  const action = before.owner_id === after.owner_id ? 'key.renamed' : 'key.changed'
  audit({ action, target: { kind: 'key', id: after.id }, before, after })
  accessChanged()
  return after
}

/** Revokes a key as unused since a time, without a caller; recorded in its organization's audit log. */
export async function revokeUnused(
  { clock }: Platform,
  tx: Tx,
  { orgId, id, since }: { orgId: string; id: string; since: Date },
): Promise<{ before: KeyView; after: KeyView } | undefined> {
  const found = await lockKey(tx, orgId, id)
  if (!found || found.revoked_at !== null || (found.last_used_at ?? found.created_at) >= since) return undefined
  const now = clock.now()
  return { before: keyView(found, now), after: keyView(await revokeKey(tx, orgId, id), now) }
}

/** Replaces a key with a new one; the old one works during the overlap and then expires. */
export async function rotate(platform: Platform, tx: Tx, caller: Holder, id: string, overlapSeconds: number) {
  const { orgId } = caller
  const now = platform.clock.now()
  // Its own row is locked below, and two transactions that share the lock could not both upgrade it.
  const asking = id === caller.id ? caller : await standing(tx, caller, now)
  const found = await lockKey(tx, orgId, id)
  if (!found) throw new ApiError('not_found')
  const minted = await mint(platform, tx, orgId, specifySuccessor(asking, found, now))
  const old = keyView(await expireKey(tx, orgId, id, overlapSeconds), platform.clock.now())
  return { old, ...minted }
}

/** Returns the fields of a key that events contain. */
export const eventFieldsOf = ({ id, name, role }: KeyView) => ({ key_id: id, name, role })

export const revocationEvent = (revoked: KeyView): NewEvent => ({
  kind: 'key.revoked',
  subject: revoked.id,
  data: { ...eventFieldsOf(revoked), revoked_at: present(revoked.revoked_at) },
})

const conflict = (message: string) => new ApiError('conflict', {}, { message })
