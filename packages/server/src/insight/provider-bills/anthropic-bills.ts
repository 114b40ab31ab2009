import { ExactNumber } from '../../values/exact-json.ts'
import { isRecord } from '../../values/records.ts'
import { dayMs } from '../../values/time.ts'
import { fineAmount } from './amounts.ts'
import { type BillLine, type BillPart, checkedCount, checkedName, checkedSpan, UnreadableBill } from './bill-lines.ts'
import type { TableRow } from './csv-table.ts'
import { type Bucket, countIn, type Fields, partOf, textIn } from './json-bills.ts'

/** Exports of Anthropic: its cost report and usage report, as its API answers and as its console writes tables. */

type Line = Omit<BillLine, 'measure' | 'startMs'>

const unsplit = 'the costs are not split by model: export them with group_by[]=description'

/** The cost report has amounts in cents. */
export const costReportOf = (buckets: readonly Bucket[]): BillPart =>
  partOf('amount', buckets, (result, where) => {
    const value = result['amount']
    const text = value instanceof ExactNumber ? value.text : (textIn(result, 'amount') ?? '')
    const fine = fineAmount(text, 'cents')
    if (fine === undefined) throw new UnreadableBill(`${where}.amount is no amount`)
    if (textIn(result, 'currency')?.toUpperCase() !== 'USD')
      throw new UnreadableBill(`${where}.amount is not in US dollars`)
    const model = textIn(result, 'model')
    const what = textIn(result, 'cost_type') ?? textIn(result, 'description')
    if (model === undefined && what === undefined && fine === 0n) return undefined
    return costLine({ model, what, tier: textIn(result, 'service_tier'), fine }, where)
  })

interface Cost {
  readonly model: string | undefined
  readonly what: string | undefined
  readonly tier: string | undefined
  readonly fine: bigint
}

function costLine({ model, what, tier = 'standard', fine }: Cost, where: string): Line {
  const isOther = model === undefined || (what !== undefined && !/^tokens?$/i.test(what))
  const name = isOther ? [what ?? '', model].filter(Boolean).join(' ') : model
  if (name === '' || (model === undefined && (what === undefined || /^tokens?$/i.test(what))))
    throw new UnreadableBill(unsplit)
  return { name: checkedName(name, where), isOther, tier: checkedName(tier, where), fine }
}

export const usageReportOf = (buckets: readonly Bucket[]): BillPart =>
  partOf('tokens', buckets, (result, where) => {
    const written: Fields = isRecord(result['cache_creation']) ? result['cache_creation'] : result
    const writes = [
      'ephemeral_5m_input_tokens',
      'ephemeral_1h_input_tokens',
      'cache_creation_5m_input_tokens',
      'cache_creation_1h_input_tokens',
    ]
    const tokens = {
      input: countIn(result, 'uncached_input_tokens', where),
      cache_read: countIn(result, 'cache_read_input_tokens', where),
      cache_write: writes.reduce((sum, name) => sum + countIn(written, name, where), 0n),
      output: countIn(result, 'output_tokens', where),
    }
    return usageLine(textIn(result, 'model'), textIn(result, 'service_tier') ?? 'standard', tokens, where)
  })

type Tokens = Required<NonNullable<BillLine['tokens']>>

function usageLine(model: string | undefined, tier: string, tokens: Tokens, where: string): Line | undefined {
  const all = Object.values(tokens).reduce((sum, count) => sum + count, 0n)
  if (model === undefined && all === 0n) return undefined
  if (model === undefined) throw new UnreadableBill('the usage is not split by model: export it with group_by[]=model')
  return { name: checkedName(model, where), isOther: false, tier: checkedName(tier, where), tokens }
}

const dayColumn = 'usage_date_utc'

/** Returns the lines of a table of costs or of usage; undefined for a table that is neither. */
export function tableOf(rows: readonly TableRow[]): BillPart | undefined {
  const [first] = rows
  const hasCosts = first?.cells.has('cost_usd')
  if (!first?.cells.has(dayColumn) || !(hasCosts || first.cells.has('usage_output_tokens'))) return undefined
  const measure = hasCosts ? 'amount' : 'tokens'
  const spans = new Set<number>()
  const lines = rows.flatMap((row): BillLine[] => {
    const where = `line ${row.line}`
    const cell = (name: string) => row.cells.get(name) ?? ''
    const day = /^(\d{4}-\d\d-\d\d)(?:T00:00:00(?:\.0+)?Z)?$/.exec(cell(dayColumn))?.[1] ?? ''
    const atMs = Date.parse(day)
    const startMs = checkedSpan(atMs, atMs + dayMs, where)
    spans.add(startMs)
    const line = hasCosts ? tableCost(cell, where) : tableUsage(cell, where)
    return line ? [{ measure, startMs, ...line }] : []
  })
  return { lines, spans: new Map([[measure, spans]]) }
}

type Cell = (name: string) => string
/** The table writes `--` where a column does not apply. */
const there = (text: string) => (text === '' || text === '--' ? undefined : text)

function tableCost(cell: Cell, where: string): Line {
  const fine = fineAmount(cell('cost_usd'))
  if (fine === undefined) throw new UnreadableBill(`${where} has no amount in cost_usd`)
  const model = there(cell('model') || cell('model_version'))
  return costLine({ model, what: there(cell('cost_type')), tier: tierOf(cell('usage_type')), fine }, where)
}

function tableUsage(cell: Cell, where: string): Line | undefined {
  const count = (name: string) => checkedCount(cell(name) || '0', `${where}, ${name},`)
  const tokens = {
    input: count('usage_input_tokens_no_cache'),
    cache_read: count('usage_input_tokens_cache_read'),
    cache_write: ['_5m', '_1h', ''].reduce((sum, end) => sum + count(`usage_input_tokens_cache_write${end}`), 0n),
    output: count('usage_output_tokens'),
  }
  return usageLine(there(cell('model_version') || cell('model')), tierOf(cell('usage_type')), tokens, where)
}

const tierOf = (type: string) => (/^(message|standard|token|)$/i.test(type) ? 'standard' : type.toLowerCase())
