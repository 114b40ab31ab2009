import { ApiError, validationFailed } from '../contract/errors.ts'
import type { Role } from '../contract/routes.ts'
import { type Powers, requireToHandOut, tenantScopes } from '../identity/identity.ts'
import { formatId } from '../values/id.ts'
import type { KeyRow } from './queries.ts'
import type { KeyInput } from './schema.ts'

/** A key that is to be made, by minting or by rotation. */
export interface WantedKey {
  readonly name: string
  readonly role: Role
  readonly scopes: readonly string[]
  readonly pins?: Record<string, string>
  readonly notBefore?: Date | null
  readonly expiresAt?: Date | null
  /** The key that it replaces, and the one that asked for it. */
  readonly rotatedFrom?: Pick<KeyRow, 'id' | 'lineage_id'>
  readonly mintedBy?: string
}

export const powersOf = ({ role, scopes, pins, expires_at }: KeyRow): Powers => ({
  role: role as Role,
  scopes: new Set(scopes),
  pins: pins as Record<string, string>,
  expiresAtMs: expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
})

/** A key as somebody asks for it, of whatever role. */
export type AskedKey = Omit<KeyInput, 'role'> & { readonly role: Role }

/** Whoever acts on the keys of an organization; without an id where that is no key, but a command on the machine itself. */
export interface Holder extends Powers {
  readonly orgId: string
  readonly id?: string
}

const mintedBy = ({ id }: Holder) => (id === undefined ? {} : { mintedBy: id })

/** The key that a caller asks for: never more than it has itself, and bound to the same pins and end where it says nothing. */
export function wantedKey(caller: Holder, input: AskedKey, now: Date): WantedKey {
  const notBefore = input.not_before === undefined ? null : new Date(input.not_before)
  const expiresAt = input.expires_at === undefined ? endOf(caller) : new Date(input.expires_at)
  if (input.expires_at !== undefined && expiresAt! <= now) throw outOfRange('expires_at', 'This must be in the future.')
  if (notBefore && expiresAt && expiresAt <= notBefore)
    throw input.expires_at === undefined
      ? outOfRange('not_before', 'Your own key ends before that.')
      : outOfRange('expires_at', 'This must be later than not_before.')
  const pins = { ...caller.pins, ...input.pins }
  requireToHandOut(caller, {
    role: input.role,
    scopes: new Set(input.scopes),
    pins,
    expiresAtMs: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
  })
  const { name, role, scopes } = input
  return { name, role, scopes, pins, notBefore, expiresAt, ...mintedBy(caller) }
}

/** An owner's key with every scope, minted by an operator. It is outside an operator's own powers, and so not judged by them. */
export function ownerKey(
  operator: Holder,
  { name, expires_at }: { name: string; expires_at?: string },
  now: Date,
): WantedKey {
  const expiresAt = expires_at === undefined ? null : new Date(expires_at)
  if (expiresAt && expiresAt <= now) throw outOfRange('expires_at', 'This must be in the future.')
  return { name, role: 'owner', scopes: tenantScopes, expiresAt, ...mintedBy(operator) }
}

const endOf = ({ expiresAtMs }: Holder) => (Number.isFinite(expiresAtMs) ? new Date(expiresAtMs) : null)

const outOfRange = (field: string, message: string) => validationFailed([{ field, code: 'out_of_range', message }])

/** The key that a caller asks for in place of another: with the same powers and the same end. */
export function successorOf(caller: Holder, found: KeyRow, now: Date): WantedKey {
  requireToHandOut(caller, powersOf(found))
  if (found.revoked_at !== null) throw conflict('A revoked key cannot be rotated.')
  if (found.rotated_to !== null)
    throw conflict(`The key was rotated already: rotate its successor, ${formatId('key', found.rotated_to)}.`)
  if (found.expires_at !== null && found.expires_at <= now) throw conflict('An expired key cannot be rotated.')
  return {
    name: found.name,
    role: found.role as Role,
    scopes: found.scopes,
    pins: found.pins as Record<string, string>,
    notBefore: found.not_before,
    expiresAt: found.expires_at,
    rotatedFrom: found,
    ...mintedBy(caller),
  }
}

const conflict = (message: string) => new ApiError('conflict', {}, { message })
