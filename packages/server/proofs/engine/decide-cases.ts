import { isDeepStrictEqual } from 'node:util'
import { chainKind } from '../../src/money/chains/chains.ts'
import type { BatchDecision, ChargedItem, Command, decide as Decide, Outcome } from '../../src/money/engine/decide.ts'
import type { Hold } from '../../src/money/engine/hold-endings.ts'
import {
  type Allowance,
  type Balance,
  type ChainBounds,
  type Charge,
  type Claim,
  emptyBalance,
  type LimitKind,
  type LimitRefusal,
  type LimitUnit,
  type OrgLimits,
} from '../../src/money/ledger/ledger.ts'
import { anyInputs } from '../../test/support/example-books.ts'
import { Random } from '../../test/support/random.ts'
import { plus } from './balances.ts'
import { withLadder } from './ladders.ts'
import { NaiveLedger, type Told } from './naive-ledger.ts'

/** Random limits and requests, decided in batches and one at a time: both must tell the same and leave the same sums. */

const units: readonly LimitUnit[] = ['usd', 'usd', 'tokens', 'runs']
const kind = { kind: 'any', eventOf: () => undefined } as unknown as LimitKind
const start = Date.parse('2026-03-01T00:00:00Z')

interface Setting {
  readonly allowances: Map<string, Allowance>
  /** What a hold claims before a call; the later ones may be left to its settlement. */
  readonly early: readonly Claim[]
  readonly later: readonly Claim[]
  /** The claims of each customer, for whom the bound on newcomers counts. */
  readonly customers: readonly Claim[]
  readonly chains: ReadonlyMap<string, ChainBounds>
}

function randomSetting(random: Random): Setting {
  const allowances = new Map<string, Allowance>()
  const most = random.pick([3, 20, 20, 1_000_000_000])
  const add = (name: string, more: Partial<Allowance> = {}): Allowance => {
    const allowance: Allowance = {
      key: `${name}${allowances.size}`,
      limitId: name,
      kind: 'any',
      subject: '',
      unit: random.pick(units),
      period: null,
      limit: random.chance(0.15) ? null : random.chance(0.1) ? 0n : random.amount(most * random.between(1, 8)),
      enforcement: random.chance(0.25) ? 'alert' : 'block',
      thresholds: random.some([50, 80, 100], 0.5),
      ...more,
    }
    allowances.set(allowance.key, allowance)
    return allowance
  }
  const plain = (): Claim => {
    const allowance = add('limit')
    return { kind, unit: allowance.unit, mode: 'all', allowances: [allowance] }
  }
  const pool = (): Claim => {
    const packs = Array.from({ length: random.between(1, 4) }, () =>
      add('pack', { unit: 'usd', limit: random.amount(most * 3), enforcement: 'block', thresholds: [] }),
    )
    return { kind, unit: 'usd', mode: 'draw', allowances: packs }
  }
  const claims = (count: number) => Array.from({ length: count }, () => (random.chance(0.3) ? pool() : plain()))
  const shared = { unit: 'usd', limit: random.amount(most * 5), enforcement: 'block', thresholds: [] } as const
  const fallback = add('shared', shared)
  const counter = add('counter', { ...shared, unit: 'runs', limit: random.amount(3) })
  const customers = Array.from({ length: random.int(5) }, (): Claim => {
    const marker = add('known', { unit: 'runs', limit: null, enforcement: 'alert' })
    const newSubjectGate = { marker, counter, fallback }
    return { kind, unit: 'usd', mode: 'all', allowances: [add('customer', shared)], newSubjectGate }
  })
  const chains = new Map(
    Array.from({ length: random.int(3) }, (_, i): [string, ChainBounds] => [
      `chain${i}`,
      {
        maxCostNano: random.chance(0.2) ? null : random.amount(most * 4),
        maxTokens: random.chance(0.4) ? null : random.amount(most * 4),
        maxDepth: random.chance(0.4) ? null : random.between(1, 4),
      },
    ]),
  )
  // A place below every bound names all the rows that a chain has.
  for (const [chainId, bounds] of chains)
    for (const claim of chainClaims({ usd: 0n, tokens: 0n, runs: 0n, chain: { ...bounds, chainId, depth: 100 } }))
      for (const allowance of claim.allowances) allowances.set(allowance.key, allowance)
  return { allowances, early: claims(random.int(4)), later: claims(random.int(3)), customers, chains }
}

const chainClaims = (charge: Charge) => chainKind.bind(charge, {} as OrgLimits, undefined, start)

/** What a charge is asked of: the limits of all, perhaps a customer's, and perhaps those of the chain it stands in. */
function randomAccount(random: Random, { customers, chains, early, later }: Setting, isWhole: boolean) {
  const own = customers.length > 0 && random.chance(0.6) ? [random.pick(customers)] : []
  const claims = [...early, ...own, ...(isWhole ? later : [])]
  if (!isWhole || chains.size === 0 || random.chance(0.4)) return { claims, chain: undefined }
  const [chainId, bounds] = random.pick([...chains])
  const chain = { ...bounds, chainId, depth: random.between(1, 4) }
  return { claims: [...claims, ...chainClaims({ usd: 0n, tokens: 0n, runs: 0n, chain })], chain }
}

