/** A request of metrics in OTLP's JSON encoding, to which the protobuf form is converted; only sums are read of it. */
export interface MetricsRequest {
  readonly resourceMetrics?: readonly ResourceMetrics[]
}

export interface ResourceMetrics {
  readonly resource?: unknown
  readonly scopeMetrics?: readonly { readonly metrics?: readonly MetricFields[] }[]
}

export interface MetricFields {
  readonly name?: unknown
  readonly sum?: unknown
}

export interface SumFields {
  readonly dataPoints?: unknown
  readonly aggregationTemporality?: unknown
  readonly isMonotonic?: unknown
}

export interface DataPointFields {
  readonly attributes?: unknown
  readonly startTimeUnixNano?: unknown
  readonly timeUnixNano?: unknown
  readonly asDouble?: unknown
  readonly asInt?: unknown
  readonly others?: unknown
}
