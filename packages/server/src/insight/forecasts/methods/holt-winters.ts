import { type Forecaster, sumOf, valuesOf, week } from './series.ts'

/**
 * Exponential smoothing with a damped trend and a weekly season, evaluated at every day of a series. The library refits from
 * scratch at each day, which takes 0.1 ms per value; one pass here yields the forecasts from all days, so that errors are known
 * from hundreds of them.
 */

interface Smoothing {
  readonly level: number
  readonly trend: number
  readonly season: number
  readonly damping: number
  /** True when the weekly pattern is multiplied with the level; false when it is added. */
  readonly isScaled: boolean
}

const smoothings: readonly Smoothing[] = [0.04, 0.1, 0.25, 0.5].flatMap((level) =>
  [
    { trend: 0, damping: 0.9 },
    { trend: 0.02, damping: 0.98 },
    { trend: 0.02, damping: 1 },
    { trend: 0.1, damping: 0.98 },
  ].flatMap(({ trend, damping }) =>
    [0.08, 0.25].flatMap((season) => [false, true].map((isScaled) => ({ level, trend, season, damping, isScaled }))),
  ),
)

/** The days ahead at which a parameter set is judged. */
const leads = [1, 7, 14, 28, 56]
/** The daily discount of past errors. */
const forgetting = 0.99
const started = 2 * week
/** The most usual errors by which one outlier day may move the level. */
const mostErrors = 4
const leastFactor = 0.02

/** The size of the state before each day: level, trend, and the seven weekdays. */
const width = 2 + week

function statesOf(values: Float64Array, by: Smoothing): Float64Array {
  const states = new Float64Array((values.length + 1) * width)
  let level = sumOf(values.subarray(0, started)) / started
  let trend = 0
  const season = valuesOf(week, (day) => {
    const usual = (values[day]! + values[day + week]!) / 2
    return by.isScaled ? Math.max(leastFactor, level > 0 ? usual / level : 1) : usual - level
  })
  let usualError = 0
  for (let day = 0; day <= values.length; day++) {
    states[day * width] = level
    states[day * width + 1] = trend
    states.set(season, day * width + 2)
    if (day < started || day === values.length) continue
    const place = day % week
    const ahead = level + by.damping * trend
    const expected = by.isScaled ? ahead * season[place]! : ahead + season[place]!
    const off = values[day]! - expected
    const most = usualError > 0 && day > 2 * started ? mostErrors * usualError : Number.POSITIVE_INFINITY
    const error = Math.max(-most, Math.min(most, off))
    usualError = usualError === 0 ? Math.abs(off) : 0.9 * usualError + 0.1 * Math.abs(off)
    const ofLevel = by.isScaled ? error / Math.max(leastFactor, season[place]!) : error
    trend = by.damping * trend + by.level * by.trend * ofLevel
    level = ahead + by.level * ofLevel
    const ofSeason = by.isScaled ? (Math.abs(ahead) > 1e-12 ? error / ahead : 0) : error
    season[place] = season[place]! + by.season * (1 - by.level) * ofSeason
    if (by.isScaled) season[place] = Math.max(leastFactor, season[place])
  }
  return states
}

/** Returns the damped sum of trend steps after `lead` days. */
const stepsAt = (damping: number, lead: number) =>
  damping === 1 ? lead : (damping * (1 - damping ** lead)) / (1 - damping)

function ahead(states: Float64Array, by: Smoothing, origin: number, lead: number, steps: number): number {
  const at = origin * width
  const level = states[at]! + steps * states[at + 1]!
  const season = states[at + 2 + ((origin + lead - 1) % week)]!
  return Math.max(0, by.isScaled ? level * season : level + season)
}

/** Returns the discounted errors up to each day, over all leads. */
function lossesOf(values: Float64Array, by: Smoothing, states: Float64Array): Float64Array {
  const losses = new Float64Array(values.length + 1)
  const judged = leads.filter((lead) => lead <= Math.max(1, values.length / 4))
  const steps = judged.map((lead) => stepsAt(by.damping, lead))
  for (let day = 0; day < values.length; day++) {
    let loss = 0
    for (let i = 0; i < judged.length; i++) {
      const origin = day + 1 - judged[i]!
      if (origin >= started) loss += Math.abs(values[day]! - ahead(states, by, origin, judged[i]!, steps[i]!))
    }
    losses[day + 1] = forgetting * losses[day]! + loss
  }
  return losses
}

/** Forecasts at each day with the parameter set that had performed best until then, without knowledge of later days. */
export function createHoltWinters(values: Float64Array): Forecaster {
  const all = smoothings.map((by) => ({ by, states: statesOf(values, by) }))
  const losses = all.map(({ by, states }) => lossesOf(values, by, states))
  return (origin, horizon) => {
    let best = 0
    for (let i = 1; i < all.length; i++) if (losses[i]![origin]! < losses[best]![origin]!) best = i
    const { by, states } = all[best]!
    return valuesOf(horizon, (step) => ahead(states, by, origin, step + 1, stepsAt(by.damping, step + 1)))
  }
}
