import { dateText } from '../../../platform/drawing/times.ts'
import { formatValue } from '../../../platform/drawing/values.ts'
import { exhaustionText } from './chart-limits.ts'
import type { ForecastChart } from './chart-model.ts'
import { axisName } from './chart-units.ts'

const maxNamed = 10
const short = (name: string) => (name.length > 80 ? `${name.slice(0, 79)}…` : name)

/** Describes a chart for screen readers. */
export function describeChart(picture: ForecastChart): string {
  const { unit, timezone, history, forecast, scenarios, limits, confidence } = picture
  const value = (amount: number) => formatValue(unit, amount)
  const date = (atMs: number) => dateText(atMs, timezone)
  const [first, last] = [history[0], history.at(-1)]
  const end = forecast.at(-1)
  const sentences = [
    `${axisName(picture)}, dates in ${timezone}.`,
    first && last
      ? `History from ${date(first.atMs)} to ${date(last.atMs)}, ending at ${value(last.value)}.`
      : 'There is no history.',
    end
      ? `The forecast reaches ${value(end.mean)} on ${date(end.atMs)}: with 50 percent probability between ${value(end.p50[0])} and ${value(end.p50[1])}, with 80 percent between ${value(end.p80[0])} and ${value(end.p80[1])}, with 95 percent between ${value(end.p95[0])} and ${value(end.p95[1])}.`
      : 'There is no forecast.',
    ...scenarios.slice(0, maxNamed).flatMap(({ name, points }) => {
      const reached = points.at(-1)
      return reached ? [`Scenario ${short(name)} reaches ${value(reached.value)} on ${date(reached.atMs)}.`] : []
    }),
    ...limits
      .slice(0, maxNamed)
      .map((limit) => `Limit ${short(limit.name)} would be exhausted: ${exhaustionText(limit, timezone)}.`),
    `Confidence: ${confidence}.`,
  ]
  return sentences.join(' ')
}
