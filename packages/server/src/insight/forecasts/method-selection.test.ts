import { describe, expect, test } from 'vitest'
import { knownSeries } from '../../../test/support/forecast-series.ts'
import { evaluate } from '../../../test/support/forecast-series-evaluation.ts'
import { Random } from '../../../test/support/random.ts'
import { fitForecast } from './methods/fitted-methods.ts'
import { lastLevelShift } from './methods/level-shifts.ts'
import { forecastSeries } from './methods/method-selection.ts'
import { holtWinters, mean, seasonalNaive, weekdayMean, weekdayTrend } from './methods/methods.ts'
import { forecastErrors, pastErrors } from './methods/past-errors.ts'

const of = (length: number, at: (day: number) => number) => Float64Array.from({ length }, (_, day) => at(day))
const noise = (seed: number) => {
  const random = new Random(seed)
  return () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
}

test('on series whose future is known, intervals hold, and the error is below that of repeating the last week', () => {
  const { coverage, better, datesInside } = evaluate(1, 25)
  expect(coverage[1]).toBeGreaterThanOrEqual(0.7)
  expect(coverage[1]).toBeLessThanOrEqual(0.9)
  expect(coverage[0]).toBeGreaterThan(0.4)
  expect(coverage[2]).toBeGreaterThan(0.88)
  expect(better).toBeGreaterThanOrEqual(0.8)
  expect(datesInside).toBeGreaterThanOrEqual(0.8)
})

describe('a method that is asked in the middle of a series', () => {
  test.each([
    ['seasonal_naive', seasonalNaive],
    ['weekday_mean', weekdayMean],
    ['weekday_trend', weekdayTrend],
    ['mean', mean],
    ['holt_winters', holtWinters],
  ] as const)('%s knows nothing of what comes after', (method, candidate) => {
    const { values } = knownSeries(new Random(5), 4)
    const changed = values.map((value, day) => (day < 150 ? value : 7 * value + day))
    expect(candidate(values).method).toBe(method)
    expect(candidate(values).at(150, 30)).toEqual(candidate(changed).at(150, 30))
    expect(candidate(values).at(151, 30)).not.toEqual(candidate(changed).at(151, 30))
  })

  test('the library knows nothing of it either, and finds trend and week', () => {
    const values = of(120, (day) => 100 + day + (day % 7 === 0 ? 50 : 0))
    const told = fitForecast('mstl+ets', values, 100, 14)!
    expect(told).toEqual(
      fitForecast(
        'mstl+ets',
        values.map((value, day) => (day < 100 ? value : 0)),
        100,
        14,
      ),
    )
    for (const [step, value] of told.entries()) expect(Math.abs(value - values[100 + step]!)).toBeLessThan(12)
    expect(fitForecast('mstl+ets', values, 20, 14)).toBeUndefined()
  })
})

