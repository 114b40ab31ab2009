import { type Maker, makerIn } from '../../access/identity/identity.ts'
import { type BoundedChain, chainKey } from '../../money/chains/chains.ts'
import { packOf } from '../../money/credits/credits.ts'
import { customerLimitOf } from '../../money/customers/customers.ts'
import type { BatchDecision } from '../../money/engine/engine.ts'
import { expiryGraceMs } from '../../money/engine/engine.ts'
import {
  type Balance,
  type CustomerFacts,
  decodeAmounts,
  decodeHold,
  emptyBalance,
  readingsOf,
} from '../../money/ledger/ledger.ts'
import { type PipelinedConnection, rowsOf, type StatementResult } from '../../platform/infra/pipelined-connection.ts'
import {
  type EndedRun,
  type EndedRunRow,
  endedRunOf,
  type KnownKeyRow,
  type RunKey,
  readRunKeys,
  tryRunKeys,
} from '../../records/run-log/run-log.ts'
import { normalForm } from '../../values/normal-form.ts'
import { one } from '../../values/present.ts'
import { type ParentRow, readChains, readParents, type SnapshotChainRow } from './chain-queries.ts'
import type { KnownHold, ParentRun } from './operations.ts'
import * as queries from './queries.ts'

/** The rows that a batch reads. */
export interface ReadSet {
  readonly orgIds: readonly string[]
  readonly allowances: readonly { readonly orgId: string; readonly key: string }[]
  readonly holds: readonly { readonly orgId: string; readonly holdId: string }[]
  readonly customers: readonly { readonly orgId: string; readonly customerId: string }[]
  /** Customers whose credit packs count. */
  readonly packs: readonly { readonly orgId: string; readonly customerId: string }[]
  readonly keys: readonly { readonly orgId: string; readonly key: string }[]
  readonly chains: readonly { readonly orgId: string; readonly chainId: string }[]
  readonly parents: readonly { readonly orgId: string; readonly parentId: string }[]
  readonly runKeys: readonly RunKey[]
}

/** Ledger state of one organization as read under its lock. */
export interface OrgSnapshot {
  readonly ledger: queries.LedgerRow
  readonly rows: Map<string, queries.CounterRow | queries.AllowanceRow>
  /** Keys of allowances that were read: one without a row is unused. */
  readonly readKeys: Set<string>
  readonly holds: Map<string, KnownHold>
  readonly customers: Map<string, CustomerFacts>
  /** Customers that were read by name: of others only the packs are known. */
  readonly namedCustomers: Set<string>
  readonly storedResponses: Map<string, queries.StoredResponseRow>
  /** Idempotency keys that another request is using now. */
  readonly busyKeys: Set<string>
  readonly chains: Map<string, BoundedChain>
  readonly parents: Map<string, ParentRun>
  /** Existing owners of the run keys this batch wants to claim. */
  readonly runKeys: Map<string, KnownKeyRow>
  /** Run keys that another transaction is claiming now. */
  readonly busyRunKeys: Set<string>
  /** Started runs that have ended, by id. */
  readonly endedRuns: Map<string, EndedRun>
  /** Allowances that emitted an event for a refusal before, as far as they were read. */
  readonly stopped: Set<string>
}

/** Creates an organization's snapshot with nothing but its ledger row. */
export const emptySnapshot = (ledger: queries.LedgerRow): OrgSnapshot => ({
  ledger,
  rows: new Map(),
  readKeys: new Set(),
  holds: new Map(),
  customers: new Map(),
  namedCustomers: new Set(),
  storedResponses: new Map(),
  busyKeys: new Set(),
  chains: new Map(),
  parents: new Map(),
  runKeys: new Map(),
  busyRunKeys: new Set(),
  endedRuns: new Map(),
  stopped: new Set(),
})

export interface BatchSnapshot {
  /** By organization; one that another process has locked is missing. */
  readonly orgs: ReadonlyMap<string, OrgSnapshot>
  /** The database's time under the lock. */
  readonly nowMs: number
}

