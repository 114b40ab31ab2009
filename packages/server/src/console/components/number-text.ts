import { formatDollars, formatUsd, nanoPerUsd, parseUsd } from '../../values/money.ts'
import { html, type Markup } from './markup.ts'

const grouped = (digits: string) => digits.replaceAll(/\B(?=(\d{3})+$)/g, ',')

/** Returns an amount rounded to some decimals, such as `1,379.64`; half a unit goes up. */
function rounded(nano: bigint, decimals: number): string {
  const unit = nanoPerUsd / 10n ** BigInt(decimals)
  const units = (nano + unit / 2n) / unit
  const digits = String(units).padStart(decimals + 1, '0')
  const whole = grouped(digits.slice(0, digits.length - decimals))
  return decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`
}

/** Decimals of money: two from $1, four below; a column or page may have one precision throughout. */
export type MoneyPrecision = 'auto' | 'cents' | 'small' | 'whole'

const decimalsOf = (nano: bigint, precision: MoneyPrecision) => {
  if (precision === 'whole') return nano % nanoPerUsd === 0n ? 0 : 2
  if (precision === 'small') return 4
  return precision === 'cents' || nano >= nanoPerUsd || nano === 0n ? 2 : 4
}

/** Returns an amount of the API, such as `"12.500000000"`, as it is written for people: `$12.50`. */
export function moneyText(usd: string, precision: MoneyPrecision = 'auto'): string {
  const nano = parseUsd(usd.replace(/^-/, ''))
  // What is not nothing is never shown as nothing.
  const decimals = [decimalsOf(nano, precision), 4].find((count) => nano === 0n || /[1-9]/.test(rounded(nano, count)))
  const text = decimals === undefined ? rounded(nano, 9).replace(/0+$/, '') : rounded(nano, decimals)
  return `${usd.startsWith('-') ? '−' : ''}$${text}`
}

/** An amount of money, exact in its title. */
export const money = (usd: string, precision?: MoneyPrecision): Markup =>
  html`<span class="nowrap" title="$${usd}">${moneyText(usd, precision)}</span>`

/** Returns the value of a field that takes dollars: exact, without zeros at its end. */
export const moneyValue = (usd: string): string => formatDollars(parseUsd(usd)).replace(/^\$/, '').replaceAll(',', '')

/** Returns the sum of amounts of the API. */
export const sumUsd = (...amounts: readonly string[]): string =>
  formatUsd(amounts.reduce((sum, usd) => sum + parseUsd(usd), 0n))

/** Returns what one amount is of another, in percent; 0 of nothing. */
export function percentOf(part: string, whole: string): number {
  const total = parseUsd(whole)
  return total === 0n ? 0 : Number((parseUsd(part) * 1_000_000n) / total) / 10_000
}

/** Returns a percentage: `96%`, `9.1%`, `121%`. */
export const percentText = (percent: number): string =>
  `${percent < 10 && percent > 0 ? percent.toFixed(1) : String(Math.round(percent))}%`

/** Returns a count: `18,204`. */
export const countText = (count: number): string =>
  `${count < 0 ? '−' : ''}${grouped(String(Math.abs(Math.round(count))))}`

const scales = [
  [1e9, 'B'],
  [1e6, 'M'],
  [1e4, 'k'],
] as const

/** Returns a sum of tokens: `612M`; exact below 10,000. */
export function tokensText(tokens: number): string {
  const scale = scales.find(([size]) => tokens >= size)
  if (!scale) return countText(tokens)
  const unit = scale[1] === 'k' ? 1e3 : scale[0]
  const value = tokens / unit
  return `${value < 10 ? value.toFixed(1) : countText(value)}${scale[1]}`
}

/** Returns a count with its noun: `1 run`, `3 runs`. */
export const counted = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${countText(count)} ${count === 1 ? noun : nouns}`

/** Returns an amount of dollars at the axis of a chart: `$250`, `$0.005`. */
export const axisMoney = (dollars: number): string =>
  Number.isInteger(dollars) ? `$${countText(dollars)}` : `$${Number(dollars.toPrecision(6))}`

/** Returns a change in percent: `+31%`, `−6%`; `new` where there was nothing before. */
export function changeText(now: number, before: number): string {
  if (before === 0) return now === 0 ? '' : 'new'
  const percent = Math.round((now / before - 1) * 100)
  return percent < 0 ? `−${countText(-percent)}%` : `+${countText(percent)}%`
}
