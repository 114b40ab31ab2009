import type { ApiError } from '../contract/errors.ts'
import type { OrgConfig } from '../decisions/lanes/lanes.ts'
import type { ApprovalService } from '../governance/approvals/approvals.ts'
import type { PolicyEvaluator, PolicyMatchLog } from '../governance/policies/policies.ts'
import type { FindingsPublisher, Inspector, SafetyCache } from '../governance/safety/safety.ts'
import type { ApprovalGrant } from '../money/ledger/ledger.ts'
import type { Cache } from '../platform/nodes/nodes.ts'
import type { Admission } from '../records/run-log/run-log.ts'
import type { OrgRouting } from './routing/routing.ts'
import type { ResolvedStart } from './schema.ts'

/** The checks of a run that come before its limits. */
export interface Governance {
  readonly rules: PolicyEvaluator
  readonly matches: PolicyMatchLog
  readonly approvals: ApprovalService
  readonly safety: SafetyCache
  readonly inspector: Inspector
  readonly findings: FindingsPublisher
  readonly routing: Cache<OrgRouting>
}

/** A start that rules, detectors and routes have admitted, before its limits are checked. */
export interface Admitted {
  readonly input: ResolvedStart
  readonly admission?: Admission
  /** Grants of approvals, where a rule admits the start only with one: one of these must have an amount left. */
  readonly grants: readonly ApprovalGrant[]
  /** The versions by which it was admitted: a start that finds other ones in force is checked again. */
  readonly admittedBy: { readonly rules: bigint; readonly prices?: OrgConfig['prices'] }
  /** Records what is only true of a start that takes place. */
  readonly onConfirmed: () => void
  /** Completes the refusal of a limit with what only the admission knows. */
  readonly completeRefusal: (error: ApiError) => Promise<ApiError>
}

/** A start that was refused before its limits were checked. */
export interface RefusedStart {
  readonly refusal: ApiError
  /**
   * Records the refusal, and requests an approval: called once it is certain that this is no retry of a start that took place.
   */
  readonly onConfirmed: () => Promise<void>
}

export const noop = () => undefined
export const keepError = async (error: ApiError) => error
