import { Counter } from 'prom-client'
import { bodyTypeOf } from '../../contract/body.ts'
import { asJsonText } from '../../contract/envelope.ts'
import { describeTag } from '../../contract/openapi.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { runCooperatively } from '../../platform/infra/time-slice.ts'
import { jsonAnswer, protobufAnswer } from './answers.ts'
import { protobufTraces, protobufType } from './encodings.ts'
import { loadMapping } from './mapping.ts'
import { createRejectionLog, partialSuccess } from './rejections.ts'
import { TracesAnswer, TracesBody } from './schema.ts'
import { type Ingest, recordRuns } from './trace-ingest.ts'
import { convertTraces } from './trace-runs.ts'

export { otlpTelemetry } from './log-routes.ts'
export { otlpMapping } from './mapping-routes.ts'
export { createIngest } from './trace-ingest.ts'

type Needed = Pick<Platform, 'clock' | 'metrics' | 'sql' | 'log'>

export function otlp(app: App, { clock, metrics, sql, log }: Needed, ingest: Ingest) {
  describeTag(app, 'otlp', 'Model calls as OpenTelemetry reports them.')
  const spans = new Counter({
    name: 'svc_otlp_spans_total',
    help: 'Spans received, by result: recorded as a run, rejected, unrecognized although they have usage and a model, or ignored because they are no model call.',
    labelNames: ['outcome'],
    registers: [metrics],
  })
  const logRejections = createRejectionLog(log, clock, 'spans of model calls')

  app.post(
    '/v1/otlp/v1/traces',
    {
      config: {
        pinned: 'filtered',
        role: 'service',
        scope: 'runs:import',
        urgency: 'ingest',
        bulk: true,
        foreignBody: true,
        ignoresIdempotencyKey: true,
        bodyTypes: { [protobufType]: protobufTraces },
      },
      schema: {
        operationId: 'importTraces',
        tags: ['otlp'],
        summary: 'Import OpenTelemetry traces',
        description:
          'OTLP over HTTP: spans of model calls, after the GenAI conventions, become runs; all other spans are ignored. The calls have taken place, so limits do not refuse them. Spans that cannot be recorded, and spans with usage and a model that are not known to be model calls, are counted in `partialSuccess` and do not keep the others from it.',
        body: TracesBody,
        response: { 200: TracesAnswer },
      },
    },
    async (request, reply) => {
      const { orgId } = request.caller
      const own = await sql.asOrgs([orgId], (tx) => loadMapping(tx, orgId))
      const found = await runCooperatively(convertTraces(request.body, clock.now().getTime(), own))
      const { runs, rejected, unrecognized, ignored } = found
      const refused = await recordRuns(ingest, request.caller, runs)
      spans.inc({ outcome: 'recorded' }, runs.length - refused.length)
      spans.inc({ outcome: 'rejected' }, rejected.count - unrecognized + refused.length)
      spans.inc({ outcome: 'unrecognized' }, unrecognized)
      spans.inc({ outcome: 'ignored' }, ignored)
      const partial = partialSuccess(rejected, refused)
      if (partial) logRejections(orgId, partial)
      if (bodyTypeOf(request) === protobufType) return reply.type(protobufType).send(protobufAnswer(partial))
      return asJsonText(reply, 200).send(jsonAnswer(partial, 'rejectedSpans'))
    },
  )
}
