import type { Command, Movement, Outcome } from '../../src/money/engine/decide.ts'
import { type Allowance, type Claim, emptyBalance } from '../../src/money/ledger/ledger.ts'
import { taken } from './naive-ledger.ts'
import { type Books, changing, claiming, moving, type Rules } from './planting.ts'

type ChargeAsk = Extract<Command, { type: 'charge' }>

/** Shows the rules other charges than were asked for. */
const charging =
  (change: (ask: ChargeAsk, books: Books) => ChargeAsk) =>
  (decide: Rules): Rules =>
  (books, asks, nowMs) =>
    decide(
      books,
      asks.map((ask) => (ask.type === 'charge' ? change(ask, books) : ask)),
      nowMs,
    )

const withClaims = (ask: ChargeAsk, change: (claim: Claim) => Claim): ChargeAsk => ({
  ...ask,
  items: ask.items.map((item) => ({ ...item, claims: item.claims.map(change) })),
})

const widened = (claim: Claim, by: (allowance: Allowance) => bigint): Claim => ({
  ...claim,
  allowances: claim.allowances.map((allowance) => ({
    ...allowance,
    limit: allowance.limit === null ? null : allowance.limit + by(allowance),
  })),
})

const isUndone = (ask: Command, verdict: Outcome): ask is ChargeAsk =>
  ask.type === 'charge' && ask.mode === 'atomic' && verdict.type === 'charged' && verdict.refusals.size > 0

const isChain = ({ kind }: Claim) => kind.kind === 'chain'

/** Those of charges without a hold, and of chains. */
export const plantedChargeBugs: Readonly<Record<string, (decide: Rules) => Rules>> = {
  'a charge does not see what is held': charging((ask, { allowances }) =>
    withClaims(ask, (claim) =>
      isChain(claim) ? claim : widened(claim, ({ key }) => allowances.get(key)!.balance.held),
    ),
  ),

  'a charge that is undone leaves one amount behind': (decide) => (books, asks, nowMs) => {
    const decision = decide(books, asks, nowMs)
    const left = asks.flatMap((ask, i): Movement[] => {
      const verdict = decision.outcomes[i]!
      if (!isUndone(ask, verdict) || verdict.type !== 'charged' || verdict.refusals.has(0)) return []
      const { charge, claims } = ask.items[0]!
      const claim = claims.find(({ mode }) => mode === 'all')
      if (!claim || claim.newSubjectGate) return []
      const changes = [{ key: claim.allowances[0]!.key, delta: { ...emptyBalance, spent: taken(charge, claim.unit) } }]
      return [{ kind: 'charge', holdId: null, changes }]
    })
    return left.length === 0 ? decision : moving(decision, books, [...decision.movements, ...left])
  },

  'a charge that is undone makes its rows': (decide) => (books, asks, nowMs) => {
    const decision = decide(books, asks, nowMs)
    const deltas = new Map(decision.deltas)
    const after = new Map(decision.after)
    for (const [i, ask] of asks.entries()) {
      if (!isUndone(ask, decision.outcomes[i]!)) continue
      for (const { key } of ask.items[0]!.claims.flatMap(({ allowances }) => allowances)) {
        if (deltas.has(key)) continue
        deltas.set(key, emptyBalance)
        after.set(key, books.allowances.get(key)!.balance)
      }
    }
    return { ...decision, deltas, after }
  },

  'a charge of all or none books what fits': (decide) => (books, asks, nowMs) => {
    const partly = asks.map((ask) => (ask.type === 'charge' && ask.mode === 'atomic' ? asPartial(ask) : ask))
    const decision = decide(books, partly, nowMs)
    const outcomes = decision.outcomes.map((verdict, i): Outcome => {
      if (asks[i] === partly[i] || verdict.type !== 'charged') return verdict
      return { ...verdict, refusals: new Map([...verdict.refusals].slice(0, 1)) }
    })
    return { ...decision, outcomes }
  },

  'a charge of each that fits stops at the first that does not': (decide) => (books, asks, nowMs) => {
    const { outcomes } = decide(books, asks, nowMs)
    const cut = asks.map((ask, i) => {
      const verdict = outcomes[i]!
      if (ask.type !== 'charge' || ask.mode !== 'partial' || verdict.type !== 'charged') return ask
      const [first = ask.items.length] = verdict.refusals.keys()
      return { ...ask, items: ask.items.slice(0, first + 1) }
    })
    return decide(books, cut, nowMs)
  },

  'charges are only looked at together': (decide) => (books, asks, nowMs) => {
    const decision = decide(books, asks, nowMs)
    const isRefused = (i: number) => {
      const verdict = decision.outcomes[i]!
      return verdict.type === 'charged' && verdict.refusals.size > 0
    }
    const emptied = asks.map((ask, i) => (ask.type === 'charge' && isRefused(i) ? { ...ask, items: [] } : ask))
    const without = decide(books, emptied, nowMs)
    const outcomes = without.outcomes.map((verdict, i) => (isRefused(i) ? decision.outcomes[i]! : verdict))
    return { ...without, outcomes }
  },

  'facts without room are not counted as overrun': changing(['charge'], ({ key, delta }) => ({
    key,
    delta: { ...delta, overrun: 0n },
  })),

  'facts without room are not counted at all': changing(['charge'], ({ key, delta }) => ({
    key,
    delta: { ...delta, spent: delta.spent - delta.overrun, overrun: 0n },
  })),

  'facts of a new customer do not make it known': charging((ask) =>
    ask.mode === 'facts'
      ? withClaims(ask, ({ kind, unit, mode, allowances }) => ({ kind, unit, mode, allowances }))
      : ask,
  ),

  'what a limit would have refused counts once for many': changing(['charge'], ({ key, delta }) => ({
    key,
    delta: { ...delta, wouldRefuse: delta.wouldRefuse > 1n ? 1n : delta.wouldRefuse },
  })),

  'a chain is bound run by run': onChains((claim, { allowances }) =>
    widened(claim, ({ key }) => {
      const { spent, held } = allowances.get(key)?.balance ?? emptyBalance
      return spent + held
    }),
  ),

  'a chain counts only what is spent': onChains((claim, { allowances }) =>
    widened(claim, ({ key }) => allowances.get(key)?.balance.held ?? 0n),
  ),

  'a chain may grow one level deeper': onChains((claim) => {
    const { exceeded: passed, ...fitting } = claim
    const isNext = passed && passed.attempted === claim.allowances[0]!.limit! + 1n
    return isNext ? fitting : claim
  }),
}

const asPartial = (ask: ChargeAsk): ChargeAsk => ({ ...ask, mode: 'partial' })

/** Changes the claims of chains, in holds and in charges that can be refused. */
function onChains(change: (claim: Claim, books: Books) => Claim): (decide: Rules) => Rules {
  const changed = (claim: Claim, books: Books) => (isChain(claim) ? change(claim, books) : claim)
  const inHolds = claiming((claims, books) => claims.map((claim) => changed(claim, books)))
  const inCharges = charging((ask, books) =>
    ask.mode === 'facts' ? ask : withClaims(ask, (claim) => changed(claim, books)),
  )
  return (decide) => inHolds(inCharges(decide))
}
