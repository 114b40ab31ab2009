import { type Legend, type LegendEntry, layOutLegend, swatchWidth } from '../../../platform/drawing/legend.ts'
import { element } from '../../../platform/drawing/markup.ts'
import { paintAttributes } from '../../../platform/drawing/paints.ts'
import type { ForecastChart } from './chart-model.ts'
import { bands, forecastStroke, historyStroke, scenarioMark, scenarioStroke } from './chart-series.ts'

const stroke = (x: number, y: number, look: Readonly<Record<string, string | number | undefined>>) =>
  element('line', { x1: x, x2: x + swatchWidth, y1: y, y2: y, ...look })

function entriesOf({ history, forecast, scenarios }: ForecastChart): LegendEntry[] {
  return [
    ...(history.length > 0 ? [{ name: 'History', swatch: (x: number, y: number) => stroke(x, y, historyStroke) }] : []),
    ...(forecast.length > 0
      ? [
          { name: 'Forecast', swatch: (x: number, y: number) => stroke(x, y, forecastStroke) },
          ...bands.toReversed().map(({ percent }) => ({
            name: percent === bands[0].percent ? `${percent} % intervals` : `${percent} %`,
            swatch: (x: number, y: number) => band(x, y, percent),
          })),
        ]
      : []),
    ...scenarios.map(({ name }, index) => ({
      name,
      swatch: (x: number, y: number) =>
        stroke(x, y, scenarioStroke(index)) + scenarioMark(index, x + swatchWidth / 2, y),
    })),
  ]
}

/** Draws a band as in the plot, where the wider ones lie beneath it. */
const band = (x: number, y: number, percent: number) =>
  bands
    .filter((one) => one.percent >= percent)
    .map(({ opacity }) =>
      element('rect', {
        x: x + 8,
        y: y - 7,
        width: swatchWidth - 8,
        height: 14,
        'fill-opacity': String(opacity),
        ...paintAttributes({ fill: 'forecast' }),
      }),
    )
    .join('')

/** Draws the legend, in as many rows as needed. */
export const drawLegend = (picture: ForecastChart, top: number): Legend => layOutLegend(entriesOf(picture), top)
