import type { FastifyRequest } from 'fastify'
import type { Caller } from '../access/identity/identity.ts'
import type { ApiError } from '../contract/errors.ts'
import { type DecisionLog, refusalRecord } from '../decisions/decisions.ts'
import { admissionOf, type CallEvaluator, type PolicyVerdict, type Ruling } from '../governance/policies/policies.ts'
import type { Clock } from '../platform/infra/clock.ts'
import { formatId } from '../values/id.ts'
import { present } from '../values/present.ts'
import { timestamp } from '../values/timestamp.ts'
import { type Admitted, type Governance, keepError, noop, type RefusedStart } from './governance.ts'
import type { ResolvedStart } from './schema.ts'

export type RecordRefusal = (error: ApiError, input: ResolvedStart, caller: Caller, amountNano: bigint) => void

/** Stores the refusal of a start, so that it can be found again and is published to subscribers. */
export const createRefusalRecorder =
  (clock: Clock, records: DecisionLog): RecordRefusal =>
  (error, input, caller, amountNano) => {
    const record = refusalRecord(caller, input, { error, surface: 'run' }, { at: clock.now(), amountNano })
    if (records.recordSampled(record) && 'attempted' in error.details)
      Object.assign(error.details, { decision_id: formatId('decision', record.id) })
  }

export type ApplyRuling = (
  ruling: Ruling,
  rulings: CallEvaluator,
  input: ResolvedStart,
  request: FastifyRequest,
  /** The approval that the run was started with, where it is raised. */
  approvalId?: string,
) => Promise<Admitted | RefusedStart>

/** Applies a ruling: the start goes on, perhaps with a grant; or it is refused, and an approval may be requested. */
export function createRulingHandler({ matches, approvals }: Governance, recordRefusal: RecordRefusal): ApplyRuling {
  return async (
    { attempt, verdict, refusal },
    { set },
    input,
    { caller, clientAddress: address, id: traceId },
    approvalId,
  ) => {
    const isDryRun = input.dry_run === true
    const note = (matched: PolicyVerdict) => {
      if (!isDryRun) matches.record(caller.orgId, set.version, matched, attempt)
    }
    const by = { rules: set.version }
    if (set.rules.length === 0)
      return { input, grants: [], admittedBy: by, onConfirmed: noop, completeRefusal: keepError }
    const admission = admissionOf(attempt, set.version)
    if (!refusal)
      return {
        input,
        admission,
        grants: [],
        admittedBy: by,
        onConfirmed: () => note(verdict),
        completeRefusal: keepError,
      }

    const asked = { caller, rule: present(verdict.rule), attempt, address, traceId }
    const needsApproval = refusal.code === 'policy_approval_required'
    const ask = async (error: ApiError) => {
      note(verdict)
      const open = needsApproval && !isDryRun ? await approvals.request(asked) : undefined
      if (!open) return error
      Object.assign(error.details, { approval_id: open.id, approval_status: open.status })
      if (open.status === 'denied') {
        const note = open.note === null ? '' : `: ${open.note}`
        error.message = `${asked.rule.reason} (Denied until ${timestamp(open.expiresAt)}${note})`
      }
      return error
    }
    const grants = needsApproval ? await approvals.grantsFor(asked, approvalId) : []
    if (grants.length === 0) {
      const onConfirmed = async () => {
        await ask(refusal)
        recordRefusal(refusal, input, caller, attempt.estimatedNano)
      }
      return { refusal, onConfirmed }
    }
    return {
      input,
      admission,
      grants,
      admittedBy: by,
      onConfirmed: () => note({ ...verdict, rule: null }),
      completeRefusal: async (error) => (error.code === refusal.code ? ask(error) : error),
    }
  }
}
