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
import { type VerifiedToken, VerifiedTokens } from './verified-tokens.ts'

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
  readonly cached: (key: Pick<ParsedKey, 'publicId'>) => Caller | undefined
  /** Returns the token that an `Authorization` header presents, if it was verified for the caller that is cached now. */
  readonly recognized: (authorization: string) => VerifiedToken | undefined
  /** Recognizes the header of a verified token from now on, as long as its caller stays cached. */
  readonly remember: (authorization: string, key: ParsedKey, caller: Caller) => void
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
  const verified = new VerifiedTokens(maxCached)
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
    if (orgIds === undefined) {
      verified.clear()
      byPublicId.clear()
      return
    }
    const changed = new Set(orgIds)
    // The operators' allow-list also binds the grants that they have issued.
    const isAboutOperators = changed.has(operatorsOrgId)
    for (const [id, caller] of byPublicId.entries()) {
      if (!changed.has(caller.orgId) && !(isAboutOperators && caller.kind === 'support')) continue
      verified.forget(caller)
      byPublicId.delete(id)
    }
  })

  function cached({ publicId }: Pick<ParsedKey, 'publicId'>): Caller | undefined {
    const caller = lease.isHeld() ? byPublicId.get(publicId) : undefined
    if (caller === undefined) return undefined
    const { session, foreign } = caller
    // A session that was idle here may have been used elsewhere.
    if (session && clock.now().getTime() >= session.lastUsedMs + session.idleMs) return undefined
    if (foreign && performance.now() >= foreign.readAtMs + foreignMs) return undefined
    return caller
  }

  return {
    cached,
    recognized: (authorization) => {
      const known = verified.find(authorization)
      return known && cached(known) === known.caller ? known : undefined
    },
    remember: (authorization, key, caller) => {
      if (cached(key) === caller) verified.add(authorization, key.publicId, caller)
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
      const isDigest = (digest: Buffer = unknownMac) => timingSafeEqual(digest, hash('sha256', secret, 'buffer'))
      // A foreign key was found by its digest, and is good for nothing else.
      if (isForeign || caller?.foreign) return isForeign && isDigest(caller?.foreign?.digest)
      // The secret of a session is no key, and the secret of a key no session.
      if (isSession || caller?.session) return isSession && isDigest(caller?.session?.digest)
      // A person has no token but that of a session.
      if (caller?.kind === 'person') return false
      const made = caller && keyring.find(caller.macKeyId)
      const mac = secretMac((made ?? keyring.current).bytes, secret)
      const isGenuine = timingSafeEqual(mac, caller?.mac ?? unknownMac) && caller !== undefined && made !== undefined
      if (!isGenuine) return false
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
