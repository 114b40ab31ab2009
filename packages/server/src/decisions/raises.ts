import { type Agent, lineageOfMaker, type Maker, makerIn, makerOf } from '../access/identity/identity.ts'
import { ApiError } from '../contract/errors.ts'
import type { ApprovalGrant, ChainPlace, Charge, HoldPayload } from '../money/ledger/ledger.ts'
import { decodeHold } from '../money/ledger/ledger.ts'
import { claimsOf } from '../money/limit-kinds.ts'
import type { Sql } from '../platform/infra/sql.ts'
import { heldOutputOf, heldTokensOf, type StoredRunFields } from '../records/run-log/run-log.ts'
import { parseUsd } from '../values/money.ts'
import {
  type Command,
  checkRightTo,
  type KnownHold,
  type Operation,
  type OperationPlan,
  type PlanContext,
  refuseStartOnly,
  StaleOperation,
} from './lanes/lanes.ts'
import { type AskedPlan, holdInputs } from './operations.ts'
import { findRaisable } from './queries.ts'
import { quote } from './quote.ts'
import type { DecisionInput } from './schema.ts'

/** The amounts that a hold is to be raised to, in all. */
export type RaiseWish = Pick<DecisionInput, 'max_output_tokens' | 'estimated_cost_usd'>

/** An open hold as it was read before the lock. */
export interface RaisableHold extends Pick<KnownHold, 'id' | 'amountNano' | 'inputs' | 'madeBy'> {
  readonly inputs: HoldPayload
}

/** The plan of a raise. */
export interface RaisePlan extends OperationPlan, AskedPlan {
  readonly command: Extract<Command, { type: 'raise' }>
}

/** Returns an open hold that the agent may raise; throws where it may see it and not extend it. */
export async function findRaisableHold(sql: Sql, agent: Agent, id: string): Promise<RaisableHold | undefined> {
  const row = await sql.asOrgs([agent.orgId], (tx) => findRaisable(tx, agent.orgId, id))
  if (row?.state !== 'open') return undefined
  const maker = makerIn(row)
  const madeBy: Maker | undefined = maker && { ...maker, lineageId: row.lineage_id ?? maker.id }
  const hold = { id, amountNano: row.amount_nano, inputs: decodeHold(row.inputs), madeBy }
  checkRightTo('extend', agent, hold)
  return hold
}

/** Returns the request of a hold as a wish raises it; undefined where the wish asks for no more than there is. */
export function raisedRequest({ amountNano, inputs }: RaisableHold, wish: RaiseWish): DecisionInput | undefined {
  const { min_output_tokens, dry_run: _none, tags, ...request } = inputs.request
  const output = heldOutputOf({ inputs })
  const isMoreOutput = (wish.max_output_tokens ?? 0) > output
  const isDearer = parseUsd(wish.estimated_cost_usd ?? '0') > amountNano
  if (!isMoreOutput && !isDearer) return undefined
  const isBounded = request.max_output_tokens !== undefined || min_output_tokens !== undefined
  return {
    ...request,
    ...(tags && { tags: [...tags] }),
    ...(isBounded && { max_output_tokens: output }),
    ...(isMoreOutput && { max_output_tokens: wish.max_output_tokens }),
    ...(isDearer && { estimated_cost_usd: wish.estimated_cost_usd }),
  } as DecisionInput
}

/** The run of a hold that is raised: the fields stored for it, its place in its chain, and the grant that admits it. */
export interface RaisedRun {
  readonly run: StoredRunFields
  readonly chain: (context: PlanContext) => ChainPlace | undefined
  readonly approval: ApprovalGrant | undefined
}

/**
 * Creates the operation that raises a hold to a request, by the prices and limits of now. Where the hold is another by then, it ends
 * with `StaleOperation`.
 */
export function raiseOperation(
  agent: Agent,
  held: RaisableHold,
  input: DecisionInput,
  leaseMs: number,
  raised?: RaisedRun,
): Operation<RaisePlan> {
  const { surface } = held.inputs
  // Limits of keys bind the key that made the hold, whoever raises it.
  const keyId = lineageOfMaker(held.madeBy)
  return {
    orgId: agent.orgId,
    holdId: held.id,
    bindsNow: true,
    customerId: input.customer_id,
    needsPacks: surface !== 'edge',
    chainId: raised?.run.chain_id,
    plan: (context) => {
      const { hold } = context
      checkRightTo('extend', agent, hold)
      if (hold && !isSameHold(hold, held)) throw new StaleOperation()
      if (surface !== 'start') refuseStartOnly(context.orgConfig, keyId)
      const quoted = quote(input, context.orgConfig, context.nowMs, keyId)
      const charge: Charge = {
        ...quoted.charge,
        usd: most(quoted.charge.usd, held.amountNano),
        tokens: most(quoted.charge.tokens, heldTokensOf(held)),
        ...(raised && { tags: raised.run.tags, chain: raised.chain(context), approval: raised.approval }),
      }
      const inputs = {
        ...holdInputs(input, quoted, surface),
        tokens: Number(charge.tokens),
        ...(raised && { run: raised.run }),
      }
      const claims = claimsOf(surface, charge, context)
      const command = { type: 'raise', holdId: held.id, charge, claims, leaseMs, inputs, by: makerOf(agent) } as const
      return { command, quote: quoted, context }
    },
  }
}

const maxAttempts = 5

/** Repeats work for which the hold had changed meanwhile. */
export async function repeatWhileStale<T>(work: (isRetry: boolean) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt > 1)
    } catch (error) {
      if (!(error instanceof StaleOperation)) throw error
      if (attempt === maxAttempts) throw new ApiError('service_unavailable', {}, { cause: error })
    }
  }
}

const most = (a: bigint, b: bigint) => (a > b ? a : b)

/** True when a hold holds what was read before the lock. */
const isSameHold = (now: KnownHold, before: RaisableHold) =>
  now.state !== 'open' || (now.amountNano === before.amountNano && now.inputs.tokens === before.inputs.tokens)
