import { Counter } from 'prom-client'
import type { Platform } from '../infra/platform.ts'
import type { Keyring } from '../values/keyring.ts'
import type { Actor } from './chain.ts'
import { type AuditRecord, auditKeyring, recordAll } from './recording.ts'

/**
 * Entries about requests that changed nothing, and so have no transaction to be written in. They are gathered and written
 * in batches, one transaction for an organization at a time: its chain has one end, and a flood must not queue at it.
 */

const deniedFlushMs = 5_000
const maxDenied = 10_000
const impersonatedFlushMs = 500
const maxImpersonated = 20_000
const maxBatch = 500
const minuteMs = 60_000

export interface DeniedRecorder {
  readonly record: (orgId: string, actor: Actor, action: string, address: string | null, traceId: string) => void
  /** Writes what is due; with `all` also the minute that is not over. */
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
 * Denied attempts: one entry for a key, an action and a minute, with their number. An entry is written once its minute is
 * over, since it cannot be changed any more afterwards. The address and trace are those of the first attempt.
 */
export function createDeniedRecorder(platform: Platform): DeniedRecorder {
  const { clock, log, metrics } = platform
  const keyring = auditKeyring(platform.config.masterKeys())
  const lost = new Counter({
    name: 'svc_audit_denied_lost_total',
    help: 'Denied attempts that were not put on record, because too many different ones came in a minute.',
    registers: [metrics],
  })
  let waiting = new Map<string, Denied>()
  const minuteNow = () => Math.floor(clock.now().getTime() / minuteMs)

  const queue = oneAtATime()
  const flush = (all = false) =>
    queue(async () => {
      const now = minuteNow()
      const due = [...waiting].filter(([, { minute }]) => all || minute < now)
      for (const [key] of due) waiting.delete(key)
      const byOrg = Map.groupBy(due, ([, { orgId }]) => orgId)
      for (const [orgId, ofOrg] of byOrg) {
        const records = ofOrg.map(([, { entry, count }]) => ({ ...entry, count }))
        await write(platform, keyring, orgId, records).catch((error: unknown) => {
          log.warn({ error, entries: records.length }, 'denied attempts were not put on record; trying again')
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
  /** Whether the request can be put on record. One that cannot must not be served. */
  readonly record: (orgId: string, record: AuditRecord) => boolean
  readonly flush: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Requests under a support grant: one entry each, whatever the answer, written within a second. */
export function createImpersonationRecorder(platform: Platform): ImpersonationRecorder {
  const { log } = platform
  const keyring = auditKeyring(platform.config.masterKeys())
  const waiting = new Map<string, AuditRecord[]>()
  let size = 0

  const queue = oneAtATime()
  const flush = () =>
    queue(async () => {
      for (const [orgId, records] of waiting) {
        try {
          while (records.length > 0) {
            const batch = records.slice(0, maxBatch)
            await write(platform, keyring, orgId, batch)
            records.splice(0, batch.length)
            size -= batch.length
          }
          waiting.delete(orgId)
        } catch (error) {
          log.warn({ error, entries: records.length }, 'impersonated requests were not put on record; trying again')
        }
      }
    })

  const timer = setInterval(() => void flush(), impersonatedFlushMs).unref()
  return {
    record: (orgId, record) => {
      if (size >= maxImpersonated) return false
      const ofOrg = waiting.get(orgId)
      if (ofOrg) ofOrg.push(record)
      else waiting.set(orgId, [record])
      size += 1
      return true
    },
    flush,
    close: async () => {
      clearInterval(timer)
      await flush()
      if (size > 0) log.error({ entries: size }, 'impersonated requests were not put on record')
    },
  }
}

const write = ({ sql }: Platform, keyring: Keyring, orgId: string, records: readonly AuditRecord[]) =>
  sql.asOrgs([orgId], (tx) => recordAll(tx, keyring, orgId, records))

/** Runs pieces of work one after another; a tick that finds one running does not start a second. */
function oneAtATime() {
  let last = Promise.resolve()
  return (work: () => Promise<void>): Promise<void> => {
    last = last.then(work)
    return last
  }
}
