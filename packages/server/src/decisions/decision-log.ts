import { Counter } from 'prom-client'
import type { Platform } from '../platform/infra/platform.ts'
import type { DecisionRecord, RefusalContext } from './decision-record.ts'
import { insertRecords } from './queries.ts'
import { createRefusalCounter } from './refusal-counts.ts'
import { createRefusalEmitter } from './refusal-events.ts'
import { createRefusalList } from './refusal-list.ts'
import type { Explanation } from './schema.ts'

const flushEveryMs = 200
const maxWaiting = 5_000
const perSecond = 10

/** A log of decisions that hold nothing, written outside the transactions that move money. */
export interface DecisionLog {
  /** Lists and counts a refusal, apart from dry runs. */
  readonly record: (record: DecisionRecord & { readonly refused: RefusalContext }) => void
  /**
   * As `record`, and also stores the explanation unless the same limit of the organization has refused too often this second;
   * returns true when it is stored.
   */
  readonly recordSampled: (record: DecisionRecord) => boolean
  /** True when the refusal with this error was recorded already. */
  readonly isRecorded: (error: object) => boolean
  /** Returns an explanation that is still being written to the database. */
  readonly find: (orgId: string, id: string) => Explanation | undefined
  readonly close: () => Promise<void>
}

/**
 * Creates the decision log. An agent that loops on a refusal must not turn each response into a write: a sample is stored, the
 * rest is counted.
 */
export function createDecisionLog(platform: Platform): DecisionLog {
  const { sql, clock, metrics, log } = platform
  const emit = createRefusalEmitter(platform)
  const counts = createRefusalCounter(platform)
  const list = createRefusalList(platform)
  const noted = new WeakSet<object>()
  const unrecorded = new Counter({
    name: 'svc_decisions_unrecorded_total',
    help: 'Refusals without an explanation of their own: more than ten a second by one limit of one organization.',
    registers: [metrics],
  })
  let waiting: DecisionRecord[] = []
  let inFlight: DecisionRecord[] = []
  let second = 0
  let sampled = new Map<string, number>()
  let flushing = Promise.resolve()

  function note({
    orgId,
    body,
    refused: { error, surface, stoppedKey },
  }: DecisionRecord & { refused: RefusalContext }) {
    noted.add(error)
    if (body.dry_run) return
    counts.count(orgId, body, stoppedKey)
    list.add({ orgId, surface, message: error.message, body })
  }

  function offer(record: DecisionRecord) {
    const { refused } = record
    if (refused) note({ ...record, refused })
    const now = Math.floor(clock.now().getTime() / 1_000)
    if (now !== second) {
      second = now
      sampled = new Map()
    }
    const key = `${record.orgId} ${record.body.decided_by ?? ''}`
    const count = sampled.get(key) ?? 0
    const isSample = record.body.dry_run || count < perSecond
    if (!isSample || waiting.length >= maxWaiting) {
      unrecorded.inc()
      return false
    }
    sampled.set(key, count + 1)
    waiting.push(record)
    return true
  }

  function flush() {
    const records = waiting
    waiting = []
    if (records.length === 0) return
    inFlight = records
    flushing = flushing
      .then(() =>
        sql.asOrgs([...new Set(records.map(({ orgId }) => orgId))], async (tx) => {
          await insertRecords(tx, records)
          await emit(tx, records)
        }),
      )
      .catch((error: unknown) => log.warn({ error, lost: records.length }, 'failed to store explanations of refusals'))
  }
  const timer = setInterval(() => {
    flush()
    void counts.flush()
    void list.flush()
  }, flushEveryMs)

  return {
    record: note,
    recordSampled: offer,
    isRecorded: (error) => noted.has(error),
    find: (orgId, id) => [...waiting, ...inFlight].find((record) => record.id === id && record.orgId === orgId)?.body,
    close: async () => {
      clearInterval(timer)
      flush()
      await Promise.all([flushing, counts.flush(), list.flush()])
    },
  }
}
