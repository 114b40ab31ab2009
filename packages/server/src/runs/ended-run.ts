import { type Caller, isOfLineage, isWithinPins, parseMaker } from '../access/identity/identity.ts'
import { ApiError } from '../contract/errors.ts'
import type { Sql, Tx } from '../platform/infra/sql.ts'
import type { Run } from '../records/run-log/run-log.ts'
import { findRun } from './run-history/run-history.ts'

/**
 * Returns the run that answers a repeated finish, even after its hold is gone: for its maker, and for callers that may read runs.
 */
export const endedRun = (sql: Sql, caller: Caller, id: string): Promise<Run> =>
  sql.asOrgs([caller.orgId], async (tx) => {
    const run = await findRun(tx, caller.orgId, id)
    if (!run || !(await mayRead(tx, caller, run))) throw new ApiError('not_found')
    return run
  })

async function mayRead(tx: Tx, caller: Caller, run: Run): Promise<boolean> {
  if (!isWithinPins(caller.pins, run)) return false
  const maker = run.key_id === null ? undefined : parseMaker(run.key_id)
  if (!maker || maker.id === caller.id || caller.kind === 'support' || caller.scopes.has('runs:read')) return true
  return isOfLineage(tx, caller.orgId, maker.id, caller.lineageId)
}
