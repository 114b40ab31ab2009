import { ApiError, validationFailed } from '../contract/errors.ts'
import { type Agent, isPinned } from '../identity/identity.ts'
import type { PreparedItem } from './ingest-judging.ts'
import type { IngestItem } from './ingest-tasks.ts'
import { endingDenied, rightToEnd } from './ownership.ts'
import type { KnownHold } from './tasks.ts'

export const noSuchHold = ({ isStartedRun }: IngestItem) =>
  isStartedRun
    ? validationFailed([{ field: 'run_id', code: 'invalid_value', message: 'There is no such running run.' }])
    : validationFailed([{ field: 'reservation_id', code: 'invalid_value', message: 'There is no such reservation.' }])

const nameTaken = () => new ApiError('conflict', {}, { message: 'Another run has this external_id.' })

/** Throws what an agent is told that may not settle what an item names. */
export function checkRight(
  agent: Agent,
  { item, owner }: Pick<PreparedItem, 'item' | 'owner'>,
  hold: KnownHold | undefined,
) {
  // The name of a settled reservation outlives it; whose it was is no longer known then.
  const isForgotten = !hold && owner !== undefined && owner.key === item.holdKey?.name
  const right = hold ? rightToEnd(agent, hold) : isForgotten && isPinnedAgent(agent) ? 'hidden' : 'granted'
  if (right === 'denied') throw endingDenied()
  if (right === 'hidden') throw item.holdId === undefined ? nameTaken() : noSuchHold(item)
}

const isPinnedAgent = (agent: Agent) => agent.kind !== undefined && isPinned(agent)
