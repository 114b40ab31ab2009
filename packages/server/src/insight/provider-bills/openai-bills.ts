import { ExactNumber } from '../../values/exact-json.ts'
import { isRecord } from '../../values/records.ts'
import { fineAmount } from './amounts.ts'
import { type BillLine, type BillPart, checkedCount, checkedName, checkedSpan, UnreadableBill } from './bill-lines.ts'
import type { TableRow } from './csv-table.ts'
import { type Bucket, countIn, type Fields, partOf, textIn } from './json-bills.ts'

/** Exports of OpenAI: costs and usage of completions, as its API answers and as its console writes tables. */

type Line = Omit<BillLine, 'measure' | 'startMs'>

/** End of a line item after its model, such as `, cached input`. */
const meter = /^(.+?), *((?:[a-z]+ )*(?:input|output|cached|tokens|training))$/i
const tiers = ['batch', 'flex', 'priority'] as const

function lineOfItem(item: string, fine: bigint, where: string): Line {
  const [, model, kind = ''] = meter.exec(item) ?? []
  const tier = tiers.find((name) => kind.toLowerCase().split(' ').includes(name)) ?? 'standard'
  // A model is one word: what has several and no meter is a tool or a fee.
  const isOther = model === undefined && /[\s|]/.test(item)
  return { name: checkedName(model ?? item, where), isOther, tier, fine }
}

const unsplit = 'the costs are not split by line item: export them with group_by=line_item'

function dollars(text: string, currency: string | undefined, where: string): bigint {
  const fine = fineAmount(text)
  if (fine === undefined) throw new UnreadableBill(`${where} is no amount`)
  if (currency?.toLowerCase() !== 'usd') throw new UnreadableBill(`${where} is not in US dollars`)
  return fine
}

export const costsOf = (buckets: readonly Bucket[]): BillPart =>
  partOf('amount', buckets, (result, where) => {
    const amount: Fields = isRecord(result['amount']) ? result['amount'] : {}
    const value = amount['value']
    const text = value instanceof ExactNumber ? value.text : (textIn(amount, 'value') ?? '')
    const fine = dollars(text, textIn(amount, 'currency'), `${where}.amount`)
    const item = textIn(result, 'line_item')
    if (item === undefined && fine === 0n) return undefined
    if (item === undefined) throw new UnreadableBill(unsplit)
    return lineOfItem(item, fine, where)
  })

export const completionsOf = (buckets: readonly Bucket[]): BillPart =>
  partOf('tokens', buckets, (result, where) => {
    const all = countIn(result, 'input_tokens', where)
    const cached = countIn(result, 'input_cached_tokens', where)
    const isBatch = result['batch'] === true
    return lineOfTokens(
      textIn(result, 'model'),
      isBatch ? 'batch' : (textIn(result, 'service_tier') ?? 'standard'),
      { all, cached, output: countIn(result, 'output_tokens', where) },
      where,
    )
  })

interface Counted {
  readonly all: bigint
  readonly cached: bigint
  readonly output: bigint
}

function lineOfTokens(model: string | undefined, tier: string, counted: Counted, where: string): Line | undefined {
  const { all, cached, output } = counted
  if (model === undefined && all + output === 0n) return undefined
  if (model === undefined) throw new UnreadableBill('the usage is not split by model: export it with group_by=model')
  if (cached > all) throw new UnreadableBill(`${where} has more cached tokens than input`)
  const tokens = { input: all - cached, cache_read: cached, output }
  return { name: checkedName(model, where), isOther: false, tier: checkedName(tierOf(tier), where), tokens }
}

const tierOf = (tier: string) => (tier === 'default' || tier === 'auto' ? 'standard' : tier)

/** Returns the lines of a table of costs or of usage; undefined for a table that is neither. */
export function tableOf(rows: readonly TableRow[]): BillPart | undefined {
  const [first] = rows
  const hasCosts = first?.cells.has('amount_value') && first.cells.has('line_item')
  const hasUsage = first?.cells.has('input_tokens') && first.cells.has('output_tokens')
  if (!first?.cells.has('start_time') || !(hasCosts || hasUsage)) return undefined
  const measure = hasCosts ? 'amount' : 'tokens'
  const spans = new Set<number>()
  const lines = rows.flatMap((row): BillLine[] => {
    const where = `line ${row.line}`
    const cell = (name: string) => row.cells.get(name) ?? ''
    const startMs = checkedSpan(secondsOf(cell('start_time')), secondsOf(cell('end_time')), where)
    spans.add(startMs)
    const line = hasCosts ? costLine(cell, where) : usageLine(cell, where)
    return line ? [{ measure, startMs, ...line }] : []
  })
  return { lines, spans: new Map([[measure, spans]]) }
}

const secondsOf = (text: string) => (/^\d{1,12}$/.test(text) ? Number(text) * 1_000 : NaN)
type Cell = (name: string) => string

function costLine(cell: Cell, where: string): Line | undefined {
  // A day without costs is a line of times alone.
  if (cell('amount_value') === '') return undefined
  const fine = dollars(cell('amount_value'), cell('amount_currency') || cell('currency'), where)
  const item = cell('line_item')
  if (item === '' && fine !== 0n) throw new UnreadableBill(unsplit)
  return item === '' ? undefined : lineOfItem(item, fine, where)
}

function usageLine(cell: Cell, where: string): Line | undefined {
  const count = (name: string) => checkedCount(cell(name) || '0', `${where}, ${name},`)
  const isBatch = cell('batch').toLowerCase() === 'true'
  return lineOfTokens(
    cell('model') || undefined,
    isBatch ? 'batch' : cell('service_tier') || 'standard',
    { all: count('input_tokens'), cached: count('input_cached_tokens'), output: count('output_tokens') },
    where,
  )
}
