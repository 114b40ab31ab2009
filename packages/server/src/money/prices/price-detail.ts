import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { Usd } from '../../contract/wire.ts'
import { formatUsd, parseUsd } from '../../values/money.ts'
import { namesOf } from '../../values/records.ts'
import type { ContextTier, OtherRates, Price, PriceEntry, Rates } from './price-entry.ts'
import { picoOf, usdPerMillion } from './rates.ts'

/** Schema of what an entry can say beside its four rates, on the wire and in the database. */

export const UsdPerMillion = (what: string) =>
  Type.String({
    pattern: '^(0|[1-9][0-9]{0,8}|[1-8][0-9]{9})(\\.[0-9]{1,6})?$',
    maxLength: 20,
    description: `US dollars per million ${what} tokens, as a decimal string, up to six decimals.`,
    examples: ['2.5'],
  })

const rate = (what: string) => Type.Optional(UsdPerMillion(what))

const otherKinds = {
  cache_write_1h: rate('cached input, for an hour,'),
  input_audio: rate('audio input'),
  input_image: rate('image input'),
  input_video: rate('video input'),
  cache_audio_read: rate('cached audio input'),
  cache_image_read: rate('cached image input'),
  output_audio: rate('audio output'),
  output_image: rate('image output'),
  output_video: rate('video output'),
  output_reasoning: rate('reasoning'),
  output_citation: rate('citation'),
}
const kinds = namesOf(otherKinds)

const OtherUsdPerMillion = Type.Object(otherKinds, {
  title: 'OtherUsdPerMillion',
  description:
    'For kinds of tokens with a price of their own; one that is left out costs what the tokens are otherwise.',
  examples: [{ cache_write_1h: '6' }],
})

const maxTiers = 2
const maxUnits = 4
const unitName = '^[a-z][a-z0-9_]{0,49}$'

const Tier = Type.Object(
  {
    above_input_tokens: Type.Integer({ minimum: 1, maximum: 10_000_000, examples: [200_000] }),
    input_usd_per_million: UsdPerMillion('input'),
    output_usd_per_million: UsdPerMillion('output'),
    cache_read_usd_per_million: rate('cached input'),
    cache_write_usd_per_million: rate('cached input'),
    other_usd_per_million: Type.Optional(OtherUsdPerMillion),
  },
  { title: 'PriceTier' },
)

const Factor = Type.Optional(
  Type.String({
    pattern: '^(0|[1-9][0-9]?)(\\.[0-9]{1,3})?$',
    maxLength: 6,
    description: 'A factor of the price, as a decimal string, up to three decimals.',
    examples: ['2'],
  }),
)

export const detailFields = {
  other_usd_per_million: OtherUsdPerMillion,
  tiers: Type.Array(Tier, {
    maxItems: maxTiers,
    description:
      'All rates of a call with more input than this; a rate that is left out is, for cached input, that of input in this tier.',
    examples: [[{ above_input_tokens: 200_000, input_usd_per_million: '5', output_usd_per_million: '20' }]],
  }),
  units_usd: Type.Record(Type.String({ pattern: unitName, maxLength: 50 }), Usd, {
    maxProperties: maxUnits,
    description:
      'Dollars for one of something that is not a token, by the name under which runs report it in `units`; `request` is the fee of every call. Up to $1,000,000.',
    examples: [{ web_search: '0.01' }],
  }),
  multipliers: Type.Object(
    { priority: Factor, flex: Factor, batch: Factor },
    {
      title: 'PriceMultipliers',
      description:
        'Factors of the price of tokens by `service_tier`. Left out: that of the provider where Weir knows it, else 2 for `priority` and 1.',
      examples: [{ priority: '1.75', batch: '0.5' }],
    },
  ),
}

const detail = Type.Object(detailFields)
export type PriceDetail = Readonly<Static<typeof detail>>

const noDetail: PriceDetail = { other_usd_per_million: {}, tiers: [], units_usd: {}, multipliers: {} }

/** Returns the detail of an entry as it is stored; null where it says nothing. */
export function storeDetail(said: Partial<PriceDetail>): PriceDetail | null {
  const { other_usd_per_million, tiers, units_usd, multipliers } = { ...noDetail, ...said }
  const all: PriceDetail = {
    other_usd_per_million,
    tiers: tiers.toSorted((a, b) => a.above_input_tokens - b.above_input_tokens),
    units_usd,
    multipliers,
  }
  return Object.values(all).every((part) => Object.keys(part).length === 0) ? null : all
}

