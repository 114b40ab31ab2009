import type { BodyType } from '../../contract/routes.ts'
import { wantedOfAssistants } from './assistant-names.ts'
import type { LogRecordFields, LogsRequest, ResourceLogs } from './logs.ts'
import { type Budget, bodyReader, newFound, readAttribute, readResource, readValue } from './messages.ts'
import { type MessageReader, wire } from './protobuf.ts'

export const protobufLogs = {
  source: { url: import.meta.url, name: 'protobufLogs' },
  schema: { type: 'string', format: 'binary', description: 'An `ExportLogsServiceRequest` of OTLP.' },
  read: bodyReader('logs', readRequest),
} satisfies BodyType

function readRequest(reader: MessageReader, budget: Budget): LogsRequest {
  const resourceLogs: ResourceLogs[] = []
  while (reader.next())
    if (reader.is(1, wire.bytes)) resourceLogs.push(readResourceLogs(reader.message(), budget))
    else reader.skip()
  return { resourceLogs }
}

function readResourceLogs(reader: MessageReader, budget: Budget): ResourceLogs {
  budget.spend()
  const found = newFound(budget, wantedOfAssistants)
  const scopeLogs: { logRecords: LogRecordFields[] }[] = []
  while (reader.next()) {
    if (reader.is(1, wire.bytes)) readResource(reader.message(), found)
    else if (reader.is(2, wire.bytes)) scopeLogs.push(readScopeLogs(reader.message(), budget))
    else reader.skip()
  }
  const { attributes, others } = found
  return { resource: { attributes, others }, scopeLogs }
}

function readScopeLogs(reader: MessageReader, budget: Budget): { logRecords: LogRecordFields[] } {
  budget.spend()
  const logRecords: LogRecordFields[] = []
  while (reader.next())
    if (reader.is(2, wire.bytes)) logRecords.push(readLogRecord(reader.message(), budget))
    else reader.skip()
  return { logRecords }
}

/** Reads a record without its body where that is no text: bodies may be prompts. */
function readLogRecord(reader: MessageReader, budget: Budget): LogRecordFields {
  budget.spend()
  const found = newFound(budget, wantedOfAssistants)
  const { attributes, others } = found
  const record: { -readonly [K in keyof LogRecordFields]: LogRecordFields[K] } = { attributes, others }
  while (reader.next()) {
    if (reader.is(1, wire.fixed64)) record.timeUnixNano = String(reader.fixed64())
    else if (reader.is(5, wire.bytes) && reader.size() <= maxBody) record.body = readValue(reader.message(), budget)
    else if (reader.is(6, wire.bytes)) readAttribute(reader.message(), found)
    else if (reader.is(9, wire.bytes)) record.traceId = reader.text('hex')
    else if (reader.is(10, wire.bytes)) record.spanId = reader.text('hex')
    else if (reader.is(11, wire.fixed64)) record.observedTimeUnixNano = String(reader.fixed64())
    else if (reader.is(12, wire.bytes) && reader.size() <= maxBody) record.eventName = reader.text()
    else reader.skip()
  }
  return record
}

/** Longest body in bytes that can be the name of an event. */
const maxBody = 200
