import { ExactNumber } from '../../values/exact-json.ts'
import { isRecord } from '../../values/records.ts'
import { type BillLine, type BillPart, checkedCount, checkedSpan, type Measure, UnreadableBill } from './bill-lines.ts'

export type Fields = Readonly<Record<string, unknown>>

/** A page of an API: its spans of time, each with its results. */
export interface Bucket {
  readonly startMs: number
  readonly results: readonly Fields[]
  readonly where: string
}

const listIn = (fields: Fields, name: string): readonly unknown[] | undefined =>
  Object.hasOwn(fields, name) && Array.isArray(fields[name]) ? (fields[name] as unknown[]) : undefined

/** Returns the buckets of a page; undefined for what is no page. */
export function bucketsOf(page: unknown): Bucket[] | undefined {
  const data = isRecord(page) ? listIn(page, 'data') : undefined
  return data?.map((bucket, i) => {
    const where = `data[${i}]`
    if (!isRecord(bucket)) throw new UnreadableBill(`${where} is no span of time`)
    const results = listIn(bucket, 'results') ?? listIn(bucket, 'result')
    if (results === undefined) throw new UnreadableBill(`${where} has no results`)
    return { startMs: spanOf(bucket, where), results: results.filter(isRecord), where }
  })
}

function spanOf(bucket: Fields, where: string): number {
  const [startMs, endMs] = ([['start_time', 'starting_at'] as const, ['end_time', 'ending_at'] as const] as const).map(
    ([unix, text]) => {
      const seconds = bucket[unix]
      if (seconds instanceof ExactNumber) return /^\d{1,12}$/.test(seconds.text) ? Number(seconds.text) * 1_000 : NaN
      const time = bucket[text]
      return typeof time === 'string' ? Date.parse(time) : NaN
    },
  )
  return checkedSpan(startMs ?? NaN, endMs ?? NaN, where)
}

export const textIn = (fields: Fields, name: string): string | undefined => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns a count of tokens; what is not there is none. */
export function countIn(fields: Fields, name: string, where: string): bigint {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (value === undefined || value === null) return 0n
  return checkedCount(value instanceof ExactNumber ? value.text : '', `${where}.${name}`)
}

/** Makes a part of a page whose results are all of one measure. */
export function partOf(
  measure: Measure,
  buckets: readonly Bucket[],
  lineOf: (result: Fields, where: string) => Omit<BillLine, 'measure' | 'startMs'> | undefined,
): BillPart {
  return {
    spans: new Map([[measure, new Set(buckets.map(({ startMs }) => startMs))]]),
    lines: buckets.flatMap(({ startMs, results, where }) =>
      results.flatMap((result, i) => {
        const line = lineOf(result, `${where}.results[${i}]`)
        return line ? [{ measure, startMs, ...line }] : []
      }),
    ),
  }
}
