import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { PriceInput } from '../prices/prices.ts'
import { readLines } from './json-lines.ts'
import { type ModelChoice, type PriceFormat, planImport, readPriceFile } from './price-imports.ts'

const folder = new URL('../../../test/support/price-files/', import.meta.url)
const fileOf = (name: string) => readFileSync(new URL(`${name}.json`, folder), 'utf8')
const nowMs = Date.parse('2026-11-17T00:00:00Z')
const everything: ModelChoice = { only: [], providers: [], withFree: false }

function plan(text: string, { choice = {}, standing = [] as PriceInput[], replaces = false } = {}) {
  return planImport(readPriceFile(text, undefined), { ...everything, ...choice }, standing, { replaces, nowMs })
}
const entryOf = (text: string, model: string, provider?: string) =>
  plan(text).entries.find((entry) => entry.model === model && (provider ?? entry.provider) === entry.provider)
const litellm = (models: object) =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(models).map(([name, said]) => [name, { litellm_provider: 'openai', mode: 'chat', ...said }]),
    ),
  )

describe('a file', () => {
  test.each([
    ['genai-prices', 'genai-prices'],
    ['litellm', 'litellm'],
    ['models-dev', 'models.dev'],
  ])('like that of %s is known by its shape', (name, format) => {
    expect(readPriceFile(fileOf(name), undefined).format).toBe(format)
    expect(readPriceFile(fileOf(name), format as PriceFormat).listings.length).toBeGreaterThan(2)
  })

  test.each([
    ['{', /not JSON/],
    ['[]', /not in a known format/],
    ['{"a": {"b": 1}}', /not in a known format/],
    ['['.repeat(100_000) + ']'.repeat(100_000), /not JSON/],
  ])('that is none of them is refused', (text, message) => {
    expect(() => readPriceFile(text, undefined)).toThrow(message)
    expect(() => readPriceFile(fileOf('litellm'), 'models.dev')).toThrow(/not in the format of models.dev/)
  })
})

describe('lines of a file', () => {
  const isJson = (text: string) => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }

  test.each([
    ['{\n  "a": 1,\n}', { line: 3, column: 1 }],
    ['{\n  "a": abc\n}', { line: 2, column: 8 }],
    ['[1,\n\n,2]', { line: 3, column: 1 }],
    ['{"a" 1}', { line: 1, column: 6 }],
    ['{"a": [1}', { line: 1, column: 9 }],
    ['{"a": 1', { line: 1, column: 8 }],
    ['{} {}', { line: 1, column: 4 }],
    ['{"a": "\\x"}', { line: 1, column: 7 }],
    ['', { line: 1, column: 1 }],
    ['{"a": [], "b": [{}, {"c": "\\"{"}], "d": -1.5e3}', undefined],
  ])('tell where %j stops being JSON, as the parser does', (text, fault) => {
    expect(readLines(text).fault).toEqual(fault)
    expect(isJson(text)).toBe(fault === undefined)
  })

  test('name the one on which a model begins, in each format', () => {
    for (const name of ['genai-prices', 'litellm', 'models-dev']) {
      const lines = fileOf(name).split('\n')
      for (const { line, name: model } of readPriceFile(fileOf(name), undefined).listings) {
        const shown = lines.slice(line! - 1, line! + 1).join('\n')
        expect(shown).toContain(model.slice(name === 'litellm' ? 0 : model.indexOf('/') + 1))
      }
    }
  })
})

test('names are chosen by patterns, in a time that many stars do not lengthen', () => {
  const text = litellm({ 'claude-x-9': { input_cost_per_token: 1e-6, output_cost_per_token: 1e-6 } })
  const count = (only: string) => plan(text, { choice: { only: [only] } }).chosen
  expect(['claude-*', '*-9', 'c*x*9', 'openai/*', '*', 'claude-x-9'].map(count)).toEqual([1, 1, 1, 1, 1, 1])
  expect(['claude', '*-8', 'c*y*9', 'claude-x-9*9', '*a*'.repeat(60)].map(count)).toEqual([0, 0, 0, 0, 0])
})