/** Returns the part of a price that its stored detail says. */
export function restoreDetail(
  stored: PriceDetail | null,
): Pick<PriceEntry, 'others' | 'tiers' | 'units' | 'multipliers'> {
  if (!stored) return {}
  const { other_usd_per_million, tiers, units_usd, multipliers } = stored
  const others = othersOf(other_usd_per_million)
  return {
    ...(others && { others }),
    ...(tiers.length > 0 && { tiers: tiers.map(tierOf) }),
    ...(Object.keys(units_usd).length > 0 && {
      units: Object.fromEntries(Object.entries(units_usd).map(([name, usd]) => [name, parseUsd(usd) * picoPerNano])),
    }),
    ...(Object.keys(multipliers).length > 0 && {
      multipliers: Object.fromEntries(
        Object.entries(multipliers).map(([tier, factor]) => [tier, parseUsd(factor) / nanoPerThousandth]),
      ),
    }),
  }
}

const picoPerNano = 1_000n
const nanoPerThousandth = 1_000_000n

const othersOf = (texts: Static<typeof OtherUsdPerMillion>): OtherRates | undefined =>
  Object.keys(texts).length === 0
    ? undefined
    : Object.fromEntries(Object.entries(texts).map(([kind, text]) => [kind, picoOf(text)]))

function tierOf(tier: Static<typeof Tier>): ContextTier {
  const input = picoOf(tier.input_usd_per_million)
  const cached = (text: string | undefined) => (text === undefined ? input : picoOf(text))
  const others = othersOf(tier.other_usd_per_million ?? {})
  return {
    above: tier.above_input_tokens,
    inputPico: input,
    outputPico: picoOf(tier.output_usd_per_million),
    cacheReadPico: cached(tier.cache_read_usd_per_million),
    cacheWritePico: cached(tier.cache_write_usd_per_million),
    ...(others && { others }),
  }
}

/** Shows what a price says beside its four rates: of the built-in ones the kinds of tokens that an own entry can have. */
export const detailView = (price: Price & Pick<PriceEntry, 'multipliers'>): PriceDetail => ({
  other_usd_per_million: othersView(price),
  tiers: (price.tiers ?? []).map((tier) => ({
    above_input_tokens: tier.above,
    input_usd_per_million: usdPerMillion(tier.inputPico),
    output_usd_per_million: usdPerMillion(tier.outputPico),
    cache_read_usd_per_million: usdPerMillion(tier.cacheReadPico),
    cache_write_usd_per_million: usdPerMillion(tier.cacheWritePico),
    other_usd_per_million: othersView(tier),
  })),
  units_usd: Object.fromEntries(
    Object.entries(price.units ?? {}).map(([name, pico]) => [name, formatUsd((pico + picoPerNano - 1n) / picoPerNano)]),
  ),
  multipliers: Object.fromEntries(
    Object.entries(price.multipliers ?? {}).map(([tier, factor]) => [
      tier,
      formatUsd((factor ?? 0n) * nanoPerThousandth),
    ]),
  ),
})

const othersView = ({ others }: Rates): PriceDetail['other_usd_per_million'] =>
  Object.fromEntries(
    kinds.flatMap((kind) => {
      const pico = others?.[kind]
      return pico === undefined ? [] : [[kind, usdPerMillion(pico)]]
    }),
  )

/** Field errors of a detail: two tiers from one length on, and fees above what one call may cost. */
export function detailFaults({ tiers = [], units_usd = {} }: Partial<PriceDetail>, mostNano: bigint): FieldFault[] {
  const lengths = tiers.map(({ above_input_tokens }) => above_input_tokens)
  return [
    ...lengths.flatMap((above, i) =>
      lengths.indexOf(above) === i
        ? []
        : [
            {
              field: `tiers.${i}.above_input_tokens`,
              code: 'invalid_value' as const,
              message: 'Another tier begins at the same length.',
            },
          ],
    ),
    ...Object.entries(units_usd).flatMap(([name, usd]) =>
      parseUsd(usd) > mostNano
        ? [
            {
              field: `units_usd.${name}`,
              code: 'out_of_range' as const,
              message: 'This is more than one call may cost.',
            },
          ]
        : [],
    ),
  ]
}
