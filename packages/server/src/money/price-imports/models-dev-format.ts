import { isRecord, recordIn } from '../../values/records.ts'
import { providerName } from '../prices/prices.ts'
import { countOf } from './exact-amounts.ts'
import {
  factorOf,
  type KindRates,
  type ListedPrice,
  type Listing,
  Remarks,
  type TokenKind,
  tiersOf,
} from './listings.ts'

/** The names that models.dev has for kinds of tokens, and ours. */
const kinds: Readonly<Record<string, TokenKind>> = {
  input: 'input',
  output: 'output',
  cache_read: 'cache_read',
  cache_write: 'cache_write',
  reasoning: 'output_reasoning',
  input_audio: 'input_audio',
  output_audio: 'output_audio',
}

/** Its names of providers that are known here by another. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['amazon-bedrock', 'aws'],
  ['azure-cognitive-services', 'azure'],
  ['cloudflare-workers-ai', 'cloudflare'],
  ['fireworks-ai', 'fireworks'],
  ['google-vertex', 'google'],
  ['google-vertex-anthropic', 'google'],
  ['novita-ai', 'novita'],
  ['togetherai', 'together'],
])

/** True for a file like `api.json` of models.dev: providers by name, each with its models. */
export const isModelsDev = (file: unknown): boolean =>
  isRecord(file) && Object.values(file).some((provider) => isRecord(provider) && isRecord(provider['models']))

export const readModelsDev = (file: unknown): Listing[] =>
  Object.entries(recordIn(file)).flatMap(([id, provider]) =>
    Object.entries(recordIn(recordIn(provider)['models'])).map(([model, said]) =>
      listingOf(providerName(aliases.get(id) ?? id), id, model, recordIn(said)),
    ),
  )

function listingOf(provider: string, id: string, model: string, said: Record<string, unknown>): Listing {
  const remarks = new Remarks()
  const price = isRecord(said['cost']) ? priceOf(said['cost'], said, remarks) : undefined
  const output = countOf(recordIn(said['limit'])['output'])
  return {
    name: `${id}/${model}`,
    provider,
    models: [model],
    maxOutputTokens: output,
    prices: price ? [price] : [],
    notes: remarks.notes,
    faults: remarks.faults,
    place: [id, 'models', model],
  }
}

function priceOf(cost: Record<string, unknown>, said: Record<string, unknown>, remarks: Remarks): ListedPrice {
  const rates = ratesOf(cost, 'cost', remarks)
  return {
    rates,
    tiers: tiersOf(rates, lengthsOf(cost, remarks), remarks),
    units: {},
    multipliers: modesOf(recordIn(recordIn(said['experimental'])['modes']), rates, remarks),
  }
}

/** Fields of a price that are not a rate. */
const structure = new Set(['tiers', 'tier', 'context_over_200k'])

const ratesOf = (cost: Record<string, unknown>, where: string, remarks: Remarks): KindRates =>
  Object.fromEntries(
    Object.entries(cost).flatMap(([field, value]) => {
      const kind = Object.hasOwn(kinds, field) ? kinds[field] : undefined
      if (kind === undefined && !structure.has(field)) remarks.notes.push(`${where}.${field}`)
      const pico = kind && remarks.rate(`${where}.${field}`, value, 1_000_000n)
      return kind === undefined || pico === undefined ? [] : [[kind, pico]]
    }),
  )

/** Returns the rates of long input by its length; `context_over_200k` repeats them in files of today. */
function lengthsOf(cost: Record<string, unknown>, remarks: Remarks): Map<number, KindRates> {
  const { tiers, context_over_200k: over } = cost
  if (!Array.isArray(tiers))
    return new Map(isRecord(over) ? [[200_000, ratesOf(over, 'context_over_200k', remarks)]] : [])
  const lengths = new Map<number, KindRates>()
  for (const tier of tiers.map(recordIn)) {
    const { type, size } = recordIn(tier['tier'])
    const above = countOf(size)
    if (above === undefined || above === 0 || (type !== undefined && type !== 'context'))
      remarks.notes.push('a tier that is not one of the length of input')
    else lengths.set(above, ratesOf(tier, `above ${above} tokens`, remarks))
  }
  return lengths
}

/** Returns the factors of modes that are a tier of service; other modes cannot be said. */
function modesOf(modes: Record<string, unknown>, standard: KindRates, remarks: Remarks): ListedPrice['multipliers'] {
  const found: { priority?: bigint; flex?: bigint; batch?: bigint } = {}
  for (const [mode, said] of Object.entries(modes)) {
    if (!isRecord(said) || !isRecord(said['cost'])) continue
    const tier = recordIn(recordIn(said['provider'])['body'])['service_tier']
    if (tier !== 'priority' && tier !== 'flex' && tier !== 'batch') {
      remarks.notes.push(`the mode ${mode}`)
      continue
    }
    const rates = Object.entries(ratesOf(said['cost'], mode, remarks))
    const pairs = rates.map(([kind, special]) => [special, standard[kind as TokenKind] ?? 0n] as const)
    const factor = factorOf(tier, pairs, remarks)
    if (factor !== undefined) found[tier] = factor
  }
  return found
}
