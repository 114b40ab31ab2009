import { scaleBand, scaleLinear } from 'd3-scale'
import { html, type Markup } from './markup.ts'

const width = 84
const height = 20

/** Small bars that show how something went, without an axis; the last one is marked. `sentence` says what they show. */
export function sparkline(amounts: readonly number[], sentence: string): Markup {
  const x = scaleBand<number>()
    .domain(amounts.map((_, index) => index))
    .range([0, width])
    .paddingInner(0.25)
  const y = scaleLinear()
    .domain([0, Math.max(...amounts, 0) || 1])
    .range([0, height])
  return html`<svg class="spark" viewBox="0 0 ${width} ${height}" role="img" aria-label="${sentence}">${amounts.map(
    (amount, index) => {
      const tall = Math.max(amount > 0 ? 1.5 : 0.5, y(Math.max(0, amount)))
      return html`<rect${index === amounts.length - 1 ? html` class="hot"` : ''} x="${(x(index) ?? 0).toFixed(2)}" y="${(height - tall).toFixed(2)}" width="${x.bandwidth().toFixed(2)}" height="${tall.toFixed(2)}"/>`
    },
  )}</svg>`
}
