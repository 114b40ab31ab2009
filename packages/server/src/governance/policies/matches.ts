import { hash } from 'node:crypto'
import { Counter } from 'prom-client'
import type { Platform } from '../../platform/infra/platform.ts'
import { WriteBehind } from '../../platform/infra/write-behind.ts'
import { newUuid } from '../../values/id.ts'
import { isoOf, minuteMs } from '../../values/time.ts'
import type { RunAttempt } from './attempt.ts'
import { addMatches, type MatchRow } from './queries.ts'
import type { PolicyVerdict, Rule } from './rule.ts'
import { toStoredAttempt } from './stored-attempt.ts'

const flushEveryMs = 200
const maxWaiting = 5_000
/** The limit of distinct attempts per organization and minute: recording more would tell the reader nothing new. */
const maxPerOrg = 1_000

/** A write-behind log of the runs that rules have refused and that shadow rules would have decided. */
export interface PolicyMatchLog {
  readonly record: (orgId: string, setVersion: bigint, verdict: PolicyVerdict, attempt: RunAttempt) => void
  readonly close: () => Promise<void>
}

/**
 * Creates the log of policy matches. Matches are written outside of the request, with equal ones of a minute in one row, so that
 * an agent that loops on a refusal costs one row a minute. The caller's response never depends on it.
 */
export function createPolicyMatchLog(platform: Platform): PolicyMatchLog {
  const { sql, metrics } = platform
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
  const distinct = createDistinctPerMinute()
  const buffer = new WriteBehind<MatchRow & { count: number }>(platform, {
    name: 'policy_matches',
    everyMs: flushEveryMs,
    maxWaiting,
    write: (rows) => sql.asOrgs([...new Set(rows.map(({ org_id }) => org_id))], (tx) => addMatches(tx, rows)),
    onLost: (rows) => lost.inc(rows.reduce((sum, { count }) => sum + count, 0)),
  })

  function add(orgId: string, setVersion: bigint, rule: Rule, outcome: string, shadow: boolean, attempt: RunAttempt) {
    verdicts.inc({ outcome, shadow: String(shadow) })
    const { at_ms, ...lasting } = toStoredAttempt(attempt)
    const attemptHash = hash('sha256', JSON.stringify(lasting), 'hex')
    const minute = Math.floor(at_ms / minuteMs) * minuteMs
    const key = `${orgId} ${minute} ${rule.id} ${shadow} ${setVersion} ${attemptHash}`
    const existing = buffer.waiting(key)
    if (existing) existing.count += 1
    else if (!distinct.admit(orgId, minute, key)) lost.inc()
    else
      buffer.add(key, {
        org_id: orgId,
        minute: isoOf(minute),
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

  return {
    record: (orgId, setVersion, { outcome, rule, shadow }, attempt) => {
      if (shadow) add(orgId, setVersion, shadow.rule, shadow.outcome, true, attempt)
      if (rule && outcome !== 'allow') add(orgId, setVersion, rule, outcome, false, attempt)
    },
    close: () => buffer.close(),
  }
}

/** Limits the distinct attempts of an organization in the current minute. */
function createDistinctPerMinute() {
  let current = 0
  let keysByOrg = new Map<string, Set<string>>()
  return {
    /** Returns false when the organization has as many other attempts in this minute as it may. */
    admit: (orgId: string, minute: number, key: string) => {
      if (minute > current) {
        current = minute
        keysByOrg = new Map()
      }
      const known = keysByOrg.get(orgId) ?? new Set<string>()
      if (!known.has(key) && known.size >= maxPerOrg) return false
      keysByOrg.set(orgId, known.add(key))
      return true
    },
  }
}
