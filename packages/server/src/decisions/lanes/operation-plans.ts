import type { BoundedChain } from '../../money/chains/chains.ts'
import type { Command } from '../../money/engine/engine.ts'
import type { Allowance, ChainBounds, Claim, CustomerFacts } from '../../money/ledger/ledger.ts'
import { errorOf } from '../../values/thrown.ts'
import {
  type KnownHold,
  type Operation,
  type OperationPlan,
  type OrgConfig,
  type ParentRun,
  StaleOperation,
} from './operations.ts'
import type { OrgSnapshot } from './snapshot.ts'

/** Plans made with what was cached, by their operation. */
export type EarlierPlans = ReadonlyMap<Operation, OperationPlan>

/** An operation that is planned for good, with every allowance that its command may touch. */
export interface PlannedOperation {
  readonly task: Operation
  readonly plan: OperationPlan
  readonly allowances: readonly Allowance[]
}

/** Plans operations for good, with what was read under the lock. */
export function planOperations(
  tasks: readonly Operation[],
  snapshot: OrgSnapshot,
  orgConfig: OrgConfig,
  nowMs: number,
  earlierPlans: EarlierPlans,
) {
  const planned: PlannedOperation[] = []
  const failed = new Map<Operation, Error>()
  const unread: Operation[] = []
  const deferred: Operation[] = []
  // Known chains, and those that begin with an operation of this batch.
  const chains = new Map(snapshot.chains)
  const raised = new Set<string>()
  for (const task of tasks) {
    try {
      if (!isInForce(task.requires, orgConfig)) throw new StaleOperation()
      const plan = planOperation(task, snapshot, orgConfig, nowMs, earlierPlans.get(task))
      const { command } = plan
      // A raise is planned with what its hold has: another one of the batch may change that.
      if (command.type === 'raise' && raised.has(command.holdId)) {
        deferred.push(task)
        continue
      }
      if (command.type === 'raise') raised.add(command.holdId)
      const chain = command.type === 'hold' ? command.charge.chain : undefined
      const begun = chain && chains.get(chain.chainId)
      // Which operation begins the chain, and sets its bounds, is known once the first is decided.
      if (begun && !hasSameBounds(begun, chain)) {
        deferred.push(task)
        continue
      }
      if (chain && !begun) chains.set(chain.chainId, { ...chain, lastUsedAtMs: nowMs })
      const allowances = allowancesOf(command)
      if (allowances.some(({ key }) => !snapshot.readKeys.has(key))) unread.push(task)
      else planned.push({ task, plan, allowances })
    } catch (error) {
      failed.set(task, errorOf(error))
    }
  }
  return { planned, failed, unread, deferred }
}

const hasSameBounds = (a: ChainBounds, b: ChainBounds) =>
  a.maxCostNano === b.maxCostNano && a.maxTokens === b.maxTokens && a.maxDepth === b.maxDepth

/** The facts that planning needs, either read or guessed. */
interface PlanSource {
  readonly customers: ReadonlyMap<string, CustomerFacts>
  readonly holds: ReadonlyMap<string, KnownHold>
  readonly chains: ReadonlyMap<string, BoundedChain>
  readonly parents: ReadonlyMap<string, ParentRun>
}

/** True when the configuration that an operation requires is the one in force. */
const isInForce = (requires: Operation['requires'] = {}, { policySet, prices }: OrgConfig) =>
  (requires.policySet ?? policySet) === policySet && (requires.prices ?? prices) === prices

export function planOperation(
  task: Operation,
  snapshot: PlanSource,
  orgConfig: OrgConfig,
  nowMs: number,
  earlier?: OperationPlan,
): OperationPlan {
  const hold = task.holdId === undefined ? undefined : snapshot.holds.get(task.holdId)
  const customerId = task.customerId ?? hold?.inputs.customer_id
  const parent = task.parentId === undefined ? undefined : snapshot.parents.get(task.parentId)
  const chainId = parent?.chainId ?? task.chainId
  const context = {
    orgConfig,
    customer: customerId === undefined ? undefined : snapshot.customers.get(customerId),
    hold,
    chain: chainId === undefined ? undefined : snapshot.chains.get(chainId),
    parent,
    nowMs,
  }
  return task.plan(context, earlier)
}

/** Returns every allowance that a command may touch. */
export function allowancesOf(command: Command): Allowance[] {
  if (command.type === 'charge') return [...new Set(command.items.map(({ claims }) => claims))].flatMap(allowancesIn)
  if (command.type === 'settle') return allowancesIn([...command.unheld, ...(command.excess ?? [])])
  return allowancesIn(command.type === 'hold' || command.type === 'raise' ? command.claims : [])
}

function allowancesIn(claims: readonly Claim[]): Allowance[] {
  const found: Allowance[] = []
  for (const { mode, allowances, newSubjectGate } of claims) {
    if (mode === 'fixed') continue
    for (const allowance of allowances) found.push(allowance)
    if (newSubjectGate) found.push(newSubjectGate.marker, newSubjectGate.counter, newSubjectGate.fallback)
  }
  return found
}
