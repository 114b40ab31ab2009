/** The days of a week, the season in which usage repeats. */
export const week = 7

/** Forecasts the values after the first `origin` ones of a series, as a method would have done then. */
export type Forecaster = (origin: number, horizon: number) => Float64Array

/** A method that can be evaluated at every origin of a series at almost no cost. */
export interface ForecastMethod {
  readonly method: 'seasonal_naive' | 'weekday_mean' | 'weekday_trend' | 'mean' | 'holt_winters'
  readonly at: Forecaster
}

export const sumOf = (values: Iterable<number>): number => {
  let sum = 0
  for (const value of values) sum += value
  return sum
}

/** Builds an array with a plain loop: `Float64Array.from` uses an iterator, and these are the innermost steps. */
export function valuesOf(length: number, at: (place: number) => number): Float64Array {
  const values = new Float64Array(length)
  for (let place = 0; place < length; place++) values[place] = at(place)
  return values
}
