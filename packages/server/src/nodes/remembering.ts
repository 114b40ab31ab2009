import type { AccessLease } from './access-lease.ts'

const maxOrgs = 20_000

/** What is remembered of each organization for as long as the process may answer from memory. */
export interface Remembered<T> {
  /** From memory where that is sure to be what is set now, else from where it is kept. */
  readonly of: (orgId: string) => T | Promise<T>
  /** From where it is kept, for whoever has learnt that what is remembered is old. */
  readonly anew: (orgId: string) => Promise<T>
}

/**
 * Remembers something of organizations under the access lease: whoever changes it says `accessChanged()`, and is answered when no
 * process can still go by what was before.
 */
export function rememberByOrg<T extends object>(
  lease: AccessLease,
  load: (orgId: string) => Promise<T>,
): Remembered<T> {
  const remembered = new Map<string, T>()
  const loading = new Map<string, { version: bigint; promise: Promise<T> }>()
  lease.onChange((orgIds) => {
    if (orgIds === undefined) return remembered.clear()
    for (const orgId of orgIds) remembered.delete(orgId)
  })

  function loaded(orgId: string): Promise<T> {
    const version = lease.appliedVersion()
    const underway = loading.get(orgId)
    // One that began before a change may have read what was before it.
    if (underway?.version === version && lease.isHeld()) return underway.promise
    const promise = load(orgId)
      .then((value) => {
        if (lease.isHeld() && lease.appliedVersion() === version) {
          if (remembered.size >= maxOrgs) remembered.delete(remembered.keys().next().value!)
          remembered.set(orgId, value)
        }
        return value
      })
      .finally(() => {
        if (loading.get(orgId)?.promise === promise) loading.delete(orgId)
      })
    loading.set(orgId, { version, promise })
    return promise
  }

  return { of: (orgId) => (lease.isHeld() ? remembered.get(orgId) : undefined) ?? loaded(orgId), anew: load }
}
