import { ScimError } from '../../../src/people/scim/refusals.ts'

/** Returns the `scimType` with which work is refused, or `accepted`. */
export function refusal(work: () => unknown) {
  try {
    work()
  } catch (error) {
    if (error instanceof ScimError) return error.scimType
    throw error
  }
  return 'accepted'
}
