import { ExactNumber } from '../../values/exact-json.ts'
import { isRecord, recordIn } from '../../values/records.ts'
import { providerName } from '../prices/prices.ts'
import { countOf } from './exact-amounts.ts'
import {
  factorOf,
  type KindRates,
  type ListedPrice,
  type Listing,
  Remarks,
  type ServiceFactor,
  type TokenKind,
  tiersOf,
} from './listings.ts'

/** The names that LiteLLM has for the price of one token, and ours. */
const kinds: Readonly<Record<string, TokenKind>> = {
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  input_cost_per_token_cache_hit: 'cache_read',
  cache_read_input_token_cost: 'cache_read',
  cache_creation_input_token_cost: 'cache_write',
  cache_creation_input_token_cost_above_1hr: 'cache_write_1h',
  input_cost_per_audio_token: 'input_audio',
  input_cost_per_image_token: 'input_image',
  cache_read_input_audio_token_cost: 'cache_audio_read',
  output_cost_per_audio_token: 'output_audio',
  output_cost_per_image_token: 'output_image',
  output_cost_per_video_token: 'output_video',
  output_cost_per_reasoning_token: 'output_reasoning',
  citation_cost_per_token: 'output_citation',
}

/** Its names for prices of other things, ours for one of them, and how many the price is for. */
const units: Readonly<Record<string, readonly [unit: string, per: bigint]>> = {
  input_cost_per_request: ['request', 1n],
  input_cost_per_query: ['query', 1n],
  input_cost_per_image: ['input_image', 1n],
  output_cost_per_image: ['output_image', 1n],
  input_cost_per_character: ['input_character', 1n],
  output_cost_per_character: ['output_character', 1n],
  input_cost_per_second: ['audio_second', 1n],
  input_cost_per_audio_per_second: ['audio_second', 1n],
  input_cost_per_video_per_second: ['input_video_second', 1n],
  output_cost_per_second: ['output_second', 1n],
  output_cost_per_video_per_second: ['output_video_second', 1n],
  ocr_cost_per_page: ['input_document_page', 1n],
  annotation_cost_per_page: ['input_annotated_document_page', 1n],
  code_interpreter_cost_per_session: ['code_interpreter_session', 1n],
  file_search_cost_per_1k_calls: ['storage_search', 1_000n],
}

/** Names of a query, by what a model does. */
const queries: ReadonlyMap<unknown, string> = new Map([
  ['rerank', 'rerank_search'],
  ['search', 'web_search'],
])

const factors: Readonly<Record<string, ServiceFactor>> = { priority: 'priority', flex: 'flex', batches: 'batch' }

/** True for a file like `model_prices_and_context_window.json` of LiteLLM: models by name, each with its provider. */
export const isLitellm = (file: unknown): boolean =>
  isRecord(file) &&
  Object.values(file).some((model) => isRecord(model) && typeof model['litellm_provider'] === 'string')

/** Entries of the file that are no models. */
const notModels = new Set(['sample_spec', 'fallback_generalizations'])

export const readLitellm = (file: unknown): Listing[] =>
  Object.entries(recordIn(file)).flatMap(([name, said]) =>
    notModels.has(name) ? [] : [listingOf(name, recordIn(said))],
  )

function listingOf(name: string, said: Record<string, unknown>): Listing {
  const provider = providerOf(said['litellm_provider'])
  const remarks = new Remarks()
  const price = priceOf(said, remarks)
  return {
    name,
    provider,
    models: [modelOf(name, provider)],
    maxOutputTokens: countOf(said['max_output_tokens']),
    prices: [price],
    notes: remarks.notes,
    faults: remarks.faults,
    place: [name],
  }
}

/** Returns the one name of a provider; the file has several. */
const providerOf = (said: unknown): string =>
  providerName(
    (typeof said === 'string' ? said : '')
      .replace(/^(vertex_ai|fireworks_ai)-.*$/, '$1')
      .replace(/^bedrock_.*$/, 'bedrock')
      .replace(/^cohere_chat$/, 'cohere')
      .replace(/^azure_text$/, 'azure'),
  )

/** The name of a model without its provider in front of it. */
function modelOf(name: string, provider: string): string {
  const slash = name.indexOf('/')
  return slash > 0 && providerOf(name.slice(0, slash)) === provider ? name.slice(slash + 1) : name
}

