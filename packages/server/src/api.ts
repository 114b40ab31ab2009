import { once } from 'node:events'
import { type AddressInfo, Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, buildApp } from './app.ts'
import { deprecations } from './contract/deprecations/registry.ts'
import { serveMetrics } from './contract/probes/probes.ts'
import { startGatewayInside } from './embedded-gateway.ts'
import { createLifecycle, stopWithin } from './platform/infra/lifecycle.ts'
import type { Platform } from './platform/infra/platform.ts'

/** Runs the API until the process is asked to stop, then drains it, so that no accepted request is lost. */
export async function runApi(platform: Platform, env: NodeJS.ProcessEnv) {
  const { config, log, addresses } = platform
  const lifecycle = createLifecycle(log)
  const api = await buildApp(platform, lifecycle, deprecations)
  await api.introduce()
  const { server } = api.app

  server.listen({ host: config.host, port: config.port, backlog: 4_096 })
  await once(server, 'listening')
  addresses.setPort((server.address() as AddressInfo).port)
  const metricsServer = await serveMetrics(platform, lifecycle)
  log.info({ url: addresses.publicUrl(), docs: addresses.docsUrl() }, 'serving')

  const gateway = await startGatewayInside(api.app, platform, env)

  log.info({ signal: await lifecycle.stopRequested }, 'asked to stop')
  // Answers on their way through the gateway end first: what they cost is told to the API.
  await Promise.all([lifecycle.drain(config.drainSeconds), gateway?.stop()])
  stopWithin(config.stopTimeoutSeconds, log)
  await finish(api)
  await metricsServer.close()
  await platform.close()
  log.info('stopped')
}

/** Closes the listener, waits for the requests in flight, and only then closes the idle connections. */
async function finish({ app, inFlight }: Api) {
  for (const { reply } of inFlight) reply.raw.shouldKeepAlive = false
  // Not the HTTP server's own close: it cuts connections whose response is written but not yet on the wire.
  NetServer.prototype.close.call(app.server)
  while (inFlight.size > 0) await sleep(10)
  app.server.closeAllConnections()
  await app.close()
}
