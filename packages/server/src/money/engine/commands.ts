import type { Maker } from '../../access/identity/identity.ts'
import type { Allowance, Balance, Charge, Claim, Crossing, HoldInputs, LimitRefusal } from '../ledger/ledger.ts'
import type { Delta } from './allowance-state.ts'
import type { Hold, MovementKind, SettlementInputs } from './hold-endings.ts'

/** A command on the ledger of one organization. */
export type Command =
  | {
      readonly type: 'hold'
      readonly id: string
      readonly charge: Charge
      readonly claims: readonly Claim[]
      readonly expiresAtMs: number
      readonly onExpiry: Hold['onExpiry']
      readonly isDryRun: boolean
      /** Stored with the hold, to explain it and to settle it later. */
      readonly inputs: HoldInputs
      /** Returns the largest smaller hold that fits in a room, for one that may be smaller. Pure. */
      readonly shrink?: ((room: Room) => SmallerHold | undefined) | undefined
      readonly by?: Maker | undefined
    }
  | ({ readonly type: 'settle'; readonly holdId: string; readonly by?: Maker | undefined } & SettlementInputs)
  | { readonly type: 'release'; readonly holdId: string; readonly by?: Maker | undefined }
  | { readonly type: 'extend'; readonly holdId: string; readonly leaseMs: number; readonly by?: Maker | undefined }
  | {
      /** Raises an open hold, and extends its lease: what it holds is freed and the whole charge is held anew, or nothing changes. */
      readonly type: 'raise'
      readonly holdId: string
      /** The charge in all, and not what is added. */
      readonly charge: Charge
      readonly claims: readonly Claim[]
      readonly leaseMs: number
      /** Stored with the hold instead of those of its beginning. */
      readonly inputs: HoldInputs
      readonly by?: Maker | undefined
    }
  | { readonly type: 'expire'; readonly holdId: string }
  | {
      /** Charges costs that were incurred without a hold: checked and booked in one step. */
      readonly type: 'charge'
      readonly items: readonly ChargedItem[]
      /**
       * `atomic`: all items or none. `partial`: every item that fits. `facts`: every item that can be counted, with the excess as
       * overrun. `atomic_facts`: as `facts`, but all items or none.
       */
      readonly mode: 'atomic' | 'partial' | 'facts' | 'atomic_facts'
      readonly by?: Maker | undefined
    }

export interface ChargedItem {
  readonly charge: Charge
  readonly claims: readonly Claim[]
}

/** One allowance as a hold found it, and the amount the hold took there. */
export interface LimitCheck {
  readonly allowance: Allowance
  readonly amount: bigint
  /** 0 for an amount held on each allowance; packs that share one amount have the same number. */
  readonly draw: number
  readonly spent: bigint
  readonly held: bigint
  readonly wouldRefuse: boolean
}

/** A part of what a hold asked for. */
export interface SmallerHold {
  readonly charge: Charge
  readonly inputs: HoldInputs
}

/** The most that a hold could have taken in a unit that depends on its size; null where no limit binds it. */
export interface Room {
  readonly usd: bigint | null
  readonly tokens: bigint | null
}

export type Outcome =
  | {
      readonly type: 'held'
      readonly checks: readonly LimitCheck[]
      readonly remaining: bigint | null
      /** The hold that was made, where it is smaller than the one that was asked for. */
      readonly granted?: SmallerHold
    }
  | {
      readonly type: 'refused'
      readonly refusal: LimitRefusal
      readonly checks: readonly LimitCheck[]
      /** undefined where a hold of any size would have been refused. */
      readonly room: Room | undefined
    }
  | { readonly type: 'ended'; readonly hold: Hold; readonly isRepeat: boolean; readonly isLate: boolean }
  | { readonly type: 'extended'; readonly hold: Hold }
  | { readonly type: 'conflict'; readonly hold: Hold }
  | { readonly type: 'not_found' }
  /** Refusals by index of the item; for an atomic charge, only the first one. */
  | { readonly type: 'charged'; readonly refusals: ReadonlyMap<number, LimitRefusal> }

export interface Movement {
  readonly kind: MovementKind
  readonly holdId: string | null
  /** The maker of the hold or charge, and the caller that moved it now: undefined where a lease ended by itself. */
  readonly madeBy?: Maker | undefined
  readonly movedBy?: Maker | undefined
  readonly changes: readonly { readonly key: string; readonly delta: Delta }[]
}

export interface BatchDecision {
  readonly outcomes: readonly Outcome[]
  readonly movements: readonly Movement[]
  /** Change of each touched allowance, and its balance afterwards. */
  readonly deltas: ReadonlyMap<string, Delta>
  readonly after: ReadonlyMap<string, Balance>
  readonly crossings: readonly Crossing[]
  /** Limits that have refused, apart from dry runs. */
  readonly stops: readonly Crossing[]
  readonly newHolds: readonly NewHold[]
  readonly changedHolds: readonly Hold[]
  /** Those of the changed holds that hold other amounts than before. */
  readonly raisedHolds: readonly NewHold[]
}

export interface NewHold extends Hold {
  readonly checks: readonly LimitCheck[]
  readonly inputs: HoldInputs
}
