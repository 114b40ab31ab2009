import { createServer, type Server } from 'node:http'
import type { Metrics } from './infra/metrics.ts'

/** Makes the server of `/metrics`, on a port of its own: callers have no business there. */
export function createMetricsServer({ registry }: Metrics): Server {
  return createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
}
