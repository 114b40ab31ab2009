import { ApiError } from '../../contract/errors.ts'
import { type ServiceTier, serviceTiers } from '../../money/prices/prices.ts'
import {
  ExternalId,
  Model,
  maxRunTokens,
  OperationName,
  Provider,
  usageFaults,
  usageNames,
} from '../../records/run-log/run-log.ts'
import { recordIn, withoutUndefined } from '../../values/records.ts'
import { timestamp } from '../../values/timestamp.ts'
import { type BulkRun, maxBulkRuns } from '../runs.ts'
import { attribute, type SpanAttributes, textAttribute } from './attributes.ts'
import { type Mapping, mappedAttributes } from './mapping.ts'
import { type ModelCall, modelCallsOf, spanKey } from './model-calls.ts'
import { names } from './names.ts'
import {
  checkBounds,
  checkTimes,
  dimensionOf,
  dollarsOf,
  msOf,
  serviceOf,
  tagsOf,
  text,
  tokenCount,
  Unrecordable,
} from './run-fields.ts'
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
      if (!(error instanceof Unrecordable)) throw error
      reject(call.span, error.message)
    }
  }
  return { runs, rejected, unrecognized: unrecognized.length, ignored }
}

function runOf(call: ModelCall, nowMs: number, mapping: Mapping): BulkRunInput {
  const { span, attributes, resource, operation } = call
  const key = spanKey(span.traceId, span.spanId)
  if (key === undefined)
    throw new Unrecordable('traceId and spanId must be 16 and 8 bytes in hexadecimal, not all zero')
  const requested = text('requestModel', Model, attributes)
  const answered = text('responseModel', Model, attributes)
  // Limits and prices apply to the requested model: it is the name that a decision before the call had to use.
  const model = requested ?? answered
  if (model === undefined) throw new Unrecordable('gen_ai.request.model is missing')
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
    cost_usd: dollarsOf(attribute('cost_usd', attributes)),
    tags: tagsOf(attribute('tags', ...places)),
    metadata: metadataOf(attributes, resource, answered === model ? undefined : answered),
  })
}

function timesOf({ startTimeUnixNano, endTimeUnixNano }: SpanFields, nowMs: number) {
  const startMs = msOf('startTimeUnixNano', startTimeUnixNano)
  if (startMs === undefined) throw new Unrecordable('startTimeUnixNano is missing')
  const endMs = msOf('endTimeUnixNano', endTimeUnixNano)
  checkTimes(startMs, endMs, nowMs)
  return {
    started_at: timestamp(new Date(startMs)),
    ended_at: endMs === undefined ? undefined : timestamp(new Date(endMs)),
  }
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
    if ((count ?? 0) > maxRunTokens) throw new Unrecordable(`${name} is more than ${maxRunTokens}`)
  const [excess] = usageFaults(withoutUndefined(usage))
  if (excess) throw new Unrecordable(`${excess.field}: ${excess.message}`)
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

const tokens = (name: (typeof usageNames)[number] | OtherTokens, attributes: SpanAttributes) =>
  tokenCount(names[name][0], attribute(name, attributes))

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
