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

/** What is asked about a run before its limits are. */
export interface Governance {
  readonly rules: AskRules
  readonly matches: PolicyMatches
  readonly approvals: Approvals
  readonly safety: Safety
  readonly findings: FindingsTeller
  readonly routing: Remembered<OrgRouting>
}

/** A start that rules, detectors and routes have let through, on its way to the limits. */
export interface Admitted {
  readonly input: ResolvedStart
  readonly admission?: Admission
  /** What was granted for it, where a rule lets it through only on that: one of these must have room. */
  readonly grants: readonly Grant[]
  /** By what it was let through: a start that finds something else in force is asked about again. */
  readonly by: { readonly rules: bigint; readonly prices?: Definitions['prices'] }
  /** Puts on record what is only true of a start that takes place. */
  readonly happened: () => void
  /** What a limit has refused, with what only whoever admitted the start can add. */
  readonly refused: (error: ApiError) => Promise<ApiError>
}

/** A start that was refused before its limits were asked. */
export interface Refused {
  readonly refusal: ApiError
  /** Puts it on record, and asks for an approval: once it is sure that this is no retry of a start that took place. */
  readonly happened: () => Promise<void>
}

export const nothing = () => undefined
export const asIs = async (error: ApiError) => error
