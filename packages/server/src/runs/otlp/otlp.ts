import { ApiError } from '../../contract/errors.ts'
import { type ServiceTier, serviceTiers } from '../../money/prices/prices.ts'
import {
  dimensionFields,
  ExternalId,
  Model,
  maxRunAgeDays,
  maxRunTokens,
  OperationName,
  Provider,
  Tags,
  usageFaults,
  usageNames,
} from '../../records/run-log/run-log.ts'
import { formatDollars, formatUsd, maxChargeNano } from '../../values/money.ts'
import { elementAt, present } from '../../values/present.ts'
import { recordIn, withoutUndefined } from '../../values/records.ts'
import { dayMs } from '../../values/time.ts'
import { timestamp } from '../../values/timestamp.ts'
import { type BulkRun, maxBulkRuns } from '../runs.ts'
import { attribute, firstText, type SpanAttributes, textAttribute } from './attributes.ts'
import { nanoOfDollars } from './decimal.ts'
import { type Mapping, mappedAttributes } from './mapping.ts'
import { type ModelCall, modelCallsOf, spanKey } from './model-calls.ts'
import { builtInAttributes, type MappedDimension, type Name, names, ownAttribute } from './names.ts'
import type { SpanFields, TracesRequest } from './traces.ts'

/** A run as `POST /v1/runs/bulk` takes it, with an id that is the same however often it is exported. */
export type BulkRunInput = BulkRun & Required<Pick<BulkRun, 'external_id' | 'model' | 'chain_id' | 'started_at'>>

export interface TraceRuns {
  readonly runs: BulkRunInput[]
  /** Model calls that cannot be recorded, and the reasons for the first few. */
  readonly rejected: { readonly count: number; readonly messages: string[] }
  /** Number of rejected spans that could not be recognized as model calls. */
  readonly unrecognized: number
  /** Number of spans that are not model calls. */
  readonly ignored: number
}

const maxMessages = 10
const callsPerStep = 100
/** Furthest that the clock of a caller may be ahead. */
const maxAheadMs = 5 * 60_000

/** The reason why a span cannot become a run. */
class UnrecordableSpan extends Error {}

/**
 * Converts model calls to runs, cooperatively. One that cannot be recorded is rejected by itself and does not affect the others.
 */
export function* convertTraces(
  request: TracesRequest,
  nowMs: number,
  mapping: Mapping = {},
): Generator<void, TraceRuns> {
  const { calls, unrecognized, ignored } = modelCallsOf(request, mappedAttributes(mapping))
  if (calls.length > maxBulkRuns)
    throw new ApiError('payload_too_large', {}, { message: `A request may have at most ${maxBulkRuns} model calls.` })
  const runs: BulkRunInput[] = []
  const rejected: { count: number; messages: string[] } = { count: 0, messages: [] }
  const reject = ({ traceId, spanId }: SpanFields, message: string) => {
    rejected.count++
    if (rejected.messages.length < maxMessages)
      rejected.messages.push(`${spanKey(traceId, spanId) ?? 'a span'}: ${message}`)
  }
  for (const { span, says } of unrecognized)
    reject(span, `it has usage and a model, but ${says} is not known to be a model call`)
  for (const [index, call] of calls.entries()) {
    if (index % callsPerStep === 0) yield
    try {
      runs.push(runOf(call, nowMs, mapping))
    } catch (error) {
      if (!(error instanceof UnrecordableSpan)) throw error
      reject(call.span, error.message)
    }
  }
  return { runs, rejected, unrecognized: unrecognized.length, ignored }
}

function runOf(call: ModelCall, nowMs: number, mapping: Mapping): BulkRunInput {
  const { span, attributes, resource, operation } = call
  const key = spanKey(span.traceId, span.spanId)
  if (key === undefined)
    throw new UnrecordableSpan('traceId and spanId must be 16 and 8 bytes in hexadecimal, not all zero')
  const requested = text('requestModel', Model, attributes)
  const answered = text('responseModel', Model, attributes)
  // Limits and prices apply to the requested model: it is the name that a decision before the call had to use.
  const model = requested ?? answered
  if (model === undefined) throw new UnrecordableSpan('gen_ai.request.model is missing')
  const places = [attributes, resource]
  return withoutUndefined<BulkRunInput>({
    external_id: checkBounds('the ids', `otlp:${call.id ?? key}`, ExternalId),
    model,
    provider: text('provider', Provider, attributes),
    operation: operation === undefined ? undefined : checkBounds('gen_ai.operation.name', operation, OperationName),
    workflow_id: dimensionOf('workflow_id', mapping, places),
    deployment_id: dimensionOf('deployment_id', mapping, places) ?? serviceOf(resource, mapping),
    department_id: dimensionOf('department_id', mapping, places),
    customer_id: dimensionOf('customer_id', mapping, places),
    user_id: dimensionOf('user_id', mapping, places),
    chain_id: key.slice(0, key.indexOf(':')),
    ...timesOf(span, nowMs),
    status: hasFailed(span, attributes) ? 'failed' : 'succeeded',
    ...usageOf(attributes),
    service_tier: tierOf(attributes),
    cost_usd: costOf(attributes),
    tags: tagsOf(attribute('tags', ...places)),
    metadata: metadataOf(attributes, resource, answered === model ? undefined : answered),
  })
}

