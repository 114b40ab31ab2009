import { hash } from 'node:crypto'
import { Lru } from '../../values/lru.ts'
import { formatUsd } from '../../values/money.ts'
import { type Period, type PlannedSchedule, plannedPeriodAt } from '../../values/period.ts'

/** The unit of a counter of usage: nano-dollars, tokens or runs. */
export type UsageUnit = 'usd' | 'tokens' | 'runs'

/** The unit of a limit. Runs at once are held and never spent: a run gives its place back when it ends. */
export type LimitUnit = UsageUnit | 'concurrent_runs'

/** Returns the amount that a charge takes in a unit. */
export const amountTaken = (charge: Readonly<Record<UsageUnit, bigint>>, unit: LimitUnit): bigint =>
  unit === 'concurrent_runs' ? 1n : charge[unit]

/** Returns the amount that a run has spent in a unit when it has ended. */
export const amountSpent = (actual: Readonly<Record<UsageUnit, bigint>>, unit: LimitUnit): bigint =>
  unit === 'concurrent_runs' ? 0n : actual[unit]

/** The effect of a limit: `block` refuses; `alert` counts, and reports what it would have refused. */
export type Enforcement = 'block' | 'alert'

/** One limit as it was set; its allowances say how much of it is used. */
export interface Limit {
  readonly id: string
  readonly kind: string
  readonly unit: LimitUnit
  /** null counts without limiting. */
  readonly amount: bigint | null
  readonly schedule: PlannedSchedule
  readonly enforcement: Enforcement
  /** Percent of the amount; each emits one event per period when the spend reaches it. */
  readonly thresholds: readonly number[]
}

/** One limit in one period for one subject: the row that a decision reads and writes. */
export interface Allowance {
  readonly key: string
  readonly limitId: string
  readonly kind: string
  readonly subject: string
  readonly unit: LimitUnit
  /** null for packs, which have no period. */
  readonly period: Period | null
  readonly limit: bigint | null
  readonly enforcement: Enforcement
  readonly thresholds: readonly number[]
}

export interface Balance {
  readonly spent: bigint
  readonly held: bigint
  readonly overrun: bigint
  readonly late: bigint
  readonly wouldRefuse: bigint
}

export const emptyBalance: Balance = { spent: 0n, held: 0n, overrun: 0n, late: 0n, wouldRefuse: 0n }

/** The cost of a request, and the account it is charged to. */
export interface Charge {
  readonly usd: bigint
  readonly tokens: bigint
  readonly runs: bigint
  readonly workflowId?: string | undefined
  readonly deploymentId?: string | undefined
  readonly departmentId?: string | undefined
  readonly customerId?: string | undefined
  readonly userId?: string | undefined
  /** The lineage of the key that asks: a rotated key stays on its account. */
  readonly keyId?: string | undefined
  /** The model and its provider in the form in which limits name them. */
  readonly model?: string | undefined
  readonly provider?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly chain?: ChainPlace | undefined
  readonly approval?: ApprovalGrant | undefined
}

/** An approval for a run that a rule would refuse, with the rule's own words for when the approval is used up. */
export interface ApprovalGrant {
  readonly id: string
  readonly maxRuns: bigint
  /** null does not limit. */
  readonly maxAmountNano: bigint | null
  readonly expiresAtMs: number
  readonly ruleId: string
  readonly reason: string
  readonly attempted: string
}

/** The place of a charge in its chain of runs, and the bounds of the chain. */
export interface ChainPlace extends ChainBounds {
  readonly chainId: string
  readonly depth: number
}

/** The bounds of a chain; null does not limit. */
export interface ChainBounds {
  readonly maxCostNano: bigint | null
  readonly maxTokens: bigint | null
  readonly maxDepth: number | null
}

/** The limits of an organization, cached per process and validated by version. */
export interface OrgLimits {
  readonly version: bigint
  readonly limits: readonly ScopedLimit[]
  readonly customerDefault: DefaultLimit | null
  readonly topUps: readonly Pack[]
  /** Absent where nothing is frozen. */
  readonly freezes?: Freezes | undefined
}

/** Something that is frozen: whatever would be charged to it is refused. */
export interface Freeze {
  readonly id: string
  readonly targetKind: 'org' | 'key' | 'limit'
  /** Its id as the wire writes it. */
  readonly target: string
  readonly reason: string
  readonly frozenAtMs: number
}

/** Everything that is frozen in an organization: keys by their lineage, limits by their id. */
export interface Freezes {
  readonly org: Freeze | undefined
  readonly keys: ReadonlyMap<string, Freeze>
  readonly limits: ReadonlyMap<string, Freeze>
}

/** Every kind of scope, from the whole to its parts: where several limits would refuse, that of the widest scope is reported. */
export const scopeKinds = [
  'org',
  'department',
  'workflow',
  'deployment',
  'customer',
  'provider',
  'model',
  'tag',
  'user',
  'key',
] as const
export type ScopeKind = (typeof scopeKinds)[number]

