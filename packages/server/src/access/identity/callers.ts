import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { Role } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { WriteBehind } from '../../platform/infra/write-behind.ts'
import type { AccessLease } from '../../platform/nodes/nodes.ts'
import { operatorsOrgId } from '../../values/id.ts'
import { deriveKeyring, type Keyring } from '../../values/keyring.ts'
import { Lru } from '../../values/lru.ts'
import { createNetworkMatcher, type NetworkMatcher } from '../../values/network.ts'
import { cachedKeyObject } from '../../values/prepared-key.ts'
import { idOf, type ParsedKey } from './key-format.ts'
import { createLookups } from './lookups.ts'
import { normalPins } from './normal-names.ts'
import {
  type CallerRow,
  findCallers,
  type LastUse,
  type RatePolicyRow,
  type Rehash,
  rehashCallers,
  type SessionWay,
  touchKeys,
  touchSessions,
} from './queries.ts'
import { scopesInGiftOf, scopesOfPerson } from './scopes.ts'
import { createUnknownKeyCache } from './unknown-keys.ts'

/** The caller of a request, and all that decides what it may do; frozen at the moment it was read. */
export interface Caller {
  readonly kind: 'key' | 'support' | 'person' | 'directory'
  /** Id of the key, the grant, the membership or the token of a directory. */
  readonly id: string
  /** First key of its chain of rotations, or the grant or membership itself: the owner of whatever the caller makes. */
  readonly lineageId: string
  readonly orgId: string
  readonly role: Role
  readonly scopes: ReadonlySet<string>
  /** Scopes that a person may give to keys. */
  readonly scopesInGift: ReadonlySet<string> | undefined
  readonly pins: Readonly<Record<string, string>>
  readonly notBeforeMs: number
  readonly expiresAtMs: number
  readonly isRevoked: boolean
  readonly grantScope: 'read' | 'billing' | 'configuration' | undefined
  readonly operatorKeyId: string | undefined
  /** The person behind a membership; undefined for keys and grants. */
  readonly person: CallerPerson | undefined
  readonly isOrgSuspended: boolean
  readonly allowedNetworks: NetworkMatcher | undefined
  readonly requiredDimensions: readonly string[]
  /** Reads per minute: `undefined` without a row, where the installation's default applies; `null` for no limit. */
  readonly readRpm: number | null | undefined
  readonly onUnavailable: 'local' | 'deny' | 'allow'
  readonly ratePolicies: readonly RatePolicyRow[]
  readonly mac: Buffer
  readonly macKeyId: string
  /** Session through which it calls; undefined for a caller that presents its key itself. */
  readonly session: CallerSession | undefined
}

/** The person who calls, as their organization knows them. */
export interface CallerPerson {
  readonly id: string
  readonly email: string
}

/** The session of a browser that acts as a key, a support grant or a person. */
export interface CallerSession {
  readonly id: string
  readonly way: SessionWay
  /** Connection to an identity provider through which it was opened. */
  readonly connectionId: string | undefined
  readonly createdAtMs: number
  readonly digest: Buffer
  readonly isRevoked: boolean
  readonly expiresAtMs: number
  readonly idleMs: number
  /** Last use that this process knows of; other processes may know of later ones. */
  lastUsedMs: number
}

/** True when a session is over: revoked, expired, unused for too long, or ended with its key. */
export const hasSessionEnded = (caller: Caller, session: CallerSession, atMs: number): boolean =>
  session.isRevoked ||
  atMs >= session.expiresAtMs ||
  atMs >= session.lastUsedMs + session.idleMs ||
  caller.isRevoked ||
  atMs < caller.notBeforeMs ||
  atMs >= caller.expiresAtMs

const maxCached = 100_000
const flushUsedMs = 5_000
const normalLookupLimits = { queries: 4, idsPerQuery: 200, pauseMs: 0 }
/** Lookup limits for sources that have failed too often: enough for the valid keys among their requests. */
const throttledLookupLimits = { queries: 1, idsPerQuery: 100, pauseMs: 50 }
const unknownMac = Buffer.alloc(32)

