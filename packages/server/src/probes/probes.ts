import type { FastifyInstance } from 'fastify'
import type { Lifecycle } from '../infra/lifecycle.ts'
import type { Platform } from '../infra/platform.ts'

type Server = Pick<FastifyInstance, 'get'>

/** What orchestrators and scrapers ask. Served by every long-running role; refused and shed never. */
export function probes(server: Server, { sql, redis, clock, metrics, version }: Platform, lifecycle: Lifecycle) {
  server.get('/healthz', () => ({ status: 'ok', version }))

  server.get('/readyz', async (_request, reply) => {
    const askedMs = clock.now().getTime()
    const [databaseTime, speedLimits] = await Promise.all([sql.time(), redis.isReachable()])
    const isOnTime = databaseTime !== undefined && isBetween(databaseTime.getTime(), askedMs, clock.now().getTime())
    const ready = isOnTime && !lifecycle.isDraining()
    // Redis holds nothing that is needed back: without it the service goes on, so it must not be taken out of rotation.
    return reply.code(ready ? 200 : 503).send({
      status: lifecycle.isDraining() ? 'draining' : ready ? 'ready' : 'unavailable',
      checks: {
        postgres: databaseTime ? 'ok' : 'away',
        redis: speedLimits ? 'ok' : 'away',
        clock: isOnTime ? 'ok' : databaseTime ? 'differs from the database by over a second' : 'unknown',
      },
    })
  })

  server.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()))
}

const maxSkewMs = 1_000

/** Money is decided by the database's clock; a process far off it would ask for the wrong rows again and again. */
const isBetween = (timeMs: number, askedMs: number, answeredMs: number) =>
  timeMs > askedMs - maxSkewMs && timeMs < answeredMs + maxSkewMs
