/** How a percentile is told without telling anybody's value. */

export const percents = [10, 25, 50, 75, 90] as const
export type Percentile = `p${(typeof percents)[number]}`
const names = percents.map((percent): Percentile => `p${percent}`)

/** Why a percentile is not told. */
export const reasons = ['too_few_contributors', 'dominated'] as const
export type Reason = (typeof reasons)[number]

export interface Percentiles {
  readonly values: Readonly<Record<Percentile, number | null>>
  /** Why not, for each that is null. */
  readonly withheld: Readonly<Partial<Record<Percentile, Reason>>>
}

const all = <T>(value: (name: Percentile, percent: number) => T) =>
  Object.fromEntries(names.map((name, i) => [name, value(name, percents[i]!)])) as Record<Percentile, T>

export const withheldBecause = (reason: Reason): Percentiles => ({
  values: all(() => null),
  withheld: all(() => reason),
})

/** Two digits that count: enough to compare with, too few to compute back from. */
const rounded = (value: number) => Number(value.toPrecision(2))

/**
 * A percentile is a mean of all values, in which those that stand around it weigh most: an order statistic would be the value of one
 * organization, and what a few around it add up to would give one away where two such means differ in one. It is withheld where
 * fewer than `least` values can stand around it, where too many of them stand around another one that is told, and where one value
 * is more than half of it.
 */
export function percentilesOf(values: readonly number[], least: number): Percentiles {
  const sorted = [...values].sort((a, b) => a - b)
  const told = windowsOf(sorted.length, least)
  const found = all((name, percent): number | Reason =>
    told.has(name) ? weighted(sorted, weightsOf(sorted.length, percent / 100)) : 'too_few_contributors',
  )
  return {
    values: all((name) => (typeof found[name] === 'number' ? rounded(found[name]) : null)),
    withheld: Object.fromEntries(Object.entries(found).filter(([, told]) => typeof told === 'string')),
  }
}

const fromTheMiddle = [50, 25, 75, 10, 90] as const

/** Which percentiles are told, and where the `least` values around each begin. Any two of these windows differ in `least` values. */
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

/** How much each of so many values in order weighs: by the binomial distribution around the percentile, so that every one does. */
export function weightsOf(count: number, share: number): number[] {
  let logChoices = 0
  return Array.from({ length: count }, (_, i) => {
    if (i > 0) logChoices += Math.log((count - i) / i)
    return Math.exp(logChoices + i * Math.log(share) + (count - 1 - i) * Math.log(1 - share))
  })
}

function weighted(sorted: readonly number[], weights: readonly number[]): number | Reason {
  const parts = sorted.map((value, i) => value * weights[i]!)
  const sum = parts.reduce((total, part) => total + part, 0)
  return parts.some((part) => part > sum / 2) ? 'dominated' : sum
}

export interface Standing {
  readonly from: number
  readonly to: number
}

/** Between which percentiles a value stands. Made from what is told to everybody, so it tells nothing more. */
export function standingOf(value: number, told: Percentiles['values']): Standing | null {
  const known = percents.flatMap((percent) => {
    const at = told[`p${percent}`]
    return at === null ? [] : [{ percent, at }]
  })
  if (known.length === 0) return null
  return {
    // Who has what many have stands among all of them.
    from: known.findLast(({ at }) => at < value)?.percent ?? 0,
    to: known.find(({ at }) => at > value)?.percent ?? 100,
  }
}