/** Returns the keyed hash that the database stores for a secret: a dump alone cannot be searched for guesses. */
export const secretMac = (key: Buffer, secret: string) =>
  createHmac('sha256', cachedKeyObject(key)).update(secret).digest()

export const secretKeyring = (platform: Platform): Keyring =>
  deriveKeyring(platform.config.masterKeys(), 'api key secrets')

export interface Callers {
  /** Returns the cached caller of a key, if the cache may be used. */
  readonly cached: (key: ParsedKey) => Caller | undefined
  /** Loads the caller of a key that is not cached. Lookups of a source that has failed too often wait for each other. */
  readonly load: (key: ParsedKey, source: string, isOver: boolean) => Promise<Caller | undefined>
  /** Finds the caller of a key or grant by its id, as the database has it now. */
  readonly find: (id: string) => Promise<Caller | undefined>
  /** Verifies the secret; takes as long for an unknown key. */
  readonly isGenuine: (caller: Caller | undefined, key: ParsedKey) => caller is Caller
  readonly used: (caller: Caller) => void
  readonly close: () => Promise<void>
}

export function createCallerCache(platform: Platform, lease: AccessLease): Callers {
  const { sql, clock } = platform
  const keyring = secretKeyring(platform)
  const byPublicId = new Lru<string, Caller>(maxCached)
  // A verified secret is recognized by a plain hash: secrets have 256 random bits, so it reveals nothing, and a keyed hash
  // for each request would cost more than everything else about it.
  const verified = new WeakMap<Caller, Buffer>()
  const usesOf = (name: string, write: typeof touchKeys) =>
    new WriteBehind<LastUse>(platform, {
      name,
      everyMs: flushUsedMs,
      maxWaiting: maxCached,
      write: (batch) => write(sql, batch),
    })
  const uses = usesOf('key_uses', touchKeys)
  const sessionUses = usesOf('session_uses', touchSessions)
  const noteUse = (buffer: WriteBehind<LastUse>, id: string, at: Date) => {
    const use = buffer.waiting(id)
    if (use) use.at = at
    else buffer.add(id, { id, at })
  }
  /** Hashes to be moved to the newest master key: a secret is available only while it is presented, so its next use retries. */
  const rehashes = new WriteBehind<Rehash>(platform, {
    name: 'key_rehashes',
    everyMs: flushUsedMs,
    maxWaiting: maxCached,
    write: (batch) => rehashCallers(sql, keyring.current.id, batch),
  })

  const unknown = createUnknownKeyCache(lease.lengthMs)
  const read = (ids: readonly string[]) => findCallers(sql, ids)
  const lookups = { prompt: createLookups(read, normalLookupLimits), slow: createLookups(read, throttledLookupLimits) }

  lease.onChange((orgIds) => {
    unknown.clear()
    if (orgIds === undefined) return byPublicId.clear()
    const changed = new Set(orgIds)
    // The operators' allow-list also binds the grants that they have issued.
    const isAboutOperators = changed.has(operatorsOrgId)
    for (const [id, { orgId, kind }] of byPublicId.entries())
      if (changed.has(orgId) || (isAboutOperators && kind === 'support')) byPublicId.delete(id)
  })

  return {
    cached: ({ publicId }) => {
      const caller = lease.isHeld() ? byPublicId.get(publicId) : undefined
      // A session that was idle here may have been used elsewhere.
      const { session } = caller ?? {}
      const isIdle = session !== undefined && clock.now().getTime() >= session.lastUsedMs + session.idleMs
      return isIdle ? undefined : caller
    },
    load: async (key, source, isOver) => {
      const version = lease.appliedVersion()
      const id = idOf(key)
      if (lease.isHeld() && unknown.has(id, performance.now())) return undefined
      const shared = lease.isHeld() ? version : undefined
      const row = await (isOver ? lookups.slow : lookups.prompt).find(id, source, shared)
      // A change applied while the row was being loaded may concern this very row.
      const mayCache = lease.isHeld() && lease.appliedVersion() === version
      if (!row) {
        if (mayCache) unknown.add(id, performance.now())
        return undefined
      }
      const caller = callerFrom(row)
      if (mayCache) byPublicId.set(key.publicId, caller)
      return caller
    },
    find: async (id) => {
      const row = (await read([id])).get(id)
      return row && callerFrom(row)
    },
    isGenuine: (caller, { secret, isSession }): caller is Caller => {
      const digest = hash('sha256', secret, 'buffer')
      // The secret of a session is no key, and the secret of a key no session.
      if (isSession || caller?.session)
        return isSession && timingSafeEqual(caller?.session?.digest ?? unknownMac, digest)
      // A person has no token but that of a session.
      if (caller?.kind === 'person') return false
      const known = caller && verified.get(caller)
      if (known && timingSafeEqual(known, digest)) return true
      const made = caller && keyring.find(caller.macKeyId)
      const mac = secretMac((made ?? keyring.current).bytes, secret)
      const isGenuine = timingSafeEqual(mac, caller?.mac ?? unknownMac) && caller !== undefined && made !== undefined
      if (!isGenuine) return false
      verified.set(caller, digest)
      if (made !== keyring.current) {
        const newMac = secretMac(keyring.current.bytes, secret)
        rehashes.add(caller.id, { id: caller.id, oldKeyId: caller.macKeyId, mac: newMac })
      }
      return true
    },
    used: (caller) => {
      const at = clock.now()
      if (caller.kind === 'key') noteUse(uses, caller.id, at)
      if (!caller.session) return
      caller.session.lastUsedMs = at.getTime()
      noteUse(sessionUses, caller.session.id, at)
    },
    close: async () => {
      await Promise.all([uses.close(), sessionUses.close(), rehashes.close()])
    },
  }
}

