import { type Agent, type Caller, isWithinPins } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import { isRunHold } from '../../records/run-log/run-log.ts'
import type { KnownHold } from './operations.ts'

/** The scope that allows ending what other keys made. */
const manageScope = 'runs:manage'

/** True for keys that end the runs of others: those of gateways, and of admins. */
export const isManager = ({ scopes }: Pick<Caller, 'scopes'>): boolean => scopes.has(manageScope)

type OwnedHold = Pick<KnownHold, 'id' | 'madeBy' | 'inputs'>

/** An act on a hold: to end it is to settle or release it, to extend it is to hold it longer or to hold more. */
type Act = 'end' | 'extend'

/**
 * Returns an agent's right to end or extend a hold. Keys of the maker's lineage have it, but for the end of one that is managed; others
 * need a scope. A hold that the agent may not read is hidden: it is answered as if it did not exist.
 */
export function rightTo(act: Act, agent: Agent, hold: OwnedHold): 'granted' | 'denied' | 'hidden' {
  if (agent.kind === undefined) return 'granted'
  const { madeBy, inputs } = hold
  if (madeBy?.lineageId === agent.lineageId)
    return act === 'extend' || inputs.request.managed !== true || isManager(agent) ? 'granted' : 'denied'
  if (!isWithinPins(agent.pins, inputs.request)) return 'hidden'
  // A hold older than the maker columns belongs to everyone who may see it, or its run could not be finished.
  if (!madeBy || isManager(agent)) return 'granted'
  // A reservation is read through its decision, which readers of limits may have explained.
  const canRead = agent.scopes.has(isRunHold(hold) ? 'runs:read' : 'limits:read')
  return canRead ? 'denied' : 'hidden'
}

/** The refusal of an agent that may read a hold but not act on it. */
export const actDenied = () =>
  new ApiError(
    'missing_scope',
    { required: manageScope },
    { message: `This requires the scope ${manageScope}: another key made it, or it is managed.` },
  )

/** Throws unless the agent may act on the hold. */
export function checkRightTo(act: Act, agent: Agent, hold: OwnedHold | undefined) {
  const right = hold && rightTo(act, agent, hold)
  if (right === 'hidden') throw new ApiError('not_found')
  if (right === 'denied') throw actDenied()
}
