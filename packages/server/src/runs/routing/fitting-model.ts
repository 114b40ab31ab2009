import { ApiError, type ErrorCode } from '../../contract/errors.ts'
import { limitErrorCodes } from '../../money/limit-kinds.ts'
import type { Eligible } from './choice.ts'
import { modelDisplayName } from './route.ts'

/** Refusals that a cheaper model may avoid. */
const codes: ReadonlySet<ErrorCode> = new Set(limitErrorCodes)

/**
 * Adds to a refusal the name of a cheaper model that every limit has room for, if there is one. If the search fails, the refusal
 * is unchanged.
 */
export async function suggestFittingModel(
  error: unknown,
  cheaper: () => readonly Eligible[] | Promise<readonly Eligible[]>,
  hasRoom: (candidate: Eligible) => Promise<boolean>,
): Promise<void> {
  if (!(error instanceof ApiError) || error.status !== 402 || !codes.has(error.code)) return
  try {
    for (const each of await cheaper()) {
      if (!(await hasRoom(each))) continue
      Object.assign(error.details, { fits: modelDisplayName(each.model) })
      return
    }
  } catch {
    // The refusal is returned without a suggestion.
  }
}
