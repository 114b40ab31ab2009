import { type Allowance, type Charge, type Claim, emptyBalance, type Refusal } from '../ledger/ledger.ts'
import type { ChargedItem, Reading } from './asks.ts'
import type { OpenBook } from './book.ts'

/** What a hold takes while it is decided. */
export interface Taken {
  readonly readings: Reading[]
  readonly newcomers: Allowance[]
  /** What each dollar limit had left. */
  readonly rooms: bigint[]
  readonly isPreFlight: boolean
}

/** What a charge of many changes on each allowance, and whether it is the first of its batch there. */
export type Sums = Map<string, { readonly delta: OpenBook['balance']; readonly isFirst: boolean }>

/** Charges on the same account as one. */
export function summed(items: readonly ChargedItem[]): ChargedItem[] {
  const sums = new Map<readonly Claim[], { charge: Charge; claims: readonly Claim[] }>()
  for (const { charge, claims } of items) {
    const sum = sums.get(claims)
    if (sum) {
      const { usd, tokens, runs } = sum.charge
      sum.charge = { ...charge, usd: usd + charge.usd, tokens: tokens + charge.tokens, runs: runs + charge.runs }
    } else sums.set(claims, { charge, claims })
  }
  return [...sums.values()]
}

/** What did not fit before anything was counted. */
export function refusedBefore(claim: Claim, { readings, isPreFlight }: Taken): Refusal | undefined {
  if (!claim.passed) return undefined
  const [allowance] = claim.allowances
  const { current: spent, attempted } = claim.passed
  const balance = { ...emptyBalance, spent }
  readings.push({ allowance: allowance!, amount: attempted, draw: 0, spent, held: 0n, wouldRefuse: true })
  const total = { limit: allowance!.limit!, spent, held: 0n }
  return { claim, allowance: allowance!, balance, attempted, available: 0n, total, isPreFlight }
}
