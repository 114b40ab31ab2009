import type { Command, Room } from '../../src/money/engine/decide.ts'
import type { Charge } from '../../src/money/ledger/ledger.ts'
import type { Random } from '../../test/support/random.ts'

/** Holds that may be smaller than they ask for: each has a ladder of charges to try, the largest first. */

type HoldAsk = Extract<Command, { type: 'hold' }>

const ladders = new WeakMap<NonNullable<HoldAsk['shrink']>, readonly Charge[]>()

/** The smaller charges that a hold may be given instead. */
export const ladderOf = ({ shrink }: HoldAsk): readonly Charge[] => (shrink && ladders.get(shrink)) ?? []

/** Gives a hold the choice of some smaller charges. */
export function withLadder(ask: HoldAsk, random: Random): HoldAsk {
  const steps = random.between(2, 6)
  const least = random.between(1, steps - 1)
  const { charge, inputs } = ask
  const ladder = Array.from({ length: steps - least }, (_, i): Charge => {
    const part = BigInt(steps - 1 - i)
    return { ...charge, usd: (charge.usd * part) / BigInt(steps), tokens: (charge.tokens * part) / BigInt(steps) }
  })
  const shrink = (room: Room) => {
    const fitting = ladder.find((each) => isWithin(each, room))
    return fitting && { charge: fitting, inputs }
  }
  ladders.set(shrink, ladder)
  return { ...ask, shrink }
}

const isWithin = ({ usd, tokens }: Charge, room: Room) =>
  (room.usd === null || usd === 0n || usd <= room.usd) &&
  (room.tokens === null || tokens === 0n || tokens <= room.tokens)
