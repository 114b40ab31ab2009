import type { Approvals } from '../approvals/approvals.ts'
import type { ApiError } from '../contract/errors.ts'
import type { Definitions } from '../lanes/lanes.ts'
import type { Grant } from '../ledger/ledger.ts'
import type { Remembered } from '../nodes/nodes.ts'
import type { AskRules, PolicyMatches } from '../policies/policies.ts'
import type { OrgRouting } from '../routing/routing.ts'
import type { Admission } from '../run-log/run-log.ts'
import type { FindingsTeller, Safety } from '../safety/safety.ts'
import type { ResolvedStart } from './schema.ts'

/** The checks of a run that come before its limits. */
export interface Governance {
  readonly rules: AskRules
  readonly matches: PolicyMatches
  readonly approvals: Approvals
  readonly safety: Safety
  readonly findings: FindingsTeller
  readonly routing: Remembered<OrgRouting>
}

/** A start that rules, detectors and routes have admitted, before its limits are checked. */
export interface Admitted {
  readonly input: ResolvedStart
  readonly admission?: Admission
  /** Grants of approvals, where a rule admits the start only with one: one of these must have an amount left. */
  readonly grants: readonly Grant[]
  /** The versions by which it was admitted: a start that finds other ones in force is checked again. */
  readonly by: { readonly rules: bigint; readonly prices?: Definitions['prices'] }
  /** Records what is only true of a start that takes place. */
  readonly happened: () => void
  /** Completes the refusal of a limit with what only the admission knows. */
  readonly refused: (error: ApiError) => Promise<ApiError>
}

/** A start that was refused before its limits were checked. */
export interface Refused {
  readonly refusal: ApiError
  /**
   * Records the refusal, and requests an approval: called once it is certain that this is no retry of a start that took place.
   */
  readonly happened: () => Promise<void>
}

export const nothing = () => undefined
export const asIs = async (error: ApiError) => error
