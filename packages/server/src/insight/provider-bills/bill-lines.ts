import { dayMs } from '../../values/time.ts'

/** Providers whose exports are read. */
export const billers = ['openai', 'anthropic'] as const
export type Biller = (typeof billers)[number]

/** Kinds of tokens that bills tell apart; `input` is what is neither read from a cache nor written into one. */
export const tokenKinds = ['input', 'cache_read', 'cache_write', 'output'] as const
export type BilledKind = (typeof tokenKinds)[number]
export type TokenCounts = Partial<Record<BilledKind, bigint>>

/** Numbers that a file can have of a day: amounts of money, or tokens. */
export type Measure = 'amount' | 'tokens'

/** A line of a bill, whatever the file looks like. */
export interface BillLine {
  readonly measure: Measure
  /** The span of time that the line adds up, inside one UTC day. */
  readonly startMs: number
  /** Name of the model; for a charge that is for no model, what it is for. */
  readonly name: string
  /** True for a charge that is for no tokens of a model, such as a search. */
  readonly isOther: boolean
  /** Tier of service, in the words of the file; `standard` where it says none. */
  readonly tier: string
  readonly tokens?: TokenCounts
  /** Amount in fine units (`amounts.ts`). */
  readonly fine?: bigint
}

/** Lines of one source, which adds up each span of time once, and the days that it covers. */
export interface BillPart {
  readonly lines: readonly BillLine[]
  /** Starts of the spans that it covers, those without lines too. */
  readonly spans: ReadonlyMap<Measure, ReadonlySet<number>>
}

/** A file that is no bill; the message says why. */
export class UnreadableBill extends Error {
  override readonly name = 'UnreadableBill'
}

const maxNameLength = 200
/** Returns a name that can be stored and shown; a file may have anything where a name is. */
export function checkedName(name: string, where: string): string {
  const isSound = name.length <= maxNameLength && name.isWellFormed() && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)
  if (!isSound) throw new UnreadableBill(`${where} has a name that is too long or cannot be shown`)
  return name
}

/** Returns the start of a span, which must lie inside one UTC day. */
export function checkedSpan(startMs: number, endMs: number, where: string): number {
  const isSound = Number.isFinite(startMs) && Number.isFinite(endMs) && startMs < endMs
  if (!isSound) throw new UnreadableBill(`${where} has no times from which to which it counts`)
  if (Math.floor(startMs / dayMs) !== Math.floor((endMs - 1) / dayMs))
    throw new UnreadableBill(`${where} is not inside one UTC day: export by day (bucket_width=1d) or by hour`)
  return startMs
}

const count = /^\d{1,18}$/
/** Returns a count of tokens. */
export function checkedCount(text: string, where: string): bigint {
  if (!count.test(text)) throw new UnreadableBill(`${where} is no number of tokens`)
  return BigInt(text)
}
