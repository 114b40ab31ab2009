import { ApiError, validationFailed } from '../contract/errors.ts'
import { type Agent, makerOf } from '../identity/identity.ts'
import type { Ask, Definitions, Facts, Hold, HoldInputs, KnownHold, Result, Task } from '../lanes/lanes.ts'
import { checkRightToEnd, decideVersion } from '../lanes/lanes.ts'
import type { ChainPlace, Charge, Claim, CustomerFacts, Grant } from '../ledger/ledger.ts'
import { type HoldPrice, holdFor, type Price } from '../prices/prices.ts'
import { heldTokensOf, isRunHold, type KeptRun } from '../run-log/run-log.ts'
import { formatId, newUuid } from '../values/id.ts'
import { dollars, formatUsd, maxChargeNano, parseUsd } from '../values/money.ts'
import { timestamp } from '../values/timestamp.ts'
import { claimsOf, excessClaims, type Surface, unheldClaims } from './limit-kinds.ts'
import { type DecisionInput, defaultLeaseSeconds, type EdgeDecision, type Reservation } from './schema.ts'

/** Thrown inside a lane for a model without a price; the route records it. */
export class UnpricedModel extends ApiError<'validation_failed'> {
  constructor(model: string, instead = 'estimated_cost_usd') {
    const message = `${model} has no price: add one with PUT …/prices, set unpriced_ceiling_usd there, or send ${instead}.`
    super('validation_failed', { fields: [{ field: 'model', code: 'invalid_value', message }] })
  }
}

/** The amounts and the price of a request, which its response needs as well. */
export interface Quote {
  readonly charge: Charge
  readonly price: HoldPrice
}

export function quote(input: DecisionInput, definitions: Pick<Definitions, 'prices'>, nowMs: number): Quote {
  const price = holdFor(
    definitions.prices,
    {
      model: input.model,
      ...(input.provider !== undefined && { provider: input.provider }),
      ...(input.estimated_cost_usd !== undefined && { estimatedNano: parseUsd(input.estimated_cost_usd) }),
      ...(input.input_tokens !== undefined && { inputTokens: input.input_tokens }),
      ...(input.max_output_tokens !== undefined && { maxOutputTokens: input.max_output_tokens }),
    },
    nowMs,
  )
  if (price === 'unpriced') throw new UnpricedModel(input.model)
  if (price.amountNano > maxChargeNano) {
    const message = `One call may cost at most ${dollars(maxChargeNano)}; this one could cost ${dollars(price.amountNano)}.`
    throw validationFailed([{ field: 'max_output_tokens', code: 'out_of_range', message }])
  }
  const charge = {
    usd: price.amountNano,
    tokens: price.tokens,
    runs: 1n,
    workflowId: input.workflow_id,
    deploymentId: input.deployment_id,
    departmentId: input.department_id,
    customerId: input.customer_id,
  }
  return { charge, price }
}

export interface HoldTask extends Task {
  readonly id: string
  /** The last quote of the request, made while it was decided. */
  readonly quoted: () => Quote
  /** Its last command. */
  readonly lastAsk: () => Extract<Ask, { type: 'hold' }>
}

/** The run that starts with a hold. */
export interface StartedRun extends Pick<Task, 'chainId' | 'parentId'> {
  /** Returns the run's place in its chain, and the fields stored for it. Pure; throws the error for the caller. */
  readonly place: (
    facts: Facts,
    id: string,
  ) => { readonly run: KeptRun; readonly chain: ChainPlace | undefined; readonly approval: Grant | undefined }
  /** Its run key, beside its id. */
  readonly runKey: (id: string) => Task['runKey']
}

/** Creates a reserve operation. The hold's id is made here, once: every retry uses the same one. */
export function holdTask(
  agent: Agent,
  input: DecisionInput,
  surface: Surface,
  onExpiry: Hold['onExpiry'],
  started?: StartedRun,
): HoldTask {
  const id = newUuid()
  const { orgId } = agent
  const by = makerOf(agent)
  const runKey = started?.runKey(id)
  const { dry_run: isDryRun = false, lease_seconds: leaseSeconds = defaultLeaseSeconds } = input
  let latest: { facts: Facts; quoted: Quote; ask: Extract<Ask, { type: 'hold' }> } | undefined
  return {
    id,
    orgId,
    customerId: input.customer_id,
    needsPacks: surface === 'start',
    makesHold: isDryRun ? undefined : id,
    chainId: started?.chainId,
    parentId: started?.parentId,
    runKey,
    isFoundAgain: runKey !== undefined,
    quoted: () => latest!.quoted,
    lastAsk: () => latest!.ask,
    bind: (facts) => {
      if (
        !started &&
        latest &&
        isSame(latest.facts, facts) &&
        latest.ask.claims.every((claim) => isWithin(claim, facts.nowMs))
      )
        return { ...latest.ask, expiresAtMs: facts.nowMs + leaseSeconds * 1_000 }
      const quoted = quote(input, facts.definitions, facts.nowMs)
      const placed = started?.place(facts, id)
      const charge = placed ? { ...quoted.charge, chain: placed.chain, approval: placed.approval } : quoted.charge
      const ask = {
        type: 'hold',
        id,
        charge,
        claims: claimsOf(surface, charge, facts),
        expiresAtMs: facts.nowMs + leaseSeconds * 1_000,
        onExpiry,
        isDryRun,
        inputs: { ...keptInputs(input, quoted, surface), ...(placed && { run: placed.run }) },
        by,
      } as const
      latest = { facts, quoted, ask }
      return ask
    },
  }
}

