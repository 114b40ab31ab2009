import { elementAt, present } from '../../values/present.ts'

/** Formats values for people, identically on every machine. */

export type ChartUnit = 'usd' | 'runs' | 'tokens'

const scales = [
  { from: 1e12, by: 1e12, suffix: 'T' },
  { from: 1e9, by: 1e9, suffix: 'B' },
  { from: 1e6, by: 1e6, suffix: 'M' },
  { from: 1e4, by: 1e3, suffix: 'k' },
  { from: 0, by: 1, suffix: '' },
] as const

const scaleOf = (size: number) => present(scales.find(({ from }) => size >= from))

const withCommas = (digits: string) => digits.replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','))

function formatScaled(unit: ChartUnit, value: number, by: number, suffix: string, decimals: number): string {
  const digits = withCommas((Math.abs(value) / by).toFixed(decimals))
  const isZero = !/[1-9]/.test(digits)
  return `${value < 0 && !isZero ? '−' : ''}${unit === 'usd' ? '$' : ''}${digits}${isZero ? '' : suffix}`
}

/** Returns the formatter of an axis: one scale for all ticks, and enough decimals to distinguish neighbours. */
export function tickFormatter(unit: ChartUnit, ticks: readonly number[]): (value: number) => string {
  const { by, suffix } = scaleOf(Math.max(0, ...ticks.map(Math.abs)))
  const step = ticks.length < 2 ? 1 : Math.abs(elementAt(ticks, 1) - elementAt(ticks, 0)) / by
  const decimals = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)))
  // A half shows two decimals in US dollars, as prices do.
  const shown = unit === 'usd' && suffix === '' && decimals === 1 ? 2 : decimals
  return (value) => (value === 0 ? formatScaled(unit, 0, 1, '', 0) : formatScaled(unit, value, by, suffix, shown))
}

/** Formats one value to about three significant digits. */
export function formatValue(unit: ChartUnit, value: number): string {
  const { by, suffix } = scaleOf(Math.abs(value))
  const size = Math.abs(value) / by
  if (suffix !== '') {
    const decimals = size < 10 ? 2 : size < 100 ? 1 : 0
    return formatScaled(unit, value, by, suffix, decimals)
      .replace(/(\.\d*?)0+(?=\D)/, '$1')
      .replace(/\.(?=\D)/, '')
  }
  if (Number.isInteger(value) || size >= 1_000) return formatScaled(unit, value, 1, '', 0)
  if (unit !== 'usd') return formatScaled(unit, value, 1, '', size >= 10 ? 0 : 1)
  return formatScaled(unit, value, 1, '', size >= 0.1 ? 2 : Math.min(9, 2 - Math.floor(Math.log10(size))))
}

export const unitNames: Record<ChartUnit, string> = { usd: 'US dollars', runs: 'Runs', tokens: 'Tokens' }