const text = (name: Name, schema: object, ...places: readonly SpanAttributes[]) => {
  const found = textAttribute(name, ...places)
  return found === undefined ? undefined : checkBounds(names[name][0], found, schema)
}

/**
 * Returns a dimension of a run: from our own attribute first, then from the mapped ones, else from the built-in ones. Nobody has
 * asked for the last, so a value that cannot be a name is dropped there, and rejects the run elsewhere.
 */
function dimensionOf(
  dimension: MappedDimension,
  mapping: Mapping,
  places: readonly SpanAttributes[],
): string | undefined {
  const schema = dimensionFields[dimension]
  for (const keys of [[ownAttribute(dimension)], mapping[dimension] ?? []]) {
    const found = firstText(keys, places)
    if (found !== undefined) return checkBounds(keys.length === 1 ? elementAt(keys, 0) : dimension, found, schema)
  }
  if (mapping[dimension]) return undefined
  const known = firstText(builtInAttributes[dimension], places)
  return known === undefined || misfitOf(known, schema) !== undefined ? undefined : known
}

/** Checks a value against the bounds that the API has for the same field. */
function checkBounds(name: string, value: string, schema: object): string {
  const misfit = misfitOf(value, schema)
  if (misfit !== undefined) throw new UnrecordableSpan(`${name} ${misfit}`)
  return value
}

function misfitOf(value: string, schema: object): string | undefined {
  const { maxLength, pattern } = schema as { maxLength: number; pattern: string }
  // In code points, as JSON Schema counts, of which there are never more than code units.
  if (value.length > maxLength && Array.from(value).length > maxLength) return `has more than ${maxLength} characters`
  return new RegExp(pattern).test(value) && value.isWellFormed() ? undefined : 'has a character that is no text'
}

/** Returns the name of a service; one that an SDK made up for lack of a name is the same for all programs, and is ignored. */
function serviceOf(resource: SpanAttributes, mapping: Mapping): string | undefined {
  if (mapping.deployment_id) return undefined
  const name = text('service', dimensionFields.deployment_id, resource)
  return name?.startsWith('unknown_service') ? undefined : name
}

function timesOf({ startTimeUnixNano, endTimeUnixNano }: SpanFields, nowMs: number) {
  const startMs = msOf('startTimeUnixNano', startTimeUnixNano)
  if (startMs === undefined) throw new UnrecordableSpan('startTimeUnixNano is missing')
  if (startMs < nowMs - maxRunAgeDays * dayMs)
    throw new UnrecordableSpan(`it started more than ${maxRunAgeDays} days ago`)
  const endMs = msOf('endTimeUnixNano', endTimeUnixNano)
  if (Math.max(startMs, endMs ?? 0) > nowMs + maxAheadMs) throw new UnrecordableSpan('its time is in the future')
  if (endMs !== undefined && endMs < startMs) throw new UnrecordableSpan('it ends before it starts')
  return {
    started_at: timestamp(new Date(startMs)),
    ended_at: endMs === undefined ? undefined : timestamp(new Date(endMs)),
  }
}

const nanoPerMs = 1_000_000n

/** Converts a time to milliseconds; 0 means unknown, as everywhere in OTLP. */
function msOf(name: string, nano: unknown): number | undefined {
  if (nano === undefined || nano === null || nano === '') return undefined
  let ms: number
  // A number in JSON has lost its last digits, so that a whole millisecond may have become a little less than one.
  if (typeof nano === 'number' && Number.isInteger(nano)) ms = Math.floor(Math.round(nano / 1_000) / 1_000)
  else if (typeof nano === 'string' && /^\d{1,20}$/.test(nano)) ms = Number(BigInt(nano) / nanoPerMs)
  else throw new UnrecordableSpan(`${name} is not a number of nanoseconds`)
  return ms === 0 ? undefined : ms
}

const statusOk = new Set<unknown>([1, 'STATUS_CODE_OK'])
const statusError = new Set<unknown>([2, 'STATUS_CODE_ERROR'])

