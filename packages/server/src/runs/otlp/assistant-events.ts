import { recordIn, withoutUndefined } from '../../values/records.ts'
import type { RecordedRun } from '../runs.ts'
import { wantedOfAssistants } from './assistant-names.ts'
import {
  type Assistant,
  assistants,
  billingOf,
  labelsOf,
  modelOf,
  type Reporter,
  reportId,
  said,
  sessionOf,
  telemetryFacts,
  timesOf,
  usageFields,
} from './assistant-runs.ts'
import { attributesOf, type SpanAttributes } from './attributes.ts'
import type { LogRecordFields, LogsRequest } from './logs.ts'
import { mappedAttributes } from './mapping.ts'
import { checkTimes, dollarsOf, msOf, tokenCount, Unrecordable } from './run-fields.ts'
import type { BulkRunInput } from './trace-runs.ts'
import type { SpanFields, TracesRequest } from './traces.ts'

/** A call of a model that an assistant reports, as a run, and by what it is recognized elsewhere. */
export interface ReportedCall {
  readonly run: BulkRunInput & RecordedRun
  readonly session: string | undefined
  /** The provider's own id of the request, which a gateway sees too. */
  readonly requestId: string | undefined
  readonly endMs: number
}

export interface ReportedCalls {
  readonly calls: readonly ReportedCall[]
  /** Events of the GenAI conventions, as the spans that they belong to. */
  readonly spans: TracesRequest
  readonly rejected: { readonly count: number; readonly messages: readonly string[] }
  readonly ignored: number
}

const maxMessages = 10
const recordsPerStep = 200

/** Converts the events of a request to calls, cooperatively, each once. */
export function* convertLogs(request: LogsRequest, reporter: Reporter): Generator<void, ReportedCalls> {
  const mapped = mappedAttributes(reporter.mapping)
  const calls = new Map<string, ReportedCall>()
  const resourceSpans: { resource: unknown; scopeSpans: { spans: SpanFields[] }[] }[] = []
  const messages: string[] = []
  let [rejected, ignored, seen] = [0, 0, 0]
  for (const { resource, scopeLogs } of request.resourceLogs ?? []) {
    const ofResource = attributesOf(resource, mapped, wantedOfAssistants)
    const spans: SpanFields[] = []
    for (const record of (scopeLogs ?? []).flatMap(({ logRecords }) => logRecords ?? [])) {
      if (++seen % recordsPerStep === 0) yield
      if (isInference(record)) {
        spans.push({ ...record, startTimeUnixNano: timeIn(record), endTimeUnixNano: timeIn(record) })
        continue
      }
      const attributes = attributesOf(record, mapped, wantedOfAssistants)
      const assistant = assistantOf(record, attributes)
      if (assistant === undefined) {
        ignored += 1
        continue
      }
      try {
        const call = callOf(assistant, record, attributes, ofResource, reporter)
        if (!calls.has(call.run.external_id)) calls.set(call.run.external_id, call)
      } catch (error) {
        if (!(error instanceof Unrecordable)) throw error
        rejected += 1
        if (messages.length < maxMessages) messages.push(`an event of ${assistant}: ${error.message}`)
      }
    }
    if (spans.length > 0) resourceSpans.push({ resource, scopeSpans: [{ spans }] })
  }
  return { calls: [...calls.values()], spans: { resourceSpans }, rejected: { count: rejected, messages }, ignored }
}

const inference = 'gen_ai.client.inference.operation.details'

/** True for the event of a call in the GenAI conventions. It belongs to a span, and is the same call as the span. */
const isInference = ({ eventName, body, attributes }: LogRecordFields) =>
  eventName === inference ||
  recordIn(body)['stringValue'] === inference ||
  (Array.isArray(attributes) &&
    attributes.some(
      (one) => recordIn(one)['key'] === 'event.name' && recordIn(recordIn(one)['value'])['stringValue'] === inference,
    ))

/** Returns the assistant whose call an event reports; undefined for every other event. */
function assistantOf({ body, eventName }: LogRecordFields, attributes: SpanAttributes): Assistant | undefined {
  const event = said('event', attributes)
  const names = [event, eventName, recordIn(body)['stringValue']]
  if (names.includes('claude_code.api_request')) return 'claude_code'
  // Codex says twice that an answer is complete, once with what it used.
  const isComplete = event === 'codex.sse_event' && said('eventKind', attributes) === 'response.completed'
  return isComplete && said('input', attributes) !== undefined ? 'codex' : undefined
}

const timeIn = ({ timeUnixNano, observedTimeUnixNano }: LogRecordFields) =>
  msOf('timeUnixNano', timeUnixNano) === undefined ? observedTimeUnixNano : timeUnixNano

function callOf(
  assistant: Assistant,
  record: LogRecordFields,
  attributes: SpanAttributes,
  resource: SpanAttributes,
  reporter: Reporter,
): ReportedCall {
  const places = [attributes, resource]
  const endMs = msOf('timeUnixNano', timeIn(record))
  if (endMs === undefined) throw new Unrecordable('timeUnixNano is missing')
  const durationMs = tokenCount('duration_ms', said('duration', attributes)) ?? 0
  const startMs = assistant === 'codex' ? endMs : endMs - durationMs
  checkTimes(startMs, endMs, reporter.nowMs)
  const session = sessionOf(...places)
  const model = modelOf(attributes)
  const counts = countsOf(assistant, attributes)
  const requestId = said('requestId', attributes)
  const identity =
    requestId === undefined
      ? [
          session,
          said('eventTime', attributes) ?? String(timeIn(record)),
          said('sequence', attributes),
          model,
          ...Object.values(counts),
        ]
      : [requestId]
  const externalId = `otlp:${reportId(reporter.lineageId, [assistant, ...identity])}`
  const reported = said('cost', attributes)
  const billing = billingOf(reporter, places)
  return {
    session,
    requestId,
    endMs,
    run: {
      ...withoutUndefined({
        external_id: externalId,
        model,
        provider: assistants[assistant],
        operation: 'chat',
        chain_id: session ?? externalId,
        ...labelsOf(reporter, places, resource, billing),
        metadata: withoutUndefined({
          client: assistant,
          version: shortText(said('version', ...places)),
          source: shortText(said('source', attributes)),
        }),
      }),
      ...timesOf(startMs, endMs),
      status: 'succeeded',
      ...usageFields(counts),
      telemetry: telemetryFacts(billing, reported === undefined ? undefined : dollarsOf(reported)),
    },
  }
}

/** Returns the counts of an event. Anthropic's input leaves out what was cached; OpenAI's is all of it. */
function countsOf(assistant: Assistant, attributes: SpanAttributes) {
  const count = (name: 'input' | 'output' | 'cacheRead' | 'cacheCreation' | 'reasoning') =>
    tokenCount(name, said(name, attributes)) ?? 0
  const [cacheRead, cacheCreation] = [count('cacheRead'), count('cacheCreation')]
  const input = assistant === 'claude_code' ? count('input') + cacheRead + cacheCreation : count('input')
  if (cacheRead + cacheCreation > input) throw new Unrecordable('more tokens are cached than there are')
  return { input, output: count('output'), cacheRead, cacheCreation, reasoning: count('reasoning') }
}

const maxShort = 100
const shortText = (text: string | undefined) =>
  text === undefined || text.length > maxShort || text.includes('\0') || !text.isWellFormed() ? undefined : text
