import { formatUsd, parseUsd } from '../../values/money.ts'
import { html, type Markup, nothing } from './markup.ts'
import { counted, countText, moneyText, percentOf } from './number-text.ts'

/** Tone of a gauge: none on track, `warn` soon used up, `stop` refuses now, `quiet` only alerts. */
export type Tone = '' | 'warn' | 'stop' | 'quiet'

/** Amounts that a gauge shows: what is spent and held of a limit. */
export interface GaugeAmounts {
  readonly spent: string
  readonly held: string
  readonly limit: string
  /** Percentages at which somebody is told. */
  readonly thresholds?: readonly number[]
  readonly tone?: Tone
}

const width = (percent: number) => `${Math.min(100, Math.max(0, percent)).toFixed(2)}%`

/** The picture of a limit: spent is solid, held is hatched, free is the empty track, thresholds are gaps. */
export function gauge({ spent, held, limit, thresholds = [], tone = '' }: GaugeAmounts): Markup {
  const spentPercent = percentOf(spent, limit)
  const heldPercent = Math.min(percentOf(held, limit), Math.max(0, 100 - spentPercent))
  const free = freeOf({ spent, held, limit })
  const label = `${moneyText(spent)} spent, ${moneyText(held)} held, ${moneyText(free)} free of ${moneyText(limit)}`
  return html`<svg class="gauge${tone === '' ? '' : ` ${tone}`}" role="img" aria-label="${label}"><rect class="g-track" width="100%"/><rect class="g-spent" width="${width(spentPercent)}"/>${
    heldPercent > 0
      ? html`<rect class="g-held" x="${width(spentPercent)}" width="${width(heldPercent)}"/><rect x="${width(spentPercent)}" width="${width(heldPercent)}" fill="url(#hatch)"/>`
      : nothing
  }${thresholds
    .filter((percent) => percent < 100)
    .map((percent) => html`<line class="g-tick" x1="${percent}%" x2="${percent}%" y1="0" y2="100%"/>`)}</svg>`
}

/** The picture of a limit on a count, such as runs at once. */
export function countGauge(used: number, limit: number, noun: string, tone: Tone = ''): Markup {
  const percent = limit === 0 ? 100 : (used / limit) * 100
  return html`<svg class="gauge${tone === '' ? '' : ` ${tone}`}" role="img" aria-label="${counted(used, noun)} of ${countText(limit)}"><rect class="g-track" width="100%"/><rect class="g-spent" width="${width(percent)}"/></svg>`
}

/** Returns what is free of a limit; nothing where more is spent and held than the limit. */
export function freeOf({ spent, held, limit }: Pick<GaugeAmounts, 'spent' | 'held' | 'limit'>): string {
  const free = parseUsd(limit) - parseUsd(spent) - parseUsd(held)
  return free > 0n ? formatUsd(free) : '0'
}

/** A share of a whole as a bar, for lists that compare. */
export const shareBar = (percent: number): Markup =>
  html`<svg class="gauge quiet" aria-hidden="true"><rect class="g-track" width="100%"/><rect class="g-spent" width="${width(percent)}"/></svg>`
