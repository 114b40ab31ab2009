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
 * A percentile is the mean of the `least` values that stand around it: an order statistic would be the value of one
 * organization. It is withheld where fewer than half of them stand on one of its sides, where too many of them stand around
 * another one that is told, and where one value is more than half of their sum.
 */
export function percentilesOf(values: readonly number[], least: number): Percentiles {
  const sorted = [...values].sort((a, b) => a - b)
  const starts = windowsOf(sorted.length, least)
  const found = all((name): number | Reason => {
    const start = starts.get(name)
    return start === undefined ? 'too_few_contributors' : meanOf(sorted.slice(start, start + least))
  })
  return {
    values: all((name) => (typeof found[name] === 'number' ? rounded(found[name]) : null)),
    withheld: Object.fromEntries(Object.entries(found).filter(([, told]) => typeof told === 'string')),
  }
}

const fromTheMiddle = [50, 25, 75, 10, 90] as const

/** Where the values that percentiles rest on begin. Any two of these windows differ in `least` values at the least. */
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

function meanOf(window: readonly number[]): number | Reason {
  const sum = window.reduce((total, value) => total + value, 0)
  return window.at(-1)! > sum / 2 ? 'dominated' : sum / window.length
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
    from: known.findLast(({ at }) => at <= value)?.percent ?? 0,
    to: known.find(({ at }) => at > value)?.percent ?? 100,
  }
}
