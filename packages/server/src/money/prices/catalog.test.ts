import {
  calcPrice,
  type MatchLogic,
  type ModelInfo,
  type Provider,
  type Usage,
  waitForUpdate,
} from '@pydantic/genai-prices'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseUsd } from '../../values/money.ts'

import { catalog } from './catalog.ts'
import { perToken, perUnit } from './catalog-keys.ts'
import { costOf } from './costs.ts'
import { priceDifferences } from './differences.ts'
import { type HoldPrice, quoteHold } from './holds.ts'
import { reasons } from './list-prices.ts'
import { createPriceBook } from './price-book.ts'
import { isFree } from './price-entry.ts'
import { serviceTiers } from './service-tiers.ts'

/** After the last change of price that the catalogue knows, and at an hour at which nothing is cheaper. */
const at = new Date('2026-11-17T08:00:00Z')

const book = createPriceBook(
  { minHoldNano: 0n, unpriced: 'refuse', unpricedCeilingNano: null, defaultMaxOutputTokens: 4_096 },
  [],
)

interface Known {
  readonly provider: string
  readonly model: string
  readonly starts: readonly number[]
  readonly keys: readonly string[]
}

/** What genai-prices itself says that a model costs, in nano-dollars. */
const billed = ({ provider, model }: Known, usage: Usage) =>
  (calcPrice(usage, model, { providerId: provider, timestamp: at })?.total_price ?? 0) * 1e9

const held = ({ provider, model }: Known, inputTokens?: number, maxOutputTokens = 0) => {
  const found = quoteHold(book, { model, provider, inputTokens, maxOutputTokens }, at.getTime())
  if (found === 'unpriced') throw new Error(`${provider}/${model} has no price`)
  return Number(found.amountNano)
}

/** The uses of a call's tokens that have a rate of their own: every token is one of these, so each is a corner of the cost. */
const corners: Readonly<Record<string, (input: number, output: number) => Usage>> = {
  input_mtok: () => ({}),
  cache_read_mtok: (input) => ({ cache_read_tokens: input }),
  cache_write_mtok: (input) => ({ cache_write_tokens: input }),
  cache_write_1h_mtok: (input) => ({ cache_write_tokens: input, cache_write_1h_tokens: input }),
  input_audio_mtok: (input) => ({ input_audio_tokens: input }),
  input_image_mtok: (input) => ({ input_image_tokens: input }),
  input_video_mtok: (input) => ({ input_video_tokens: input }),
  output_audio_mtok: (_input, output) => ({ output_audio_tokens: output }),
  output_image_mtok: (_input, output) => ({ output_image_tokens: output }),
  output_video_mtok: (_input, output) => ({ output_video_tokens: output }),
  output_reasoning_mtok: (_input, output) => ({ output_reasoning_tokens: output }),
  output_citation_mtok: (_input, output) => ({ output_citation_tokens: output }),
}

/** Returns a name by which genai-prices itself finds the model: its id, or one that its match writes out. */
function nameOf(provider: string, { id, match }: ModelInfo): string[] {
  const names = [id, ...textsIn(match)]
  return names
    .filter((name) => calcPrice({}, name, { providerId: provider, timestamp: at })?.model.id === id)
    .slice(0, 1)
}

const textsIn = (match: MatchLogic): string[] =>
  'or' in match
    ? match.or.flatMap(textsIn)
    : 'and' in match
      ? match.and.flatMap(textsIn)
      : Object.entries(match).flatMap(([kind, text]) => (kind === 'regex' ? [] : [text]))

const knownOf = ({ id: provider, models: all }: Provider): Known[] =>
  all.flatMap((model) => {
    const prices = Array.isArray(model.prices) ? model.prices.map((each) => each.prices) : [model.prices]
    const values = prices.flatMap((each) => Object.values(each))
    const starts = values.flatMap((value) => (typeof value === 'object' ? value.tiers.map(({ start }) => start) : []))
    const keys = [...new Set(prices.flatMap((each) => Object.keys(each)))]
    return nameOf(provider, model).map((name) => ({ provider, model: name, starts: [...new Set(starts)], keys }))
  })

/** Models whose price in our own list is not that of the catalogue. */
const differing = new Set(Object.keys(reasons))

