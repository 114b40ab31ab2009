import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../contract/errors.ts'
import { type DecisionRecords, refusalRecord } from '../decisions/decisions.ts'
import type { Caller } from '../identity/identity.ts'
import type { Clock } from '../infra/clock.ts'
import { admissionOf, type PolicyVerdict, type Ruling, type Rulings } from '../policies/policies.ts'
import { formatId } from '../values/id.ts'
import { timestamp } from '../values/timestamp.ts'
import { type Admitted, asIs, type Governance, nothing, type Refused } from './governance.ts'
import type { ResolvedStart } from './schema.ts'

export type Recorded = (error: ApiError, input: ResolvedStart, caller: Caller, amountNano: bigint) => void

/** Stores the refusal of a start, so that it can be found again and is published to subscribers. */
export const recording =
  (clock: Clock, records: DecisionRecords): Recorded =>
  (error, input, caller, amountNano) => {
    const record = refusalRecord(caller, input, { error, surface: 'run' }, { at: clock.now(), amountNano })
    if (records.offer(record) && 'attempted' in error.details)
      Object.assign(error.details, { decision_id: formatId('decision', record.id) })
  }

export type Obeyed = (
  ruling: Ruling,
  rulings: Rulings,
  input: ResolvedStart,
  request: FastifyRequest,
) => Promise<Admitted | Refused>

/** Applies a ruling: the start goes on, perhaps with a grant; or it is refused, and an approval may be requested. */
export function obeying({ matches, approvals }: Governance, recorded: Recorded): Obeyed {
  return async ({ attempt, verdict, refusal }, { set }, input, { principal, clientAddress: address, id: traceId }) => {
    const caller = principal!
    const isDryRun = input.dry_run === true
    const note = (of: PolicyVerdict) => {
      if (!isDryRun) matches.note(caller.orgId, set.version, of, attempt)
    }
    const by = { rules: set.version }
    if (set.rules.length === 0) return { input, grants: [], by, happened: nothing, refused: asIs }
    const admission = admissionOf(attempt, set.version)
    if (!refusal) return { input, admission, grants: [], by, happened: () => note(verdict), refused: asIs }

    const asked = { caller, rule: verdict.rule!, attempt, address, traceId }
    const needsApproval = refusal.code === 'policy_approval_required'
    const ask = async (error: ApiError) => {
      note(verdict)
      const open = needsApproval && !isDryRun ? await approvals.ask(asked) : undefined
      if (!open) return error
      Object.assign(error.details, { approval_id: open.id, approval_status: open.status })
      if (open.status === 'denied') {
        const note = open.note === null ? '' : `: ${open.note}`
        error.message = `${asked.rule.reason} (Denied until ${timestamp(open.expiresAt)}${note})`
      }
      return error
    }
    const grants = needsApproval ? await approvals.grantsFor(asked) : []
    if (grants.length === 0) {
      const happened = async () => {
        await ask(refusal)
        recorded(refusal, input, caller, attempt.estimatedNano)
      }
      return { refusal, happened }
    }
    return {
      input,
      admission,
      grants,
      by,
      happened: () => note({ ...verdict, rule: null }),
      refused: async (error) => (error.code === refusal.code ? ask(error) : error),
    }
  }
}
