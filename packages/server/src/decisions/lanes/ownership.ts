import { type Agent, isWithinPins } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import { isRunHold } from '../../records/run-log/run-log.ts'
import type { KnownHold } from './operations.ts'

/** The scope that allows ending what other keys made. */
const manageScope = 'runs:manage'

type OwnedHold = Pick<KnownHold, 'id' | 'madeBy' | 'inputs'>

/**
 * Returns an agent's right to end, extend, release or settle a hold. Keys of the maker's lineage have it; others need a scope. A
 * hold that the agent may not read is hidden: it is answered as if it did not exist.
 */
export function rightToEnd(agent: Agent, hold: OwnedHold): 'granted' | 'denied' | 'hidden' {
  if (agent.kind === undefined) return 'granted'
  const { madeBy } = hold
  if (madeBy?.lineageId === agent.lineageId) return 'granted'
  if (!isWithinPins(agent.pins, hold.inputs.request)) return 'hidden'
  // A hold older than the maker columns belongs to everyone who may see it, or its run could not be finished.
  if (!madeBy || agent.scopes.has(manageScope)) return 'granted'
  // A reservation is read through its decision, which readers of limits may have explained.
  const canRead = agent.scopes.has(isRunHold(hold) ? 'runs:read' : 'limits:read')
  return canRead ? 'denied' : 'hidden'
}

/** The refusal of an agent that may read a hold but not end it. */
export const endingDenied = () =>
  new ApiError(
    'missing_scope',
    { required: manageScope },
    { message: `This was made by another key: ending it requires the scope ${manageScope}.` },
  )

/** Throws unless the agent may end the hold. */
export function checkRightToEnd(agent: Agent, hold: OwnedHold | undefined) {
  const right = hold && rightToEnd(agent, hold)
  if (right === 'hidden') throw new ApiError('not_found')
  if (right === 'denied') throw endingDenied()
}
