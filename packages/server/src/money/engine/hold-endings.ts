import type { Maker } from '../../access/identity/identity.ts'
import { dayMs } from '../../values/time.ts'
import { amountSpent, type Claim, maxCounter } from '../ledger/ledger.ts'
import { type AllowanceState, type Delta, noDelta } from './allowance-state.ts'

export type MovementKind = 'hold' | 'settle' | 'release' | 'expire' | 'charge'

/** The usage of a run when it has ended. */
export interface Actual {
  readonly usd: bigint
  readonly tokens: bigint
  readonly runs: bigint
}

export interface Hold {
  readonly id: string
  readonly state: 'open' | 'settled' | 'released' | 'expired'
  /** The end of a hold whose lease is over: its amount is released, or charged as a whole. */
  readonly onExpiry: 'release' | 'charge'
  readonly heldAtMs: number
  readonly expiresAtMs: number
  readonly amountNano: bigint
  readonly keys: readonly string[]
  readonly amounts: readonly bigint[]
  readonly draws: readonly number[]
  readonly chargedNano: bigint | null
  readonly overrunNano: bigint | null
  /** The charge of a settlement by estimate, which an exact one may still replace. */
  readonly estimate?: HoldEstimate | undefined
  /** undefined for holds that are older than this field. */
  readonly madeBy?: Maker | undefined
}

/** A charge by estimate. */
export interface HoldEstimate {
  /** The part of each allowance of the hold. */
  readonly costs: readonly bigint[]
  /** The report that it came with, as it is stored. */
  readonly report: object
}

/** The inputs of a settlement. */
export interface SettlementInputs {
  readonly actual: Actual
  /** Claims of kinds that cannot refuse at the edge: not held, and drawn down at the settlement. */
  readonly unheld: readonly Claim[]
  /** Packs that bear the part above a hold's own draw on their kind: a pack of the hold may have expired meanwhile. */
  readonly excess?: readonly Claim[]
  /** For a settlement by estimate: what was reported with it. It is kept, so that an exact settlement can replace it. */
  readonly estimate?: object | undefined
}

type HoldEnding =
  | ({ readonly type: 'settle' } & SettlementInputs)
  | { readonly type: 'release' }
  | { readonly type: 'expire' }

interface EndedHold {
  readonly hold: Hold
  readonly kind: MovementKind
  readonly changes: readonly { readonly key: string; readonly delta: Delta }[]
}

/** Grace period after a lease's end, so that clocks which differ a little do not end it early. */
export const expiryGraceMs = 5_000
/** The longest lease, however often it is extended. */
export const maxLeaseMs = dayMs

/** Returns the end of a lease that is extended: never shortened, and within the longest lease. */
export const extendedLease = ({ expiresAtMs, heldAtMs }: Hold, leaseMs: number, nowMs: number) =>
  Math.min(Math.max(expiresAtMs, nowMs + leaseMs), heldAtMs + maxLeaseMs)

/**
 * Ends a hold. An admitted cost is never refused afterwards: cost above the hold is overrun, cost after the hold's end is late,
 * and both count as spent at once. A hold ends once; repeating the end that it has reached changes nothing.
 */
export function endHold(
  hold: Hold,
  ending: HoldEnding,
  stateOf: (key: string) => AllowanceState,
  nowMs: number,
): EndedHold | 'repeat' | 'conflict' {
  if (ending.type === 'release') {
    if (hold.state === 'settled') return 'conflict'
    if (hold.state !== 'open') return 'repeat'
    return { hold: { ...hold, state: 'released' }, kind: 'release', changes: releaseChanges(hold) }
  }
  if (ending.type === 'expire') {
    const isDue = hold.state === 'open' && nowMs >= hold.expiresAtMs + expiryGraceMs
    return isDue ? expire(hold, stateOf) : 'repeat'
  }
  if (hold.state === 'settled')
    return hold.estimate && !ending.estimate ? replace(hold, hold.estimate, ending, stateOf) : 'repeat'
  return settle(hold, ending, stateOf)
}

const releaseChanges = ({ keys, amounts }: Hold) =>
  keys.map((key, i) => ({ key, delta: { ...noDelta, held: -amounts[i]! } }))

function expire(hold: Hold, stateOf: (key: string) => AllowanceState): EndedHold {
  if (hold.onExpiry === 'release')
    return { hold: { ...hold, state: 'expired' }, kind: 'expire', changes: releaseChanges(hold) }
  const charged = hold.keys.map((key, i) => {
    const amount = hold.amounts[i]!
    const { unit } = stateOf(key).allowance
    const spent = amountSpent({ usd: amount, tokens: amount, runs: amount }, unit)
    return { key, delta: { ...noDelta, held: -amount, spent } }
  })
  return {
    hold: { ...hold, state: 'expired', chargedNano: hold.amountNano, overrunNano: 0n },
    kind: 'expire',
    changes: charged,
  }
}

