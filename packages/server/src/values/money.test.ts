import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDollars, formatUsd, parseUsd } from './money.ts'

test.each([
  ['0', 0n],
  ['0.000000001', 1n],
  ['12.5', 12_500_000_000n],
  ['8999999999.999999999', 8_999_999_999_999_999_999n],
  ['-3.25', -3_250_000_000n],
  // A sum of many such amounts.
  ['123456789012345.5', 123_456_789_012_345_500_000_000n],
])('%s dollars are %d nano-dollars', (text, nano) => {
  expect(parseUsd(text)).toBe(nano)
  expect(formatUsd(nano)).toBe(text)
})

test('trailing zeros are read and never written', () => {
  expect(formatUsd(parseUsd('1.500000000'))).toBe('1.5')
  expect(formatUsd(parseUsd('10.000'))).toBe('10')
})

test.each([
  ['$0.50', 500_000_000n],
  ['$0.00', 0n],
  ['$1,000,000.00', 1_000_000_000_000_000n],
  ['$0.000000001', 1n],
  ['-$12.125', -12_125_000_000n],
])('people read %s', (text, nano) => {
  expect(formatDollars(nano)).toBe(text)
})

test('whatever is written is read back as the same amount, and is in its shortest form', () => {
  const amounts = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  const zeros = fc.integer({ min: 0, max: 18 }).map((count) => 10n ** BigInt(count))
  fc.assert(
    fc.property(amounts, zeros, (amount, unit) => {
      const nano = (amount / unit) * unit
      expect(parseUsd(formatUsd(nano))).toBe(nano)
      expect(formatUsd(nano)).toMatch(/^-?(0|[1-9]\d*)(\.\d{0,8}[1-9])?$/)
    }),
  )
})

test.each(['', '1e3', '.5', '1.', '1.0000000001', '0x10', ' 1', 'NaN', '1234567890123456789'])(
  '%j is no amount',
  (text) => {
    expect(() => parseUsd(text)).toThrow(TypeError)
  },
)
