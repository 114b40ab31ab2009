/** A week: what people and their agents do repeats with it. */
export const week = 7

/** The values that follow the first `origin` of a series, as a method would have told them then. */
export type Forecaster = (origin: number, horizon: number) => Float64Array

/** A method that can be asked at every point of a series at next to no cost. */
export interface Candidate {
  readonly method: 'seasonal_naive' | 'weekday_mean' | 'weekday_trend' | 'mean' | 'holt_winters'
  readonly at: Forecaster
}

export const sumOf = (values: Iterable<number>): number => {
  let sum = 0
  for (const value of values) sum += value
  return sum
}

/** A plain loop: `Float64Array.from` goes through an iterator, and these are the innermost steps. */
export function valuesOf(length: number, at: (place: number) => number): Float64Array {
  const values = new Float64Array(length)
  for (let place = 0; place < length; place++) values[place] = at(place)
  return values
}
