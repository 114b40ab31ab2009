/** A price with the model, provider and date it applies to. */
export interface PriceEntry extends Price {
  readonly model: string
  /** `''` for any provider. */
  readonly provider: string
  readonly effectiveFromMs: number
  /** Factors of the price of tokens by tier of service, in thousandths, where they are not those of the provider. */
  readonly multipliers?: Readonly<Partial<Record<string, bigint>>> | undefined
}

/** Kinds of tokens that may have a rate of their own, beside those that every price has. */
export const otherRates = [
  'cache_write_1h',
  'input_audio',
  'input_image',
  'input_video',
  'cache_audio_read',
  'cache_image_read',
  'output_audio',
  'output_image',
  'output_video',
  'output_reasoning',
  'output_citation',
] as const
export type OtherRates = Readonly<Partial<Record<(typeof otherRates)[number], bigint>>>

/** Pico-dollars per token. */
export interface Rates {
  readonly inputPico: bigint
  readonly outputPico: bigint
  readonly cacheReadPico: bigint
  readonly cacheWritePico: bigint
  readonly others?: OtherRates | undefined
}

/** Rates of a call with more input than a threshold. */
export interface ContextTier extends Rates {
  readonly above: number
}

export interface Price extends Rates {
  /** `prc_…` for an organization's own, `list:<model>@<date>` or `catalog:<provider>/<model>@<date>` for a built-in one. */
  readonly id: string
  readonly maxOutputTokens: number | null
  /** By threshold, the lowest first. */
  readonly tiers?: readonly ContextTier[] | undefined
  /** Pico-dollars for one of something that is not a token: a search, a page, a second, the request itself. */
  readonly units?: Readonly<Record<string, bigint>> | undefined
  /** The rates that holds take where another source says more; a settlement is charged at the price itself. */
  readonly heldAt?: Rates | undefined
}

/** Returns the rates of a call with this much input. */
export function ratesFor(price: Price, inputTokens: number): Rates {
  let rates: Rates = price
  for (const tier of price.tiers ?? []) if (inputTokens > tier.above) rates = tier
  return rates
}

const largest = (first: bigint, rest: readonly (bigint | undefined)[]): bigint =>
  rest.reduce((a: bigint, b) => (b !== undefined && b > a ? b : a), first)

/** The longest-lived cache that a call can write its input to. */
export const cacheCreations = ['none', '5m', '1h'] as const
export type CacheCreation = (typeof cacheCreations)[number]

/** The dearest rate of input: any part of it may turn out to be read from a cache, written to one that it can write to, or not text. */
export const dearestInput = (
  { inputPico, cacheReadPico, cacheWritePico, others }: Rates,
  cacheCreation: CacheCreation = '1h',
): bigint =>
  largest(inputPico, [
    cacheReadPico,
    cacheCreation === 'none' ? undefined : cacheWritePico,
    cacheCreation === '1h' ? others?.cache_write_1h : undefined,
    others?.input_audio,
    others?.input_image,
    others?.input_video,
    others?.cache_audio_read,
    others?.cache_image_read,
  ])

/** The dearest rate of output: any part of it may turn out to be something else than text. */
export const dearestOutput = ({ outputPico, others }: Rates): bigint =>
  largest(outputPico, [
    others?.output_audio,
    others?.output_image,
    others?.output_video,
    others?.output_reasoning,
    others?.output_citation,
  ])

/** True when nothing that a call may use costs anything. */
export const isFree = (price: Price): boolean =>
  [price, ...(price.tiers ?? [])].every((rates) => dearestInput(rates) === 0n && dearestOutput(rates) === 0n) &&
  Object.values(price.units ?? {}).every((pico) => pico === 0n)

/** Returns a price with what another one knows beside it: rates of long input, of other kinds of tokens, of units. */
export function completedBy<P extends Price>(price: P, other: Price): P {
  const { inputPico, outputPico, cacheReadPico, cacheWritePico } = price
  const joined = dearerOf(price, other)
  return { ...joined, inputPico, outputPico, cacheReadPico, cacheWritePico }
}

/** Returns the dearer of two prices, rate by rate, with everything that either knows. */
export function dearerOf<P extends Price>(price: P, other: Price): P {
  const thresholds = [...(price.tiers ?? []), ...(other.tiers ?? [])].map(({ above }) => above)
  const tiers = [...new Set(thresholds)]
    .toSorted((a, b) => a - b)
    .map((above) => ({ above, ...dearerRates(ratesFor(price, above + 1), ratesFor(other, above + 1)) }))
  const units = largerOf(price.units, other.units)
  return { ...price, ...dearerRates(price, other), ...(tiers.length > 0 && { tiers }), ...(units && { units }) }
}

export function dearerRates(a: Rates, b: Rates): Rates {
  const others = largerOf(a.others, b.others)
  return {
    inputPico: largest(a.inputPico, [b.inputPico]),
    outputPico: largest(a.outputPico, [b.outputPico]),
    cacheReadPico: largest(a.cacheReadPico, [b.cacheReadPico]),
    cacheWritePico: largest(a.cacheWritePico, [b.cacheWritePico]),
    ...(others && { others }),
  }
}

type Named = Readonly<Partial<Record<string, bigint>>>

function largerOf(a: Named | undefined, b: Named | undefined): Record<string, bigint> | undefined {
  if (!a && !b) return undefined
  const names = [...new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})])]
  return Object.fromEntries(names.map((name) => [name, largest(a?.[name] ?? 0n, [b?.[name]])]))
}