/** Names of genai-prices for the parts of a usage, ours, and the shares of the whole that they get. */
function usageOf({ keys }: Known, input: number, output: number, shares: readonly number[]) {
  const share = (i: number, whole: number, most: number) => Math.floor((whole * (shares[i] ?? 0)) / 100 / most)
  const has = (key: string) => keys.includes(key)
  const read = has('cache_read_mtok') ? share(0, input, 4) : 0
  const written = has('cache_write_mtok') ? share(1, input, 4) : 0
  const audio = has('input_audio_mtok') ? share(3, input, 6) : 0
  const image = has('input_image_mtok') ? share(4, input, 6) : 0
  const counts = {
    cache_write_1h: has('cache_write_1h_mtok') ? share(2, written, 1) : 0,
    input_audio: audio,
    input_image: image,
    input_video: has('input_video_mtok') ? share(5, input, 8) : 0,
    cache_audio_read: has('cache_audio_read_mtok') ? share(6, Math.min(audio, read), 2) : 0,
    cache_image_read: has('cache_image_read_mtok') ? share(7, Math.min(image, read), 2) : 0,
    output_audio: has('output_audio_mtok') ? share(8, output, 5) : 0,
    output_image: has('output_image_mtok') ? share(9, output, 5) : 0,
    output_video: has('output_video_mtok') ? share(10, output, 5) : 0,
    output_reasoning: has('output_reasoning_mtok') ? share(11, output, 5) : 0,
    output_citation: has('output_citation_mtok') ? share(12, output, 5) : 0,
  }
  const units = Object.entries(perUnit).filter(([key]) => has(key) && key !== 'requests_kcount')
  // Ten at least: Groq bills no fewer seconds of audio.
  const used = Object.fromEntries(units.map(([, [name]], i) => [name, 10 + (shares[13 + (i % 3)] ?? 0)]))
  const plural = (name: string) => `${name}${name.endsWith('ch') ? 'es' : 's'}`
  // They count annotated pages among the pages, we beside them.
  const pages = (used['input_document_page'] ?? 0) + (used['input_annotated_document_page'] ?? 0)
  return {
    ours: {
      inputTokens: input,
      outputTokens: output,
      cacheReadTokens: read,
      cacheWriteTokens: written,
      others: counts,
      units: used,
    },
    theirs: {
      input_tokens: input,
      output_tokens: output,
      cache_read_tokens: read,
      cache_write_tokens: written,
      ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${name}_tokens`, count])),
      ...Object.fromEntries(Object.entries(used).map(([name, count]) => [plural(name), count])),
      ...(has('input_document_kpages') && { input_document_pages: pages }),
    },
  }
}

let models: readonly Known[] = []
beforeAll(async () => {
  models = ((await waitForUpdate()) ?? []).flatMap(knownOf).filter((known) => billed(known, everything) > 0)
})
const everything = {
  input_tokens: 1e6,
  output_tokens: 1e6,
  audio_seconds: 1e6,
  input_document_pages: 1e6,
  input_text_messages: 1e6,
}

describe('the catalogue', () => {
  test('prices at least 1,500 models, and none of them at nothing', () => {
    const priced = models.filter(({ provider, model }) => book.priceOf(model, provider, at.getTime()))
    expect(priced.length).toBe(models.length)
    expect(priced.length).toBeGreaterThanOrEqual(1_500)
    for (const { provider, model } of priced) {
      const price = book.priceOf(model, provider, at.getTime())
      expect(price && isFree(price), `${provider}/${model}`).toBe(false)
    }
    for (const name of catalog().names) {
      const price = book.priceOf(name, undefined, at.getTime())
      expect(price && isFree(price), name).not.toBe(true)
    }
  })

  test('holds for every model, length and kind of tokens at least what they cost by another reading', () => {
    for (const known of models) {
      const lengths = [0, 1, 1_000, ...known.starts.flatMap((start) => [start - 1, start, start + 1, 3 * start])]
      for (const input of lengths)
        for (const key of known.keys) {
          const usage = corners[key]?.(input, 777)
          if (!usage) continue
          const cost = billed(known, { input_tokens: input, output_tokens: 777, ...usage })
          expect(held(known, input, 777), `${known.provider}/${known.model} ${input} ${key}`).toBeGreaterThanOrEqual(
            Math.floor(cost * (1 - 1e-12)),
          )
        }
    }
  })

  test('holds for random requests at least what they cost by another reading', () => {
    const parts = fc.tuple(fc.nat(1_000_000), fc.nat(100_000), fc.nat(100), fc.nat(100), fc.nat(100))
    fc.assert(
      fc.property(fc.nat(), parts, (index, [input, output, a, b, c]) => {
        const known = models[index % models.length]
        if (!known) return
        const read = Math.floor((input * a) / 300)
        const written = Math.floor((input * b) / 300)
        const usage = {
          input_tokens: input,
          output_tokens: Math.floor((output * c) / 100),
          ...(known.keys.includes('cache_read_mtok') && { cache_read_tokens: read }),
          ...(known.keys.includes('cache_write_mtok') && { cache_write_tokens: written }),
          ...(known.keys.includes('cache_write_1h_mtok') && { cache_write_1h_tokens: Math.floor(written / 2) }),
        }
        const cost = Math.floor(billed(known, usage) * (1 - 1e-12))
        expect(held(known, input, output), `${known.provider}/${known.model}`).toBeGreaterThanOrEqual(cost)
        expect(held(known, undefined, output)).toBeGreaterThanOrEqual(
          Math.floor(billed(known, { input_tokens: 0, output_tokens: output }) * (1 - 1e-12)),
        )
      }),
      { numRuns: 3_000 },
    )
  })

  test('charges random usage exactly what it costs by another reading', () => {
    const compared = models.filter(({ provider, model }) => !differing.has(`${provider}/${model}`))
    expect(compared.length).toBeGreaterThan(1_450)
    const chargedKeys = new Set<string>()
    fc.assert(
      fc.property(
        fc.nat(),
        fc.nat(1_000_000),
        fc.nat(100_000),
        fc.array(fc.nat(100), { minLength: 16, maxLength: 16 }),
        (index, input, output, shares) => {
          const known = compared[index % compared.length]
          if (!known) return
          const usage = usageOf(known, input, output, shares)
          for (const key of known.keys) chargedKeys.add(key)
          const price = book.priceOf(known.model, known.provider, at.getTime())
          if (!price) throw new Error(`${known.model} has no price`)
          const cost = Number(costOf(price, usage.ours))
          const other = billed(known, usage.theirs)
          const name = `${known.provider}/${known.model} ${JSON.stringify(usage.theirs)}`
          // One nano-dollar of rounding, and the rates that are no whole number of pico-dollars, which are rounded up.
          expect(cost, name).toBeGreaterThanOrEqual(Math.floor(other * (1 - 1e-12)))
          expect(cost, name).toBeLessThanOrEqual(other * (1 + 1e-12) + 1 + (input + output + 1_000) / 1_000)
        },
      ),
      { numRuns: 20_000 },
    )
    const kinds = [...Object.keys(perToken), ...Object.keys(perUnit)]
    const inUse = kinds.filter((key) => compared.some(({ keys }) => keys.includes(key)))
    expect(inUse.filter((key) => !chargedKeys.has(key))).toEqual([])
  })

  test('holds a call of 300,000 tokens to each model with prices by length at or above its price', () => {
    const tiered = models.filter(({ starts }) => starts.length > 0)
    expect(tiered.length).toBeGreaterThan(50)
    for (const known of tiered) {
      const cost = Math.floor(billed(known, { input_tokens: 300_000, output_tokens: 10_000 }) * (1 - 1e-12))
      expect(held(known, 300_000, 10_000), `${known.provider}/${known.model}`).toBeGreaterThanOrEqual(cost)
    }
    const { amountNano } = quoteHold(
      book,
      { model: 'gpt-5.5', inputTokens: 300_000, maxOutputTokens: 10_000 },
      at.getTime(),
    ) as HoldPrice
    expect(amountNano).toBe(parseUsd('3.45'))
  })

  test('charges a call at the rates of its length, to the token', () => {
    const price = book.priceOf('gpt-5.5', 'openai', at.getTime())
    if (!price) throw new Error('gpt-5.5 has a price')
    const cost = (inputTokens: number) => costOf(price, { inputTokens, outputTokens: 10_000 })
    expect([cost(271_999), cost(272_000), cost(300_000)]).toEqual(['1.659995', '3.17', '3.45'].map(parseUsd))
  })

  test('holds in every tier of service at least what is charged in it, and never less than in the standard one', () => {
    for (const { provider, model } of models)
      for (const serviceTier of serviceTiers) {
        const estimate = { model, provider, inputTokens: 1_000_000, maxOutputTokens: 1_000 }
        const found = quoteHold(book, { ...estimate, serviceTier }, at.getTime())
        const standard = quoteHold(book, estimate, at.getTime())
        if (found === 'unpriced' || standard === 'unpriced' || !found.price) throw new Error(`${model} has no price`)
        const cost = costOf(found.price, { inputTokens: 1_000_000, outputTokens: 1_000 })
        expect(found.amountNano >= cost, `${provider}/${model} ${serviceTier}`).toBe(true)
        expect(found.amountNano >= standard.amountNano).toBe(true)
      }
  })

  test('is asked for the dearest length where the length is not known', () => {
    const known = { provider: 'openai', model: 'gpt-5.5', starts: [], keys: [] }
    expect(held(known, undefined, 10_000)).toBe(Number(parseUsd('0.45')))
    expect(held(known, 1_000, 10_000)).toBe(Number(parseUsd('0.305')))
  })

  test('differs from our own list only where we say why', () => {
    expect(priceDifferences().map(({ name }) => name)).toEqual(Object.keys(reasons).toSorted())
  })
})
