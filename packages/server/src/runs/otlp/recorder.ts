import type { Recorder } from '../runs.ts'
import type { StoredAgent } from './waiting-queries.ts'

/** Returns the key that has reported what waited, as the maker of its runs. */
export const recorderOf = (orgId: string, agent: StoredAgent): Recorder => ({
  ...agent,
  orgId,
  // The pins of the key were applied when it reported.
  pins: {},
  requiredDimensions: [],
  scopes: new Set(),
})
