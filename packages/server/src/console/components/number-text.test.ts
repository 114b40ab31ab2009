import { expect, test } from 'vitest'
import { moneyText } from './number-text.ts'

test.each([
  ['0', 'auto', '$0.00'],
  ['12.5', 'auto', '$12.50'],
  ['0.0049', 'cents', '$0.0049'],
  ['0.004', 'whole', '$0.0040'],
  ['0.000012', 'small', '$0.000012'],
  ['-0.000000001', 'auto', '−$0.000000001'],
] as const)('%s is never shown as nothing unless it is nothing (%s)', (usd, precision, text) => {
  expect(moneyText(usd, precision)).toBe(text)
})
