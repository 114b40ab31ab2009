import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseUsd } from '../../values/money.ts'
import { type Estimate, type HoldPrice, largestOutput, quoteHold } from './holds.ts'
import { createPriceBook } from './price-book.ts'
import type { PriceEntry, Rates } from './price-entry.ts'
import { serviceTiers } from './service-tiers.ts'

const at = Date.parse('2026-11-15')
const most = 200_000

const pico = fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 200_000_000n }))
const rates: fc.Arbitrary<Rates> = fc.record(
  { inputPico: pico, outputPico: pico, cacheReadPico: pico, cacheWritePico: pico },
  { requiredKeys: ['inputPico', 'outputPico', 'cacheReadPico', 'cacheWritePico'] },
)
const entries = fc
  .record({
    base: rates,
    tiers: fc.uniqueArray(fc.record({ above: fc.nat({ max: 300_000 }), rates }), {
      maxLength: 3,
      selector: ({ above }) => above,
    }),
    heldAt: fc.option(rates),
    fee: fc.option(fc.bigInt({ min: 1n, max: 10n ** 10n })),
    maxOutputTokens: fc.option(fc.integer({ min: 1, max: most })),
  })
  .map(
    ({ base, tiers, heldAt, fee, maxOutputTokens }): PriceEntry => ({
      id: 'prc_1',
      model: 'm',
      provider: 'openai',
      effectiveFromMs: 0,
      maxOutputTokens,
      ...base,
      tiers: tiers.map((tier) => ({ above: tier.above, ...tier.rates })).toSorted((a, b) => a.above - b.above),
      ...(heldAt && { heldAt }),
      ...(fee !== null && { units: { request: fee } }),
    }),
  )
const requests: fc.Arbitrary<Estimate> = fc.record(
  {
    model: fc.constant('m'),
    inputTokens: fc.nat({ max: 400_000 }),
    estimatedNano: fc.bigInt({ min: 0n, max: 10n ** 9n }),
    serviceTier: fc.constantFrom(...serviceTiers),
  },
  { requiredKeys: ['model'] },
)
const rooms = fc.record({
  usd: fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 9n }), fc.bigInt({ min: 0n, max: 10n ** 14n })),
  tokens: fc.bigInt({ min: 0n, max: 700_000n }),
})
const minimum = fc.constantFrom(0n, parseUsd('0.001'), parseUsd('0.1'))

test('the largest output that fits can be held, one token more cannot, and without one not even the input can', () => {
  fc.assert(
    fc.property(entries, requests, rooms, minimum, (entry, asked, room, minHoldNano) => {
      const book = createPriceBook(
        { minHoldNano, unpriced: 'refuse', unpricedCeilingNano: null, defaultMaxOutputTokens: 4_096 },
        [entry],
      )
      const fits = ({ amountNano, tokens }: HoldPrice) =>
        (amountNano === 0n || amountNano <= room.usd) && (tokens === 0n || tokens <= room.tokens)
      const passes = (maxOutputTokens: number) => {
        const hold = quoteHold(book, { ...asked, maxOutputTokens }, at)
        return hold !== 'unpriced' && fits(hold)
      }
      const found = largestOutput(book, asked, at, most, fits)
      const isExact = found === undefined ? !passes(0) : passes(found) && (found === most || !passes(found + 1))
      expect(isExact).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})
