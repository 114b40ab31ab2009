import { ApiError } from '../../contract/errors.ts'
import { trustIn } from '../../money/trust/trust.ts'
import type { OrgConfig } from './operations.ts'

/** Refuses a call that does not start as a run, where its key may only start runs. */
export function refuseStartOnly({ trust }: Pick<OrgConfig, 'trust'>, lineageId: string | undefined) {
  if (trust && trustIn(trust, lineageId).isStartOnly)
    throw new ApiError('forbidden', {}, { message: 'This key may only start runs: send the call to POST /v1/runs.' })
}
