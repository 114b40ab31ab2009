import { elementAt } from '../../values/present.ts'
import { recordBy } from '../../values/records.ts'

/** Percentiles that reveal nobody's value. */

export const percents = [10, 25, 50, 75, 90] as const
export type Percentile = `p${(typeof percents)[number]}`
const names = percents.map((percent): Percentile => `p${percent}`)

/** The reasons for withholding a percentile. */
export const withholdReasons = ['too_few_contributors', 'dominated'] as const
export type WithholdReason = (typeof withholdReasons)[number]

export interface Percentiles {
  readonly values: Readonly<Record<Percentile, number | null>>
  /** The reason for each percentile that is null. */
  readonly withheld: Readonly<Partial<Record<Percentile, WithholdReason>>>
}

const byPercentile = <T>(value: (name: Percentile, percent: number) => T) =>
  recordBy(names, (name, i) => value(name, elementAt(percents, i)))

export const withheldBecause = (reason: WithholdReason): Percentiles => ({
  values: byPercentile(() => null),
  withheld: byPercentile(() => reason),
})

/** Rounds to two significant digits: enough to compare with, too few to compute back from. */
const roundForPublication = (value: number) => Number(value.toPrecision(2))

/**
 * Computes percentiles as weighted means of all values, in which those near the percentile weigh most. An order statistic would
 * be the value of one organization, and a mean of only a few neighbours would reveal one where two such means differ in one
 * value. A percentile is withheld where fewer than `least` values can lie around it, where too many of them also lie around
 * another published one, and where one value makes up more than half of it.
 */
export function percentilesOf(values: readonly number[], least: number): Percentiles {
  const sorted = [...values].sort((a, b) => a - b)
  const published = windowsOf(sorted.length, least)
  const found = byPercentile((name, percent): number | WithholdReason =>
    published.has(name) ? weightedMean(sorted, weightsOf(sorted.length, percent / 100)) : 'too_few_contributors',
  )
  return {
    values: byPercentile((name) => (typeof found[name] === 'number' ? roundForPublication(found[name]) : null)),
    withheld: Object.fromEntries(Object.entries(found).filter(([, published]) => typeof published === 'string')),
  }
}

const fromTheMiddle = [50, 25, 75, 10, 90] as const

/**
 * Returns the published percentiles, each with the start of its window of `least` values. Any two windows differ in `least`
 * values.
 */
export function windowsOf(count: number, least: number): ReadonlyMap<Percentile, number> {
  const starts = new Map<Percentile, number>()
  for (const percent of fromTheMiddle) {
    const exact = (percent * count) / 100 - least / 2
    const start = percent < 50 ? Math.floor(exact) : percent > 50 ? Math.ceil(exact) : Math.round(exact)
    const isInside = exact >= 0 && exact + least <= count
    const isApart = [...starts.values()].every((other) => Math.abs(start - other) * 2 >= least)
    if (isInside && isApart) starts.set(`p${percent}`, start)
  }
  return starts
}

/** Returns the weights of sorted values: the binomial distribution around the percentile, so that every value counts. */
export function weightsOf(count: number, share: number): number[] {
  let logChoices = 0
  return Array.from({ length: count }, (_, i) => {
    if (i > 0) logChoices += Math.log((count - i) / i)
    return Math.exp(logChoices + i * Math.log(share) + (count - 1 - i) * Math.log(1 - share))
  })
}

function weightedMean(sorted: readonly number[], weights: readonly number[]): number | WithholdReason {
  const parts = sorted.map((value, i) => value * elementAt(weights, i))
  const sum = parts.reduce((total, part) => total + part, 0)
  return parts.some((part) => part > sum / 2) ? 'dominated' : sum
}

export interface PercentileRange {
  readonly from: number
  readonly to: number
}

/** Returns the published percentiles between which a value lies. It is derived from public values, so it reveals nothing more. */
export function percentileRangeOf(value: number, published: Percentiles['values']): PercentileRange | null {
  const known = percents.flatMap((percent) => {
    const at = published[`p${percent}`]
    return at === null ? [] : [{ percent, at }]
  })
  if (known.length === 0) return null
  return {
    // A value that equals several percentiles spans all of them.
    from: known.findLast(({ at }) => at < value)?.percent ?? 0,
    to: known.find(({ at }) => at > value)?.percent ?? 100,
  }
}
