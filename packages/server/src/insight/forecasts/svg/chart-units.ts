import { unitNames } from '../../../platform/drawing/values.ts'
import { dayMs } from '../../../values/time.ts'
import type { ForecastChart } from './chart-model.ts'

/** Returns the length of a step as far as the points show it: the first and the last week or month may be partial. */
export function stepName({ forecast, history }: ForecastChart): string | undefined {
  const points = forecast.length > 1 ? forecast : history
  const days = points.slice(1).reduce((most, { atMs }, i) => Math.max(most, (atMs - points[i]!.atMs) / dayMs), 0)
  if (Math.abs(days - 1) < 0.1) return 'day'
  if (Math.abs(days - 7) < 0.1) return 'week'
  return days > 27 && days < 32 ? 'month' : undefined
}

/** Returns the name of the value axis. */
export function axisName(picture: ForecastChart): string {
  const step = stepName(picture)
  return step === undefined ? unitNames[picture.unit] : `${unitNames[picture.unit]} per ${step}`
}
