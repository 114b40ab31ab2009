import { Counter } from 'prom-client'
import type { Platform } from '../infra/platform.ts'
import { insertRecords } from './queries.ts'
import { countRefusals } from './refusal-counts.ts'
import { tellRefusals } from './refusal-events.ts'
import type { Explanation } from './schema.ts'

const flushEveryMs = 200
const maxWaiting = 5_000
const perSecond = 10

export interface DecisionRecord {
  readonly orgId: string
  readonly id: string
  readonly body: Explanation
  /** What the caller of a refusal is told. */
  readonly message?: string
}

/** Keeps explanations of decisions that hold nothing, outside the transactions that move money. */
export interface DecisionRecords {
  /** Keeps it unless the same limit of the organization has refused too often this second; says whether it did. */
  readonly offer: (record: DecisionRecord) => boolean
  /** One that is on its way into the database. */
  readonly find: (orgId: string, id: string) => Explanation | undefined
  readonly close: () => Promise<void>
}

/** An agent that loops on a refusal must not turn each answer into a write: a sample tells as much, the rest is counted. */
export function keepDecisionRecords(platform: Platform): DecisionRecords {
  const { sql, clock, metrics, log } = platform
  const tell = tellRefusals(platform)
  const refusals = countRefusals(platform)
  const unrecorded = new Counter({
    name: 'svc_decisions_unrecorded_total',
    help: 'Refusals without an explanation of their own: more than ten a second by one limit of one organization.',
    registers: [metrics],
  })
  let waiting: DecisionRecord[] = []
  let leaving: DecisionRecord[] = []
  let second = 0
  let counts = new Map<string, number>()
  let flushing = Promise.resolve()

  function offer(record: DecisionRecord) {
    refusals.count(record.orgId, record.body)
    const now = Math.floor(clock.now().getTime() / 1_000)
    if (now !== second) {
      second = now
      counts = new Map()
    }
    const of = `${record.orgId} ${record.body.decided_by ?? ''}`
    const count = counts.get(of) ?? 0
    const isSample = record.body.dry_run || count < perSecond
    if (!isSample || waiting.length >= maxWaiting) {
      unrecorded.inc()
      return false
    }
    counts.set(of, count + 1)
    waiting.push(record)
    return true
  }

  function flush() {
    const records = waiting
    waiting = []
    if (records.length === 0) return
    leaving = records
    flushing = flushing
      .then(() =>
        sql.asOrgs([...new Set(records.map(({ orgId }) => orgId))], async (tx) => {
          await insertRecords(tx, records)
          await tell(tx, records)
        }),
      )
      .catch((error: unknown) => log.warn({ error, lost: records.length }, 'explanations of refusals were not kept'))
  }
  const timer = setInterval(() => {
    flush()
    void refusals.flush()
  }, flushEveryMs)

  return {
    offer,
    find: (orgId, id) => [...waiting, ...leaving].find((record) => record.id === id && record.orgId === orgId)?.body,
    close: async () => {
      clearInterval(timer)
      flush()
      await Promise.all([flushing, refusals.flush()])
    },
  }
}