function settle(
  hold: Hold,
  { actual, unheld, estimate, excess = [] }: SettlementInputs,
  stateOf: (key: string) => AllowanceState,
): EndedHold {
  const isOpen = hold.state === 'open'
  const wasCharged = hold.state === 'expired' && hold.onExpiry === 'charge'
  const isLate = isFreed(hold)
  // An estimate stays on the hold's own allowances, where it can be taken back.
  const { parts, above: drawnAbove } = splitCost(hold, actual, estimate ? [] : excess, stateOf)
  const changes = parts.map(({ key, cost, amount }) => {
    return {
      key,
      delta: {
        ...noDelta,
        held: isOpen ? -amount : 0n,
        spent: wasCharged ? correction(stateOf(key), amount, cost) : cost,
        overrun: isLate ? 0n : beyond(cost, amount),
        late: isLate ? cost : 0n,
      },
    }
  })
  const overrunNano = isLate ? 0n : beyond(actual.usd, hold.amountNano)
  const drawn = [
    ...unheld.flatMap((claim) => drawDown(claim, amountSpent(actual, claim.unit), stateOf)),
    ...drawnAbove
      .flatMap(({ claim, amount }) => drawDown(claim, amount, stateOf))
      .map(({ key, delta: { spent } }) => ({
        key,
        delta: { ...noDelta, spent, ...(isLate ? { late: spent } : { overrun: spent }) },
      })),
  ]
  const kept = estimate && !isLate ? { costs: parts.map(({ cost }) => cost), report: estimate } : undefined
  return {
    hold: { ...hold, state: 'settled', chargedNano: actual.usd, overrunNano, ...(kept && { estimate: kept }) },
    kind: 'settle',
    changes: [...changes, ...drawn],
  }
}

/** Replaces the charge of an estimate by the exact one. */
function replace(
  hold: Hold,
  { costs }: HoldEstimate,
  { actual, excess = [] }: SettlementInputs,
  stateOf: (key: string) => AllowanceState,
): EndedHold {
  const { parts, above } = splitCost(hold, actual, excess, stateOf)
  const changes = parts.map(({ key, cost, amount }, i) => {
    const estimated = costs[i]!
    // What the estimate had left free may have been taken since: nothing above it could be refused any more.
    const overrun = cost > estimated ? cost - estimated : beyond(cost, amount) - beyond(estimated, amount)
    return { key, delta: { ...noDelta, spent: correction(stateOf(key), estimated, cost), overrun } }
  })
  const drawn = above
    .flatMap(({ claim, amount }) => drawDown(claim, amount, stateOf))
    .map(({ key, delta: { spent } }) => ({ key, delta: { ...noDelta, spent, overrun: spent } }))
  const { estimate: _replaced, ...final } = hold
  return {
    hold: { ...final, chargedNano: actual.usd, overrunNano: beyond(actual.usd, hold.amountNano) },
    kind: 'settle',
    changes: [...changes, ...drawn],
  }
}

/** Returns the change from a charge to the real cost. An adjustment may have taken back the charge: spent never falls below 0. */
const correction = ({ balance: { spent } }: AllowanceState, charged: bigint, cost: bigint) =>
  spent + cost < charged ? -spent : cost - charged

const beyond = (cost: bigint, amount: bigint) => (cost > amount ? cost - amount : 0n)

/** True when a hold has ended and nothing was charged for it: a cost that is reported after that is late. */
export const isFreed = ({ state, onExpiry }: Hold) =>
  state === 'released' || (state === 'expired' && onExpiry === 'release')

interface CostSplit {
  readonly parts: readonly { readonly key: string; readonly amount: bigint; readonly cost: bigint }[]
  /** The part above a draw, and the claim that bears it. */
  readonly above: readonly { readonly claim: Claim; readonly amount: bigint }[]
}

/**
 * Splits the cost among the allowances of a hold. Packs bear their parts in order; the rest goes to packs that are in force now,
 * or, where there are none, to the last pack of the hold.
 */
function splitCost(
  { keys, amounts, draws }: Hold,
  actual: Actual,
  excess: readonly Claim[],
  stateOf: (key: string) => AllowanceState,
): CostSplit {
  const left = new Map<number, bigint>()
  const above: { claim: Claim; amount: bigint }[] = []
  const parts = keys.map((key, i) => {
    const amount = amounts[i]!
    const draw = draws[i]!
    const { unit, kind } = stateOf(key).allowance
    const whole = amountSpent(actual, unit)
    if (draw === 0) return { key, amount, cost: whole }
    const open = left.get(draw) ?? whole
    const isLast = !draws.includes(draw, i + 1)
    const part = open < amount ? open : amount
    left.set(draw, open - part)
    const claim = excess.find((one) => one.kind.kind === kind)
    if (!isLast || open === part) return { key, amount, cost: part }
    if (!claim) return { key, amount, cost: open }
    above.push({ claim, amount: open - part })
    return { key, amount, cost: part }
  })
  return { parts, above }
}

/** Draws down an amount that was not held. The part that does not fit is overrun: it can no longer be refused. */
export function drawDown(claim: Claim, amount: bigint, stateOf: (key: string) => AllowanceState) {
  if (claim.mode === 'fixed') return []
  let left = amount
  return claim.allowances.flatMap(({ key, limit }, i) => {
    const { spent, held } = stateOf(key).balance
    const room = limit === null || limit <= spent + held ? 0n : limit - spent - held
    const isLast = i === claim.allowances.length - 1
    const cost = isLast || left < room ? left : room
    left -= cost
    if (cost === 0n) return []
    return [{ key, delta: { ...noDelta, spent: cost, overrun: limit !== null && cost > room ? cost - room : 0n } }]
  })
}

/** Caps changes at the largest value of the counters: an admitted cost is booked in any case, and a full counter stays full. */
export function capAtCounters(
  changes: EndedHold['changes'],
  stateOf: (key: string) => AllowanceState,
): EndedHold['changes'] {
  const remaining = new Map<string, bigint>()
  return changes.map((change) => {
    const { key, delta } = change
    const room = remaining.get(key) ?? maxCounter - stateOf(key).balance.spent
    const spent = delta.spent > room ? room : delta.spent
    remaining.set(key, room - spent)
    return spent === delta.spent ? change : { key, delta: { ...delta, spent } }
  })
}