/** One scope: a kind, and the id of one of this kind. */
export interface LimitScope {
  readonly scopeKind: ScopeKind
  readonly scopeId: string
}

export interface ScopedLimit extends Limit, LimitScope {
  /** A second scope: then it counts what is in both. */
  readonly and?: LimitScope | undefined
  /** For a default: the number of new subjects that a day may bring. */
  readonly maxNewPerDay?: bigint
}

/** A limit that applies to every subject without a limit of its own, to each separately. */
export interface DefaultLimit extends Limit {
  readonly maxNewPerDay: bigint
}

/** A limit of one customer. */
export interface OwnLimit extends Limit {
  /** The customer's id as it was spelled when the limit was set: what it counts stands under it. */
  readonly countedAs?: string
}

/** One customer's limit and packs; read inside the decision, because there may be millions. */
export interface CustomerFacts {
  readonly own: OwnLimit | null
  readonly packs: readonly Pack[]
}

/**
 * Returns the key of an allowance: a hash of everything that identifies it, so that processes which have never heard of each
 * other reach the same row.
 */
export function allowanceKey(limitId: string, subject: string, unit: LimitUnit, label: string): string {
  const hex = hash('sha256', JSON.stringify([limitId, subject, unit, label]), 'hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

const maxCached = 5_000
const allowanceCache = new WeakMap<Limit, Lru<string, Allowance>>()

/** Returns the allowance of a limit for a subject, at a time. */
export function allowanceAt(limit: Limit, subject: string, nowMs: number): Allowance {
  let ofLimit = allowanceCache.get(limit)
  if (!ofLimit) allowanceCache.set(limit, (ofLimit = new Lru(maxCached)))
  const known = ofLimit.get(subject)
  if (known?.period && nowMs >= known.period.startMs && nowMs < known.period.endMs) return known
  const period = plannedPeriodAt(limit.schedule, nowMs)
  const { id, kind, unit, amount, enforcement, thresholds } = limit
  const key = allowanceKey(id, subject, unit, period.label)
  const allowance = { key, limitId: id, kind, subject, unit, period, limit: amount, enforcement, thresholds }
  ofLimit.set(subject, allowance)
  return allowance
}

const indexes = new WeakMap<readonly ScopedLimit[], ReadonlyMap<string, readonly ScopedLimit[]>>()
const none: readonly ScopedLimit[] = []

/** Returns the limits of one kind on the whole organization; every decision asks for them, so they are indexed once. */
export function limitsOn({ limits }: OrgLimits, kind: string): readonly ScopedLimit[] {
  let index = indexes.get(limits)
  if (!index) {
    const whole = limits.filter(({ scopeKind }) => scopeKind === 'org')
    indexes.set(limits, (index = Map.groupBy(whole, (limit) => limit.kind)))
  }
  return index.get(kind) ?? none
}

/** The columns that identify an allowance. */
export interface NamedAllowanceRow {
  readonly key: string
  readonly limit_id: string
  readonly kind: string
  readonly subject: string
  readonly unit: LimitUnit
  readonly period_label: string
  readonly period_start: Date | null
  readonly period_end: Date | null
}

/** Builds an allowance from its row and its limit. */
export const allowanceOf = (
  row: NamedAllowanceRow,
  limit: Pick<Limit, 'amount' | 'enforcement' | 'thresholds'>,
): Allowance => ({
  key: row.key,
  limitId: row.limit_id,
  kind: row.kind,
  subject: row.subject,
  unit: row.unit,
  period:
    row.period_start && row.period_end
      ? { label: row.period_label, startMs: row.period_start.getTime(), endMs: row.period_end.getTime() }
      : null,
  limit: limit.amount,
  enforcement: limit.enforcement,
  thresholds: limit.thresholds,
})

/** A counter as `/v1` writes it: dollars as a decimal string, everything else as a number. */
export const amountOf = ({ unit }: Pick<Allowance, 'unit'>, amount: bigint) =>
  unit === 'usd' ? formatUsd(amount) : Number(amount)

/** Decodes a column of amounts: empty where all are 0, with one element where all are the same. */
export const decodeAmounts = (column: readonly string[], keys: readonly unknown[]): bigint[] =>
  keys.map((_, i) => BigInt(column[column.length === 1 ? 0 : i] ?? 0))

/** Returns the amount that can still be spent; never negative, although a lowered limit can leave more spent than it allows. */
export const remainingOf = (limit: bigint, { spent, held }: Pick<Balance, 'spent' | 'held'>): bigint =>
  limit > spent + held ? limit - spent - held : 0n
/** A prepaid amount. Depleted packs still count as owned; void and expired ones do not. */
export interface Pack {
  readonly id: string
  /** The customer's id as it was spelled when the pack was made; '' for the organization. */
  readonly owner: string
  readonly amount: bigint
  readonly priority: number
  readonly expiresAtMs: number | null
  readonly voidedAtMs: number | null
  readonly createdAtMs: number
}
