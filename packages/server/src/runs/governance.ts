import type { Approvals } from '../approvals/approvals.ts'
import type { ApiError } from '../contract/errors.ts'
import type { Definitions } from '../lanes/lanes.ts'
import type { Remembered } from '../nodes/nodes.ts'
import type { AskRules, PolicyMatches } from '../policies/policies.ts'
import type { OrgRouting } from '../routing/routing.ts'
import type { FindingsTeller, Safety } from '../safety/safety.ts'
import type { ResolvedStart } from './schema.ts'
import type { StartFacts } from './starting.ts'

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
  readonly facts: Pick<StartFacts, 'admission' | 'grant'>
  /** What a limit has refused, with what only whoever admitted the start can add. */
  readonly refused: (error: ApiError) => Promise<ApiError>
  /** Of a routed start: what its model was chosen by, and the choice by what is known now. */
  readonly chosen?: { readonly by: Definitions; readonly again: () => Promise<Admitted> }
}

/** A start that nothing was asked about. */
export const unruled = (input: ResolvedStart): Admitted => ({ input, facts: {}, refused: asIs })

export const asIs = async (error: ApiError) => error
