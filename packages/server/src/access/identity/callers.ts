import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { Platform } from '../../platform/infra/platform.ts'
import { WriteBehind } from '../../platform/infra/write-behind.ts'
import type { AccessLease } from '../../platform/nodes/nodes.ts'
import { operatorsOrgId } from '../../values/id.ts'
import { deriveKeyring, type Keyring } from '../../values/keyring.ts'
import { Lru } from '../../values/lru.ts'
import { cachedKeyObject } from '../../values/prepared-key.ts'
import { type Caller, callerFrom } from './caller.ts'
import { createForeignReader } from './foreign-callers.ts'
import { foreignDigestOf, idOf, type ParsedKey } from './key-format.ts'
import { createLookups } from './lookups.ts'
import { findCallers, type LastUse, type Rehash, rehashCallers, touchKeys, touchSessions } from './queries.ts'
import { createUnknownKeyCache } from './unknown-keys.ts'

const maxCached = 100_000
const flushUsedMs = 5_000
const normalLookupLimits = { queries: 4, idsPerQuery: 200, pauseMs: 0 }
/** Lookup limits for sources that have failed too often: enough for the valid keys among their requests. */
const throttledLookupLimits = { queries: 1, idsPerQuery: 100, pauseMs: 50 }
const unknownMac = Buffer.alloc(32)
/** Longest use of a foreign key as it was read: which organization has it may change with the time alone. */
const foreignMs = 60_000

/** Returns the keyed hash that the database stores for a secret: a dump alone cannot be searched for guesses. */
export const secretMac = (key: Buffer, secret: string) =>
  createHmac('sha256', cachedKeyObject(key)).update(secret).digest()

export const secretKeyring = (platform: Platform): Keyring =>
  deriveKeyring(platform.config.masterKeys(), 'api key secrets')

export { type Caller, type CallerPerson, type CallerSession, hasSessionEnded } from './caller.ts'

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
  const readForeign = createForeignReader(platform)
  const foreignLookups = {
    prompt: createLookups(readForeign, normalLookupLimits),
    slow: createLookups(readForeign, throttledLookupLimits),
  }

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
      const isOld = caller?.foreign !== undefined && performance.now() >= caller.foreign.readAtMs + foreignMs
      return isIdle || isOld ? undefined : caller
    },
    load: async (key, source, isOver) => {
      const version = lease.appliedVersion()
      const digest = key.isForeign === true ? foreignDigestOf(key) : undefined
      const id = digest ?? idOf(key)
      if (lease.isHeld() && unknown.has(id, performance.now())) return undefined
      const shared = lease.isHeld() ? version : undefined
      const pace = isOver ? 'slow' : 'prompt'
      const found =
        digest === undefined
          ? await lookups[pace].find(id, source, shared).then((row) => row && callerFrom(row))
          : await foreignLookups[pace].find(digest, source, shared)
      // A change applied while the row was being loaded may concern this very row.
      const mayCache = lease.isHeld() && lease.appliedVersion() === version
      if (!found) {
        if (mayCache) unknown.add(id, performance.now())
        return undefined
      }
      if (mayCache) byPublicId.set(key.publicId, found)
      return found
    },
    find: async (id) => {
      const row = (await read([id])).get(id)
      return row && callerFrom(row)
    },
    isGenuine: (caller, { secret, isSession, isForeign = false }): caller is Caller => {
      const digest = hash('sha256', secret, 'buffer')
      // A foreign key was found by its digest, and is good for nothing else.
      if (isForeign || caller?.foreign)
        return isForeign && timingSafeEqual(caller?.foreign?.digest ?? unknownMac, digest)
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
