import { setTimeout as sleep } from 'node:timers/promises'
import { newUuid } from '../../values/id.ts'
import type { Platform } from '../infra/platform.ts'
import type { Sql } from '../infra/sql.ts'
import { changesSince, countNodesBehind, endLease, listenForChanges, renewAccessLease } from './queries.ts'

const leaseMs = 2_000
const renewEveryMs = 500
const confirmPollMs = 5

/**
 * The right of this process to answer from its caches about callers. The process holds a short lease in PostgreSQL and
 * publishes there which changes it has applied; a revocation waits until every process with a lease has applied the change, or
 * its lease has expired. A process without a lease must ask the database each time.
 */
export interface AccessLease {
  readonly lengthMs: number
  readonly isHeld: () => boolean
  /** Number of live API processes, including this one. */
  readonly liveProcesses: () => number
  /** Version of the last change that this process has applied. */
  readonly appliedVersion: () => bigint
  /** Registers a callback that receives the organizations whose cached callers are stale; `undefined` for all of them. */
  readonly onChange: (invalidate: (orgIds: readonly string[] | undefined) => void) => void
  /** Resolves when no process can still answer from a state before this version. */
  readonly waitUntilApplied: (version: bigint) => Promise<void>
  readonly close: () => Promise<void>
}

export async function acquireAccessLease({ sql, log, version: program }: Platform): Promise<AccessLease> {
  const id = newUuid()
  let applied = 0n
  let heldUntilMs = 0
  let closed = false
  let liveProcesses = 1
  const listeners: ((orgIds: readonly string[] | undefined) => void)[] = []

  async function renew() {
    // Counted from before the request was sent, so that this process never trusts its lease longer than the database does.
    const askedMs = performance.now()
    const { version: latest, live } = await renewAccessLease(sql, { id, program, leaseMs, applied })
    liveProcesses = Math.max(1, Number(live))
    if (latest !== applied) {
      const changes = await changesSince(sql, applied)
      // Changes that are no longer listed are unknown, so every cached entry is stale.
      const isComplete = BigInt(changes.length) === latest - applied
      for (const invalidate of listeners)
        invalidate(isComplete ? changes.map(({ changed_org }) => changed_org) : undefined)
      applied = latest
      await renewAccessLease(sql, { id, program, leaseMs, applied })
    }
    heldUntilMs = askedMs + leaseMs
  }

  let running = Promise.resolve()
  let queued = false
  /** Renews the lease, one renewal at a time and at most one more queued: a burst of notifications costs two. */
  function renewSoon() {
    if (queued || closed) return
    queued = true
    running = running
      .then(() => {
        queued = false
        return renew()
      })
      .catch((error: unknown) => log.warn({ error }, 'the access lease was not renewed'))
  }

  await renew()
  const timer = setInterval(renewSoon, renewEveryMs)
  const listener = listenForChanges(sql, renewSoon, log)

  return {
    lengthMs: leaseMs,
    liveProcesses: () => liveProcesses,
    isHeld: () => performance.now() < heldUntilMs,
    appliedVersion: () => applied,
    onChange: (invalidate) => {
      listeners.push(invalidate)
    },
    waitUntilApplied: async (version) => {
      renewSoon()
      await waitUntilAppliedEverywhere(sql, version)
    },
    close: async () => {
      closed = true
      clearInterval(timer)
      await listener.close()
      await running
      await endLease(sql, id).catch(() => undefined)
    },
  }
}

/**
 * Resolves when no process can still answer from a state before a version of access; a dead process loses its lease meanwhile.
 */
export async function waitUntilAppliedEverywhere(sql: Sql, version: bigint) {
  const giveUpMs = performance.now() + leaseMs * 3
  while ((await countNodesBehind(sql, version)) > 0n && performance.now() < giveUpMs) await sleep(confirmPollMs)
}
