import { Counter } from 'prom-client'
import type { Platform } from '../../platform/infra/platform.ts'
import { WriteBehind } from '../../platform/infra/write-behind.ts'
import type { Keyring } from '../../values/keyring.ts'
import { minuteMs } from '../../values/time.ts'
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

export interface DeniedRecorder {
  readonly record: (orgId: string, actor: Actor, attempt: DeniedAttempt) => void
  /** Writes the entries of minutes that are over. */
  readonly flush: () => Promise<void>
  readonly close: () => Promise<void>
}

/** A denied attempt. Those that differ in what is told about them (`after`) are entries of their own. */
export interface DeniedAttempt {
  readonly action: string
  readonly address: string | null
  readonly traceId: string
  readonly after?: Readonly<Record<string, string | null>>
}

interface Denied {
  readonly key: string
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
    help: 'Denied attempts that were not recorded: too many distinct ones in a minute, or the database was unavailable at the end.',
    registers: [metrics],
  })
  const minuteNow = () => Math.floor(clock.now().getTime() / minuteMs)
  const buffer = new WriteBehind<Denied>(platform, {
    name: 'denied_attempts',
    everyMs: deniedFlushMs,
    maxWaiting: maxDenied,
    isDue: ({ minute }) => minute < minuteNow(),
    write: async (due) => {
      for (const [orgId, ofOrg] of Map.groupBy(due, (denied) => denied.orgId)) {
        const records = ofOrg.map(({ entry, count }) => ({ ...entry, count }))
        await write(platform, keyring, orgId, records).catch((error: unknown) => {
          log.warn({ error, entries: records.length }, 'denied attempts were not recorded; retrying')
          for (const denied of ofOrg) putBack(denied)
        })
      }
    },
    onLost: (items) => lost.inc(items.reduce((sum, { count }) => sum + count, 0)),
  })

  function putBack(denied: Denied) {
    const newer = buffer.waiting(denied.key)
    if (newer) newer.count += denied.count
    else buffer.add(denied.key, denied)
  }

  return {
    record: (orgId, actor, { action, address, traceId, after }) => {
      const minute = minuteNow()
      const key = `${orgId} ${actor.id} ${minute} ${action} ${JSON.stringify(after ?? null)}`
      const existing = buffer.waiting(key)
      if (existing) existing.count += 1
      else {
        const target = { kind: 'route', id: action }
        const entry: AuditRecord = {
          actor,
          action,
          target,
          outcome: 'denied',
          address,
          traceId,
          ...(after && { after }),
        }
        buffer.add(key, { key, orgId, minute, entry, count: 1 })
      }
    },
    flush: () => buffer.flush(),
    close: () => buffer.close(),
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
  const keyring = auditKeyring(platform.config.masterKeys())
  /** A buffer per organization with entries under way, so that none waits for the chain of another. */
  const buffers = new Map<string, WriteBehind<QueuedEntry>>()
  let size = 0

  const createBuffer = (orgId: string) =>
    new WriteBehind<QueuedEntry>(platform, {
      name: 'impersonated_requests',
      maxWaiting: maxImpersonated,
      maxLot: maxBatch,
      write: async (taken) => {
        const nowMs = performance.now()
        const batch = taken.filter(({ giveUpMs }) => giveUpMs > nowMs)
        const records = batch.map(({ entry }) => entry)
        await write(platform, keyring, orgId, records)
        const written = new Set(batch)
        for (const queued of taken) queued.settle(written.has(queued))
      },
      onLost: (taken) => {
        for (const { settle } of taken) settle(false)
      },
    })

  async function enqueue(orgId: string, queued: QueuedEntry) {
    const buffer = buffers.get(orgId) ?? createBuffer(orgId)
    buffers.set(orgId, buffer)
    buffer.add(queued, queued)
    await buffer.flush()
    if (buffer.size === 0 && buffers.get(orgId) === buffer) buffers.delete(orgId)
  }

  return {
    record: (orgId, entry) => {
      if (size >= maxImpersonated) return Promise.resolve(false)
      size += 1
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const timer = setTimeout(() => resolve(false), maxWaitMs)
      const settle = (isWritten: boolean) => {
        size -= 1
        clearTimeout(timer)
        resolve(isWritten)
      }
      void enqueue(orgId, { entry, giveUpMs: performance.now() + maxWaitMs, settle })
      return promise
    },
    close: async () => {
      await Promise.all([...buffers.values()].map((buffer) => buffer.close()))
    },
  }
}

const write = ({ sql }: Platform, keyring: Keyring, orgId: string, records: readonly AuditRecord[]) =>
  sql.asOrgs([orgId], (tx) => recordAll(tx, keyring, orgId, records))
