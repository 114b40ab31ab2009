import type { EventKind, NewEvent } from '../../access/events/events.ts'
import type { ApiError } from '../../contract/errors.ts'
import type { DeclaredError } from '../../contract/routes.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, type IdKind } from '../../values/id.ts'
import type {
  Allowance,
  Balance,
  Charge,
  CustomerFacts,
  Freeze,
  LimitUnit,
  OrgLimits,
  ScopedLimit,
} from './allowances.ts'

/**
 * An amount claimed on allowances: the same amount on each (`all`, with one allowance), or one amount drawn from several in their
 * order (`draw`). A claim may name the allowance it goes to once an organization has met too many new subjects in a day. A
 * `fixed` claim counts nothing: whether it fits was known before.
 */
export interface Claim {
  readonly kind: Refuser
  readonly unit: LimitUnit
  readonly mode: 'all' | 'draw' | 'fixed'
  readonly allowances: readonly Allowance[]
  readonly newSubjectGate?: NewSubjectGate
  /** The key under which its refusals are counted and reported, where it is not that of the allowance. */
  readonly stopKey?: string
  /** The scope of its limit, where it is of one. */
  readonly scope?: Pick<ScopedLimit, 'scopeKind' | 'and'>
  /** The freeze that refuses, for a claim on something frozen. */
  readonly freeze?: Freeze
  /** For a fixed claim that does not fit: the current value, and the attempted one. */
  readonly exceeded?: { readonly current: bigint; readonly attempted: bigint }
}

export interface NewSubjectGate {
  /** Marks the subject as known; without this row it is new. */
  readonly marker: Allowance
  /** Counts the new subjects of the day; its limit is how many there may be. */
  readonly counter: Allowance
  /** The allowance that all further new subjects share. */
  readonly fallback: Allowance
}

/** The refusal of a claim, with the balance that was read. */
export interface LimitRefusal {
  readonly claim: Claim
  /** The allowance that refused; for a draw, the last one. */
  readonly allowance: Allowance
  readonly balance: Balance
  readonly attempted: bigint
  /** The amount that a draw could have taken from all its allowances together. */
  readonly available: bigint
  /** Sums over all allowances of a draw. */
  readonly total: { readonly limit: bigint; readonly spent: bigint; readonly held: bigint }
  /** True when refused before any cost was incurred. */
  readonly isPreFlight: boolean
  /**
   * True when the subject was admitted before: names that callers make up can be refused without end, and leave nothing behind.
   */
  readonly isKnown: boolean
}

/** A threshold that was reached, in percent of the limit; 0 is the limit itself, exceeded by a cost that could not be refused. */
export interface Crossing {
  readonly allowance: Allowance
  readonly threshold: number
  readonly spent: bigint
  /** The held and the attempted amount when the limit refused. */
  readonly refused?: { readonly held: bigint; readonly attempted: bigint }
}

/**
 * A place where limits are asked: a call at the edge, the choice of a model, the start of a run, and the record of one that has
 * happened.
 */
export type Surface = 'edge' | 'route' | 'start' | 'record'

/** The part of a kind that a refusal needs. */
export type Refuser = Pick<LimitKind, 'kind' | 'refuse' | 'eventOf' | 'hasSubjectsOfCallers'>

/** Everything that is particular to one kind of limit. The registry is `money/limit-kinds.ts`. */
export interface LimitKind {
  readonly kind: string
  /** Names of its allowances in the journal. */
  readonly journalNames: readonly string[]
  /** The type of its ids on the wire. */
  readonly idKind: IdKind
  /** The guide, in `docs/`, that explains it. */
  readonly guide: string
  /** Surfaces on which it can refuse. A cost that it could not refuse at the edge is drawn down when the hold is settled. */
  readonly surfaces: readonly Surface[]
  readonly errors: readonly DeclaredError[]
  readonly events: readonly EventKind[]
  /** Percentages of the limit that emit an event: set with each limit, or the same for all. */
  readonly thresholds: 'configured' | readonly number[]
  /** The place of its limits: in the configuration that processes cache, or in rows that each decision reads. */
  readonly source: 'config' | 'row'
  /** True when callers make up its subjects: one is known once it has a row. */
  readonly hasSubjectsOfCallers?: boolean
  /** True when it bears, at the settlement, what a run has cost above its hold. */
  readonly bearsExcess?: boolean
  /** True when forecasts tell when it will be used up. */
  readonly isForecast?: boolean
  /** Returns the claims of a charge. */
  readonly bind: (
    charge: Charge,
    org: OrgLimits,
    customer: CustomerFacts | undefined,
    nowMs: number,
  ) => readonly Claim[]
  /** Returns the error of a refusal. */
  readonly refuse: (refusal: LimitRefusal) => ApiError
  /** Returns the event of a crossing; absent for kinds that are never exhausted. */
  readonly eventOf?: (crossing: Crossing, org: Pick<OrgLimits, 'limits'>) => NewEvent | undefined
  /** Returns the thresholds that several allowances have crossed together. */
  readonly jointCrossings?: (
    org: Pick<OrgLimits, 'topUps'>,
    spentBefore: (key: string) => bigint,
    spentNow: (key: string) => bigint,
  ) => readonly Crossing[]
  /** Absent for kinds that cannot be adjusted. */
  readonly adjustment?: LimitAdjustment
}

/** Fields that an adjustment may need beside the limit, by the kind of limit. */
export type AdjustmentField = 'amount_usd' | 'amount' | 'unit' | 'customer_id'

export interface LimitAdjustment {
  readonly requires: readonly AdjustmentField[]
  /** Finds the allowance of a limit at a time. */
  readonly find: (
    tx: Tx,
    orgId: string,
    limitId: string,
    named: { readonly unit?: string; readonly customer_id?: string },
    atMs: number,
  ) => Promise<Allowance | undefined>
  /** Returns the thresholds crossed by an adjustment that is booked, where they do not follow from the allowance alone. */
  readonly crossings?: (tx: Tx, orgId: string, allowance: Allowance, delta: bigint) => Promise<readonly Crossing[]>
}

/** The id of a limit as `/v1` writes it. */
export const limitIdIn = ({ idKind }: LimitKind, { limitId }: Pick<Allowance, 'limitId'>) => formatId(idKind, limitId)

/** Returns the thresholds of a limit: those of its kind, or else those that were set. */
export const thresholdsOf = ({ thresholds }: LimitKind, own: readonly number[] = []): readonly number[] =>
  thresholds === 'configured' ? own : thresholds
