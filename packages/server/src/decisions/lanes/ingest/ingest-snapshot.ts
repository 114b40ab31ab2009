import { readEndedRuns } from '../../../records/run-log/run-log.ts'
import { readChains } from '../chain-queries.ts'
import * as queries from '../queries.ts'
import { emptySnapshot, type ReadSet, snapshotOf } from '../snapshot.ts'
import type { IngestContext } from './ingest-context.ts'
import { endedRunIdOf, holdIdOf, planIngest } from './ingest-decision.ts'
import type { PreparedBatch } from './ingest-drafts.ts'
import { type PreparedTask } from './ingest-plan.ts'

/** Locks the organizations of these tasks, all of them in order, and reads the rows that decide on them. */
export async function lockAndReadIngest(
  { tasks }: PreparedBatch,
  { connection, orgConfigOf, estimatedDbTimeMs, customerHints }: IngestContext,
) {
  const byOrg = Map.groupBy(tasks, ({ task }) => task.orgId)
  const orgIds = [...byOrg.keys()].sort()
  const each = <T, R extends object>(
    select: (prepared: PreparedTask['items'][number]) => T | undefined,
    as: (orgId: string, found: T) => R,
  ) =>
    distinct(
      tasks.flatMap(({ task, items }) =>
        items.flatMap((item) => {
          const found = select(item)
          return found === undefined ? [] : [as(task.orgId, found)]
        }),
      ),
    )
  const customers = each(
    ({ item }) => item.customerId,
    (orgId, customerId) => ({ orgId, customerId }),
  )
  const guesses = orgIds.flatMap((orgId) => {
    const empty = emptySnapshot({ org_id: orgId, seq: 0n, config_version: 0n })
    const guess = { ...empty, customers: new Map(customerHints.get(orgId)) }
    const orgConfig = orgConfigOf(orgId)
    const { unread } = planIngest(byOrg.get(orgId)!, guess, orgConfig, estimatedDbTimeMs)
    // Thresholds of prepaid quota apply to the sum of all top-ups, whichever of them is drawn.
    const keys = new Set([...unread, ...orgConfig.topUps.map(({ id }) => id)])
    return [...keys].map((key) => ({ orgId, key }))
  })
  const readSet: ReadSet = {
    orgIds,
    allowances: guesses,
    customers,
    packs: customers,
    // The hold of a run that was recorded before tells which fields were ignored.
    holds: each(
      (one) => holdIdOf(one) ?? one.item.holdId,
      (orgId, holdId) => ({ orgId, holdId }),
    ),
    chains: each(
      ({ draft }) => draft.run.about.chain_id,
      (orgId, chainId) => ({ orgId, chainId }),
    ),
    keys: [],
    parents: [],
    runKeys: [],
  }
  const ended = each(endedRunIdOf, (orgId, id) => ({ orgId, id }))
  const statements = [
    queries.lockLedgersWaiting(orgIds),
    queries.clock,
    ...(readSet.allowances.length > 0 ? [queries.readCounters(readSet.allowances)] : []),
    ...(customers.length > 0 ? [queries.readCustomers(customers), ...queries.readPacks(customers)] : []),
    ...(readSet.holds.length > 0 ? queries.readHolds(readSet.holds) : []),
    ...(readSet.chains.length > 0 ? readChains(readSet.chains) : []),
    ...(ended.length > 0 ? [readEndedRuns(ended)] : []),
  ]
  const results = await connection.pipeline(statements)
  return snapshotOf(readSet, new Map(statements.map(({ statement }, i) => [statement.name, results[i]!])))
}

const distinct = <T extends object>(all: readonly T[]) => [
  ...new Map(all.map((one) => [JSON.stringify(one), one])).values(),
]
