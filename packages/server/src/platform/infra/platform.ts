import manifest from '../../../package.json' with { type: 'json' }
import type { Config } from '../../config.ts'
import { type Addresses, createAddresses } from './addresses.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Log } from './log.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { openRedis, type Redis } from './redis.ts'
import { assertBoundRole, assertSchema } from './schema.ts'
import { openSql, type Sql } from './sql.ts'
import { withStartPatience } from './start-patience.ts'
import { createTracing, type Tracing } from './trace.ts'

/** The infrastructure that a process uses, as one plain object passed to whatever needs a part of it. */
export interface Platform {
  readonly config: Config
  readonly version: string
  readonly log: Log
  readonly clock: Clock
  readonly metrics: Metrics
  readonly tracing: Tracing
  readonly sql: Sql
  readonly redis: Redis
  readonly addresses: Addresses
  readonly close: () => Promise<void>
}

export const { version } = manifest

/** Opens the platform of a role; throws on a database that this program must not run on. */
export async function openPlatform(config: Config, role: string, log: Log): Promise<Platform> {
  const metrics = createMetrics({ version, role })
  const sql = openSql({
    url: config.databaseUrl,
    maxConnections: config.databasePoolSize,
    applicationName: `weir ${role}`,
    log,
    metrics,
  })
  try {
    await withStartPatience(log, async () => {
      const newer = await assertSchema(sql.pool)
      if (newer.length > 0)
        log.warn({ migrations: newer }, 'a newer version has migrated the schema, which stays compatible with this one')
      await assertBoundRole(sql.pool)
    })
  } catch (error) {
    await sql.close()
    throw error
  }
  const redis = openRedis({
    url: config.redisUrl,
    tls: { ca: config.redisCa, certificate: config.redisCertificate, key: config.redisKey },
    log,
  })
  const tracing = await createTracing({
    endpoint: config.otlpEndpoint,
    sampleRatio: config.traceSampleRatio,
    serviceName: `weir-${role}`,
    version,
  })
  return {
    config,
    version,
    log,
    clock: systemClock,
    metrics,
    tracing,
    sql,
    redis,
    addresses: createAddresses(config),
    close: async () => {
      await Promise.allSettled([sql.close(), redis.close(), tracing.close()])
    },
  }
}
