/** A request of logs in OTLP's JSON encoding, to which the protobuf form is converted; everything in a record may be anything. */
export interface LogsRequest {
  readonly resourceLogs?: readonly ResourceLogs[]
}

export interface ResourceLogs {
  readonly resource?: unknown
  readonly scopeLogs?: readonly { readonly logRecords?: readonly LogRecordFields[] }[]
}

export interface LogRecordFields {
  readonly timeUnixNano?: unknown
  readonly observedTimeUnixNano?: unknown
  readonly eventName?: unknown
  readonly body?: unknown
  readonly attributes?: unknown
  readonly traceId?: unknown
  readonly spanId?: unknown
  readonly others?: unknown
}
