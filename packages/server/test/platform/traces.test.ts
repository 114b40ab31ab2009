import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql as raw } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import type { App } from '../../src/contract/routes.ts'
import type { Platform } from '../../src/platform/infra/platform.ts'
import { useServer } from '../support/harness.ts'
import { eventually } from '../support/processes.ts'

/** An OpenTelemetry collector: somebody else's program, so a stand-in, but a real HTTP server. */
const received: { path: string; type: string | undefined; body: Buffer }[] = []
const collector = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    received.push({ path: request.url!, type: request.headers['content-type'], body: Buffer.concat(chunks) })
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  })
})
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
afterAll(() => collector.close())

function querying(app: App, { sql }: Platform) {
  app.get('/v1/test/query', { config: { open: true }, schema: { operationId: 'query' } }, async () => {
    await sql.asOrgs([], (tx) => raw`select 1`.execute(tx))
    return {}
  })
}

const server = useServer({
  domain: querying,
  environment: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}` },
})

test('with a collector configured, a request and its transaction are exported under the trace id of the answer', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const joined = await fetch(`${server.url}/v1/test/query`, {
    headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
  })
  expect(joined.headers.get('x-svc-trace-id')).toBe(traceId)
  const own = (await fetch(`${server.url}/v1/test/query`)).headers.get('x-svc-trace-id')!
  expect(own).toMatch(/^[0-9a-f]{32}$/)

  await server.platform.tracing.close()
  await eventually(() => received.length > 0)
  expect(received[0]).toMatchObject({ path: '/v1/traces', type: 'application/x-protobuf' })
  const exported = Buffer.concat(received.map(({ body }) => body))
  expect(exported.includes(Buffer.from(traceId, 'hex'))).toBe(true)
  expect(exported.includes(Buffer.from(own, 'hex'))).toBe(true)
  expect(exported.includes(Buffer.from('00f067aa0ba902b7', 'hex'))).toBe(true)
  expect(exported.toString('latin1')).toContain('GET /v1/test/query')
  expect(exported.toString('latin1')).toContain('transaction')
  expect(exported.toString('latin1')).toContain('weir-api')
})
