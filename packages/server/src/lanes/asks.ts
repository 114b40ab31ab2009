import type { Maker } from '../identity/identity.ts'
import type { Allowance, Balance, Charge, Claim, Crossing, Refusal } from '../ledger/ledger.ts'
import type { Delta } from './book.ts'
import type { Hold, MovementKind, Settling } from './ending.ts'

/** What a hold was asked for with; kept as JSON. */
export type HoldInputs = Readonly<Record<string, unknown>> & { readonly customer_id?: string | undefined }

/** What is asked of the books of one organization. */
export type Ask =
  | {
      readonly type: 'hold'
      readonly id: string
      readonly charge: Charge
      readonly claims: readonly Claim[]
      readonly expiresAtMs: number
      readonly onExpiry: Hold['onExpiry']
      readonly isDryRun: boolean
      /** Kept with the hold, for its explanation and its end. */
      readonly inputs: HoldInputs
      readonly by?: Maker | undefined
    }
  | ({ readonly type: 'settle'; readonly holdId: string; readonly by?: Maker | undefined } & Settling)
  | { readonly type: 'release'; readonly holdId: string; readonly by?: Maker | undefined }
  | { readonly type: 'extend'; readonly holdId: string; readonly leaseMs: number; readonly by?: Maker | undefined }
  | { readonly type: 'expire'; readonly holdId: string }
  | {
      /** Costs that were incurred without a hold: decided and booked at once. */
      readonly type: 'charge'
      readonly items: readonly ChargedItem[]
      /** All or none; or each that fits; or all that can be counted, and what does not fit is overrun; or that, all or none. */
      readonly mode: 'atomic' | 'partial' | 'facts' | 'atomic_facts'
      readonly by?: Maker | undefined
    }

export interface ChargedItem {
  readonly charge: Charge
  readonly claims: readonly Claim[]
}

/** One allowance as a hold found it, and what it took there. */
export interface Reading {
  readonly allowance: Allowance
  readonly amount: bigint
  /** 0 for an amount held on each allowance; packs that share one amount have a number in common. */
  readonly draw: number
  readonly spent: bigint
  readonly held: bigint
  readonly wouldRefuse: boolean
}

export type Verdict =
  | { readonly type: 'held'; readonly readings: readonly Reading[]; readonly remaining: bigint | null }
  | { readonly type: 'refused'; readonly refusal: Refusal; readonly readings: readonly Reading[] }
  | { readonly type: 'ended'; readonly hold: Hold; readonly isRepeat: boolean; readonly isLate: boolean }
  | { readonly type: 'extended'; readonly hold: Hold }
  | { readonly type: 'conflict'; readonly hold: Hold }
  | { readonly type: 'not_found' }
  /** By the item's place; of a charge of all or none the first one. */
  | { readonly type: 'charged'; readonly refusals: ReadonlyMap<number, Refusal> }

export interface Movement {
  readonly kind: MovementKind
  readonly holdId: string | null
  /** Who made the hold or the charge, and who moved it now: nobody where a lease ended by itself. */
  readonly madeBy?: Maker | undefined
  readonly movedBy?: Maker | undefined
  readonly changes: readonly { readonly key: string; readonly delta: Delta }[]
}

export interface Decision {
  readonly verdicts: readonly Verdict[]
  readonly movements: readonly Movement[]
  /** What each touched allowance changes by, and is afterwards. */
  readonly deltas: ReadonlyMap<string, Delta>
  readonly after: ReadonlyMap<string, Balance>
  readonly crossings: readonly Crossing[]
  /** Limits that have refused, dry runs aside. */
  readonly stops: readonly Crossing[]
  readonly newHolds: readonly NewHold[]
  readonly changedHolds: readonly Hold[]
}

export interface NewHold extends Hold {
  readonly readings: readonly Reading[]
  readonly inputs: HoldInputs
}
