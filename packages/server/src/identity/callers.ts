import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { Role } from '../contract/routes.ts'
import type { Platform } from '../infra/platform.ts'
import type { AccessLease } from '../nodes/nodes.ts'
import { deriveKeyring, type Keyring } from '../values/keyring.ts'
import { type Networks, networks } from '../values/network.ts'
import { preparedKey } from '../values/prepared-key.ts'
import { idOf, type ParsedKey } from './key-format.ts'
import { type CallerRow, findCaller, type RatePolicyRow, touchKeys } from './queries.ts'

/** Who is calling, and all that decides what it may do; frozen at the moment it was read. */
export interface Caller {
  readonly kind: 'key' | 'support'
  readonly id: string
  readonly orgId: string
  readonly role: Role
  readonly scopes: ReadonlySet<string>
  readonly pins: Readonly<Record<string, string>>
  readonly notBeforeMs: number
  readonly expiresAtMs: number
  readonly isRevoked: boolean
  readonly grantScope: 'read' | 'billing' | 'configuration' | undefined
  readonly operatorKeyId: string | undefined
  readonly isOrgSuspended: boolean
  readonly allowedNetworks: Networks | undefined
  readonly requiredDimensions: readonly string[]
  /** Reads a minute: `undefined` without a row, where the installation's default counts; `null` for no limit. */
  readonly readRpm: number | null | undefined
  readonly onUnavailable: 'local' | 'deny' | 'allow'
  readonly ratePolicies: readonly RatePolicyRow[]
  readonly mac: Buffer
  readonly macKeyId: string
}

const maxCached = 100_000
const flushUsedMs = 5_000

/** The keyed hash that stands for a secret in the database: a dump alone cannot be searched for guesses. */
export const secretMac = (key: Buffer, secret: string) => createHmac('sha256', preparedKey(key)).update(secret).digest()

export const secretKeyring = (platform: Platform): Keyring =>
  deriveKeyring(platform.config.masterKeys(), 'api key secrets')

export interface Callers {
  /** The caller of a key, if it is remembered and may be. */
  readonly remembered: (key: ParsedKey) => Caller | undefined
  readonly look: (key: ParsedKey) => Promise<Caller | undefined>
  readonly isGenuine: (caller: Caller, key: ParsedKey) => boolean
  readonly used: (caller: Caller) => void
  readonly close: () => Promise<void>
}

export function rememberCallers(platform: Platform, lease: AccessLease): Callers {
  const { sql, log, clock } = platform
  const keyring = secretKeyring(platform)
  const byPublicId = new Map<string, Caller>()
  // What was verified once is recognised by a plain hash: the secrets have 256 random bits, so it gives nothing away, and a
  // keyed hash for each request would cost more than everything else about it.
  const verified = new WeakMap<Caller, Buffer>()
  const used = new Map<string, Date>()

  lease.onChange((orgIds) => {
    if (orgIds === undefined) return byPublicId.clear()
    const changed = new Set(orgIds)
    for (const [id, caller] of byPublicId) if (changed.has(caller.orgId)) byPublicId.delete(id)
  })

  async function flushUsed() {
    if (used.size === 0) return
    const batch = new Map(used)
    used.clear()
    await touchKeys(sql, batch).catch((error: unknown) => log.warn({ error }, 'the last use of keys was not recorded'))
  }
  const timer = setInterval(() => void flushUsed(), flushUsedMs)

  return {
    remembered: ({ publicId }) => (lease.isHeld() ? byPublicId.get(publicId) : undefined),
    look: async (key) => {
      const version = lease.appliedVersion()
      const row = await findCaller(sql, idOf(key))
      if (!row) return undefined
      const caller = callerFrom(row)
      // A change applied while the row was on its way may have been about this very row.
      if (lease.isHeld() && lease.appliedVersion() === version) {
        if (byPublicId.size >= maxCached) byPublicId.delete(byPublicId.keys().next().value!)
        byPublicId.set(key.publicId, caller)
      }
      return caller
    },
    isGenuine: (caller, { secret }) => {
      const digest = hash('sha256', secret, 'buffer')
      const known = verified.get(caller)
      if (known && timingSafeEqual(known, digest)) return true
      const made = keyring.find(caller.macKeyId)
      const isGenuine = made !== undefined && timingSafeEqual(secretMac(made.bytes, secret), caller.mac)
      if (isGenuine) verified.set(caller, digest)
      return isGenuine
    },
    used: (caller) => {
      if (caller.kind === 'key') used.set(caller.id, clock.now())
    },
    close: async () => {
      clearInterval(timer)
      await flushUsed()
    },
  }
}

const callerFrom = (row: CallerRow): Caller => ({
  kind: row.kind,
  id: row.id,
  orgId: row.org_id,
  role: row.role as Role,
  scopes: new Set(row.scopes),
  pins: row.pins,
  notBeforeMs: row.not_before?.getTime() ?? Number.NEGATIVE_INFINITY,
  expiresAtMs: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
  isRevoked: row.revoked_at !== null,
  grantScope: row.grant_scope ?? undefined,
  operatorKeyId: row.operator_key_id ?? undefined,
  isOrgSuspended: row.org_status === 'suspended',
  allowedNetworks: row.ip_allow_list.length === 0 ? undefined : networks(row.ip_allow_list),
  requiredDimensions: row.required_dimensions,
  readRpm: row.on_unavailable === null ? undefined : row.read_rpm,
  onUnavailable: row.on_unavailable ?? 'local',
  ratePolicies: row.policies,
  mac: row.mac,
  macKeyId: row.mac_key_id,
})
