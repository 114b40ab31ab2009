import { parseExact } from '../../values/exact-json.ts'
import { isRecord } from '../../values/records.ts'
import { dayMs } from '../../values/time.ts'
import { isWholeCents } from './amounts.ts'
import { tableOf as anthropicTable, costReportOf, usageReportOf } from './anthropic-bills.ts'
import {
  type Biller,
  type BillLine,
  type BillPart,
  type Measure,
  type TokenCounts,
  tokenKinds,
  UnreadableBill,
} from './bill-lines.ts'
import { tableRows } from './csv-table.ts'
import { bucketsOf } from './json-bills.ts'
import { modelKey } from './model-keys.ts'
import { completionsOf, costsOf, tableOf as openaiTable } from './openai-bills.ts'

/** Formats of exports. */
export const billFormats = [
  'openai-costs',
  'openai-usage',
  'anthropic-cost-report',
  'anthropic-usage-report',
  'openai-csv',
  'anthropic-csv',
] as const
export type BillFormat = (typeof billFormats)[number]

interface ReadFile {
  readonly format: BillFormat
  readonly parts: readonly BillPart[]
}

/** Everything that a bill says of one model, or of one charge that is for no model, on one UTC day. */
export interface BilledDay {
  readonly day: number
  readonly key: string
  /** Names as the files spell them. */
  readonly names: readonly string[]
  readonly isOther: boolean
  readonly tokens: TokenCounts | undefined
  readonly fine: bigint | undefined
  /** Lines with an amount, all of them in whole cents or not. */
  readonly lines: number
  readonly isRounded: boolean
  /** Tiers of service beside the standard one. */
  readonly tiers: readonly string[]
}

/** A bill: what all its files add up to. Days are counted from 1970-01-01. */
export interface Bill extends DaySpan {
  readonly biller: Biller
  readonly files: readonly { readonly format: BillFormat; readonly lines: number }[]
  /** Numbers that it has, and the days for which it has them. */
  readonly measures: readonly (DaySpan & { readonly measure: Measure })[]
  readonly days: readonly BilledDay[]
}

/** The first of some days, and the one after the last. */
export interface DaySpan {
  readonly from: number
  readonly to: number
}

const maxModelDays = 20_000
const billerOf = (format: BillFormat): Biller => (format.startsWith('openai') ? 'openai' : 'anthropic')

const unknown =
  'is no export that is known: costs or usage of completions of OpenAI, cost or usage report of Anthropic, as JSON of their APIs or CSV of their consoles'

/** Reads the files of one bill. */
export function readBill(texts: readonly string[]): Bill {
  const files = texts.map((text, i) => within(texts.length === 1 ? 'the file' : `file ${i + 1}`, () => readFile(text)))
  const [biller, another] = new Set(files.map(({ format }) => billerOf(format)))
  if (biller === undefined || another !== undefined)
    throw new UnreadableBill('the files are of different providers: compare each provider by itself')
  const parts = files.flatMap((file) => file.parts)
  refuseOverlaps(parts)
  const spanOf = (measure: Measure) => daySpan(parts.flatMap(({ spans }) => [...(spans.get(measure) ?? [])]))
  const measures = (['amount', 'tokens'] as const).flatMap((measure) => {
    const span = spanOf(measure)
    return span ? [{ measure, ...span }] : []
  })
  const [first] = measures
  if (first === undefined) throw new UnreadableBill('the files cover no day')
  return {
    biller,
    files: files.map(({ format, parts: own }) => ({
      format,
      lines: own.reduce((sum, { lines }) => sum + lines.length, 0),
    })),
    measures,
    from: measures.reduce((least, { from }) => Math.min(least, from), first.from),
    to: measures.reduce((most, { to }) => Math.max(most, to), first.to),
    days: billedDays(parts.flatMap(({ lines }) => lines)),
  }
}

function daySpan(starts: readonly number[]): DaySpan | undefined {
  if (starts.length === 0) return undefined
  const days = starts.map((startMs) => Math.floor(startMs / dayMs))
  return {
    from: days.reduce((least, day) => Math.min(least, day)),
    to: days.reduce((most, day) => Math.max(most, day)) + 1,
  }
}

function within(where: string, read: () => ReadFile): ReadFile {
  try {
    return read()
  } catch (error) {
    if (error instanceof UnreadableBill) throw new UnreadableBill(`${where}: ${error.message}`)
    // The parser of the engine gives up on a text that is nested too deeply.
    if (error instanceof RangeError) throw new UnreadableBill(`${where} is nested too deeply`)
    throw error
  }
}

function readFile(text: string): ReadFile {
  const start = text.trimStart().slice(0, 1)
  return start === '{' || start === '[' ? readJson(text) : readTable(text)
}