/** Locks the organizations and reads the read set, in one round trip. */
export async function lockAndRead(connection: PipelinedConnection, readSet: ReadSet): Promise<BatchSnapshot> {
  const resultByName = new Map<string, StatementResult>()
  const statements = [
    queries.begin,
    queries.tenants(readSet.orgIds),
    ...(readSet.keys.length > 0 ? [queries.lockIdempotencyKeys(readSet.keys)] : []),
    // Before the organization's lock, and without waiting: a run key that a bulk request is claiming must not delay other
    // organizations.
    ...(readSet.runKeys.length > 0 ? [tryRunKeys(readSet.runKeys), readRunKeys(readSet.runKeys)] : []),
    queries.lockLedgers(readSet.orgIds),
    queries.clock,
    ...(readSet.allowances.length > 0 ? [queries.readCounters(readSet.allowances)] : []),
    ...(readSet.customers.length > 0 ? [queries.readCustomers(readSet.customers)] : []),
    ...(readSet.packs.length > 0 ? queries.readPacks(readSet.packs) : []),
    ...(readSet.holds.length > 0 ? queries.readHolds(readSet.holds) : []),
    ...(readSet.keys.length > 0 ? [queries.readStoredResponses(readSet.keys)] : []),
    ...(readSet.chains.length > 0 ? readChains(readSet.chains) : []),
    ...(readSet.parents.length > 0 ? readParents(readSet.parents) : []),
  ]
  const results = await connection.pipeline(statements)
  for (const [i, { statement }] of statements.entries()) resultByName.set(statement.name, results[i]!)
  return snapshotOf(readSet, resultByName)
}

/** Sorts the rows that were read by organization. */
export function snapshotOf(readSet: ReadSet, resultByName: ReadonlyMap<string, StatementResult>): BatchSnapshot {
  const rows = <T extends object>(...names: string[]) => names.flatMap((name) => rowsOf<T>(resultByName.get(name)))

  const orgs = new Map<string, OrgSnapshot>()
  for (const ledger of rows<queries.LedgerRow>('lock', 'lock_free')) {
    orgs.set(ledger.org_id, emptySnapshot(ledger))
  }
  for (const { orgId, key } of readSet.allowances) orgs.get(orgId)?.readKeys.add(key)
  for (const { orgId, customerId } of readSet.customers) orgs.get(orgId)?.namedCustomers.add(customerId)
  for (const row of rows<queries.HoldRow>('holds')) orgs.get(row.org_id)?.holds.set(row.id, holdOf(row))
  addCustomers(
    orgs,
    [
      ...readSet.customers,
      ...rows<queries.HoldRow>('holds').flatMap(({ org_id, inputs }) => {
        const { customer_id: customerId } = decodeHold(inputs)
        return customerId === undefined ? [] : [{ orgId: org_id, customerId }]
      }),
    ],
    rows<queries.SnapshotCustomerLimitRow>('customers'),
    rows<queries.SnapshotPackRow>('packs', 'hold_packs'),
  )
  // Allowances of holds last: their rows have more columns.
  const counters = [
    'counters',
    'pack_allowances',
    'hold_pack_allowances',
    'chain_allowances',
    'parent_chain_allowances',
  ]
  for (const row of rows<queries.CounterRow>(...counters, 'hold_allowances')) addAllowance(orgs.get(row.org_id), row)
  addChains(orgs, rows<SnapshotChainRow>('chains', 'parent_chains'), rows<ParentRow>('parents'))
  for (const row of rows<KnownKeyRow>('known_run_keys')) orgs.get(row.org_id)?.runKeys.set(row.key, row)
  for (const { org_id, key } of rows<{ org_id: string; key: string }>('try_run_keys'))
    orgs.get(org_id)?.busyRunKeys.add(key)
  for (const row of rows<EndedRunRow>('ended_runs')) orgs.get(row.org_id)?.endedRuns.set(row.id, endedRunOf(row))
  for (const row of rows<queries.StoredResponseRow>('kept_answers'))
    orgs.get(row.org_id)?.storedResponses.set(row.key, row)
  for (const [i, { is_ours }] of rows<{ is_ours: boolean }>('key_locks').entries()) {
    const { orgId, key } = readSet.keys[i]!
    if (!is_ours) orgs.get(orgId)?.busyKeys.add(key)
  }
  const { now } = one(rows<{ now: Date }>('clock'))
  return { orgs, nowMs: now.getTime() }
}

/** Overdue holds of an organization, as far as they were read. */
export interface OverdueHolds {
  readonly isAny: boolean
  /** True when there may be more than were read. */
  readonly isMore: boolean
}

/**
 * Before a refusal: reads an organization's overdue holds, oldest first, and which of the refusing limits have emitted an event
 * already.
 */
