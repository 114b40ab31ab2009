import { ApiError, validationFailed } from '../contract/errors.ts'
import type { Role } from '../contract/routes.ts'
import { type Caller, mintKey, outranks, secretKeyring, secretMac } from '../identity/identity.ts'
import type { Platform } from '../infra/platform.ts'
import type { Tx } from '../infra/sql.ts'
import { formatId } from '../values/id.ts'
import { timestamp, timestampOrNull } from '../values/timestamp.ts'
import { expireKey, insertKey, type KeyRow, lockKey, revokeKey } from './queries.ts'
import type { KeyInput, KeyView } from './schema.ts'

export { KeyWithSecret } from './schema.ts'

export const keyView = (row: KeyRow): KeyView => ({
  id: formatId('key', row.id),
  org_id: formatId('org', row.org_id),
  name: row.name,
  role: row.role,
  scopes: row.scopes,
  pins: row.pins as Record<string, string>,
  status: row.revoked_at === null ? 'active' : 'revoked',
  not_before: timestampOrNull(row.not_before),
  expires_at: timestampOrNull(row.expires_at),
  last_used_at: timestampOrNull(row.last_used_at),
  revoked_at: timestampOrNull(row.revoked_at),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

interface Wanted {
  readonly name: string
  readonly role: Role
  readonly scopes: readonly string[]
  readonly pins?: Record<string, string>
  readonly notBefore?: Date | null
  readonly expiresAt?: Date | null
  /** The key that it replaces, and the one that asked for it. */
  readonly rotatedFrom?: string
  readonly mintedBy?: string
}

/** Mints a key; its secret leaves in this answer and is kept only as a keyed hash. */
export async function mint(
  platform: Platform,
  tx: Tx,
  orgId: string,
  wanted: Wanted,
): Promise<{ view: KeyView; secret: string }> {
  const minted = mintKey(platform.config.cell)
  const { id, bytes } = secretKeyring(platform).current
  const row = await insertKey(tx, orgId, {
    id: minted.id,
    name: wanted.name,
    role: wanted.role,
    scopes: [...wanted.scopes],
    pins: wanted.pins ?? {},
    mac: secretMac(bytes, minted.secret),
    mac_key_id: id,
    not_before: wanted.notBefore ?? null,
    expires_at: wanted.expiresAt ?? null,
    rotated_from: wanted.rotatedFrom ?? null,
    minted_by: wanted.mintedBy ?? null,
  })
  return { view: keyView(row), secret: minted.text }
}

/** What a caller asks for itself or for others: never more than it has. */
export function wantedKey(caller: Caller, input: KeyInput): Wanted {
  if (!outranks(caller.role, input.role))
    throw new ApiError('forbidden', {}, { message: 'A key cannot have a role above your own.' })
  const missing = input.scopes.find((scope) => !caller.scopes.has(scope))
  if (missing !== undefined)
    throw new ApiError(
      'missing_scope',
      { required: missing },
      { message: 'A key cannot have a scope that yours lacks.' },
    )
  const notBefore = input.not_before === undefined ? null : new Date(input.not_before)
  const expiresAt = input.expires_at === undefined ? null : new Date(input.expires_at)
  if (notBefore && expiresAt && expiresAt <= notBefore) {
    throw validationFailed([
      { field: 'expires_at', code: 'out_of_range', message: 'This must be later than not_before.' },
    ])
  }
  return {
    name: input.name,
    role: input.role,
    scopes: input.scopes,
    pins: { ...caller.pins, ...input.pins },
    notBefore,
    expiresAt,
    ...(caller.kind === 'key' && { mintedBy: caller.id }),
  }
}

/** Revoking twice is the same as once. */
export async function revoke(
  tx: Tx,
  orgId: string,
  id: string,
): Promise<{ before: KeyView; after: KeyView; isNew: boolean }> {
  const found = await lockKey(tx, orgId, id)
  if (!found) throw new ApiError('not_found')
  const isNew = found.revoked_at === null
  return { before: keyView(found), after: keyView(isNew ? await revokeKey(tx, orgId, id) : found), isNew }
}

/** A new key in place of an old one, which goes on for the overlap and then ends as expired. */
export async function rotate(platform: Platform, tx: Tx, orgId: string, id: string, overlapSeconds: number) {
  const found = await lockKey(tx, orgId, id)
  if (!found) throw new ApiError('not_found')
  if (found.revoked_at !== null) throw new ApiError('conflict', {}, { message: 'A revoked key cannot be rotated.' })
  const old = keyView(await expireKey(tx, orgId, id, overlapSeconds))
  const minted = await mint(platform, tx, orgId, {
    name: found.name,
    role: found.role as Role,
    scopes: found.scopes,
    pins: found.pins as Record<string, string>,
    notBefore: null,
    expiresAt: found.expires_at,
    rotatedFrom: id,
  })
  return { old, ...minted }
}
