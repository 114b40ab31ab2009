import type { BodyType } from '../../contract/routes.ts'
import { type Budget, bodyReader, newFound, readAttribute, readResource } from './messages.ts'
import { wantedAttributes } from './names.ts'
import { type MessageReader, wire } from './protobuf.ts'
import type { ResourceSpans, SpanFields, TracesRequest } from './traces.ts'

/** The two encodings of OTLP over HTTP, in the field numbers of opentelemetry-proto 1.x. */

export const protobufType = 'application/x-protobuf'

export const protobufTraces = {
  source: { url: import.meta.url, name: 'protobufTraces' },
  schema: { type: 'string', format: 'binary', description: 'An `ExportTraceServiceRequest` of OTLP.' },
  read: bodyReader('traces', readRequest),
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
  const found = newFound(budget, wantedAttributes)
  const scopeSpans: { spans: SpanFields[] }[] = []
  while (reader.next()) {
    if (reader.is(1, wire.bytes)) readResource(reader.message(), found)
    else if (reader.is(2, wire.bytes)) scopeSpans.push(readScopeSpans(reader.message(), budget))
    else reader.skip()
  }
  const { attributes, others } = found
  return { resource: { attributes, others }, scopeSpans }
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
  const found = newFound(budget, wantedAttributes)
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
