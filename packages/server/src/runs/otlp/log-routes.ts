import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter } from 'prom-client'
import { bodyTypeOf } from '../../contract/body.ts'
import { asJsonText } from '../../contract/envelope.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { jsonAnswer, protobufAnswer, type RejectedField } from './answers.ts'
import { protobufType } from './encodings.ts'
import { protobufLogs } from './log-encodings.ts'
import { protobufMetrics } from './metric-encodings.ts'
import { createRejectionLog, partialSuccess } from './rejections.ts'
import { LogsAnswer, LogsBody, MetricsAnswer, MetricsBody } from './schema.ts'
import { type Recorded, recordLogs, recordMetrics } from './telemetry.ts'
import type { Ingest } from './trace-ingest.ts'
import { WaitingRoom } from './waiting-room.ts'

type Needed = Pick<Platform, 'clock' | 'config' | 'metrics' | 'sql' | 'log'>

/** Logs and metrics of coding assistants. */
export function otlpTelemetry(app: App, { clock, config: settings, metrics, sql, log }: Needed, ingest: Ingest) {
  const parts = { sql, clock, ingest, room: new WaitingRoom(settings.waitingTelemetryPerOrg) }
  const received = new Counter({
    name: 'svc_otlp_telemetry_total',
    help: 'Events and data points received, by signal and result: recorded as a run, known already, waiting, rejected, or ignored because they report no model call.',
    labelNames: ['signal', 'outcome'],
    registers: [metrics],
  })
  const logRejections = {
    logs: createRejectionLog(log, clock, 'events of model calls'),
    metrics: createRejectionLog(log, clock, 'metrics of model calls'),
  }
  const config = {
    pinned: 'filtered',
    role: 'service',
    scope: 'runs:import',
    urgency: 'ingest',
    bulk: true,
    foreignBody: true,
    ignoresIdempotencyKey: true,
  } as const

  function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    signal: keyof typeof logRejections,
    field: RejectedField,
    { rejected, refused, counts }: Recorded,
  ) {
    for (const [outcome, count] of Object.entries(counts)) received.inc({ signal, outcome }, count)
    const partial = partialSuccess(rejected, refused)
    if (partial) logRejections[signal](request.caller.orgId, partial)
    if (bodyTypeOf(request) === protobufType) return reply.type(protobufType).send(protobufAnswer(partial))
    return asJsonText(reply, 200).send(jsonAnswer(partial, field))
  }

  app.post(
    '/v1/otlp/v1/logs',
    {
      config: { ...config, bodyTypes: { [protobufType]: protobufLogs } },
      schema: {
        operationId: 'importLogs',
        tags: ['otlp'],
        summary: 'Import OpenTelemetry logs',
        description:
          'OTLP over HTTP: calls that Claude Code and Codex report, and events of the GenAI conventions, become runs, each once; all other records are ignored. The calls have taken place, so limits do not refuse them. Those that cannot be recorded are counted in `partialSuccess`.',
        body: LogsBody,
        response: { 200: LogsAnswer },
      },
    },
    async (request, reply) =>
      answer(request, reply, 'logs', 'rejectedLogRecords', await recordLogs(parts, request.caller, request.body)),
  )

  app.post(
    '/v1/otlp/v1/metrics',
    {
      config: { ...config, bodyTypes: { [protobufType]: protobufMetrics } },
      schema: {
        operationId: 'importMetrics',
        tags: ['otlp'],
        summary: 'Import OpenTelemetry metrics',
        description:
          'OTLP over HTTP: tokens that Claude Code reports as metrics become runs once their session has been quiet for 15 minutes, as far as its calls are not reported as logs; all other metrics are ignored.',
        body: MetricsBody,
        response: { 200: MetricsAnswer },
      },
    },
    async (request, reply) =>
      answer(request, reply, 'metrics', 'rejectedDataPoints', await recordMetrics(parts, request.caller, request.body)),
  )
}
