import { type BatchDecision, decideVersion, type Outcome } from '../../money/engine/engine.ts'
import type { BoundStatement, PipelinedConnection } from '../../platform/infra/pipelined-connection.ts'
import { commit } from './commit.ts'
import { crossingsIn } from './crossings.ts'
import type { OrgConfig } from './operations.ts'
import type { OrgWrites } from './org-writes.ts'
import * as queries from './queries.ts'
import { type BatchSnapshot, type OrgSnapshot, type OverdueHolds, readOverdue } from './snapshot.ts'
import { writeStatements } from './write-queries.ts'

/**
 * Steps that every transaction of a lane has: it prepares what it needs to read, locks and reads, decides each organization, writes,
 * and commits. Decisions and ingest differ in what they prepare and how they plan; the rest is here.
 */

/** True when the cached configuration is the one that the organization's ledger names. */
export const isCurrent = ({ ledger }: OrgSnapshot, { version }: OrgConfig) => ledger.config_version === version

/**
 * Decides an organization. Before a refusal, leases that are over are ended and it is decided again: they may free the amount that
 * was lacking. `isMore` says that more of them are over than one transaction ends.
 */
export async function decideAfterExpiry<D extends { readonly decision: BatchDecision }>(
  connection: PipelinedConnection,
  snapshot: BatchSnapshot,
  orgId: string,
  decide: () => D | Error | Promise<D | Error>,
): Promise<{ readonly decided: D | Error; readonly overdue: OverdueHolds }> {
  const first = await decide()
  if (!hasRefusals(first)) return { decided: first, overdue: noneOverdue }
  const overdue = await readOverdue(connection, snapshot, orgId, first.decision.stops)
  return { decided: overdue.isAny ? await decide() : first, overdue }
}

const noneOverdue: OverdueHolds = { isAny: false, isMore: false }

export const hasRefusals = <D extends { readonly decision: BatchDecision }>(decided: D | Error): decided is D =>
  !(decided instanceof Error) && decided.decision.outcomes.some(isRefusal)

/** True when an operation got less than it asked for. */
const isRefusal = (outcome: Outcome) =>
  outcome.type === 'refused' ||
  (outcome.type === 'held' && outcome.granted !== undefined) ||
  (outcome.type === 'charged' && outcome.refusals.size > 0)

/** Returns what an organization's transaction knows before anything is decided, for its writes. */
export const writesBase = (orgId: string, org: OrgSnapshot, { optIns }: OrgConfig, nowMs: number) => ({
  orgId,
  seq: org.ledger.seq + 1n,
  at: new Date(nowMs).toISOString(),
  atMs: nowMs,
  found: org.rows,
  stopped: org.stopped,
  optIns,
})

/**
 * Writes the decisions and commits. `cleanUp` removes what was claimed for requests that are not decided; where nothing else is
 * written the transaction is rolled back, which removes it too and leaves no commit to wait for.
 */
export async function writeAndCommit(
  connection: PipelinedConnection,
  decided: readonly OrgWrites[],
  orgConfigOf: (orgId: string) => OrgConfig,
  cleanUp: readonly BoundStatement[],
): Promise<{ readonly isCommitted: boolean; readonly decidedMs: number; readonly commitMs: number }> {
  const crossings = decided.flatMap((each) => crossingsIn(each, orgConfigOf(each.orgId)))
  const writes = writeStatements(decided, decideVersion, crossings)
  const decidedMs = performance.now()
  if (writes.length === 0) await connection.pipeline([queries.rollback])
  else await commit(connection, [...writes, ...cleanUp])
  return { isCommitted: writes.length > 0, decidedMs, commitMs: performance.now() - decidedMs }
}