function randomAmounts(random: Random) {
  const most = random.pick([0, 3, 10, 100, 1_000_000_000])
  return { usd: random.amount(most), tokens: random.amount(most), runs: 1n }
}

/** Many charges on a few accounts, some of them so small that they fit together. */
function randomCharge(random: Random, setting: Setting): Command {
  const accounts = Array.from({ length: random.between(1, 4) }, () => randomAccount(random, setting, true))
  const isSmall = random.chance(0.4)
  const items = Array.from({ length: random.int(10) }, (): ChargedItem => {
    const { claims, chain } = random.pick(accounts)
    const amounts = isSmall ? { usd: random.amount(1), tokens: random.amount(1), runs: 1n } : randomAmounts(random)
    return { charge: { ...amounts, chain }, claims: random.chance(0.2) ? [...claims] : claims }
  })
  return { type: 'charge', items, mode: random.pick(['atomic', 'partial', 'facts']) }
}

interface HoldPlan {
  readonly usd: bigint
  readonly unheld: readonly Claim[]
  readonly isHeldWhole: boolean
  readonly account: ReturnType<typeof randomAccount>
}

/** One request, mostly about a hold that exists. */
function randomAsk(random: Random, setting: Setting, plans: Map<string, HoldPlan>, nowMs: number): Command {
  const holdId = random.chance(0.05) || plans.size === 0 ? 'nobody' : random.pick([...plans.keys()])
  const type = random.pick([
    'hold',
    'hold',
    'hold',
    'charge',
    'charge',
    'settle',
    'settle',
    'release',
    'extend',
    'raise',
    'raise',
    'expire',
    'expire',
  ] as const)
  if (type === 'settle') {
    const plan = plans.get(holdId)
    const held = plan?.usd ?? 1n
    const usd = random.pick([0n, held, held / 2n, held + 1n, held + random.amount(20), random.amount(10)])
    const unheld = plan?.unheld ?? []
    const estimate = unheld.length === 0 && random.chance(0.3) ? {} : undefined
    return { type, holdId, actual: { usd, tokens: random.amount(20), runs: 1n }, unheld, estimate }
  }
  if (type === 'extend') return { type, holdId, leaseMs: random.pick([1_000, 600_000, 86_400_000]) }
  if (type === 'raise') return randomRaise(random, setting, plans, holdId)
  if (type === 'charge') return randomCharge(random, setting)
  if (type !== 'hold') return { type, holdId }
  const isHeldWhole = random.chance(0.5)
  const account = randomAccount(random, setting, isHeldWhole)
  const { claims, chain } = account
  const charge = { ...randomAmounts(random), chain }
  const id = `hold${plans.size}`
  plans.set(id, { usd: charge.usd, unheld: isHeldWhole ? [] : setting.later, isHeldWhole, account })
  const leaseSeconds = random.chance(0.3) ? random.between(1, 6) : random.between(1, 1_200)
  const expiresAtMs = nowMs + leaseSeconds * 1_000
  const onExpiry = random.chance(0.5) ? 'release' : 'charge'
  const isDryRun = random.chance(0.1)
  const ask = { type, id, charge, claims, expiresAtMs, onExpiry, isDryRun, inputs: anyInputs } as const
  return random.chance(0.3) ? withLadder(ask, random) : ask
}

/** More for a hold, mostly on the limits that it was made with; now and then others are in force by then. */
function randomRaise(random: Random, setting: Setting, plans: Map<string, HoldPlan>, holdId: string): Command {
  const plan = plans.get(holdId)
  const isHeldWhole = plan?.isHeldWhole ?? true
  const account = plan && random.chance(0.7) ? plan.account : randomAccount(random, setting, isHeldWhole)
  const { usd, tokens, runs } = randomAmounts(random)
  const charge = {
    usd: random.chance(0.2) ? (plan?.usd ?? 0n) : (plan?.usd ?? 0n) + usd,
    tokens,
    runs,
    chain: account.chain,
  }
  if (plan) plans.set(holdId, { ...plan, usd: charge.usd, account })
  const leaseMs = random.pick([1_000, 600_000, 86_400_000])
  return { type: 'raise', holdId, charge, claims: account.claims, leaseMs, inputs: anyInputs }
}

/** The books as they are kept between batches. */
interface Books {
  readonly balances: Map<string, Balance>
  readonly holds: Map<string, Hold>
}