function hasFailed({ status }: SpanFields, attributes: SpanAttributes): boolean {
  const { code } = recordIn(status)
  return statusError.has(code) || (!statusOk.has(code) && attribute('errorType', attributes) !== undefined)
}

/**
 * Returns the usage of a call. The conventions count cached tokens as input and reasoning as output. Parts that exceed the total
 * come from an instrumentation that leaves them out of it, as some providers do: then they are added.
 */
function usageOf(attributes: SpanAttributes) {
  const [input, output, cacheRead, cacheCreation, reasoning] = usageNames.map((name) => tokens(name, attributes))
  const cached = (cacheRead ?? 0) + (cacheCreation ?? 0)
  const usage = {
    input_tokens: wholeOf(input, cached),
    output_tokens: wholeOf(output, reasoning ?? 0),
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheCreation,
    reasoning_output_tokens: reasoning,
    ...otherTokens(attributes),
  }
  for (const [name, count] of Object.entries(usage))
    if ((count ?? 0) > maxRunTokens) throw new UnrecordableSpan(`${name} is more than ${maxRunTokens}`)
  const [excess] = usageFaults(withoutUndefined(usage))
  if (excess) throw new UnrecordableSpan(`${excess.field}: ${excess.message}`)
  return usage
}

const otherTokenNames = [
  'cache_creation_1h_input_tokens',
  'audio_input_tokens',
  'image_input_tokens',
  'audio_output_tokens',
  'image_output_tokens',
] as const
type OtherTokens = (typeof otherTokenNames)[number]

/** Returns the counts of other kinds of tokens that a span has; without any the fields are left out. */
const otherTokens = (attributes: SpanAttributes): Partial<Record<OtherTokens, number>> =>
  Object.fromEntries(
    otherTokenNames.flatMap((name) => {
      const count = tokens(name, attributes)
      return count === undefined ? [] : [[name, count]]
    }),
  )

/** Returns the tier of service that ran a call, as providers name it; names that say nothing about the price are ignored. */
function tierOf(attributes: SpanAttributes): ServiceTier | undefined {
  const said = textAttribute('serviceTier', attributes)
  return said === 'default' ? 'standard' : serviceTiers.find((tier) => tier === said)
}

const wholeOf = (whole: number | undefined, part: number) => (part > (whole ?? 0) ? (whole ?? 0) + part : whole)

function tokens(name: (typeof usageNames)[number] | OtherTokens, attributes: SpanAttributes): number | undefined {
  const value = attribute(name, attributes)
  if (value === undefined) return undefined
  const count = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0)
    throw new UnrecordableSpan(`${names[name][0]} is not a number of tokens`)
  return count
}

function costOf(attributes: SpanAttributes): string | undefined {
  const value = attribute('cost_usd', attributes)
  if (value === undefined) return undefined
  const nano = typeof value === 'object' ? undefined : nanoOfDollars(value)
  if (nano === undefined || nano > maxChargeNano)
    throw new UnrecordableSpan(`cost_usd is not an amount of dollars up to ${formatDollars(maxChargeNano)}`)
  return formatUsd(nano)
}

/** Returns tags. Resource attributes that come from the environment cannot be lists, so one text may name several. */
function tagsOf(value: ReturnType<typeof attribute>): string[] | undefined {
  if (value === undefined) return undefined
  const given = typeof value === 'object' ? value : String(value).split(',')
  const tags = [...new Set(given.map((tag) => tag.trim()).filter((tag) => tag !== ''))]
  const { maxItems } = Tags as { maxItems?: number }
  if (tags.length > present(maxItems)) throw new UnrecordableSpan(`weir.tags has more than ${maxItems} tags`)
  return tags.map((tag) => checkBounds('weir.tags', tag, Tags.items))
}

const maxMetadataLength = 1_000

/** Returns metadata, which is only informational: a value that does not fit is dropped instead of rejecting its run. */
function metadataOf(attributes: SpanAttributes, resource: SpanAttributes, responseModel: string | undefined) {
  const reasons = attribute('finishReasons', attributes)
  const all = {
    response_model: responseModel,
    response_id: textAttribute('responseId', attributes),
    conversation_id: textAttribute('conversation', attributes),
    agent_name: textAttribute('agent', attributes),
    error_type: textAttribute('errorType', attributes),
    finish_reasons: typeof reasons === 'object' ? reasons.join(', ') : reasons?.toString(),
    environment: textAttribute('environment', attributes, resource),
  }
  const fit = Object.entries(all).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      entry[1].length <= maxMetadataLength &&
      !entry[1].includes('\0') &&
      entry[1].isWellFormed(),
  )
  return fit.length === 0 ? undefined : Object.fromEntries(fit)
}