/** True when a plan is still right: the same limits, and a customer of whom nothing but the name is known. */
const isSame = (before: Facts, after: Facts) =>
  before.definitions === after.definitions && isPlain(before.customer) && isPlain(after.customer)

const isPlain = (customer: CustomerFacts | undefined) =>
  customer === undefined || (customer.own === null && customer.packs.length === 0)

const isWithin = ({ allowances, newcomers }: Claim, nowMs: number) =>
  [...allowances, ...(newcomers ? [newcomers.counter, newcomers.instead] : [])].every(
    ({ period }) => period === null || (nowMs >= period.startMs && nowMs < period.endMs),
  )

/** The JSON stored with a hold: enough to explain it, and to settle it at the price that was in force. */
const keptInputs = (input: DecisionInput, { price }: Quote, surface: Surface): HoldInputs => ({
  ...(input.customer_id !== undefined && { customer_id: input.customer_id }),
  surface,
  version: decideVersion,
  request: input,
  basis: price.basis,
  tokens: Number(price.tokens),
  price: price.price && keptPrice(price.price),
})

/** A price as JSON can represent it. */
const keptPrice = ({ id, inputPico, outputPico, cacheReadPico, cacheWritePico }: Price) => ({
  id,
  input_pico: inputPico.toString(),
  output_pico: outputPico.toString(),
  cache_read_pico: cacheReadPico.toString(),
  cache_write_pico: cacheWritePico.toString(),
})

/** Returns the price that a hold was made with, and the tokens it took for the worst case. */
export function keptPriceOf({ inputs }: Pick<KnownHold, 'inputs'>): { price: Price | null; tokens: bigint } {
  const { price } = inputs as { price?: ReturnType<typeof keptPrice> | null }
  return {
    tokens: heldTokensOf({ inputs }),
    price: price
      ? {
          id: price.id,
          inputPico: BigInt(price.input_pico),
          outputPico: BigInt(price.output_pico),
          cacheReadPico: BigInt(price.cache_read_pico),
          cacheWritePico: BigInt(price.cache_write_pico),
          maxOutputTokens: null,
        }
      : null,
  }
}

/** The request that a hold was made for. */
export const heldRequestOf = ({ inputs }: Pick<KnownHold, 'inputs'>): DecisionInput =>
  (inputs as { request: DecisionInput }).request

/** Creates an operation that settles a hold at the actual usage of its run. */
export const settleTask = (
  agent: Agent,
  holdId: string,
  { usd, tokens }: { readonly usd: bigint; readonly tokens: bigint },
  place: Pick<Charge, 'chain'> = {},
): Task => ({
  orgId: agent.orgId,
  holdId,
  bind: (facts): Ask => {
    checkRightToEnd(agent, facts.hold)
    const actual = { usd, tokens }
    const { request, surface } = (facts.hold?.inputs ?? {}) as { request?: DecisionInput; surface?: Surface }
    const charge = { ...actual, runs: 1n, customerId: request?.customer_id, chain: place.chain }
    return {
      type: 'settle',
      holdId,
      actual: { ...actual, runs: 1n },
      by: makerOf(agent),
      ...(surface === 'start'
        ? { unheld: [], excess: excessClaims(charge, facts) }
        : { unheld: unheldClaims(charge, facts, facts.hold?.heldAtMs ?? facts.nowMs) }),
    }
  },
})

export const endTask = (
  agent: Agent,
  holdId: string,
  ask: { type: 'release' } | { type: 'extend'; leaseMs: number },
): Task => ({
  orgId: agent.orgId,
  holdId,
  bind: ({ hold }) => {
    checkRightToEnd(agent, hold)
    if (hold && isRunHold(hold) && ask.type === 'release')
      throw new ApiError('conflict', {}, { message: 'This is a started run: finish it instead.' })
    return { ...ask, holdId, by: makerOf(agent) }
  },
})

/** Builds the response to a decision from its outcome; throws a refusal. */
export function edgeDecision(
  task: HoldTask,
  { verdict, atMs }: Pick<Result, 'verdict' | 'atMs'>,
  input: DecisionInput,
): EdgeDecision {
  if (verdict.type !== 'held') throw new TypeError(`a hold cannot be answered with ${verdict.type}`)
  const isHeld = task.makesHold !== undefined
  const expiresAtMs = atMs + (input.lease_seconds ?? defaultLeaseSeconds) * 1_000
  return {
    decision: 'allow',
    decision_id: formatId('decision', task.id),
    reservation_id: isHeld ? formatId('reservation', task.id) : null,
    reserved_usd: formatUsd(task.quoted().charge.usd),
    remaining_usd: verdict.remaining === null ? null : formatUsd(verdict.remaining),
    expires_at: isHeld ? timestamp(new Date(expiresAtMs)) : null,
  }
}

/** Builds a reservation from an outcome. */
export function reservationOf({ verdict }: Pick<Result, 'verdict'>): Reservation {
  if (verdict.type === 'not_found') throw new ApiError('not_found')
  if (verdict.type === 'conflict')
    throw new ApiError('conflict', {}, { message: `The reservation is ${verdict.hold.state}.` })
  if (verdict.type !== 'ended' && verdict.type !== 'extended') throw new TypeError(`no reservation in ${verdict.type}`)
  return reservationView(verdict.hold)
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