/** Runs one case; says what differs, or undefined. */
export function compareCase(seed: number, decide: typeof Decide): string | undefined {
  const random = new Random(seed)
  const setting = randomSetting(random)
  const naive = new NaiveLedger()
  const books: Books = { balances: new Map(), holds: new Map() }
  const plans = new Map<string, HoldPlan>()
  let nowMs = start
  for (let batch = random.between(1, 8); batch > 0; batch--) {
    nowMs += random.pick([0, 1, 1_000, 5_000, 60_000, 600_000, 7_200_000])
    const asks = Array.from({ length: random.between(1, 8) }, () => randomAsk(random, setting, plans, nowMs))
    const allowances = new Map(
      Array.from(setting.allowances, ([key, allowance]) => {
        const balance = books.balances.get(key)
        return [key, { allowance, balance: balance ?? emptyBalance, exists: balance !== undefined }]
      }),
    )
    const decision = decide({ allowances, holds: books.holds }, asks, nowMs)
    naive.reached = []
    const expected = inOrder(asks).map(([i, ask]) => [i, naive.ask(ask, nowMs, setting.allowances)] as const)
    for (const [i, told] of expected) {
      const actual = toldBy(decision.outcomes[i]!)
      if (!isDeepStrictEqual(actual, told)) return differ(`verdict on ${asks[i]!.type}`, actual, told)
    }
    const fault = keep(books, decision) ?? compareBooks(books, decision, naive)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** What gives room goes first, then expiries, then holds and charges as they came. */
function inOrder(asks: readonly Command[]): [number, Command][] {
  const rank = ({ type }: Command) =>
    type === 'hold' || type === 'charge' || type === 'raise' ? 2 : type === 'expire' ? 1 : 0
  return [...asks.entries()].sort(([i, a], [j, b]) => rank(a) - rank(b) || i - j)
}

function toldBy(verdict: Outcome): Told {
  if (verdict.type === 'held')
    return ['held', verdict.checks.map(({ allowance, amount }) => `${allowance.key} ${amount}`), verdict.remaining]
  if (verdict.type === 'refused') return ['refused', ...refusedBy(verdict.refusal)]
  if (verdict.type === 'charged')
    return ['charged', Array.from(verdict.refusals, ([i, refusal]) => [i, ...refusedBy(refusal)])]
  if (verdict.type === 'not_found') return ['not_found']
  const { state, chargedNano, overrunNano, expiresAtMs, amountNano } = verdict.hold
  if (verdict.type === 'extended') return ['extended', expiresAtMs, amountNano]
  if (verdict.type === 'conflict') return ['conflict', state]
  return ['ended', state, chargedNano, overrunNano, verdict.isRepeat, verdict.isLate]
}

const refusedBy = ({ allowance, balance, attempted, available, isPreFlight }: LimitRefusal) => [
  allowance.key,
  balance.spent + balance.held,
  attempted,
  available,
  isPreFlight,
]

/** Writes a decision as the database would; says where its own parts do not agree. */
function keep({ balances, holds }: Books, decision: BatchDecision): string | undefined {
  const moved = new Map<string, Balance>()
  for (const { changes } of decision.movements)
    for (const { key, delta } of changes) moved.set(key, plus(moved.get(key) ?? emptyBalance, delta))
  if (!isDeepStrictEqual(moved, decision.deltas)) return differ('sum of the movements', moved, decision.deltas)
  for (const [key, delta] of decision.deltas) balances.set(key, plus(balances.get(key) ?? emptyBalance, delta))
  for (const [key, after] of decision.after)
    if (!isDeepStrictEqual(after, balances.get(key))) return differ(`${key} afterwards`, after, balances.get(key))
  for (const { checks: _, inputs: __, ...hold } of decision.newHolds) holds.set(hold.id, hold)
  for (const hold of decision.changedHolds) holds.set(hold.id, hold)
  return undefined
}

function compareBooks(
  { balances, holds }: Books,
  { crossings }: BatchDecision,
  naive: NaiveLedger,
): string | undefined {
  const sorted = <T>(map: ReadonlyMap<string, T>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))
  if (!isDeepStrictEqual(sorted(balances), sorted(naive.accounts)))
    return differ('sums', sorted(balances), sorted(naive.accounts))
  const told = crossings.map(({ allowance, threshold }) => `${allowance.key} ${threshold}`)
  if (!isDeepStrictEqual(told.sort(), naive.reached.sort())) return differ('thresholds', told, naive.reached)
  for (const [id, { state, expiresAtMs, usd, parts }] of naive.holds) {
    const hold = holds.get(id)
    if (hold?.state !== state || hold.expiresAtMs !== expiresAtMs) return differ(`hold ${id}`, hold, state)
    const held = hold.keys.map((key, i) => `${key} ${hold.amounts[i]}`)
    const expected = parts.map(({ key, amount }) => `${key} ${amount}`)
    if (hold.amountNano !== usd || !isDeepStrictEqual(held, expected)) return differ(`amounts of ${id}`, held, expected)
  }
  return holds.size === naive.holds.size ? undefined : differ('number of holds', holds.size, naive.holds.size)
}

const text = (value: unknown) =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'bigint' ? `${inner}n` : inner instanceof Map ? [...inner] : inner,
  )
const differ = (what: string, actual: unknown, expected: unknown) =>
  `${what}: decided ${text(actual)}, expected ${text(expected)}`
