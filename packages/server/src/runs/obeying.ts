import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../contract/errors.ts'
import { type DecisionRecords, explainRuled } from '../decisions/decisions.ts'
import type { Clock } from '../infra/clock.ts'
import { admissionOf, type PolicyVerdict, type Ruling, type Rulings } from '../policies/policies.ts'
import { formatId, newUuid } from '../values/id.ts'
import { type Admitted, asIs, type Governance } from './governance.ts'
import type { ResolvedStart } from './schema.ts'

export type Recorded = <E extends ApiError>(error: E, input: ResolvedStart, orgId: string, amountNano: bigint) => E

/** Keeps what refused a start, so that it is found again and told to whoever wants to know. */
export const recording =
  (clock: Clock, records: DecisionRecords): Recorded =>
  (error, input, orgId, amountNano) => {
    const id = newUuid()
    const { rule_id: decidedBy = null } = error.details as { rule_id?: string }
    const body = explainRuled(id, input, { at: clock.now(), amountNano, decidedBy, errorCode: error.code })
    const isKept = records.offer({ orgId, id, body, message: error.message })
    if (isKept && 'attempted' in error.details) Object.assign(error.details, { decision_id: formatId('decision', id) })
    return error
  }

export type Obeyed = (
  ruling: Ruling,
  rulings: Rulings,
  input: ResolvedStart,
  request: FastifyRequest,
) => Promise<Admitted>

/** What a ruling comes to: the start goes on, perhaps on what was granted for it; or somebody is asked, and it is refused. */
export function obeying({ matches, approvals }: Governance, recorded: Recorded): Obeyed {
  return async ({ attempt, verdict, refusal }, { set }, input, { principal, clientAddress: address, id: traceId }) => {
    const caller = principal!
    const isDryRun = input.dry_run === true
    const note = (of: PolicyVerdict) => !isDryRun && matches.note(caller.orgId, set.version, of, attempt)
    const admission = admissionOf(attempt, set.version)
    if (!refusal) {
      note(verdict)
      return { input, facts: { admission }, refused: asIs }
    }
    if (refusal.code !== 'policy_approval_required') {
      note(verdict)
      throw recorded(refusal, input, caller.orgId, attempt.estimatedNano)
    }
    const asked = { caller, rule: verdict.rule!, attempt, address, traceId }
    const ask = async <E extends ApiError>(error: E) => {
      note(verdict)
      const approvalId = isDryRun ? undefined : await approvals.ask(asked)
      if (approvalId !== undefined) Object.assign(error.details, { approval_id: approvalId })
      return error
    }
    const grant = await approvals.grantFor(asked)
    if (!grant) throw recorded(await ask(refusal), input, caller.orgId, attempt.estimatedNano)
    return {
      input,
      facts: { admission: { ...admission, approval_id: formatId('approval', grant.id) }, grant },
      refused: async (error) => (error.code === 'policy_approval_required' ? ask(error) : error),
    }
  }
}
