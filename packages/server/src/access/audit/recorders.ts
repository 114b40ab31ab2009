import { Counter } from 'prom-client'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Keyring } from '../../values/keyring.ts'
import type { Actor } from './chain.ts'
import { type AuditRecord, auditKeyring, recordAll } from './entries.ts'

/**
 * Recorders of requests that changed nothing, and so have no transaction of their own. Entries are written in batches, one
 * transaction per organization at a time: its chain has one end, and a flood must not queue at it.
 */

const deniedFlushMs = 5_000
const maxDenied = 10_000
const maxImpersonated = 2_000
const maxWaitMs = 5_000
const maxBatch = 500
const minuteMs = 60_000

export interface DeniedRecorder {
  readonly record: (orgId: string, actor: Actor, action: string, address: string | null, traceId: string) => void
  /** Writes the entries that are due; with `all` also those of the current minute. */
  readonly flush: (all?: boolean) => Promise<void>
  readonly close: () => Promise<void>
}

interface Denied {
  readonly orgId: string
  readonly minute: number
  readonly entry: AuditRecord
  count: number
}

/**
 * Creates the recorder of denied attempts: one entry per key, action and minute, with their count. It is written once its
 * minute is over, since entries are immutable. Address and trace are those of the first attempt.
 */
export function createDeniedRecorder(platform: Platform): DeniedRecorder {
  const { clock, log, metrics } = platform
  const keyring = auditKeyring(platform.config.masterKeys())
  const lost = new Counter({
    name: 'svc_audit_denied_lost_total',
    help: 'Denied attempts that were not recorded, because there were too many distinct ones in a minute.',
    registers: [metrics],
  })
  let waiting = new Map<string, Denied>()
  const minuteNow = () => Math.floor(clock.now().getTime() / minuteMs)

  const queue = createSerializer()
  const flush = (all = false) =>
    queue(async () => {
      const now = minuteNow()
      const due = [...waiting].filter(([, { minute }]) => all || minute < now)
      for (const [key] of due) waiting.delete(key)
      const byOrg = Map.groupBy(due, ([, { orgId }]) => orgId)
      for (const [orgId, ofOrg] of byOrg) {
        const records = ofOrg.map(([, { entry, count }]) => ({ ...entry, count }))
        await write(platform, keyring, orgId, records).catch((error: unknown) => {
          log.warn({ error, entries: records.length }, 'denied attempts were not recorded; retrying')
          for (const [key, denied] of ofOrg) putBack(key, denied)
        })
      }
    })

  function putBack(key: string, denied: Denied) {
    const newer = waiting.get(key)
    if (newer) newer.count += denied.count
    else waiting.set(key, denied)
  }

  const timer = setInterval(() => void flush(), deniedFlushMs).unref()
  return {
    record: (orgId, actor, action, address, traceId) => {
      const minute = minuteNow()
      const key = `${orgId} ${actor.id} ${minute} ${action}`
      const found = waiting.get(key)
      if (found) found.count += 1
      else if (waiting.size >= maxDenied) lost.inc()
      else {
        const target = { kind: 'route', id: action }
        const entry: AuditRecord = { actor, action, target, outcome: 'denied', address, traceId }
        waiting.set(key, { orgId, minute, entry, count: 1 })
      }
    },
    flush,
    close: async () => {
      clearInterval(timer)
      await flush(true)
      if (waiting.size > 0) log.error({ entries: waiting.size }, 'denied attempts were lost')
      waiting = new Map()
    },
  }
}

export interface ImpersonationRecorder {
  /**
   * Resolves once the entry is durable, or with `false` when it could not be written: then the response that it records must
   * not be sent.
   */
  readonly record: (orgId: string, record: AuditRecord) => Promise<boolean>
  readonly close: () => Promise<void>
}

interface QueuedEntry {
  readonly entry: AuditRecord
  readonly giveUpMs: number
  readonly settle: (isWritten: boolean) => void
}

/**
 * Creates the recorder of requests under a support grant: one entry each, written before the response is sent. Entries that
 * arrive during a transaction of their organization share the next one. The wait is bounded; an entry whose transaction
 * outlives it may still be committed, and then records a response that was withheld.
 */
export function createImpersonationRecorder(platform: Platform): ImpersonationRecorder {
  const { log } = platform
  const keyring = auditKeyring(platform.config.masterKeys())
  const queues = new Map<string, QueuedEntry[]>()
  const running = new Set<Promise<void>>()
  let size = 0

  async function drain(orgId: string, queue: QueuedEntry[]) {
    while (queue.length > 0) {
      const taken = queue.splice(0, maxBatch)
      const nowMs = performance.now()
      const batch = taken.filter(({ giveUpMs }) => giveUpMs > nowMs)
      const records = batch.map(({ entry }) => entry)
      const isWritten = await write(platform, keyring, orgId, records).then(
        () => true,
        (error: unknown) => {
          log.error({ error, entries: records.length }, 'requests under a support grant were not recorded')
          return false
        },
      )
      size -= taken.length
      for (const { settle } of batch) settle(isWritten)
    }
    queues.delete(orgId)
  }

  function enqueue(orgId: string, waiting: QueuedEntry) {
    const queue = queues.get(orgId)
    if (queue) {
      queue.push(waiting)
      return
    }
    const begun = [waiting]
    queues.set(orgId, begun)
    const draining = drain(orgId, begun).finally(() => running.delete(draining))
    running.add(draining)
  }

  return {
    record: (orgId, entry) => {
      if (size >= maxImpersonated) return Promise.resolve(false)
      size += 1
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const timer = setTimeout(() => resolve(false), maxWaitMs)
      const settle = (isWritten: boolean) => {
        clearTimeout(timer)
        resolve(isWritten)
      }
      enqueue(orgId, { entry, giveUpMs: performance.now() + maxWaitMs, settle })
      return promise
    },
    close: async () => {
      await Promise.all(running)
    },
  }
}

const write = ({ sql }: Platform, keyring: Keyring, orgId: string, records: readonly AuditRecord[]) =>
  sql.asOrgs([orgId], (tx) => recordAll(tx, keyring, orgId, records))

/** Runs tasks one after another; a tick during a running task starts no second one. */
function createSerializer() {
  let last = Promise.resolve()
  return (work: () => Promise<void>): Promise<void> => {
    last = last.then(work)
    return last
  }
}
