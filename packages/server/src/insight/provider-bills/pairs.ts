import { nanoOfFine } from './amounts.ts'
import type { Bill, BilledDay } from './bill-files.ts'
import { type Measure, type TokenCounts, tokenKinds } from './bill-lines.ts'
import { isBilledBy, modelKey } from './model-keys.ts'

/** Usage of one model and provider, as runs name them, on one UTC day. */
export interface BookedRow {
  readonly day: number
  readonly model: string
  readonly provider: string
  readonly runs: number
  readonly input_tokens: bigint
  readonly output_tokens: bigint
  readonly cache_read_input_tokens: bigint
  readonly cache_creation_input_tokens: bigint
  readonly cost_nano: bigint
  readonly estimated_nano: bigint
}

/** Most that both sides may be apart and still count as equal, for each model and day. */
export interface Tolerance {
  readonly nano: bigint
  readonly tokens: bigint
}

/** Both sides of one model on one day. */
export interface Side {
  readonly runs: number
  readonly nano: bigint
  readonly estimatedNano: bigint
  readonly tokens: TokenCounts
}

export interface Pair {
  readonly day: number
  readonly key: string
  readonly names: readonly string[]
  readonly booked: Side | undefined
  readonly billed: BilledDay | undefined
  /** Amount that the bill has more than the runs; undefined where the bill does not say. */
  readonly nano: bigint | undefined
  readonly tokens: TokenCounts | undefined
}

export const isWithin = (difference: bigint, most: bigint): boolean => difference <= most && -difference <= most

export const sumOf = (amounts: readonly bigint[]) => amounts.reduce((all, one) => all + one, 0n)
export const billedNano = (billed: BilledDay | undefined): bigint =>
  billed?.fine === undefined ? 0n : nanoOfFine(billed.fine)
export const placeOf = (day: number, key: string, isOther: boolean) => `${day} ${isOther} ${key}`

/** Puts the days of a bill beside the runs that its provider bills. */
export function pairsOf({ biller, measures }: Bill, days: readonly BilledDay[], rows: readonly BookedRow[]): Pair[] {
  const billed = new Map(days.map((each) => [placeOf(each.day, each.key, each.isOther), each]))
  const own = rows.filter(({ model, provider }) => isBilledBy(biller, model, provider))
  const booked = Map.groupBy(own, ({ day, model }) => placeOf(day, modelKey(model), false))
  const places = [...new Set([...billed.keys(), ...booked.keys()])]
  return places.map((place) => {
    const there = billed.get(place)
    const here = booked.get(place)
    const [first] = here ?? []
    return pairOf(
      measures,
      there,
      here && {
        day: first?.day ?? 0,
        key: modelKey(first?.model ?? ''),
        names: [...new Set(here.map(({ model }) => model))],
        side: sideOf(here, biller === 'anthropic'),
      },
    )
  })
}

interface Here {
  readonly day: number
  readonly key: string
  readonly names: readonly string[]
  readonly side: Side
}

function pairOf(measures: Bill['measures'], billed: BilledDay | undefined, here: Here | undefined): Pair {
  const { day, key } = billed ?? here ?? { day: 0, key: '' }
  const booked = here?.side
  const has = (measure: Measure) =>
    measures.some((each) => each.measure === measure && day >= each.from && day < each.to)
  const hasTokens = has('tokens') && billed?.isOther !== true
  return {
    day,
    key,
    names: [...new Set([...(billed?.names ?? []), ...(here?.names ?? [])])].slice(0, 10),
    booked,
    billed,
    nano: has('amount') ? billedNano(billed) - (booked?.nano ?? 0n) : undefined,
    tokens: hasTokens
      ? Object.fromEntries(
          tokenKinds.map((kind) => [kind, (billed?.tokens?.[kind] ?? 0n) - (booked?.tokens[kind] ?? 0n)]),
        )
      : undefined,
  }
}

/** Adds up runs. Input of runs contains what was read from a cache and written into one; bills have each by itself, OpenAI's without writes. */
function sideOf(rows: readonly BookedRow[], countsWrites: boolean): Side {
  const total = (name: 'input_tokens' | 'output_tokens' | 'cache_read_input_tokens' | 'cache_creation_input_tokens') =>
    sumOf(rows.map((row) => row[name]))
  const reads = total('cache_read_input_tokens')
  const writes = countsWrites ? total('cache_creation_input_tokens') : 0n
  return {
    runs: rows.reduce((count, row) => count + row.runs, 0),
    nano: sumOf(rows.map((row) => row.cost_nano)),
    estimatedNano: sumOf(rows.map((row) => row.estimated_nano)),
    tokens: {
      input: total('input_tokens') - reads - writes,
      cache_read: reads,
      cache_write: writes,
      output: total('output_tokens'),
    },
  }
}
