import { auditKeyring, recordAll } from '../audit/audit.ts'
import { actorOf } from '../changes/changes.ts'
import { emit } from '../events/events.ts'
import type { Caller } from '../identity/identity.ts'
import type { Platform } from '../infra/platform.ts'
import type { Grant } from '../ledger/ledger.ts'
import { type Attempt, attemptedBy, type Rule, storedAttempt } from '../policies/policies.ts'
import { formatId, newUuid } from '../values/id.ts'
import { fingerprintOf } from './grant.ts'
import { type ApprovalRow, approvalsOf, countPending, insertApproval } from './queries.ts'
import { requestData } from './views.ts'

/** Nobody is waited for longer than that. */
const waitMs = 7 * 86_400_000
const maxPending = 1_000

/** An attempt that a rule lets through only once somebody has approved it. */
export interface Asked {
  readonly caller: Caller
  readonly rule: Rule
  readonly attempt: Attempt
  readonly address: string
  readonly traceId: string
}

export interface Approvals {
  /** What was granted for the attempt, if that still stands; how much of it is left is decided where it is taken. */
  readonly grantFor: (asked: Asked) => Promise<Grant | undefined>
  /**
   * Asks for an approval, unless the same attempt waits already or was denied not long ago; the id of the request. Nothing where so
   * much waits already that nobody could look through it.
   */
  readonly ask: (asked: Asked) => Promise<string | undefined>
}

export function askForApprovals({ sql, config, clock }: Platform): Approvals {
  const keyring = auditKeyring(config.masterKeys())

  const keyOf = ({ rule, attempt }: Asked) => ({
    ruleId: rule.id,
    ruleVersion: rule.version,
    fingerprint: fingerprintOf(attempt),
  })
  const stands = ({ expires_at }: ApprovalRow) => expires_at > clock.now()

  return {
    grantFor: async (asked) => {
      const { orgId } = asked.caller
      const rows = await sql.asOrgs([orgId], (tx) => approvalsOf(tx, orgId, keyOf(asked)))
      const granted = rows.find((row) => row.status === 'approved' && stands(row))
      return granted && grantOf(granted)
    },
    ask: async (asked) => {
      const { caller, rule, attempt } = asked
      const { orgId } = caller
      const key = keyOf(asked)
      return sql.asOrgs([orgId], async (tx) => {
        const open = (await approvalsOf(tx, orgId, key)).find(
          (row) => (row.status === 'pending' || row.status === 'denied') && stands(row),
        )
        if (open) return formatId('approval', open.id)
        if ((await countPending(tx, orgId)) >= maxPending) return undefined
        const row = await insertApproval(tx, orgId, {
          id: newUuid(),
          rule_id: rule.id,
          rule_version: rule.version,
          rule_name: rule.name,
          reason: rule.reason,
          fingerprint: key.fingerprint,
          attempted: attemptedBy(rule, attempt),
          attempt: storedAttempt(attempt),
          estimated_nano: attempt.estimatedNano,
          requested_by: caller.id,
          expires_at: new Date(clock.now().getTime() + waitMs),
        })
        // Another request has asked a moment ago.
        if (!row) return formatId('approval', (await approvalsOf(tx, orgId, key))[0]!.id)
        const data = requestData(row)
        await emit(tx, orgId, [{ kind: 'approval.requested', subject: data.approval_id, data }])
        await recordAll(tx, keyring, orgId, [
          {
            actor: actorOf(caller),
            action: 'approval.requested',
            target: { kind: 'approval', id: data.approval_id },
            after: { ...data, attempt: row.attempt },
            address: asked.address,
            traceId: asked.traceId,
          },
        ])
        return data.approval_id
      })
    },
  }
}

const grantOf = (row: ApprovalRow): Grant => ({
  id: row.id,
  maxRuns: BigInt(row.max_runs!),
  maxAmountNano: row.max_amount_nano,
  expiresAtMs: row.expires_at.getTime(),
  ruleId: row.rule_id,
  reason: row.reason,
  attempted: row.attempted,
})
