import { type Agent, isPinned } from '../../../access/identity/identity.ts'
import { ApiError, validationFailed } from '../../../contract/errors.ts'
import type { KnownHold } from '../operations.ts'
import { actDenied, rightTo } from '../ownership.ts'
import type { PreparedItem } from './ingest-plan.ts'
import type { IngestItem } from './ingest-tasks.ts'

export const noSuchHold = ({ isStartedRun }: IngestItem) =>
  isStartedRun
    ? validationFailed([{ field: 'run_id', code: 'invalid_value', message: 'No running run has this run_id.' }])
    : validationFailed([{ field: 'reservation_id', code: 'invalid_value', message: 'There is no such reservation.' }])

const nameTaken = () => new ApiError('conflict', {}, { message: 'Another run has this external_id.' })

/** Throws unless the agent may settle the hold that an item names. */
export function checkSettlementRight(
  agent: Agent,
  { item, owner }: Pick<PreparedItem, 'item' | 'owner'>,
  hold: KnownHold | undefined,
) {
  // The run key of a settled reservation outlives its hold; then its maker is no longer known.
  const isForgotten = !hold && owner !== undefined && owner.key === item.holdKey?.name
  const right = hold ? rightTo('end', agent, hold) : isForgotten && isPinnedAgent(agent) ? 'hidden' : 'granted'
  if (right === 'denied') throw actDenied()
  if (right === 'hidden') throw item.holdId === undefined ? nameTaken() : noSuchHold(item)
}

const isPinnedAgent = (agent: Agent) => agent.kind !== undefined && isPinned(agent)
