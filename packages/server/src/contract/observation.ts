import { Socket } from 'node:net'
import { SpanStatusCode } from '@opentelemetry/api'
import type { FastifyContextConfig } from 'fastify'
import type { Platform } from '../platform/infra/platform.ts'
import { type HistogramSeries, seriesHistogram } from '../platform/infra/series.ts'
import type { InFlight } from './in-flight.ts'
import { traceOf } from './tracing.ts'

/** Counts, times and logs each request once, when it ends. */
export function observer({ metrics, log, config }: Platform) {
  const newSeries = seriesHistogram(metrics, {
    name: 'svc_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  })
  const known = new Map<FastifyContextConfig, Map<string, HistogramSeries[]>>()

  function seriesOf(config: FastifyContextConfig, method: string, status: number): HistogramSeries {
    let ofRoute = known.get(config)
    if (!ofRoute) known.set(config, (ofRoute = new Map()))
    let byStatus = ofRoute.get(method)
    if (!byStatus) ofRoute.set(method, (byStatus = []))
    return (byStatus[status] ??= newSeries({ method, route: config.template ?? 'unmatched', status }))
  }

  return function observe({ request, reply, startedMs }: InFlight) {
    const elapsedSeconds = (performance.now() - startedMs) / 1000
    const route = request.route.template
    // A call of a page to the API has no connection that could break.
    const wasAnswered = reply.raw.writableFinished || !(request.raw.socket instanceof Socket)
    // By convention of proxies, the status of a caller that hung up: no response of ours has it.
    const status = wasAnswered ? reply.statusCode : 499
    seriesOf(request.route, request.method, status).observe(elapsedSeconds)

    if (config.accessLog === 'all' || status >= 500) {
      const duration = Math.round(elapsedSeconds * 1e6) / 1e3
      const line = { trace_id: request.id, method: request.method, route, status, duration_ms: duration }
      log.info(line, wasAnswered ? 'answered' : 'the caller hung up')
    }

    const { span } = traceOf(request.raw)
    if (!span) return
    span.updateName(route ? `${request.method} ${route}` : request.method)
    span.setAttributes({
      'http.request.method': request.method,
      'http.response.status_code': status,
      ...(route !== undefined && { 'http.route': route }),
    })
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  }
}
