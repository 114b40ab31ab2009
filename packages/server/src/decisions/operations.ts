import { type Agent, lineageIn, lineageOfMaker, makerOf } from '../access/identity/identity.ts'
import { ApiError } from '../contract/errors.ts'
import { refuseUnknownNames } from '../money/dimensions/dimensions.ts'
import type { Room, SmallerHold } from '../money/engine/engine.ts'
import type {
  Allowance,
  ApprovalGrant,
  ChainPlace,
  Charge,
  Claim,
  CustomerFacts,
  HoldInputs,
  Surface,
} from '../money/ledger/ledger.ts'
import { claimsOf, excessClaims, unheldClaims } from '../money/limit-kinds.ts'
import { type Price, restorePrice, storePrice } from '../money/prices/prices.ts'
import { trustIn } from '../money/trust/trust.ts'
import { heldOutputOf, heldTokensOf, isRunHold, type StoredRunFields } from '../records/run-log/run-log.ts'
import { formatId, newUuid } from '../values/id.ts'
import { formatUsd } from '../values/money.ts'
import { timestamp } from '../values/timestamp.ts'
import type { Command, DecidedOperation, Hold, Operation, OperationPlan, PlanContext } from './lanes/lanes.ts'
import { checkRightTo, decideVersion, refuseStartOnly } from './lanes/lanes.ts'
import { outputOf, outputThatFits, type Quote, quote } from './quote.ts'
import { type DecisionInput, defaultLeaseSeconds, type EdgeDecision, type Reservation } from './schema.ts'

/** The plan of what asks every limit: its command, the quote that it rests on, and the facts for which it was made. */
export interface AskedPlan extends OperationPlan {
  readonly command: Extract<Command, { type: 'hold' | 'raise' }>
  readonly quote: Quote
  readonly context: PlanContext
}

/** The plan of a hold. */
export interface ReservePlan extends AskedPlan {
  readonly command: Extract<Command, { type: 'hold' }>
}

export interface ReserveOperation extends Operation<ReservePlan> {
  readonly id: string
}

/** The run that starts with a hold. */
export interface RunToStart extends Pick<Operation, 'chainId' | 'parentId'> {
  /** Returns the run's place in its chain, and the fields stored for it. Pure; throws the error for the caller. */
  readonly place: (
    facts: PlanContext,
    id: string,
  ) => {
    readonly run: StoredRunFields
    readonly chain: ChainPlace | undefined
    readonly approval: ApprovalGrant | undefined
  }
  /** Its run key, beside its id. */
  readonly runKey: (id: string) => Operation['runKey']
}

/** Creates a reserve operation. The hold's id is made here, once: every retry uses the same one. */
export function reserveOperation(
  agent: Agent,
  input: DecisionInput,
  surface: Surface,
  started?: RunToStart,
): ReserveOperation {
  const id = newUuid()
  const { orgId } = agent
  const by = makerOf(agent)
  const keyId = lineageIn(agent)
  const runKey = started?.runKey(id)
  const { dry_run: isDryRun = false, lease_seconds: leaseSeconds = defaultLeaseSeconds } = input
  const expiryOf = ({ orgConfig, nowMs }: PlanContext) =>
    nowMs + Math.max(leaseSeconds, trustIn(orgConfig.trust, keyId).minLeaseSeconds) * 1_000
  const plan = (context: PlanContext): ReservePlan => {
    refuseUnknownNames(context.orgConfig, input)
    if (surface !== 'start') refuseStartOnly(context.orgConfig, keyId)
    const quoted = quote(input, context.orgConfig, context.nowMs, keyId)
    const placed = started?.place(context, id)
    const charge = placed
      ? { ...quoted.charge, tags: placed.run.tags, chain: placed.chain, approval: placed.approval }
      : quoted.charge
    const inputs = { ...holdInputs(input, quoted, surface), ...(placed && { run: placed.run }) }
    const command = {
      type: 'hold',
      id,
      charge,
      claims: claimsOf(surface, charge, context),
      expiresAtMs: expiryOf(context),
      onExpiry: surface === 'start' ? 'charge' : trustIn(context.orgConfig.trust, keyId).edgeExpiry,
      isDryRun,
      inputs,
      ...(input.min_output_tokens !== undefined && {
        shrink: (room: Room) => shrunk({ charge, inputs }, input, quoted, context, room),
      }),
      by,
    } as const
    return { command, quote: quoted, context }
  }
  return {
    id,
    orgId,
    customerId: input.customer_id,
    needsPacks: surface !== 'edge',
    makesHold: isDryRun ? undefined : id,
    chainId: started?.chainId,
    parentId: started?.parentId,
    runKey,
    isRecoverableByName: runKey !== undefined,
    plan: (context, earlier) =>
      earlier && !started && isStillRight(earlier, context)
        ? { ...earlier, command: { ...earlier.command, expiresAtMs: expiryOf(context) } }
        : plan(context),
  }
}