/** Reads the page of an API, or a list of its pages. */
function readJson(text: string): ReadFile {
  let json: unknown
  refuseMany(text)
  try {
    json = parseExact(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw new UnreadableBill(`is no JSON: ${error.message.slice(0, 100)}`)
    throw error
  }
  const pages = (Array.isArray(json) ? (json as unknown[]) : [json]).map((page) => {
    const buckets = bucketsOf(page)
    if (buckets === undefined) throw new UnreadableBill(unknown)
    return { buckets, isOpenai: isRecord(page) && page['object'] === 'page' }
  })
  const results = pages.flatMap(({ buckets }) => buckets.flatMap((bucket) => bucket.results))
  const isOpenai = pages.some((page) => page.isOpenai) || results.some((result) => 'object' in result)
  const has = (name: string) => results.some((result) => Object.hasOwn(result, name))
  const [format, read] = isOpenai
    ? has('input_tokens')
      ? (['openai-usage', completionsOf] as const)
      : (['openai-costs', costsOf] as const)
    : has('uncached_input_tokens') || has('output_tokens')
      ? (['anthropic-usage-report', usageReportOf] as const)
      : (['anthropic-cost-report', costReportOf] as const)
  return { format, parts: pages.map(({ buckets }) => read(buckets)) }
}

/** Most values of a JSON text; those of a real export are longer than this many would be. */
const maxValues = 400_000

/** Refuses a text of very many short values, which takes the parser many times what its length says. */
function refuseMany(text: string) {
  let count = 0
  for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) count += 1
  if (count > maxValues) throw new UnreadableBill(`has more than ${maxValues} values: send a shorter time`)
}

function readTable(text: string): ReadFile {
  const rows = [...tableRows(text)]
  const openai = openaiTable(rows)
  if (openai) return { format: 'openai-csv', parts: [openai] }
  const anthropic = anthropicTable(rows)
  if (anthropic) return { format: 'anthropic-csv', parts: [anthropic] }
  throw new UnreadableBill(unknown)
}

/** Refuses a bill in which something stands twice: a file that is sent with a page of it would double its amounts. */
function refuseOverlaps(parts: readonly BillPart[]) {
  const seen = new Set<string>()
  for (const { spans } of parts)
    for (const [measure, starts] of spans)
      for (const startMs of starts) {
        const key = `${measure} ${startMs}`
        if (seen.has(key))
          throw new UnreadableBill(`${dateOf(Math.floor(startMs / dayMs))} is in two files, or on two pages of one`)
        seen.add(key)
      }
}

/** Returns a day as a date. */
export const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

interface Adding {
  names: Set<string>
  tokens: Map<string, bigint> | undefined
  fine: bigint | undefined
  lines: number
  isRounded: boolean
  tiers: Set<string>
}

function billedDays(lines: readonly BillLine[]): BilledDay[] {
  const days = new Map<
    string,
    { readonly day: number; readonly key: string; readonly isOther: boolean; readonly sum: Adding }
  >()
  for (const line of lines) {
    const day = Math.floor(line.startMs / dayMs)
    const key = line.isOther ? line.name : modelKey(line.name)
    const place = `${day} ${line.isOther} ${key}`
    const known = days.get(place) ?? { day, key, isOther: line.isOther, sum: nothing() }
    if (days.size >= maxModelDays && !days.has(place))
      throw new UnreadableBill(`the files have more than ${maxModelDays} models and days: send a shorter time`)
    days.set(place, known)
    add(known.sum, line)
  }
  return [...days.values()].map(({ day, key, isOther, sum }) => ({
    day,
    key,
    isOther,
    names: [...sum.names].toSorted(),
    tokens: sum.tokens && Object.fromEntries(tokenKinds.map((kind) => [kind, sum.tokens?.get(kind) ?? 0n])),
    fine: sum.fine,
    lines: sum.lines,
    isRounded: sum.isRounded,
    tiers: [...sum.tiers].toSorted(),
  }))
}

const nothing = (): Adding => ({
  names: new Set(),
  tokens: undefined,
  fine: undefined,
  lines: 0,
  isRounded: true,
  tiers: new Set(),
})

const maxNames = 10

function add(sum: Adding, { name, tier, tokens, fine }: BillLine) {
  if (sum.names.size < maxNames) sum.names.add(name)
  if (tier !== 'standard' && sum.tiers.size < maxNames) sum.tiers.add(tier)
  if (tokens) {
    sum.tokens ??= new Map()
    for (const [kind, count] of Object.entries(tokens)) sum.tokens.set(kind, (sum.tokens.get(kind) ?? 0n) + count)
  }
  if (fine !== undefined) {
    sum.fine = (sum.fine ?? 0n) + fine
    sum.lines += 1
    sum.isRounded &&= isWholeCents(fine)
  }
}
