import type { AddressInfo } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import type { Lifecycle } from '../../platform/infra/lifecycle.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { protectResponses } from '../protection.ts'

type Server = Pick<FastifyInstance, 'get'>

/** Endpoints for orchestrators and scrapers. Every long-running role serves them; they are never refused or shed. */
export function probes(server: Server, platform: Platform, lifecycle: Lifecycle) {
  healthProbes(server, platform, lifecycle)
  if (platform.config.metricsPort === undefined) exposition(server, platform)
}

export interface MetricsServer {
  readonly close: () => Promise<void>
}

/** Serves metrics and probes on a separate port when one is configured, so that the other port can be public. */
export async function serveMetrics(platform: Platform, lifecycle: Lifecycle): Promise<MetricsServer> {
  const { config, log } = platform
  if (config.metricsPort === undefined) return { close: () => Promise.resolve() }
  const server = fastify({ forceCloseConnections: true })
  protectResponses(server)
  healthProbes(server, platform, lifecycle)
  exposition(server, platform)
  await server.listen({ host: config.host, port: config.metricsPort })
  log.info({ port: (server.server.address() as AddressInfo).port }, 'serving metrics')
  return { close: () => server.close() }
}

function exposition(server: Server, { metrics }: Platform) {
  server.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()))
}

function healthProbes(server: Server, { sql, redis, clock, version }: Platform, lifecycle: Lifecycle) {
  server.get('/healthz', () => ({ status: 'ok', version }))

  server.get('/readyz', async (_request, reply) => {
    const askedMs = clock.now().getTime()
    const [{ time, outage }, isRedisReachable] = await Promise.all([sql.check(), redis.isReachable()])
    const isOnTime = time !== undefined && isBetween(time.getTime(), askedMs, clock.now().getTime())
    const ready = isOnTime && outage === undefined && !lifecycle.isDraining()
    // Redis holds nothing that must be recovered: the service works without it, so it stays in rotation.
    return reply.code(ready ? 200 : 503).send({
      status: lifecycle.isDraining() ? 'draining' : ready ? 'ready' : 'unavailable',
      checks: {
        postgres: outage === 'connection' ? 'away' : (outage ?? 'ok'),
        redis: isRedisReachable ? 'ok' : 'away',
        clock: isOnTime ? 'ok' : time ? 'differs from the database by over a second' : 'unknown',
      },
    })
  })
}

const maxSkewMs = 1_000

/**
 * True when a database time lies between question and answer, with tolerance. Money is decided by the database's clock; a
 * process far off it would request the wrong rows again and again.
 */
const isBetween = (timeMs: number, askedMs: number, answeredMs: number) =>
  timeMs > askedMs - maxSkewMs && timeMs < answeredMs + maxSkewMs