describe('what a series is forecast as', () => {
  test('a trend with weeks goes on', () => {
    const values = of(400, (day) => (100 + day) * (day % 7 < 5 ? 1 : 0.5))
    const { mean: told, confidence } = forecastSeries(values, 28)
    expect(confidence).toBe('high')
    for (let step = 0; step < 28; step++) {
      const day = 400 + step
      const right = (100 + day) * (day % 7 < 5 ? 1 : 0.5)
      expect(Math.abs(told[step]! / right - 1), `day ${step}`).toBeLessThan(0.05)
    }
  })

  test('one wild day changes little', () => {
    const chance = noise(3)
    const values = of(200, () => 100 + 5 * chance())
    const wild = values.map((value, day) => (day === 180 ? 5_000 : value))
    expect(Math.abs(forecastSeries(wild, 7).mean[6]! - 100)).toBeLessThan(60)
  })

  test('nothing is ever expected below zero', () => {
    const values = of(120, (day) => Math.max(1, 240 - 2 * day))
    for (const value of forecastSeries(values, 180).mean) expect(value).toBeGreaterThanOrEqual(0)
  })

  test('the same series is always forecast the same', () => {
    const { values } = knownSeries(new Random(11), 3)
    const [one, two] = [forecastSeries(values, 30), forecastSeries(values, 30)]
    expect(two.mean).toEqual(one.mean)
    expect(two.halfWidths(3, 20)).toEqual(one.halfWidths(3, 20))
  })

  test('a horizon beyond what could be tried is wider and is said to be extrapolated', () => {
    const chance = noise(9)
    const { halfWidths, confidence, reasons } = forecastSeries(
      of(60, () => 100 + 10 * chance()),
      180,
    )
    expect(halfWidths(180, 180)[1]).toBeGreaterThan(halfWidths(30, 30)[1])
    expect(halfWidths(1, 180)[1]).toBeGreaterThan(3 * halfWidths(1, 30)[1])
    expect(confidence).toBe('low')
    expect(reasons.join(' ')).toContain('extrapolated')
  })

  test('what happens once a month is told as its mean, and what has stopped not at all', () => {
    const monthly = of(200, (day) => (day % 30 === 10 ? 60 : 0))
    expect(forecastSeries(monthly, 10)).toMatchObject({ method: 'mean', confidence: 'low' })
    expect(forecastSeries(monthly, 10).mean[0]).toBeCloseTo(2, 0)
    const stopped = of(200, (day) => (day < 120 && day % 30 === 10 ? 60 : 0))
    expect(forecastSeries(stopped, 10).method).toBe('none')
  })

  test.each([0, 1, 2, 3, 13, 14, 27, 28, 29, 35])('%i days are enough for an answer, if not for a forecast', (days) => {
    const {
      mean: told,
      confidence,
      reasons,
      method,
      halfWidths,
    } = forecastSeries(
      of(days, (day) => 5 + (day % 3)),
      30,
    )
    expect(told.length).toBe(days < 3 ? 0 : 30)
    expect(method === 'none').toBe(days < 3)
    expect(reasons.length).toBeGreaterThan(0)
    expect(confidence).toBe('low')
    expect(told.every((value) => value >= 4 && value <= 8)).toBe(true)
    expect(halfWidths(1, 30).every(Number.isFinite)).toBe(true)
  })
})

describe('a jump of the level', () => {
  test('is found where it was, up or down', () => {
    for (const [seed, factor] of [
      [1, 2],
      [2, 0.5],
      [3, 1.5],
      [4, 3],
    ] as const) {
      const chance = noise(seed)
      const values = of(
        300,
        (day) => (day < 200 ? 100 : 100 * factor) * (1 + 0.06 * chance()) * (day % 7 < 5 ? 1 : 0.6),
      )
      expect(Math.abs(lastLevelShift(values) - 200), String(factor)).toBeLessThanOrEqual(4)
    }
  })

  test('is none where a series only grows, shrinks or is loud', () => {
    for (const growth of [0, 2, 5, -0.4]) {
      const chance = noise(10 + growth)
      const values = of(300, (day) => (200 + growth * day) * (1 + 0.1 * chance()))
      expect(lastLevelShift(values), String(growth)).toBe(0)
    }
  })
})

test('intervals of sums are narrower than the sums of intervals where days err by themselves', () => {
  const chance = noise(21)
  const values = of(500, () => 100 + 10 * chance())
  const { halfWidths } = pastErrors(values, forecastErrors(values, mean(values), 60))
  // Ten times the normal's 1.28, and a bit for the mean itself.
  expect(halfWidths(1, 1)[1]).toBeGreaterThan(11)
  expect(halfWidths(1, 1)[1]).toBeLessThan(16)
  expect(halfWidths(1, 28)[1]).toBeGreaterThan(12.8 * Math.sqrt(28) * 0.9)
  expect(halfWidths(1, 28)[1]).toBeLessThan(12.8 * 28 * 0.6)
})
