import { Lru } from '../../values/lru.ts'
import type { AccessLease } from './access-lease.ts'

const maxOrgs = 20_000

/** Cache of one value per organization, valid while the process holds the access lease. */
export interface Cache<T> {
  /** Returns the cached value when it is certain to be current, else loads it. */
  readonly get: (orgId: string) => T | Promise<T>
  /** Loads the value again, for callers that have found the cached one to be stale. */
  readonly reload: (orgId: string) => Promise<T>
}

/**
 * Creates a cache by organization under the access lease: a change calls `accessChanged()`, and is answered once no process can
 * still use the old value.
 */
export function createOrgCache<T extends object>(lease: AccessLease, load: (orgId: string) => Promise<T>): Cache<T> {
  const entries = new Lru<string, T>(maxOrgs)
  const loading = new Map<string, { version: bigint; promise: Promise<T> }>()
  lease.onChange((orgIds) => {
    if (orgIds === undefined) return entries.clear()
    for (const orgId of orgIds) entries.delete(orgId)
  })

  function loadShared(orgId: string): Promise<T> {
    const version = lease.appliedVersion()
    const underway = loading.get(orgId)
    // A load that began before a change may have read the old value.
    if (underway?.version === version && lease.isHeld()) return underway.promise
    const promise = load(orgId)
      .then((value) => {
        if (lease.isHeld() && lease.appliedVersion() === version) entries.set(orgId, value)
        return value
      })
      .finally(() => {
        if (loading.get(orgId)?.promise === promise) loading.delete(orgId)
      })
    loading.set(orgId, { version, promise })
    return promise
  }

  return { get: (orgId) => (lease.isHeld() ? entries.get(orgId) : undefined) ?? loadShared(orgId), reload: load }
}