export async function readOverdue(
  connection: PipelinedConnection,
  { orgs, nowMs }: BatchSnapshot,
  orgId: string,
  stops: BatchDecision['stops'],
): Promise<OverdueHolds> {
  const org = orgs.get(orgId)!
  const keys = [...new Set(stops.map(({ allowance }) => allowance.key))]
  const [found, emitted] = await connection.pipeline([
    queries.readOverdue(orgId, new Date(nowMs - expiryGraceMs)),
    ...(keys.length > 0 ? [queries.readStops(orgId, keys)] : []),
  ])
  for (const { key } of rowsOf<{ key: string }>(emitted)) org.stopped.add(key)
  const rows = rowsOf<queries.HoldRow>(found)
  const overdue = rows.filter(({ id }) => !org.holds.has(id))
  if (overdue.length === 0) return { isAny: false, isMore: false }
  for (const row of overdue) org.holds.set(row.id, holdOf(row))
  const wanted = [...new Set(overdue.flatMap(({ keys }) => keys))].map((key) => ({ orgId, key }))
  const [allowances] = await connection.pipeline([queries.readAllowances(wanted)])
  for (const row of rowsOf<queries.AllowanceRow>(allowances)) addAllowance(org, row)
  return { isAny: true, isMore: rows.length === queries.maxOverdue }
}

/** Reads allowances that turned out to be needed under the lock. */
export async function readMore(
  connection: PipelinedConnection,
  org: OrgSnapshot,
  orgId: string,
  keys: readonly string[],
) {
  const [found] = await connection.pipeline([queries.readCounters(keys.map((key) => ({ orgId, key })))])
  for (const key of keys) org.readKeys.add(key)
  for (const row of rowsOf<queries.CounterRow>(found)) addAllowance(org, row)
}

function addAllowance(org: OrgSnapshot | undefined, row: queries.CounterRow) {
  org?.rows.set(row.key, row)
  org?.readKeys.add(row.key)
}

function addChains(
  orgs: ReadonlyMap<string, OrgSnapshot>,
  chains: readonly SnapshotChainRow[],
  parents: readonly ParentRow[],
) {
  for (const row of chains) {
    const org = orgs.get(row.org_id)
    org?.chains.set(row.chain_id, {
      chainId: row.chain_id,
      maxCostNano: row.max_cost_nano,
      maxTokens: row.max_tokens,
      maxDepth: row.max_depth,
      lastUsedAtMs: row.last_used_at.getTime(),
    })
    // The allowances of a chain were read with it, and need not exist yet.
    for (const unit of ['usd', 'tokens'] as const) org?.readKeys.add(chainKey(row.chain_id, unit))
  }
  for (const { org_id, id, chain_id, depth } of parents) orgs.get(org_id)?.parents.set(id, { chainId: chain_id, depth })
}

function addCustomers(
  orgs: ReadonlyMap<string, OrgSnapshot>,
  customers: readonly { orgId: string; customerId: string }[],
  limits: readonly queries.SnapshotCustomerLimitRow[],
  packs: readonly queries.SnapshotPackRow[],
) {
  const own = new Map(limits.map((row) => [`${row.org_id} ${row.customer_id}`, customerLimitOf(row)]))
  const packsOf = Map.groupBy(packs, ({ org_id, owner }) => `${org_id} ${normalForm(owner)}`)
  for (const { orgId, customerId } of customers) {
    const org = orgs.get(orgId)
    const key = `${orgId} ${normalForm(customerId)}`
    const held = new Map((packsOf.get(key) ?? []).map((row) => [row.id, packOf(row)]))
    org?.customers.set(customerId, { own: own.get(key) ?? null, packs: [...held.values()] })
    // A pack's amount is in its own row; the allowance that counts its use may not exist yet.
    for (const id of held.keys()) org?.readKeys.add(id)
  }
}

/** The balance that a decision starts from; of overrun, late and the count of alerts it only computes the change. */
export const balanceOf = ({ spent, held }: queries.CounterRow): Balance => ({ ...emptyBalance, spent, held })

function holdOf(row: queries.HoldRow): KnownHold {
  const inputs = decodeHold(row.inputs)
  const readings = readingsOf(inputs)
  return {
    id: row.id,
    state: row.state,
    onExpiry: row.on_expiry,
    heldAtMs: row.held_at.getTime(),
    expiresAtMs: row.expires_at.getTime(),
    amountNano: row.amount_nano,
    keys: row.keys,
    amounts: decodeAmounts(row.amounts, row.keys),
    draws: row.draws.length > 0 ? row.draws : row.keys.map(() => 0),
    limits: readings.map(({ limit }) => limit),
    thresholds: readings.map(({ thresholds }) => thresholds),
    chargedNano: row.charged_nano,
    overrunNano: row.overrun_nano,
    ...(row.estimate && { estimate: { ...row.estimate, costs: row.estimate.costs.map(BigInt) } }),
    inputs,
    madeBy: makerOfRow(row),
  }
}

function makerOfRow(row: queries.HoldRow): Maker | undefined {
  const maker = makerIn(row)
  return maker && { ...maker, lineageId: row.lineage_id ?? maker.id }
}
