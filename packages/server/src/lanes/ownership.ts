import { ApiError } from '../contract/errors.ts'
import { type Agent, isWithin } from '../identity/identity.ts'
import { isRunHold } from '../run-log/run-log.ts'
import type { KnownHold } from './tasks.ts'

/** The scope that ends what other keys made. */
const managing = 'runs:manage'

/**
 * The right of an agent to end, extend, release or settle a hold. Whoever made it may, under whichever key of its lineage;
 * others need a scope for it. What they may not read is hidden from them: as if it did not exist.
 */
export function rightToEnd(agent: Agent, hold: KnownHold): 'granted' | 'denied' | 'hidden' {
  if (agent.kind === undefined) return 'granted'
  const { madeBy } = hold
  if (madeBy?.lineageId === agent.lineageId) return 'granted'
  if (!isWithin(agent.pins, requestOf(hold))) return 'hidden'
  // A hold from before makers were kept belongs to whoever may see it, or the run that it stands for could not be finished.
  if (!madeBy || agent.scopes.has(managing)) return 'granted'
  // A reservation is read through its decision, which is explained to readers of limits.
  const canRead = agent.scopes.has(isRunHold(hold) ? 'runs:read' : 'limits:read')
  return canRead ? 'denied' : 'hidden'
}

const requestOf = ({ inputs }: KnownHold) => (inputs as { request?: Readonly<Record<string, string>> }).request ?? {}

/** The refusal of an agent that may read a hold and not end it. */
export const endingDenied = () =>
  new ApiError(
    'missing_scope',
    { required: managing },
    { message: `Another key made this: to end it takes ${managing}.` },
  )

/** Throws what an agent is told that may not end a hold. */
export function checkRightToEnd(agent: Agent, hold: KnownHold | undefined) {
  const right = hold && rightToEnd(agent, hold)
  if (right === 'hidden') throw new ApiError('not_found')
  if (right === 'denied') throw endingDenied()
}
