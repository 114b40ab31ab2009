import { Counter, Gauge } from 'prom-client'
import { measureEventLoopDelay } from '../platform/infra/event-loop-delay.ts'
import type { Metrics } from '../platform/infra/metrics.ts'
import { present } from '../values/present.ts'
import { ApiError } from './errors.ts'
import type { RequestsInFlight } from './in-flight.ts'
import { type App, isContractPath, type Urgency } from './routes.ts'

/** Share of the process's capacity from which requests of a class are shed. */
const shares: Record<Urgency, number> = { decision: 1, ingest: 0.85, change: 0.7, read: 0.6, export: 0.4 }

export const overloaded = 'The service is overloaded. Retry with backoff.'

/** Refuses work that the process could not finish in time, least urgent first, so that admitted requests stay fast. */
export function shedLoad(
  app: App,
  inFlight: RequestsInFlight,
  limits: { maxInFlight: number; maxEventLoopDelayMs: number },
  metrics: Metrics,
) {
  const delay = measureEventLoopDelay()
  app.addHook('onClose', () => delay.close())
  const shed = new Counter({
    name: 'svc_shed_requests_total',
    help: 'Requests refused with 503 because the process was overloaded, by urgency.',
    labelNames: ['urgency'],
    registers: [metrics],
  })
  new Gauge({
    name: 'svc_http_requests_in_flight',
    help: 'Requests in progress in this process.',
    registers: [metrics],
    collect() {
      this.set(inFlight.size)
    },
  })

  app.addHook('onRoute', (options) => {
    if (!isContractPath(options.url)) return
    const [method] = [options.method].flat()
    const byMethod = method === 'GET' || method === 'HEAD' ? 'read' : 'change'
    options.config = { ...options.config, urgency: options.config?.urgency ?? byMethod }
  })

  app.addHook('onRequest', (request, _reply, done) => {
    const { urgency } = request.route
    const share = urgency === undefined ? Number.POSITIVE_INFINITY : shares[urgency]
    const hasRoom =
      inFlight.size <= limits.maxInFlight * share && delay.currentMs() <= limits.maxEventLoopDelayMs * share
    if (hasRoom) return done()
    shed.inc({ urgency: present(urgency) })
    done(new ApiError('service_unavailable', {}, { message: overloaded }))
  })
}