/** Returns a hold with as much output as fits in a room; undefined where that is less than the request wants at least. */
function shrunk(
  { charge, inputs }: SmallerHold,
  input: DecisionInput,
  quoted: Quote,
  { orgConfig, nowMs }: PlanContext,
  room: Room,
): SmallerHold | undefined {
  const output = outputThatFits(input, orgConfig, nowMs, outputOf(quoted, input), room, charge.keyId)
  if (output === undefined || output < (input.min_output_tokens ?? 0)) return undefined
  const { price } = quote({ ...input, max_output_tokens: output }, orgConfig, nowMs, charge.keyId)
  return {
    charge: { ...charge, usd: price.amountNano, tokens: price.tokens },
    inputs: { ...inputs, basis: price.basis, tokens: Number(price.tokens) },
  }
}

/** Returns the hold that an allowed operation has made, or would have made as a dry run. */
export const heldBy = (
  { command }: AskedPlan,
  { granted }: Extract<DecidedOperation['outcome'], { type: 'held' }>,
): SmallerHold => granted ?? command

/** True when a plan is still right: the same limits and periods, also those of the customer. */
const isStillRight = ({ command, context: before }: ReservePlan, after: PlanContext) =>
  before.orgConfig === after.orgConfig &&
  hasSameLimits(before.customer, after.customer) &&
  command.claims.every((claim) => isWithin(claim, after.nowMs))

/** True when two readings of a customer found the same limit of its own, and no packs, whose draw depends on what is left of them. */
const hasSameLimits = (before: CustomerFacts | undefined, after: CustomerFacts | undefined) =>
  (before?.own ?? null) === (after?.own ?? null) && hasNoPacks(before) && hasNoPacks(after)

const hasNoPacks = (customer: CustomerFacts | undefined) => customer === undefined || customer.packs.length === 0

const isWithin = ({ allowances, newSubjectGate: gate }: Claim, nowMs: number) =>
  allowances.every((allowance) => isRunning(allowance, nowMs)) &&
  (gate === undefined || (isRunning(gate.counter, nowMs) && isRunning(gate.fallback, nowMs)))

/** True while the period of an allowance lasts; that of a pack is not bounded. */
const isRunning = ({ period }: Allowance, nowMs: number) =>
  period === null || (nowMs >= period.startMs && nowMs < period.endMs)

/** The JSON stored with a hold: enough to explain it, and to settle it at the price that was in force. */
export const holdInputs = (input: DecisionInput, { price }: Quote, surface: Surface): HoldInputs => ({
  ...(input.customer_id !== undefined && { customer_id: input.customer_id }),
  surface,
  version: decideVersion,
  request: input,
  basis: price.basis,
  tokens: Number(price.tokens),
  price: price.price && storePrice(price.price),
})

/** Returns the price that a hold was made with, and the tokens it took for the worst case. */
export function heldPriceOf({ inputs }: { readonly inputs: HoldInputs }): { price: Price | null; tokens: bigint } {
  const { price } = inputs
  return { tokens: heldTokensOf({ inputs }), price: price && restorePrice(price) }
}

/** The request that a hold was made for. */
export const heldRequestOf = ({ inputs }: { readonly inputs: HoldInputs }) => inputs.request

