import { hash } from 'node:crypto'
import { Counter } from 'prom-client'
import type { Platform } from '../../platform/infra/platform.ts'
import { newUuid } from '../../values/id.ts'
import type { RunAttempt } from './attempt.ts'
import { addMatches, type MatchRow } from './queries.ts'
import type { PolicyVerdict, Rule } from './rule.ts'
import { toStoredAttempt } from './stored-attempt.ts'

const flushEveryMs = 200
const maxWaiting = 5_000
/** The limit of distinct attempts per organization and minute: recording more would tell the reader nothing new. */
const maxPerOrg = 1_000
const minuteMs = 60_000

/** A write-behind log of the runs that rules have refused and that shadow rules would have decided. */
export interface PolicyMatchLog {
  readonly record: (orgId: string, setVersion: bigint, verdict: PolicyVerdict, attempt: RunAttempt) => void
  readonly flush: () => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Creates the log of policy matches. Matches are written outside of the request, with equal ones of a minute in one row, so that
 * an agent that loops on a refusal costs one row a minute. The caller's response never depends on it.
 */
export function createPolicyMatchLog({ sql, metrics, log }: Platform): PolicyMatchLog {
  const verdicts = new Counter({
    name: 'svc_policy_matches_total',
    help: 'Runs that a rule refused, or that a shadow rule would have decided.',
    labelNames: ['outcome', 'shadow'],
    registers: [metrics],
  })
  const lost = new Counter({
    name: 'svc_policy_matches_lost_total',
    help: 'Policy matches that were not recorded, because there were too many distinct ones or the database was unavailable.',
    registers: [metrics],
  })
  let waiting = new Map<string, MatchRow & { count: number }>()
  let flushing: Promise<void> | undefined
  let current = 0
  let keysByOrg = new Map<string, Set<string>>()

  function add(orgId: string, setVersion: bigint, rule: Rule, outcome: string, shadow: boolean, attempt: RunAttempt) {
    verdicts.inc({ outcome, shadow: String(shadow) })
    const { at_ms, ...lasting } = toStoredAttempt(attempt)
    const attemptHash = hash('sha256', JSON.stringify(lasting), 'hex')
    const minute = Math.floor(at_ms / minuteMs) * minuteMs
    const key = `${orgId} ${minute} ${rule.id} ${shadow} ${setVersion} ${attemptHash}`
    const existing = waiting.get(key)
    if (existing) existing.count += 1
    else if (waiting.size >= maxWaiting || isFull(orgId, minute, key)) lost.inc()
    else
      waiting.set(key, {
        org_id: orgId,
        minute: new Date(minute).toISOString(),
        id: newUuid(),
        rule_id: rule.id,
        rule_version: rule.version,
        set_version: setVersion.toString(),
        outcome,
        shadow,
        attempt_hash: attemptHash,
        attempt: { at_ms, ...lasting },
        count: 1,
      })
  }

  function isFull(orgId: string, minute: number, key: string) {
    if (minute > current) {
      current = minute
      keysByOrg = new Map()
    }
    let known = keysByOrg.get(orgId)
    if (!known) keysByOrg.set(orgId, (known = new Set()))
    if (known.has(key)) return false
    if (known.size >= maxPerOrg) return true
    known.add(key)
    return false
  }

  async function write(rows: readonly MatchRow[]) {
    try {
      await sql.asOrgs([...new Set(rows.map(({ org_id }) => org_id))], (tx) => addMatches(tx, rows))
    } catch (error) {
      lost.inc(rows.reduce((sum, { count }) => sum + count, 0))
      log.warn({ error, lost: rows.length }, 'policy matches were not recorded')
    }
  }

  /** Writes one batch at a time: while the database does not respond, only one batch waits for it. */
  async function flush() {
    if (flushing) return flushing
    const rows = [...waiting.values()]
    waiting = new Map()
    if (rows.length === 0) return
    flushing = write(rows)
    await flushing
    flushing = undefined
  }
  const timer = setInterval(() => void flush(), flushEveryMs)

  return {
    record: (orgId, setVersion, { outcome, rule, shadow }, attempt) => {
      if (shadow) add(orgId, setVersion, shadow.rule, shadow.outcome, true, attempt)
      if (rule && outcome !== 'allow') add(orgId, setVersion, rule, outcome, false, attempt)
    },
    flush,
    close: async () => {
      clearInterval(timer)
      await flush()
      await flush()
    },
  }
}
