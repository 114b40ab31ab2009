import type { BodyType } from '../../contract/routes.ts'
import { wantedOfAssistants } from './assistant-names.ts'
import { type Budget, bodyReader, newFound, readAttribute, readResource } from './messages.ts'
import type { DataPointFields, MetricFields, MetricsRequest, ResourceMetrics } from './metrics-request.ts'
import { type MessageReader, wire } from './protobuf.ts'

export const protobufMetrics = {
  source: { url: import.meta.url, name: 'protobufMetrics' },
  schema: { type: 'string', format: 'binary', description: 'An `ExportMetricsServiceRequest` of OTLP.' },
  read: bodyReader('metrics', readRequest),
} satisfies BodyType

function readRequest(reader: MessageReader, budget: Budget): MetricsRequest {
  const resourceMetrics: ResourceMetrics[] = []
  while (reader.next())
    if (reader.is(1, wire.bytes)) resourceMetrics.push(readResourceMetrics(reader.message(), budget))
    else reader.skip()
  return { resourceMetrics }
}

function readResourceMetrics(reader: MessageReader, budget: Budget): ResourceMetrics {
  budget.spend()
  const found = newFound(budget, wantedOfAssistants)
  const scopeMetrics: { metrics: MetricFields[] }[] = []
  while (reader.next()) {
    if (reader.is(1, wire.bytes)) readResource(reader.message(), found)
    else if (reader.is(2, wire.bytes)) scopeMetrics.push(readScopeMetrics(reader.message(), budget))
    else reader.skip()
  }
  const { attributes, others } = found
  return { resource: { attributes, others }, scopeMetrics }
}

function readScopeMetrics(reader: MessageReader, budget: Budget): { metrics: MetricFields[] } {
  budget.spend()
  const metrics: MetricFields[] = []
  while (reader.next())
    if (reader.is(2, wire.bytes)) metrics.push(readMetric(reader.message(), budget))
    else reader.skip()
  return { metrics }
}

function readMetric(reader: MessageReader, budget: Budget): MetricFields {
  budget.spend()
  const metric: { -readonly [K in keyof MetricFields]: MetricFields[K] } = {}
  while (reader.next()) {
    if (reader.is(1, wire.bytes)) metric.name = reader.text()
    else if (reader.is(7, wire.bytes)) metric.sum = readSum(reader.message(), budget)
    else reader.skip()
  }
  return metric
}

function readSum(reader: MessageReader, budget: Budget) {
  const dataPoints: DataPointFields[] = []
  let aggregationTemporality = 0
  let isMonotonic = false
  while (reader.next()) {
    if (reader.is(1, wire.bytes)) dataPoints.push(readDataPoint(reader.message(), budget))
    else if (reader.is(2, wire.varint)) aggregationTemporality = Number(reader.integer())
    else if (reader.is(3, wire.varint)) isMonotonic = reader.integer() !== 0n
    else reader.skip()
  }
  return { dataPoints, aggregationTemporality, isMonotonic }
}

function readDataPoint(reader: MessageReader, budget: Budget): DataPointFields {
  budget.spend()
  // Every attribute tells one series from another.
  const found = newFound(budget, 'all')
  const { attributes, others } = found
  const point: { -readonly [K in keyof DataPointFields]: DataPointFields[K] } = { attributes, others }
  while (reader.next()) {
    if (reader.is(2, wire.fixed64)) point.startTimeUnixNano = String(reader.fixed64())
    else if (reader.is(3, wire.fixed64)) point.timeUnixNano = String(reader.fixed64())
    else if (reader.is(4, wire.fixed64)) point.asDouble = reader.double()
    else if (reader.is(6, wire.fixed64)) point.asInt = String(BigInt.asIntN(64, reader.fixed64()))
    else if (reader.is(7, wire.bytes)) readAttribute(reader.message(), found)
    else reader.skip()
  }
  return point
}
