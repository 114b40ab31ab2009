/** The number of departments with runs on a day, and their usage. */
export interface TeamDay {
  readonly teams: number
  readonly used: number
}

const minDays = 56
const minDistinctCounts = 4
const leastGrowth = 1.5
/** Below this share of explained variance, the number of teams explains too little of the usage. */
const leastExplained = 0.3
const [least, most] = [0.1, 1.2]

export type FittedExponent =
  | { readonly exponent: number; readonly why?: undefined }
  | { readonly exponent?: undefined; readonly why: string }

/**
 * Fits the exponent of usage = a · teams^e by a straight line through the logarithms of both; or returns the reason that there is
 * none.
 */
export function fitExponent(days: readonly TeamDay[]): FittedExponent {
  const known = days.filter(({ teams, used }) => teams > 0 && used > 0)
  if (known.length < minDays) return { why: `only ${known.length} days have usage by departments` }
  const counts = known.map(({ teams }) => teams)
  if (new Set(counts).size < minDistinctCounts || Math.max(...counts) < leastGrowth * Math.min(...counts))
    return { why: 'the number of departments has hardly changed' }
  const points = known.map(({ teams, used }) => [Math.log(teams), Math.log(used)] as const)
  const middle = (i: 0 | 1) => points.reduce((sum, point) => sum + point[i], 0) / points.length
  const [x, y] = [middle(0), middle(1)]
  const spread = (a: 0 | 1, b: 0 | 1) => {
    const center = [x, y] as const
    return points.reduce((sum, point) => sum + (point[a] - center[a]) * (point[b] - center[b]), 0)
  }
  const exponent = spread(0, 1) / spread(0, 0)
  const explained = spread(0, 1) ** 2 / (spread(0, 0) * spread(1, 1))
  if (!(explained >= leastExplained)) return { why: 'the number of departments does not explain the usage' }
  return { exponent: Math.max(least, Math.min(most, exponent)) }
}
