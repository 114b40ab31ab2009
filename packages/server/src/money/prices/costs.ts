import { type otherRates, type Price, type Rates, ratesFor } from './price-entry.ts'

type OtherKind = (typeof otherRates)[number]

export interface TokenUsage {
  /** All input tokens, cached ones included. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  /** Tokens among these that may have a rate of their own. Cached audio is a part of the audio and of what was read from the cache. */
  readonly others?: Readonly<Partial<Record<OtherKind, number>>> | undefined
  /** Units used beside tokens, by name; those without a fee cost nothing here. */
  readonly units?: Readonly<Record<string, number>> | undefined
}

/** Returns the exact cost, at the rates of its length, rounded up once to a whole nano-dollar. */
export function costOf(price: Price, usage: TokenUsage): bigint {
  const rates = ratesFor(price, usage.inputTokens)
  const tokens = usage.others ? costOfKinds(rates, usage, usage.others) : costOfPlain(rates, usage)
  return nanoOf(tokens + feeOf(price, usage.units))
}

function costOfPlain(rates: Rates, usage: TokenUsage): bigint {
  const read = BigInt(usage.cacheReadTokens ?? 0)
  const written = BigInt(usage.cacheWriteTokens ?? 0)
  const rest = BigInt(usage.inputTokens) - read - written
  return (
    atLeastNone(rest) * rates.inputPico +
    read * rates.cacheReadPico +
    written * rates.cacheWritePico +
    BigInt(usage.outputTokens) * rates.outputPico
  )
}

/** Returns the cost of tokens by their kinds. A kind without a rate of its own costs what the tokens are otherwise. */
function costOfKinds(rates: Rates, usage: TokenUsage, others: NonNullable<TokenUsage['others']>): bigint {
  const count = (kind: OtherKind) => BigInt(others[kind] ?? 0)
  const rateOf = (kind: OtherKind, otherwise: bigint) => rates.others?.[kind] ?? otherwise
  const read = BigInt(usage.cacheReadTokens ?? 0)
  const written = BigInt(usage.cacheWriteTokens ?? 0)
  const cachedAudio = count('cache_audio_read')
  const cachedImage = count('cache_image_read')
  const kinds: readonly (readonly [tokens: bigint, pico: bigint])[] = [
    [read - cachedAudio - cachedImage, rates.cacheReadPico],
    [cachedAudio, rateOf('cache_audio_read', rates.cacheReadPico)],
    [cachedImage, rateOf('cache_image_read', rates.cacheReadPico)],
    [written - count('cache_write_1h'), rates.cacheWritePico],
    [count('cache_write_1h'), rateOf('cache_write_1h', rates.cacheWritePico)],
    [count('input_audio') - cachedAudio, rateOf('input_audio', rates.inputPico)],
    [count('input_image') - cachedImage, rateOf('input_image', rates.inputPico)],
    [count('input_video'), rateOf('input_video', rates.inputPico)],
  ]
  const outputs: readonly (readonly [tokens: bigint, pico: bigint])[] = (
    ['output_audio', 'output_image', 'output_video', 'output_reasoning', 'output_citation'] as const
  ).map((kind) => [count(kind), rateOf(kind, rates.outputPico)])
  const sum = (all: typeof kinds) => all.reduce((tokens, [each]) => tokens + atLeastNone(each), 0n)
  return [
    ...kinds,
    ...outputs,
    [BigInt(usage.inputTokens) - sum(kinds), rates.inputPico] as const,
    [BigInt(usage.outputTokens) - sum(outputs), rates.outputPico] as const,
  ].reduce((pico, [tokens, rate]) => pico + atLeastNone(tokens) * rate, 0n)
}

const atLeastNone = (tokens: bigint) => (tokens > 0n ? tokens : 0n)

/** The name of the fee that every request pays once, whatever it uses. */
const perRequest = 'request'

/** Returns the fees of a call, in pico-dollars: that of the request, and those of the units it used. */
export function feeOf({ units }: Price, used?: TokenUsage['units']): bigint {
  if (!units) return 0n
  const requests = Math.max(1, used?.[perRequest] ?? 1)
  return Object.entries({ ...used, [perRequest]: requests }).reduce(
    (pico, [name, count]) => pico + BigInt(count) * (units[name] ?? 0n),
    0n,
  )
}

/** The names of used units that have no fee at this price. */
export const unpricedUnits = ({ units }: Price, used: TokenUsage['units']): string[] =>
  Object.entries(used ?? {}).flatMap(([name, count]) =>
    count > 0 && name !== perRequest && units?.[name] === undefined ? [name] : [],
  )

export const nanoOf = (pico: bigint): bigint => (pico + 999n) / 1_000n
