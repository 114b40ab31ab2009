import { Counter } from 'prom-client'
import type { Platform } from '../platform/infra/platform.ts'
import { WriteBehind } from '../platform/infra/write-behind.ts'
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
  const { sql, clock, metrics } = platform
  const emit = createRefusalEmitter(platform)
  const counts = createRefusalCounter(platform)
  const list = createRefusalList(platform)
  const noted = new WeakSet<object>()
  const unrecorded = new Counter({
    name: 'svc_decisions_unrecorded_total',
    help: 'Refusals without an explanation of their own: more than ten a second by one limit of one organization, or the database was unavailable.',
    registers: [metrics],
  })
  const explanations = new WriteBehind<DecisionRecord>(platform, {
    name: 'explanations',
    everyMs: flushEveryMs,
    maxWaiting,
    write: (records) =>
      sql.asOrgs([...new Set(records.map(({ orgId }) => orgId))], async (tx) => {
        await insertRecords(tx, records)
        await emit(tx, records)
      }),
    onLost: (records) => unrecorded.inc(records.length),
  })
  let second = 0
  let sampled = new Map<string, number>()

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
    if (!isSample) {
      unrecorded.inc()
      return false
    }
    if (!explanations.add(keyOf(record), record)) return false
    sampled.set(key, count + 1)
    return true
  }

  return {
    record: note,
    recordSampled: offer,
    isRecorded: (error) => noted.has(error),
    find: (orgId, id) => explanations.find(keyOf({ orgId, id }))?.body,
    close: async () => {
      await Promise.all([explanations.close(), counts.close(), list.close()])
    },
  }
}

const keyOf = ({ orgId, id }: Pick<DecisionRecord, 'orgId' | 'id'>) => `${orgId} ${id}`
