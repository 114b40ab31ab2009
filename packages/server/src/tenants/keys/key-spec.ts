import {
  type Caller,
  type KeyPowers,
  normalPins,
  requireCanHandOut,
  tenantScopes,
} from '../../access/identity/identity.ts'
import { ApiError, type FieldFault, validationFailed } from '../../contract/errors.ts'
import type { Role } from '../../contract/routes.ts'
import { formatId, requireId } from '../../values/id.ts'
import { normalForm } from '../../values/normal-form.ts'
import type { KeyRow } from './queries.ts'
import type { KeyInput } from './schema.ts'

/** A key to be created, by minting or by rotation. */
export interface KeySpec {
  readonly name: string
  readonly role: Role
  readonly scopes: readonly string[]
  readonly pins?: Record<string, string>
  readonly notBefore?: Date | null
  readonly expiresAt?: Date | null
  /** Key that it replaces; `lineage_id` is carried over. */
  readonly rotatedFrom?: Pick<KeyRow, 'id' | 'lineage_id'>
  readonly mintedBy?: string
  /** Member who was shown its secret. */
  readonly mintedByMember?: string
  /** Member who answers for it. */
  readonly ownerId?: string | null
}

export const powersOf = ({ role, scopes, pins, expires_at }: KeyRow): KeyPowers => ({
  role,
  scopes: new Set(scopes),
  pins,
  expiresAtMs: expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
})

/** A key as requested, of any role. */
export type KeyRequest = Omit<KeyInput, 'role'> & { readonly role: Role }

/** Actor on the keys of an organization; without an id when it is neither a key nor a person but a command on the machine. */
export interface Holder extends KeyPowers {
  readonly orgId: string
  readonly id?: string
  readonly kind?: Caller['kind']
  /** Member who answers for what it mints, unless another is named. */
  readonly ownerId?: string | null
}

const mintedBy = ({ id, kind }: Holder) =>
  id === undefined ? {} : kind === 'person' ? { mintedByMember: id } : { mintedBy: id }

/** Returns the key that a caller requests: never more powerful than its own, with the same pins and expiry unless given. */
export function specifyKey(caller: Holder, input: KeyRequest, now: Date): KeySpec {
  const notBefore = input.not_before === undefined ? null : new Date(input.not_before)
  const expiresAt = input.expires_at === undefined ? endOf(caller) : new Date(input.expires_at)
  const faults = [...timeFaults(input, { notBefore, expiresAt, now }), ...blankPins(input)]
  if (faults.length > 0) throw validationFailed(faults)
  const pins = { ...caller.pins, ...normalPins(input.pins ?? {}) }
  requireCanHandOut(caller, {
    role: input.role,
    scopes: new Set(input.scopes),
    pins,
    expiresAtMs: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
  })
  const { name, role, scopes } = input
  const ownerId = input.owner_id == null ? (caller.ownerId ?? null) : requireId('member', input.owner_id)
  return { name, role, scopes, pins, notBefore, expiresAt, ownerId, ...mintedBy(caller) }
}

function timeFaults(
  input: KeyRequest,
  { notBefore, expiresAt, now }: { notBefore: Date | null; expiresAt: Date | null; now: Date },
): FieldFault[] {
  const fault = (field: string, message: string): FieldFault[] => [{ field, code: 'out_of_range', message }]
  if (input.expires_at !== undefined && expiresAt! <= now) return fault('expires_at', 'Must be in the future.')
  if (!notBefore || !expiresAt || expiresAt > notBefore) return []
  return input.expires_at === undefined
    ? fault('not_before', 'Must not be later than the expiry of your own key.')
    : fault('expires_at', 'Must be later than not_before.')
}

const blankPins = ({ pins = {} }: KeyRequest): FieldFault[] =>
  Object.entries(pins)
    .filter(([, value]) => normalForm(value) === '')
    .map(([name]) => ({ field: `pins.${name}`, code: 'empty', message: 'Must have a character that can be seen.' }))

/**
 * Returns an owner's key with every scope, minted by an operator. It exceeds an operator's own powers, so these do not bound
 * it.
 */
export function specifyOwnerKey(
  operator: Holder,
  { name, expires_at }: { name: string; expires_at?: string },
  now: Date,
): KeySpec {
  const expiresAt = expires_at === undefined ? null : new Date(expires_at)
  if (expiresAt && expiresAt <= now) throw outOfRange('expires_at', 'Must be in the future.')
  return { name, role: 'owner', scopes: tenantScopes, expiresAt, ...mintedBy(operator) }
}

const endOf = ({ expiresAtMs }: Holder) => (Number.isFinite(expiresAtMs) ? new Date(expiresAtMs) : null)

const outOfRange = (field: string, message: string) => validationFailed([{ field, code: 'out_of_range', message }])

/** Returns the successor of a key: with the same powers and the same expiry. */
export function specifySuccessor(caller: Holder, found: KeyRow, now: Date): KeySpec {
  requireCanHandOut(caller, powersOf(found))
  if (found.revoked_at !== null) throw conflict('A revoked key cannot be rotated.')
  if (found.rotated_to !== null)
    throw conflict(`The key was already rotated: rotate its successor, ${formatId('key', found.rotated_to)}.`)
  if (found.expires_at !== null && found.expires_at <= now) throw conflict('An expired key cannot be rotated.')
  return {
    name: found.name,
    role: found.role,
    scopes: found.scopes,
    pins: found.pins,
    notBefore: found.not_before,
    expiresAt: found.expires_at,
    rotatedFrom: found,
    ownerId: found.owner_id,
    ...mintedBy(caller),
  }
}

const conflict = (message: string) => new ApiError('conflict', {}, { message })