/** Returns the command that settles a hold at the actual usage of its run; throws where the agent may not end it. */
export function settleCommand(
  agent: Agent,
  holdId: string,
  { usd, tokens }: { readonly usd: bigint; readonly tokens: bigint },
  context: PlanContext,
  { chain, estimate }: Pick<Charge, 'chain'> & { readonly estimate?: object | undefined } = {},
): Extract<Command, { type: 'settle' }> {
  checkRightTo('end', agent, context.hold)
  const actual = { usd, tokens, runs: 1n }
  const { inputs, heldAtMs } = context.hold ?? {}
  const charge = { ...actual, customerId: inputs?.request.customer_id, chain }
  return {
    type: 'settle',
    holdId,
    actual,
    by: makerOf(agent),
    ...(estimate && { estimate }),
    ...(inputs?.surface === 'start'
      ? { unheld: [], excess: excessClaims(charge, context) }
      : { unheld: unheldClaims(charge, context, heldAtMs ?? context.nowMs) }),
  }
}

/** Creates an operation that settles a hold at the actual usage of its run. */
export const settleOperation = (
  agent: Agent,
  holdId: string,
  actual: { readonly usd: bigint; readonly tokens: bigint },
): Operation => ({
  orgId: agent.orgId,
  holdId,
  plan: (context) => ({ command: settleCommand(agent, holdId, actual, context) }),
})

export const releaseOperation = (
  agent: Agent,
  holdId: string,
  command: { type: 'release' } | { type: 'extend'; leaseMs: number },
): Operation => ({
  orgId: agent.orgId,
  holdId,
  plan: ({ hold, orgConfig }) => {
    const keyId = lineageIn(agent)
    checkRightTo(command.type === 'release' ? 'end' : 'extend', agent, hold)
    if (hold && isRunHold(hold) && command.type === 'release')
      throw new ApiError('conflict', {}, { message: 'This is a started run: finish it instead.' })
    if (
      command.type === 'release' &&
      trustIn(orgConfig.trust, lineageOfMaker(hold?.madeBy), keyId).release === 'refuse'
    )
      throw new ApiError(
        'forbidden',
        {},
        { message: 'Reservations cannot be released here: they end with a settlement or their lease.' },
      )
    return { command: { ...command, holdId, by: makerOf(agent) } }
  },
})

/** Builds the response to a decision from its plan and outcome. */
export function edgeDecision(task: ReserveOperation, { plan, outcome }: DecidedOperation<ReservePlan>): EdgeDecision {
  if (outcome.type !== 'held') throw new TypeError(`a hold cannot be answered with ${outcome.type}`)
  const isHeld = task.makesHold !== undefined
  const { charge, inputs } = heldBy(plan, outcome)
  return {
    decision: 'allow',
    decision_id: formatId('decision', task.id),
    reservation_id: isHeld ? formatId('reservation', task.id) : null,
    reserved_usd: formatUsd(charge.usd),
    remaining_usd: outcome.remaining === null ? null : formatUsd(outcome.remaining),
    max_output_tokens: heldOutputOf({ inputs }),
    expires_at: isHeld ? timestamp(new Date(plan.command.expiresAtMs)) : null,
  }
}

/** Builds a reservation from an outcome. */
export function reservationOf({ outcome }: DecidedOperation): Reservation {
  if (outcome.type === 'not_found') throw new ApiError('not_found')
  if (outcome.type === 'conflict')
    throw new ApiError('conflict', {}, { message: `The reservation is ${outcome.hold.state}.` })
  if (outcome.type !== 'ended' && outcome.type !== 'extended') throw new TypeError(`no reservation in ${outcome.type}`)
  return reservationView(outcome.hold)
}

export const reservationView = (hold: Omit<Hold, 'keys' | 'amounts' | 'draws' | 'onExpiry'>): Reservation => ({
  reservation_id: formatId('reservation', hold.id),
  status: hold.state,
  reserved_usd: formatUsd(hold.amountNano),
  charged_usd: hold.chargedNano === null ? null : formatUsd(hold.chargedNano),
  overrun_usd: hold.overrunNano === null ? null : formatUsd(hold.overrunNano),
  created_at: timestamp(new Date(hold.heldAtMs)),
  expires_at: timestamp(new Date(hold.expiresAtMs)),
})
