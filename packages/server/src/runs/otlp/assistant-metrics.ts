import { maxRunTokens } from '../../records/run-log/run-log.ts'
import { recordIn, withoutUndefined } from '../../values/records.ts'
import type { RecordedRun } from '../runs.ts'
import { wantedOfAssistants } from './assistant-names.ts'
import {
  billingOf,
  labelsOf,
  modelOf,
  type Reporter,
  reportId,
  said,
  sessionOf,
  telemetryFacts,
} from './assistant-runs.ts'
import { attributesOf, type SpanAttributes } from './attributes.ts'
import { nanoOfDollars } from './decimal.ts'
import { mappedAttributes } from './mapping.ts'
import type { DataPointFields, MetricsRequest, SumFields } from './metrics-request.ts'
import { checkTimes, msOf, Unrecordable } from './run-fields.ts'

export const pointKinds = ['input', 'output', 'cache_read', 'cache_creation', 'cost'] as const
export type PointKind = (typeof pointKinds)[number]

/** A sum that an assistant reports: of a series since its start or, where it reports differences, of one interval. */
export interface Point {
  /** The same however often the sum is reported; of a series, whatever its value. */
  readonly id: string
  readonly session: string
  readonly kind: PointKind
  /** Tokens, or nano-dollars. */
  readonly value: number
  readonly startMs: number
  readonly endMs: number
  /** The run that it is a part of, as far as that does not depend on what other points say. */
  readonly call: Omit<RecordedRun, 'external_id'>
}

export interface ReportedPoints {
  readonly points: readonly Point[]
  readonly rejected: { readonly count: number; readonly messages: readonly string[] }
  readonly ignored: number
}

const kinds: Readonly<Record<string, PointKind>> = {
  input: 'input',
  output: 'output',
  cacheRead: 'cache_read',
  cacheCreation: 'cache_creation',
}
const maxMessages = 10
const pointsPerStep = 200
export const maxPoints = 10_000

/** Converts the data points of a request, cooperatively. Only Claude Code's name their session; all others are ignored. */
export function* convertMetrics(request: MetricsRequest, reporter: Reporter): Generator<void, ReportedPoints> {
  const mapped = mappedAttributes(reporter.mapping)
  const points: Point[] = []
  const messages: string[] = []
  let [rejected, ignored, seen] = [0, 0, 0]
  for (const { resource, scopeMetrics } of request.resourceMetrics ?? []) {
    const ofResource = attributesOf(resource, mapped, wantedOfAssistants)
    for (const { name, sum } of (scopeMetrics ?? []).flatMap(({ metrics }) => metrics ?? [])) {
      const { dataPoints, ...about }: SumFields = recordIn(sum)
      for (const point of Array.isArray(dataPoints) ? (dataPoints as readonly unknown[]) : []) {
        if (++seen % pointsPerStep === 0) yield
        const attributes = attributesOf(point, mapped, wantedOfAssistants)
        const kind = kindOf(name, attributes)
        if (kind === undefined) {
          ignored += 1
          continue
        }
        try {
          const found = pointOf(kind, recordIn(point), about, attributes, ofResource, reporter)
          if (found.value > 0) points.push(found)
          else ignored += 1
        } catch (error) {
          if (!(error instanceof Unrecordable)) throw error
          rejected += 1
          if (messages.length < maxMessages) messages.push(`${String(name)}: ${error.message}`)
        }
      }
    }
  }
  return { points, rejected: { count: rejected, messages }, ignored }
}

function kindOf(name: unknown, attributes: SpanAttributes): PointKind | undefined {
  if (name === 'claude_code.cost.usage') return 'cost'
  const type = name === 'claude_code.token.usage' ? said('kind', attributes) : undefined
  return type !== undefined && Object.hasOwn(kinds, type) ? kinds[type] : undefined
}

const delta = new Set<unknown>([1, 'AGGREGATION_TEMPORALITY_DELTA'])
const cumulative = new Set<unknown>([2, 'AGGREGATION_TEMPORALITY_CUMULATIVE'])

function pointOf(
  kind: PointKind,
  point: DataPointFields,
  { aggregationTemporality: temporality, isMonotonic }: SumFields,
  attributes: SpanAttributes,
  resource: SpanAttributes,
  reporter: Reporter,
): Point {
  const places = [attributes, resource]
  const session = sessionOf(...places)
  if (session === undefined) throw new Unrecordable('session.id is missing')
  if (isMonotonic !== true) throw new Unrecordable('the sum is not monotonic')
  if (!delta.has(temporality) && !cumulative.has(temporality)) throw new Unrecordable('its temporality is unknown')
  const [startMs, endMs] = [
    msOf('startTimeUnixNano', point.startTimeUnixNano),
    msOf('timeUnixNano', point.timeUnixNano),
  ]
  if (startMs === undefined || endMs === undefined)
    throw new Unrecordable('startTimeUnixNano or timeUnixNano is missing')
  checkTimes(startMs, endMs, reporter.nowMs)
  if (endMs < reporter.nowMs - maxPointAgeMs) throw new Unrecordable('it is more than 7 days old')
  const interval = delta.has(temporality) ? String(point.timeUnixNano) : ''
  const billing = billingOf(reporter, places)
  return {
    id: reportId(reporter.lineageId, [kind, session, String(point.startTimeUnixNano), interval, ...seriesOf(point)]),
    session,
    kind,
    value: valueOf(kind, point),
    startMs,
    endMs,
    call: {
      ...withoutUndefined({
        model: modelOf(attributes),
        provider: 'anthropic',
        operation: 'chat',
        chain_id: session,
        ...labelsOf(reporter, places, resource, billing),
      }),
      metadata: { client: 'claude_code', from: 'metrics' },
      telemetry: telemetryFacts(billing),
    },
  }
}

const maxPointAgeMs = 7 * 86_400_000

/** Most attributes of a data point: as many as SDKs keep of a span or an event. */
const maxSeriesAttributes = 128
const maxSeriesCharacters = 16_384

/** Returns the attributes of a series, all of them: any may tell it from another one. */
function seriesOf({ attributes, others }: DataPointFields): string[] {
  const all: readonly unknown[] = Array.isArray(attributes) ? attributes : []
  if (all.length > maxSeriesAttributes) throw new Unrecordable(`it has more than ${maxSeriesAttributes} attributes`)
  const series: string[] = []
  let characters = 0
  for (const one of all) {
    const { key, value } = recordIn(one)
    const text = JSON.stringify([key, Object.entries(recordIn(value)).map(([form, inner]) => [form, textOf(inner)])])
    characters += text.length
    if (characters > maxSeriesCharacters) throw new Unrecordable('its attributes are too long')
    series.push(text)
  }
  return [...series, JSON.stringify(others ?? [])].toSorted()
}

/** Returns a value in one form, whichever encoding it came in: numbers may be text. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function valueOf(kind: PointKind, { asDouble, asInt }: DataPointFields): number {
  const given = asInt ?? asDouble
  const value = typeof given === 'string' && /^\d{1,16}$/.test(given) ? Number(given) : given
  if (kind === 'cost' && typeof value === 'number') {
    const nano = nanoOfDollars(value)
    if (nano !== undefined && nano <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(nano)
  } else if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= maxRunTokens)
    return value
  throw new Unrecordable('its value is not a number of what it counts')
}