describe('prices of a file', () => {
  const rates = {
    provider: 'anthropic',
    input_usd_per_million: '3',
    output_usd_per_million: '15',
    cache_read_usd_per_million: '0.3',
    cache_write_usd_per_million: '3.75',
    tiers: [
      {
        above_input_tokens: 200_000,
        input_usd_per_million: '6',
        output_usd_per_million: '22.5',
        cache_read_usd_per_million: '0.6',
        cache_write_usd_per_million: '7.5',
      },
    ],
  }
  const hour = (usd: string) => ({ other_usd_per_million: { cache_write_1h: usd } })

  test('are the same in each format, as far as it says them', () => {
    const withHour = { ...rates, ...hour('6'), tiers: [{ ...rates.tiers[0], ...hour('12') }] }
    expect(entryOf(fileOf('genai-prices'), 'claude-next-9')).toEqual({
      model: 'claude-next-9',
      ...withHour,
      units_usd: { web_search: '0.01' },
    })
    expect(entryOf(fileOf('litellm'), 'claude-next-9')).toEqual({
      model: 'claude-next-9',
      ...withHour,
      units_usd: { web_search: '0.01' },
      max_output_tokens: 64_000,
    })
    expect(entryOf(fileOf('models-dev'), 'claude-next-9')).toEqual({
      model: 'claude-next-9',
      ...rates,
      max_output_tokens: 64_000,
    })
  })

  test('are exact: what a float left behind is no money, and less than a pico-dollar is rounded up', () => {
    const inputOf = (usd: string) =>
      entryOf(
        litellm({ exact: { input_cost_per_token: 'X', output_cost_per_token: 1 } })
          .replace('"X"', usd)
          .replace(':1}', ':0.000001}'),
        'exact',
      )?.input_usd_per_million
    expect(['2.9999900000000002e-06', '0.000003', '1.2345678e-7', '1E-12', '1e-13', '70e-9'].map(inputOf)).toEqual([
      '2.99999',
      '3',
      '0.123457',
      '0.000001',
      '0.000001',
      '0.07',
    ])
  })

  test('by tier of service become factors, the largest where they differ', () => {
    expect(entryOf(fileOf('litellm'), 'gpt-next-9')).toMatchObject({
      multipliers: { priority: '2', flex: '0.52', batch: '0.5' },
      other_usd_per_million: { input_audio: '40', output_audio: '80' },
    })
    expect(entryOf(fileOf('models-dev'), 'gpt-next-9')).toMatchObject({ multipliers: { priority: '2.5' } })
    expect(plan(fileOf('litellm')).notExpressed).toContainEqual({
      entry: 'gpt-next-9',
      what: 'flex: not the same factor for all tokens; the largest is taken',
      line: expect.any(Number),
    })
  })

  test('by length, time of day and provider under two names are the dearest that can apply', () => {
    expect(entryOf(fileOf('litellm'), 'qwen-next-9')?.tiers).toMatchObject([
      { above_input_tokens: 32_000, input_usd_per_million: '1.8', output_usd_per_million: '9' },
      { above_input_tokens: 128_000, input_usd_per_million: '6', output_usd_per_million: '60' },
    ])
    expect(entryOf(fileOf('litellm'), 'gemini-next-9', 'google')).toMatchObject({
      input_usd_per_million: '2.99999',
      output_usd_per_million: '20',
    })
    expect(entryOf(fileOf('genai-prices'), 'deepseek-by-day')).toMatchObject({
      input_usd_per_million: '0.27',
      output_usd_per_million: '1.1',
    })
  })

  test('of today and of later days are taken, and of names all that are written out', () => {
    const { entries } = plan(fileOf('genai-prices'), { choice: { only: ['claude-dated', '*/claude-*next*'] } })
    expect(entries.map(({ model, effective_from }) => [model, effective_from])).toEqual([
      ['claude-next-9', undefined],
      ['claude-9-next', undefined],
      ['claude-dated', '2026-01-01T00:00:00Z'],
      ['claude-dated', '2099-09-01T00:00:00Z'],
    ])
  })

  test('for something else than tokens are fees', () => {
    expect(entryOf(fileOf('litellm'), 'rerank-next-9')).toMatchObject({ units_usd: { rerank_search: '0.002' } })
  })

  test('that cannot be said are listed with the model', () => {
    const { notExpressed, leftOut } = plan(fileOf('litellm'))
    expect(notExpressed.map(({ entry, what }) => `${entry}: ${what}`)).toEqual(
      expect.arrayContaining([
        'gpt-next-9: regional_processing_uplift_multiplier_eu',
        'dashscope/qwen-next-9: more than two lengths of input: the longer ones are taken together, at the dearest rates',
        'vertex_ai/gemini-next-9: several prices of one model and provider: the dearer rates are taken',
      ]),
    )
    expect(leftOut).toMatchObject([
      { entry: 'ollama/llama-next', what: 'costs nothing' },
      { entry: '256-x-256/painter', what: 'no price per token or unit' },
    ])
    expect(plan(fileOf('models-dev')).notExpressed).toMatchObject([
      { entry: 'anthropic/claude-next-9', what: 'the mode fast' },
    ])
  })

  test.each([
    ['-1e-06', /^input_cost_per_token is -1e-06$/],
    ['0.015', /more than \$2,000 for a million tokens/],
    ['1e999', /more than \$2,000/],
    ['1e99999', /^input_cost_per_token is 1e99999$/],
    ['"1"', /is not a number/],
    ['{}', /is not a number/],
  ])('that cannot be (%s) are refused by name', (usd, why) => {
    const text = litellm({ odd: { input_cost_per_token: 'X', output_cost_per_token: 0.000001 } }).replace('"X"', usd)
    const { refused, entries } = plan(text)
    expect(refused).toEqual([{ entry: 'odd', what: expect.stringMatching(why), line: 1 }])
    expect(entries).toEqual([])
  })
})

