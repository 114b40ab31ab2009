import { type Allowance, type Claim, remainingOf } from '../ledger/ledger.ts'
import type { AllowanceState } from './allowance-state.ts'
import type { Room } from './commands.ts'

/**
 * Returns the room that claims leave together for one hold: in each unit the least of all limits that refuse. undefined where one of
 * them refuses whatever the size of the hold.
 */
export function roomOf(
  claims: readonly Claim[],
  targetOf: (claim: Claim) => Allowance,
  stateOf: (key: string) => AllowanceState,
): Room | undefined {
  const least: { usd: bigint | null; tokens: bigint | null } = { usd: null, tokens: null }
  for (const claim of claims) {
    if (claim.mode === 'fixed') {
      if (claim.exceeded) return undefined
      continue
    }
    const room = claim.mode === 'draw' ? roomOfPacks(claim, stateOf) : roomOn(targetOf(claim), stateOf)
    if (room === null) continue
    const { unit } = claim
    if (unit === 'usd' || unit === 'tokens') least[unit] = leastOf(least[unit], room)
    // A run takes one of these, however large it is.
    else if (room < 1n) return undefined
  }
  return least
}

const leastOf = (a: bigint | null, b: bigint) => (a === null || b < a ? b : a)

const roomOn = ({ key, limit, enforcement }: Allowance, stateOf: (key: string) => AllowanceState) =>
  limit === null || enforcement !== 'block' ? null : remainingOf(limit, stateOf(key).balance)

function roomOfPacks({ allowances }: Claim, stateOf: (key: string) => AllowanceState): bigint {
  const total = { limit: 0n, spent: 0n, held: 0n }
  for (const { key, limit } of allowances) {
    const { spent, held } = stateOf(key).balance
    total.limit += limit ?? 0n
    total.spent += spent
    total.held += held
  }
  return remainingOf(total.limit, total)
}
