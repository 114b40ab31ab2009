import { readEndedRuns } from '../run-log/run-log.ts'
import { readChains } from './chain-queries.ts'
import type { IngestContext } from './ingest-batch.ts'
import { bindIngest, endedRunIdOf, holdIdOf, type PreparedTask } from './ingest-judging.ts'
import type { Ready } from './ingest-preparing.ts'
import * as queries from './queries.ts'
import { readingOf, unreadBooks, type Wanted } from './reading.ts'

/** Locks the organizations of these tasks, all of them in order, and reads the rows that decide on them. */
export async function lockAndReadFor(
  { tasks }: Ready,
  { connection, definitionsOf, expectedMs, hints }: IngestContext,
) {
  const byOrg = Map.groupBy(tasks, ({ task }) => task.orgId)
  const orgIds = [...byOrg.keys()].sort()
  const each = <T>(
    of: (prepared: PreparedTask['items'][number]) => T | undefined,
    as: (orgId: string, found: T) => object,
  ) =>
    distinct(
      tasks.flatMap(({ task, items }) =>
        items.flatMap((item) => {
          const found = of(item)
          return found === undefined ? [] : [as(task.orgId, found)]
        }),
      ),
    )
  const customers = each(
    ({ item }) => item.customerId,
    (orgId, customerId) => ({ orgId, customerId }),
  ) as { orgId: string; customerId: string }[]
  const guesses = orgIds.flatMap((orgId) => {
    const books = unreadBooks({ org_id: orgId, seq: 0n, config_version: 0n })
    const guess = { ...books, customers: new Map(hints.of(orgId)) }
    const definitions = definitionsOf(orgId)
    const { unread } = bindIngest(byOrg.get(orgId)!, guess, definitions, expectedMs)
    // Thresholds of prepaid quota apply to the sum of all top-ups, whichever of them is drawn.
    const keys = new Set([...unread, ...definitions.topUps.map(({ id }) => id)])
    return [...keys].map((key) => ({ orgId, key }))
  })
  const wanted: Wanted = {
    orgIds,
    allowances: guesses,
    customers,
    packs: customers,
    // The hold of a run that was recorded before tells which fields were ignored.
    holds: each(
      (one) => holdIdOf(one) ?? one.item.holdId,
      (orgId, holdId) => ({ orgId, holdId }),
    ) as { orgId: string; holdId: string }[],
    chains: each(
      ({ draft }) => draft.run.about.chain_id,
      (orgId, chainId) => ({ orgId, chainId }),
    ) as { orgId: string; chainId: string }[],
    keys: [],
    parents: [],
    runKeys: [],
  }
  const ended = each(endedRunIdOf, (orgId, id) => ({ orgId, id })) as { orgId: string; id: string }[]
  const flight = [
    queries.lockLedgersWaiting(orgIds),
    queries.clock,
    ...(wanted.allowances.length > 0 ? [queries.readCounters(wanted.allowances)] : []),
    ...(customers.length > 0 ? [queries.readCustomers(customers), ...queries.readPacks(customers)] : []),
    ...(wanted.holds.length > 0 ? queries.readHolds(wanted.holds) : []),
    ...(wanted.chains.length > 0 ? readChains(wanted.chains) : []),
    ...(ended.length > 0 ? [readEndedRuns(ended)] : []),
  ]
  const results = await connection.fly(flight)
  return readingOf(wanted, new Map(flight.map(({ statement }, i) => [statement.name, results[i]!])))
}

const distinct = (all: readonly object[]) => [...new Map(all.map((one) => [JSON.stringify(one), one])).values()]