const field = /^(.+?)(?:_above_(\d{1,5})k_tokens)?(?:_(priority|flex|batches))?$/

function priceOf(said: Record<string, unknown>, remarks: Remarks): ListedPrice {
  const base: Record<string, bigint> = {}
  const lengths = new Map<number, Record<string, bigint>>()
  const fees: Record<string, bigint> = {}
  const special: [ServiceFactor, string, bigint][] = []
  const plain = new Map<string, bigint>()
  for (const [name, value] of Object.entries(said)) {
    if (!/cost|pric|uplift|^provider_specific_entry$/.test(name)) continue
    const [, stem = '', thousands, tier] = field.exec(name) ?? []
    const kind = Object.hasOwn(kinds, stem) ? kinds[stem] : undefined
    const unit = Object.hasOwn(units, name) ? units[name] : undefined
    if (kind) {
      const pico = remarks.rate(name, value, 1n)
      if (pico === undefined) continue
      const above = Number(thousands ?? 0) * 1_000
      const factor = tier === undefined ? undefined : factors[tier]
      if (factor) special.push([factor, `${kind} ${above}`, pico])
      else {
        plain.set(`${kind} ${above}`, pico)
        if (above === 0) base[kind] = pico
        else lengths.set(above, { ...lengths.get(above), [kind]: pico })
      }
    } else if (unit) {
      const fee = remarks.fee(name, value, unit[1])
      const of = unit[0] === 'query' ? (queries.get(said['mode']) ?? unit[0]) : unit[0]
      if (fee !== undefined && fee > (fees[of] ?? 0n)) fees[of] = fee
    } else if (name === 'search_context_cost_per_query') searchFee(value, fees, remarks)
    else if (name === 'tiered_pricing') readRanges(value, base, lengths, remarks)
    else if (!isZero(value)) remarks.notes.push(name)
  }
  const rates: KindRates = base
  return {
    rates,
    tiers: tiersOf(rates, lengths, remarks),
    units: fees,
    multipliers: multipliersOf(special, plain, remarks),
  }
}

const isZero = (value: unknown) => value === null || (value instanceof ExactNumber && Number(value.text) === 0)

/** Reads the fee of a search: that of the dearest size of its context. */
function searchFee(value: unknown, fees: Record<string, bigint>, remarks: Remarks) {
  const sizes = Object.entries(recordIn(value)).flatMap(([size, usd]) => remarks.fee(size, usd, 1n) ?? [])
  if (new Set(sizes).size > 1) remarks.notes.push('searches by the size of their context: the dearest is taken')
  for (const fee of sizes) if (fee > (fees['web_search'] ?? 0n)) fees['web_search'] = fee
}

/** Reads rates by ranges of the length of input; the first range is the price itself. */
function readRanges(
  value: unknown,
  base: Record<string, bigint>,
  lengths: Map<number, Record<string, bigint>>,
  remarks: Remarks,
) {
  for (const range of Array.isArray(value) ? value.map(recordIn) : []) {
    const [start] = Array.isArray(range['range']) ? range['range'] : []
    const above = countOf(start)
    if (above === undefined) {
      if (!remarks.notes.includes('tiered_pricing')) remarks.notes.push('tiered_pricing')
      continue
    }
    const rates = above === 0 ? base : (lengths.get(above) ?? {})
    for (const [name, usd] of Object.entries(range)) {
      const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
      const pico = kind && remarks.rate(`tiered_pricing.${name}`, usd, 1n)
      if (kind && pico !== undefined) rates[kind] = pico
      else if (name !== 'range') remarks.notes.push(`tiered_pricing.${name}`)
    }
    if (above > 0) lengths.set(above, rates)
  }
}

function multipliersOf(
  special: readonly (readonly [ServiceFactor, string, bigint])[],
  plain: ReadonlyMap<string, bigint>,
  remarks: Remarks,
): ListedPrice['multipliers'] {
  const found = Object.values(factors).flatMap((tier) => {
    const pairs = special.flatMap(([of, rate, pico]) => (of === tier ? [[pico, plain.get(rate) ?? 0n] as const] : []))
    const factor = factorOf(tier, pairs, remarks)
    return factor === undefined ? [] : [[tier, factor] as const]
  })
  return Object.fromEntries(found)
}
