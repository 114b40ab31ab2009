/**
 * A request in OTLP's JSON encoding, to which the protobuf form is converted: ids in hexadecimal, 64-bit integers as text or
 * numbers. It consists of lists of objects down to the span; everything in a span may be anything.
 */
export interface TracesRequest {
  readonly resourceSpans?: readonly ResourceSpans[]
}

export interface ResourceSpans {
  readonly resource?: unknown
  readonly scopeSpans?: readonly { readonly spans?: readonly SpanFields[] }[]
}

export interface SpanFields {
  readonly traceId?: unknown
  readonly spanId?: unknown
  readonly parentSpanId?: unknown
  readonly startTimeUnixNano?: unknown
  readonly endTimeUnixNano?: unknown
  readonly attributes?: unknown
  readonly status?: unknown
  /** From the protobuf form: keys and values, alternating, of attributes that only a mapping can give a meaning. */
  readonly others?: unknown
}

export interface KeyValue {
  readonly key: string
  readonly value: AnyValue
}

export interface AnyValue {
  readonly stringValue?: unknown
  readonly boolValue?: unknown
  readonly intValue?: unknown
  readonly doubleValue?: unknown
  readonly arrayValue?: unknown
}
