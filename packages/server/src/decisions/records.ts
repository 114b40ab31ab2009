import { Counter } from 'prom-client'
import type { ApiError } from '../contract/errors.ts'
import type { Platform } from '../infra/platform.ts'
import { insertRecords } from './queries.ts'
import { countRefusals } from './refusal-counts.ts'
import { tellRefusals } from './refusal-events.ts'
import { listRefusals, type RefusedAt } from './refusal-list.ts'
import type { Explanation } from './schema.ts'

const flushEveryMs = 200
const maxWaiting = 5_000
const perSecond = 10

export interface DecisionRecord {
  readonly orgId: string
  readonly id: string
  readonly body: Explanation
  readonly refused?: Refused
}

/** Facts about a refusal beside its explanation. */
export interface Refused {
  /** The error that the caller gets. */
  readonly error: ApiError
  readonly surface: RefusedAt
  /** The allowance that refused, where a limit did. */
  readonly stoppedKey?: string | undefined
}

/** A log of decisions that hold nothing, written outside the transactions that move money. */
export interface DecisionRecords {
  /** Lists and counts a refusal, apart from dry runs. */
  readonly note: (record: DecisionRecord & { readonly refused: Refused }) => void
  /**
   * As `record`, and also stores the explanation unless the same limit of the organization has refused too often this second;
   * returns true when it is stored.
   */
  readonly offer: (record: DecisionRecord) => boolean
  /** True when the refusal with this error was recorded already. */
  readonly isNoted: (error: object) => boolean
  /** Returns an explanation that is still being written to the database. */
  readonly find: (orgId: string, id: string) => Explanation | undefined
  readonly close: () => Promise<void>
}

/**
 * Creates the decision log. An agent that loops on a refusal must not turn each response into a write: a sample is stored, the
 * rest is counted.
 */
export function keepDecisionRecords(platform: Platform): DecisionRecords {
  const { sql, clock, metrics, log } = platform
  const tell = tellRefusals(platform)
  const counts = countRefusals(platform)
  const list = listRefusals(platform)
  const noted = new WeakSet<object>()
  const unrecorded = new Counter({
    name: 'svc_decisions_unrecorded_total',
    help: 'Refusals without an explanation of their own: more than ten a second by one limit of one organization.',
    registers: [metrics],
  })
  let waiting: DecisionRecord[] = []
  let leaving: DecisionRecord[] = []
  let second = 0
  let sampled = new Map<string, number>()
  let flushing = Promise.resolve()

  function note({ orgId, body, refused: { error, surface, stoppedKey } }: DecisionRecord & { refused: Refused }) {
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
    const of = `${record.orgId} ${record.body.decided_by ?? ''}`
    const count = sampled.get(of) ?? 0
    const isSample = record.body.dry_run || count < perSecond
    if (!isSample || waiting.length >= maxWaiting) {
      unrecorded.inc()
      return false
    }
    sampled.set(of, count + 1)
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
      .catch((error: unknown) => log.warn({ error, lost: records.length }, 'failed to store explanations of refusals'))
  }
  const timer = setInterval(() => {
    flush()
    void counts.flush()
    void list.flush()
  }, flushEveryMs)

  return {
    note,
    offer,
    isNoted: (error) => noted.has(error),
    find: (orgId, id) => [...waiting, ...leaving].find((record) => record.id === id && record.orgId === orgId)?.body,
    close: async () => {
      clearInterval(timer)
      flush()
      await Promise.all([flushing, counts.flush(), list.flush()])
    },
  }
}
