import { ApiError } from '../../contract/errors.ts'
import type { BodyType } from '../../contract/routes.ts'
import { unreadable } from '../../contract/unreadable-body.ts'
import { wantedAttributes } from './names.ts'
import { bytesField, integerField, MalformedMessage, MessageReader, wire } from './protobuf.ts'
import type { AnyValue, KeyValue, ResourceSpans, SpanFields, TracesRequest } from './traces.ts'

/** The two encodings of OTLP over HTTP, in the field numbers of opentelemetry-proto 1.x. */

export const protobufType = 'application/x-protobuf'

/** Far more than an exporter sends; a message can be two bytes, so the limit on the body's size would not bound them. */
const maxMessages = 200_000

/** Most attributes of spans that are unknown here unless the organization has mapped them. */
const maxOthers = 200_000
const maxOtherKey = 200
/** Longest value in bytes; a name has at most 200 characters. */
const maxOtherValue = 800

class Budget {
  #left = maxMessages
  #othersLeft = maxOthers

  spend() {
    if (this.#left-- <= 0) throw new ApiError('payload_too_large', {}, { message: 'The request has too many spans.' })
  }

  spendOther() {
    if (this.#othersLeft-- <= 0)
      throw new ApiError('payload_too_large', {}, { message: 'The request has too many attributes.' })
  }
}

export const protobufTraces = {
  source: { url: import.meta.url, name: 'protobufTraces' },
  schema: { type: 'string', format: 'binary', description: 'An `ExportTraceServiceRequest` of OTLP.' },
  read: (bytes: Buffer): unknown => {
    try {
      return readRequest(new MessageReader(bytes), new Budget())
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error
      return unreadable({
        field: 'body',
        code: 'invalid_body',
        message: 'The body is not a protobuf message of traces.',
      })
    }
  },
} satisfies BodyType

function readRequest(reader: MessageReader, budget: Budget): TracesRequest {
  const resourceSpans: ResourceSpans[] = []
  while (reader.next())
    if (reader.is(1, wire.bytes)) resourceSpans.push(readResourceSpans(reader.message(), budget))
    else reader.skip()
  return { resourceSpans }
}

function readResourceSpans(reader: MessageReader, budget: Budget): ResourceSpans {
  budget.spend()
  const found: Found = { attributes: [], others: [], budget }
  const scopeSpans: { spans: SpanFields[] }[] = []
  while (reader.next()) {
    if (reader.is(1, wire.bytes)) readResource(reader.message(), found)
    else if (reader.is(2, wire.bytes)) scopeSpans.push(readScopeSpans(reader.message(), budget))
    else reader.skip()
  }
  const { attributes, others } = found
  return { resource: { attributes, others }, scopeSpans }
}

interface Found {
  readonly attributes: KeyValue[]
  readonly others: string[]
  readonly budget: Budget
}

function readResource(reader: MessageReader, found: Found) {
  while (reader.next())
    if (reader.is(1, wire.bytes)) readAttribute(reader.message(), found)
    else reader.skip()
}

function readScopeSpans(reader: MessageReader, budget: Budget): { spans: SpanFields[] } {
  budget.spend()
  const spans: SpanFields[] = []
  while (reader.next())
    if (reader.is(2, wire.bytes)) spans.push(readSpan(reader.message(), budget))
    else reader.skip()
  return { spans }
}

function readSpan(reader: MessageReader, budget: Budget): SpanFields {
  budget.spend()
  const found: Found = { attributes: [], others: [], budget }
  const { attributes, others } = found
  const span: { -readonly [K in keyof SpanFields]: SpanFields[K] } = { attributes, others }
  while (reader.next()) {
    if (reader.is(1, wire.bytes)) span.traceId = reader.text('hex')
    else if (reader.is(2, wire.bytes)) span.spanId = reader.text('hex')
    else if (reader.is(4, wire.bytes)) span.parentSpanId = reader.text('hex')
    else if (reader.is(7, wire.fixed64)) span.startTimeUnixNano = String(reader.fixed64())
    else if (reader.is(8, wire.fixed64)) span.endTimeUnixNano = String(reader.fixed64())
    else if (reader.is(9, wire.bytes)) readAttribute(reader.message(), found)
    else if (reader.is(15, wire.bytes)) span.status = readStatus(reader.message())
    else reader.skip()
  }
  return span
}

function readStatus(reader: MessageReader) {
  let code = 0
  while (reader.next())
    if (reader.is(3, wire.varint)) code = Number(reader.integer())
    else reader.skip()
  return { code }
}

function readAttribute(reader: MessageReader, { budget, attributes, others }: Found) {
  let key = ''
  let value: MessageReader | undefined
  while (reader.next()) {
    if (reader.is(1, wire.bytes)) key = reader.text()
    else if (reader.is(2, wire.bytes)) value = reader.message()
    else reader.skip()
  }
  if (!value) return
  if (wantedAttributes.has(key)) attributes.push({ key, value: readValue(value, budget) })
  else if (key.length <= maxOtherKey) addOther(key, value, others, budget)
}

/** Keeps an attribute that the organization may have mapped, which is not known yet; only values that can be names are kept. */
function addOther(key: string, value: MessageReader, others: string[], budget: Budget) {
  let text: string | undefined
  while (value.next()) {
    if (value.is(1, wire.bytes) && value.size() <= maxOtherValue) text = value.text()
    else if (value.is(3, wire.varint)) text = String(value.integer())
    else value.skip()
  }
  if (text === undefined) return
  budget.spendOther()
  others.push(key, text)
}

/** Reads a value; a list is read one level deep, because no attribute that is used goes deeper. */
function readValue(reader: MessageReader, budget: Budget, isElement = false): AnyValue {
  budget.spend()
  let value: AnyValue = {}
  while (reader.next()) {
    if (reader.is(1, wire.bytes)) value = { stringValue: reader.text() }
    else if (reader.is(3, wire.varint)) value = { intValue: String(reader.integer()) }
    else if (reader.is(4, wire.fixed64)) value = { doubleValue: reader.double() }
    else if (reader.is(5, wire.bytes) && !isElement) value = { arrayValue: readList(reader.message(), budget) }
    else reader.skip()
  }
  return value
}

function readList(reader: MessageReader, budget: Budget): { values: AnyValue[] } {
  const values: AnyValue[] = []
  while (reader.next())
    if (reader.is(1, wire.bytes)) values.push(readValue(reader.message(), budget, true))
    else reader.skip()
  return { values }
}

export interface PartialSuccess {
  readonly rejectedSpans: number
  readonly errorMessage: string
}

/** Encodes an `ExportTraceServiceResponse`; it is empty for complete success. */
export const protobufAnswer = (partial: PartialSuccess | undefined): Buffer =>
  partial === undefined
    ? Buffer.alloc(0)
    : bytesField(
        1,
        Buffer.concat([integerField(1, partial.rejectedSpans), bytesField(2, Buffer.from(partial.errorMessage))]),
      )

/** The response in JSON, where a 64-bit integer is text. */
export const jsonAnswer = (partial: PartialSuccess | undefined): string =>
  JSON.stringify(
    partial === undefined ? {} : { partialSuccess: { ...partial, rejectedSpans: String(partial.rejectedSpans) } },
  )