const callerFrom = (row: CallerRow): Caller => ({
  kind: row.kind,
  id: row.id,
  lineageId: row.lineage_id,
  orgId: row.org_id,
  role: row.role,
  scopes: row.kind === 'person' ? scopesOfPerson(row.role) : new Set(row.scopes),
  scopesInGift: row.kind === 'person' ? scopesInGiftOf(row.role) : undefined,
  pins: normalPins(row.pins),
  notBeforeMs: row.not_before?.getTime() ?? Number.NEGATIVE_INFINITY,
  expiresAtMs: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
  isRevoked: row.revoked_at !== null,
  grantScope: row.grant_scope ?? undefined,
  operatorKeyId: row.operator_key_id ?? undefined,
  person: row.person_id === null ? undefined : { id: row.person_id, email: row.email ?? '' },
  isOrgSuspended: row.org_status === 'suspended',
  allowedNetworks: row.ip_allow_list.length === 0 ? undefined : createNetworkMatcher(row.ip_allow_list),
  requiredDimensions: row.required_dimensions,
  readRpm: row.on_unavailable === null ? undefined : row.read_rpm,
  onUnavailable: row.on_unavailable ?? 'local',
  ratePolicies: row.policies,
  mac: row.mac,
  macKeyId: row.mac_key_id,
  session: sessionFrom(row),
})

const sessionFrom = (row: CallerRow): CallerSession | undefined =>
  row.session_digest === null
    ? undefined
    : {
        id: row.token_id,
        way: row.session_way,
        connectionId: row.session_connection_id ?? undefined,
        createdAtMs: row.session_created_at.getTime(),
        digest: row.session_digest,
        isRevoked: row.session_revoked_at !== null,
        expiresAtMs: row.session_expires_at.getTime(),
        idleMs: row.session_idle_seconds * 1_000,
        lastUsedMs: row.session_last_used_at.getTime(),
      }
