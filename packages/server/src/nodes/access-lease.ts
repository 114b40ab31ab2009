import { setTimeout as sleep } from 'node:timers/promises'
import type { Platform } from '../infra/platform.ts'
import type { Sql } from '../infra/sql.ts'
import { newUuid } from '../values/id.ts'
import { changesSince, endLease, listenForChanges, nodesBehind, renewAccessLease } from './queries.ts'

const leaseMs = 2_000
const renewEveryMs = 500
const confirmPollMs = 5

/**
 * The right of this process to answer from what it remembers about callers. It holds a short lease in PostgreSQL and says
 * there which changes it has applied; whoever revokes waits until every process that holds a lease has applied the change,
 * or its lease has run out. A process without a lease must ask the database each time.
 */
export interface AccessLease {
  readonly lengthMs: number
  readonly isHeld: () => boolean
  /** How many API processes there are, this one among them. */
  readonly liveProcesses: () => number
  /** Grows with every change that this process has applied. */
  readonly appliedVersion: () => bigint
  /** Calls back with the organizations whose callers must be forgotten; `undefined` for all of them. */
  readonly onChange: (forget: (orgIds: readonly string[] | undefined) => void) => void
  /** Resolves when no process can still answer from before this version. */
  readonly confirmed: (version: bigint) => Promise<void>
  readonly close: () => Promise<void>
}

export async function holdAccessLease({ sql, log, version: program }: Platform): Promise<AccessLease> {
  const id = newUuid()
  let applied = 0n
  let heldUntilMs = 0
  let closed = false
  let liveProcesses = 1
  const listeners: ((orgIds: readonly string[] | undefined) => void)[] = []

  async function renew() {
    // Counted from before the request was sent, so that this process never believes longer than the database does.
    const askedMs = performance.now()
    const { version: latest, live } = await renewAccessLease(sql, { id, program, leaseMs, applied })
    liveProcesses = Math.max(1, Number(live))
    if (latest !== applied) {
      const changes = await changesSince(sql, applied)
      // Changes that are no longer listed are unknown, so everything must be forgotten.
      const isComplete = BigInt(changes.length) === latest - applied
      for (const forget of listeners) forget(isComplete ? changes.map(({ changed_org }) => changed_org) : undefined)
      applied = latest
      await renewAccessLease(sql, { id, program, leaseMs, applied })
    }
    heldUntilMs = askedMs + leaseMs
  }

  let running = Promise.resolve()
  let queued = false
  /** One renewal at a time, and at most one more waiting: a burst of notifications costs two. */
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
    onChange: (forget) => {
      listeners.push(forget)
    },
    confirmed: async (version) => {
      renewSoon()
      await appliedEverywhere(sql, version)
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

/** Resolves when no process can still answer from before a version of access; a process that is gone loses its lease meanwhile. */
export async function appliedEverywhere(sql: Sql, version: bigint) {
  const giveUpMs = performance.now() + leaseMs * 3
  while ((await nodesBehind(sql, version)) > 0n && performance.now() < giveUpMs) await sleep(confirmPollMs)
}