describe('the difference to what is in effect', () => {
  const own = (model: string, usd: string, provider: string | null = 'openai'): PriceInput => ({
    model,
    provider,
    input_usd_per_million: usd,
    output_usd_per_million: usd,
  })
  const usdOf = (usd: number) => ({ input_cost_per_token: usd, output_cost_per_token: usd })
  const changesOf = ({ changed }: ReturnType<typeof plan>) =>
    Object.fromEntries(changed.map(({ model, comparison }) => [model, comparison]))

  test('says what is added, dearer, cheaper and removed, and leaves the rest alone', () => {
    const text = litellm({ up: usdOf(3e-6), down: usdOf(1e-6), same: usdOf(2e-6), fresh: usdOf(1e-6) })
    const standing = [own('up', '2'), own('down', '2'), own('same', '2'), own('ours', '2'), own('by-hand', '7', null)]
    const merged = plan(text, { standing })
    expect(changesOf(merged)).toEqual({ up: 'dearer', down: 'cheaper', fresh: 'added' })
    expect([merged.unchanged, merged.kept]).toEqual([1, 2])
    expect(merged.entries.map(({ model }) => model).toSorted()).toEqual(
      ['up', 'down', 'same', 'fresh', 'ours', 'by-hand'].toSorted(),
    )
    expect(merged.changed[0]?.changes[0]).toEqual({ term: 'input', before: '2', after: '3', percent: 50 })
    const replaced = plan(text, { standing, replaces: true, choice: { providers: ['openai'] } })
    expect(changesOf(replaced)).toMatchObject({ ours: 'removed' })
    expect(replaced.entries.map(({ model }) => model)).not.toContain('ours')
    expect(replaced.entries.map(({ model }) => model)).toContain('by-hand')
  })

  test('is against the built-in prices where nobody set one, and equal ones need no entry', () => {
    const text = litellm({
      'gpt-4o': { input_cost_per_token: 2.5e-6, output_cost_per_token: 1e-5, cache_read_input_token_cost: 1.25e-6 },
      'gpt-4o-mini': { input_cost_per_token: 1e-6, output_cost_per_token: 1e-5, cache_read_input_token_cost: 1e-6 },
    })
    const { entries, unchanged, changed } = plan(text)
    expect([entries.map(({ model }) => model), unchanged]).toEqual([['gpt-4o-mini'], 1])
    expect(changed).toMatchObject([{ model: 'gpt-4o-mini', comparison: 'dearer' }])
    // The file says nothing of it, and a call must not be held at less than today.
    expect(entries[0]?.max_output_tokens).toBe(16_384)
  })

  test('does not make cheap what a format does not know', () => {
    const { entries, notInFile } = plan(fileOf('models-dev'), { choice: { only: ['claude-sonnet-4-5'] } })
    expect(entries).toMatchObject([
      { input_usd_per_million: '4', other_usd_per_million: { cache_write_1h: '6' }, units_usd: { web_search: '0.01' } },
    ])
    expect(notInFile.map(({ what }) => what)).toEqual(['cache_write_1h', 'web_search'])
  })

  test('leaves out what would become free, unless that is asked for', () => {
    const text = litellm({ 'gpt-4o': { input_cost_per_token: 2.5e-6, output_cost_per_token: 0 }, gift: usdOf(0) })
    expect(plan(text)).toMatchObject({ entries: [], leftOut: [{ entry: 'gift' }, { entry: 'gpt-4o' }] })
    expect(plan(text, { choice: { withFree: true } }).entries.map(({ model }) => model)).toEqual(['gpt-4o', 'gift'])
  })

  test('of an import that was applied is nothing', () => {
    for (const name of ['genai-prices', 'litellm', 'models-dev']) {
      const standing = [...plan(fileOf(name)).entries]
      expect(plan(fileOf(name), { standing })).toMatchObject({ changed: [], entries: standing })
    }
  })
})

test('a choice is by provider, under any of its names, and by pattern', () => {
  const chosen = (choice: Partial<ModelChoice>) =>
    plan(fileOf('litellm'), { choice }).entries.map(({ model, provider }) => `${provider}/${model}`)
  expect(chosen({ providers: ['vertex_ai'] })).toEqual(['google/gemini-next-9'])
  expect(chosen({ providers: ['openai', 'Anthropic'] })).toEqual(['anthropic/claude-next-9', 'openai/gpt-next-9'])
  expect(chosen({ only: ['*-next-9'], providers: ['dashscope'] })).toEqual(['dashscope/qwen-next-9'])
  expect(chosen({ only: ['gpt.next.9'] })).toEqual([])
})
