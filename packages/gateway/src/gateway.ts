import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { GatewayParts } from './calls/gateway-parts.ts'
import { LearnedRates } from './calls/learned-rates.ts'
import { LiveParts } from './calls/live-parts.ts'
import { OwnedIds } from './calls/owned-ids.ts'
import { PrefixMemory } from './calls/prefix-memory.ts'
import { settleLeftOpen } from './calls/recovery.ts'
import { BufferedBytes } from './calls/request-body.ts'
import { TokenCounter } from './calls/token-counter.ts'
import { ConfigurationError } from './config.ts'
import type { GatewayConfig } from './config-schema.ts'
import { type Clock, systemClock } from './infra/clock.ts'
import { Journal, readLeftOpen } from './infra/journal.ts'
import type { Log } from './infra/log.ts'
import { createMetrics } from './infra/metrics.ts'
import { LiveSecret } from './infra/secrets.ts'
import { createMetricsServer } from './metrics-server.ts'
import { createModels } from './models/models.ts'
import { createGatewayServer, type Readiness } from './server.ts'
import { createUpstreams } from './upstreams/upstream.ts'
import { ProxyList } from './values/proxy-list.ts'
import { AbandonedStarts } from './weir/abandoned-starts.ts'
import { Organizations } from './weir/organizations.ts'
import { Settlements } from './weir/settlements.ts'
import { httpTransport, type Transport } from './weir/transport.ts'
import { Weir } from './weir/weir.ts'

export interface GatewayOptions {
  readonly config: GatewayConfig
  readonly env: NodeJS.ProcessEnv
  readonly log: Log
  readonly clock?: Clock
  /** The way to Weir, where it is another than HTTP. */
  readonly transport?: Transport
}

export interface Gateway {
  /** The parts that the next call will use. */
  readonly parts: GatewayParts
  readonly url: string
  readonly metricsUrl: string | undefined
  /** Serves the next calls by another configuration; those in progress end by the old one. Throws what cannot be changed in this way. */
  reload(config: GatewayConfig): void
  /** Takes no new calls, lets those in progress end, settles, and stops. */
  stop(): Promise<void>
}

/** Starts a gateway. It listens when the promise resolves. */
export async function startGateway({
  config,
  env,
  log,
  clock = systemClock,
  transport,
}: GatewayOptions): Promise<Gateway> {
  const http = transport === undefined ? httpTransport(config.weir.url ?? '') : undefined
  const weir = new Weir(transport ?? http!.send, clock, (config.weir.timeout_seconds ?? 2) * 1_000)
  const metrics = createMetrics()
  const journal = config.journal && new Journal(config.journal.folder)
  const key = config.weir.settlement_key && new LiveSecret(config.weir.settlement_key, env, clock)
  const settlements = new Settlements(weir, () => key?.value(), journal, metrics, log)
  const parts: GatewayParts = {
    config,
    models: createModels(config),
    upstreams: createUpstreams(config, env, clock),
    proxies: new ProxyList(config.listen?.trusted_proxies ?? []),
    weir,
    settlements,
    abandoned: new AbandonedStarts(weir, settlements, journal),
    organizations: new Organizations(weir, () => settlements.reader()),
    journal,
    ownedIds: new OwnedIds(config.journal?.folder, clock),
    counter: new TokenCounter(),
    rates: new LearnedRates(),
    memory: new PrefixMemory(clock),
    buffered: new BufferedBytes(config.limits?.buffered_bytes ?? 536_870_912, (used) =>
      metrics.bufferedBytes.set(used),
    ),
    metrics,
    clock,
    log,
  }
  if (config.journal && key) readLeftOpen(config.journal.folder, log, (left) => settleLeftOpen(parts, left))
  const readiness: Readiness = { isDraining: false }
  const live = new LiveParts(parts)
  const { http: server, closeQuiet } = createGatewayServer(live, readiness)
  server.listen(config.listen?.port ?? 8_090, config.listen?.host ?? '127.0.0.1')
  await once(server, 'listening')
  const { address, port, family } = server.address() as AddressInfo
  const metricsServer = config.listen?.metrics_port === undefined ? undefined : createMetricsServer(metrics)
  if (metricsServer) {
    metricsServer.listen(config.listen?.metrics_port, config.listen?.host ?? '127.0.0.1')
    await once(metricsServer, 'listening')
  }
  const host = family === 'IPv6' ? `[${address}]` : address
  return {
    get parts() {
      return live.current
    },
    url: `http://${host}:${port}`,
    metricsUrl: metricsServer && `http://${host}:${(metricsServer.address() as AddressInfo).port}/metrics`,
    reload(next) {
      const faults = fixedFaults(live.current.config, next)
      if (faults.length > 0) throw new ConfigurationError(faults)
      const upstreams = createUpstreams(next, env, clock)
      live.replace({ ...live.current, config: next, models: createModels(next), upstreams })
    },
    async stop() {
      readiness.isDraining = true
      const closed = once(server, 'close')
      server.close()
      // A connection whose answer has ended would otherwise be kept for the next request, which never comes.
      const idle = setInterval(closeQuiet, 50)
      closeQuiet()
      // An answer that is billed to its end goes on without its caller.
      await Promise.race([
        Promise.all([closed, live.idle()]),
        pause((live.current.config.limits?.drain_seconds ?? 600) * 1_000, undefined, { ref: false }),
      ])
      clearInterval(idle)
      server.closeAllConnections()
      await closed
      await Promise.race([live.idle(), pause(lastSettlementsMs, undefined, { ref: false })])
      metricsServer?.close()
      parts.abandoned.close()
      const isSettled = await settlements.drain(lastSettlementsMs)
      if (!isSettled) log.warn({ waiting: settlements.size }, 'stopping before Weir has taken every settlement')
      await journal?.close()
      await live.destroy()
      await Promise.all([http?.close(), parts.counter.close()])
    },
  }
}

/** Names what a running gateway cannot change: its addresses, the way to Weir, its folder and its memory. */
function fixedFaults(old: GatewayConfig, next: GatewayConfig): string[] {
  const fixed = ({ listen, weir, journal, limits }: GatewayConfig) => ({
    listen,
    'weir.url': weir.url,
    'weir.settlement_key': weir.settlement_key,
    'weir.timeout_seconds': weir.timeout_seconds,
    journal,
    'limits.buffered_bytes': limits?.buffered_bytes,
  })
  const [before, after] = [fixed(old), fixed(next)]
  return (Object.keys(before) as (keyof typeof before)[])
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => `${field} cannot be changed while the gateway runs: restart it`)
}

/** The time in which a stopping gateway settles what it cut off. */
const lastSettlementsMs = 10_000
