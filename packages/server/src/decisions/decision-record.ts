import type { ApiError } from '../contract/errors.ts'
import type { RefusalSurface } from './refusal-list.ts'
import type { Explanation } from './schema.ts'

export interface DecisionRecord {
  readonly orgId: string
  readonly id: string
  readonly body: Explanation
  readonly refused?: RefusalContext
}

/** Facts about a refusal beside its explanation. */
export interface RefusalContext {
  /** The error that the caller gets. */
  readonly error: ApiError
  readonly surface: RefusalSurface
  /** The allowance that refused, where a limit did. */
  readonly stoppedKey?: string | undefined
}
