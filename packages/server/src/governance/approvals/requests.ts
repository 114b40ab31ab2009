import { auditKeyring, recordAll } from '../../access/audit/audit.ts'
import { actorOf } from '../../access/changes/changes.ts'
import { emit } from '../../access/events/events.ts'
import type { Caller } from '../../access/identity/identity.ts'
import { grantKey } from '../../money/approval-grants/approval-grants.ts'
import { type ApprovalGrant, balancesOf, emptyBalance } from '../../money/ledger/ledger.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { dayMs } from '../../values/time.ts'
import { attemptedTarget, type Rule, type RunAttempt, toStoredAttempt } from '../policies/policies.ts'
import { fingerprintOf } from './fingerprint.ts'
import {
  type ApprovalRow,
  countPending,
  expireByAttempt,
  findOpenRequest,
  findValidGrants,
  insertApproval,
  lockRule,
} from './queries.ts'
import { requestData } from './views.ts'

/** The time after which a pending request expires. */
const requestTtlMs = 7 * dayMs
/** The limits of pending requests: nobody could review more, and one key must not block the requests of others. */
const maxPending = { all: 1_000, own: 100 }

/** An attempt that a rule allows only with an approval. */
export interface ApprovableAttempt {
  readonly caller: Caller
  readonly rule: Rule
  readonly attempt: RunAttempt
  readonly address: string
  readonly traceId: string
}

/** A request that is pending, or was denied recently. */
export interface OpenRequest {
  readonly id: string
  readonly status: 'pending' | 'denied'
  readonly expiresAt: Date
  readonly note: string | null
}

export interface ApprovalService {
  /**
   * Returns the valid grants for the attempt, the oldest first. Whether a grant has capacity left is decided when it is charged. A
   * run that is raised has taken its part of one already, which comes first.
   */
  readonly grantsFor: (asked: ApprovableAttempt, takenId?: string) => Promise<ApprovalGrant[]>
  /**
   * Creates a request for approval, unless the same attempt is already pending or was denied recently; then returns the existing
   * request. Returns undefined when the rule has changed meanwhile, or too many requests are pending.
   */
  readonly request: (asked: ApprovableAttempt) => Promise<OpenRequest | undefined>
}

export function createApprovals({ sql, config, clock }: Platform): ApprovalService {
  const keyring = auditKeyring(config.masterKeys())

  const attemptKeyOf = ({ rule, attempt }: ApprovableAttempt) => ({
    ruleId: rule.id,
    ruleVersion: rule.version,
    fingerprint: fingerprintOf(rule, attempt),
  })

  /** Audits and emits a change of a request. */
  async function publish(
    tx: Tx,
    { caller, address, traceId }: ApprovableAttempt,
    kind: 'requested' | 'expired',
    row: ApprovalRow,
  ) {
    const data = requestData(row)
    const action = `approval.${kind}` as const
    await emit(tx, caller.orgId, [{ kind: action, subject: data.approval_id, data }])
    const target = { kind: 'approval', id: data.approval_id }
    const after = kind === 'requested' ? { ...data, attempt: row.attempt } : data
    await recordAll(tx, keyring, caller.orgId, [{ actor: actorOf(caller), action, target, after, address, traceId }])
  }

  return {
    grantsFor: async (asked, takenId) => {
      const { orgId } = asked.caller
      return sql.asOrgs([orgId], async (tx) => {
        const rows = await findValidGrants(tx, orgId, attemptKeyOf(asked), clock.now())
        if (rows.length === 0) return []
        const balances = await balancesOf(
          tx,
          orgId,
          rows.map(({ id }) => grantKey(id, 'runs')),
        )
        const hasCapacity = ({ id, max_runs }: ApprovalRow) => {
          const { spent, held } = balances.get(grantKey(id, 'runs')) ?? emptyBalance
          return spent + held < BigInt(present(max_runs))
        }
        const taken = rows.filter(({ id }) => id === takenId)
        const available = [...taken, ...rows.filter((row) => row.id !== takenId && hasCapacity(row))]
        // All grants are used up: the last one is returned, so that its refusal says so.
        return (available.length > 0 ? available : rows.slice(-1)).map(grantOf)
      })
    },
    request: async (asked) => {
      const { caller, rule, attempt } = asked
      const { orgId } = caller
      if (caller.kind !== 'key') return undefined
      const key = attemptKeyOf(asked)
      const now = clock.now()
      return sql.asOrgs([orgId], async (tx) => {
        // Locks the rule: a rule that changes expires its requests, so no request may be created after that.
        if ((await lockRule(tx, orgId, rule.id))?.version !== rule.version) return undefined
        const open = await findOpenRequest(tx, orgId, key, now)
        if (open) return openRequest(open)
        for (const row of await expireByAttempt(tx, orgId, key, now)) await publish(tx, asked, 'expired', row)
        const pending = await countPending(tx, orgId, caller.id)
        if (pending.all >= maxPending.all || pending.own >= maxPending.own) return undefined
        const row = await insertApproval(tx, orgId, {
          id: newUuid(),
          rule_id: rule.id,
          rule_version: rule.version,
          rule_name: rule.name,
          reason: rule.reason,
          fingerprint: key.fingerprint,
          attempted: attemptedTarget(rule, attempt),
          attempt: toStoredAttempt(attempt),
          estimated_nano: attempt.estimatedNano,
          requested_by: caller.id,
          expires_at: new Date(now.getTime() + requestTtlMs),
        })
        if (row) await publish(tx, asked, 'requested', row)
        // Without a row, a concurrent attempt has just created the request.
        const found = row ?? (await findOpenRequest(tx, orgId, key, now))
        return found && openRequest(found)
      })
    },
  }
}

const openRequest = ({ id, status, expires_at, note }: ApprovalRow): OpenRequest => ({
  id: formatId('approval', id),
  status: status as OpenRequest['status'],
  expiresAt: expires_at,
  note,
})

const grantOf = (row: ApprovalRow): ApprovalGrant => ({
  id: row.id,
  maxRuns: BigInt(present(row.max_runs)),
  maxAmountNano: row.max_amount_nano,
  expiresAtMs: row.expires_at.getTime(),
  ruleId: row.rule_id,
  reason: row.reason,
  attempted: row.attempted,
})
