import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Attributes, context, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { KeyValue, SpanFields, TracesRequest } from '../../src/runs/otlp/traces.ts'

type Value = string | number | readonly string[]

/** Attributes in OTLP's JSON, as a careful exporter writes them. */
export const attributes = (values: Record<string, Value>): KeyValue[] =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : typeof value === 'object'
          ? { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } }
          : Number.isInteger(value)
            ? { intValue: String(value) }
            : { doubleValue: value },
  }))

export const newTraceId = () => randomBytes(16).toString('hex')
export const newSpanId = () => randomBytes(8).toString('hex')

export const nowMs = Date.parse('2026-11-15T12:00:00Z')
export const startNano = String(BigInt(nowMs - 5_000) * 1_000_000n + 999_999n)
export const endNano = String(BigInt(nowMs - 3_500) * 1_000_000n)

export const chat = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.usage.input_tokens': 120,
  'gen_ai.usage.output_tokens': 30,
} as const

export const span = (values: Record<string, Value>, more: SpanFields = {}): SpanFields => ({
  traceId: newTraceId(),
  spanId: newSpanId(),
  startTimeUnixNano: startNano,
  endTimeUnixNano: endNano,
  attributes: attributes(values),
  ...more,
})

export const request = (spans: readonly SpanFields[], resource: Record<string, Value> = {}): TracesRequest => ({
  resourceSpans: [{ resource: { attributes: attributes(resource) }, scopeSpans: [{ spans }] }],
})

/** A trace as an SDK makes it: an agent, two model calls beneath it, a tool, a failure, and attributes that are not ours. */
export function tracedSpans(): ReadableSpan[] {
  const kept = new InMemorySpanExporter()
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'assistant',
      'deployment.environment.name': 'staging',
      'acme.team': 7,
    }),
    spanProcessors: [new SimpleSpanProcessor({ exporter: kept })],
  })
  const tracer = provider.getTracer('test')
  const root = tracer.startSpan('invoke_agent helper', {
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.usage.input_tokens': 1_000,
      'gen_ai.usage.output_tokens': 70,
    },
  })
  const inside = trace.setSpan(context.active(), root)
  const child = (name: string, values: Attributes, error?: string) => {
    const made = tracer.startSpan(name, { attributes: values }, inside)
    if (error !== undefined) made.setStatus({ code: SpanStatusCode.ERROR, message: error })
    made.addEvent('gen_ai.content.prompt', { 'gen_ai.prompt': 'Hello' })
    made.end()
  }
  child('chat gpt-4o', {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.response.model': 'gpt-4o-2024-08-06',
    'gen_ai.response.finish_reasons': ['stop', 'length'],
    'gen_ai.input.messages': 'x'.repeat(2_000),
    'gen_ai.request.temperature': 0.5,
    'gen_ai.request.stream': true,
    'gen_ai.usage.input_tokens': 900,
    'gen_ai.usage.output_tokens': 60,
    'gen_ai.usage.cache_read.input_tokens': 512,
    'gen_ai.usage.cost': 0.0123,
    'weir.customer_id': 'Zoë',
    'acme.cost_center': 'cc-9',
    'llm.user': 'nobody',
    'weir.tags': ['beta', 'eu'],
  })
  child('execute_tool search', { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'search' })
  child(
    'chat claude',
    {
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'anthropic',
      'gen_ai.request.model': 'claude-sonnet-4-5',
      'gen_ai.usage.prompt_tokens': 100,
      'gen_ai.usage.completion_tokens': 10,
      'error.type': 'timeout',
    },
    'it took too long',
  )
  child('GET', { 'http.request.method': 'GET' })
  root.end()
  return kept.getFinishedSpans()
}

export const exporters = { json: JsonExporter, protobuf: ProtobufExporter }

/** Sends spans by somebody else's code; resolves with its result. */
export const exportBy = (exporter: SpanExporter, spans: ReadableSpan[]) =>
  new Promise<{ code: number; error?: Error }>((resolve) => exporter.export(spans, resolve))

/** The bytes that a real exporter sends. */
export async function bytesOf(encoding: keyof typeof exporters, spans: ReadableSpan[]): Promise<Buffer> {
  let body = Buffer.alloc(0)
  const receiver = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      body = Buffer.concat(chunks)
      response.writeHead(200, { 'content-type': incoming.headers['content-type'] }).end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const exporter = new exporters[encoding]({ url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}` })
  await exportBy(exporter, spans)
  await exporter.shutdown()
  receiver.closeAllConnections()
  receiver.close()
  return body
}
