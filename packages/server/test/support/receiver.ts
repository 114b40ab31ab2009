import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll } from 'vitest'
import { ensureRetainedPartitions, startWebhookDelivery } from '../../src/webhooks/webhooks.ts'
import { type ServerUnderTest, useServer } from './harness.ts'

export interface Received {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
}

/** The answer of an endpoint: a status, with headers and a body where they matter. */
type Reply =
  | number
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }

/** What an endpoint does with a request: an answer, or something of its own with the time it takes. */
export type Behaviour = (request: Received, nth: number) => Reply | Promise<Reply>

/** A customer's endpoint: a real HTTP server that keeps what it was sent, by path. */
export function useReceiver() {
  const received: Received[] = []
  const behaviours = new Map<string, Behaviour>()
  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url!
      const message = { path, headers: request.headers as Record<string, string>, body: await text(request) }
      const nth = received.filter((earlier) => earlier.path === path).length + 1
      received.push(message)
      const reply = await (behaviours.get(path)?.(message, nth) ?? 204)
      const { status, headers = {}, body } = typeof reply === 'number' ? { status: reply } : reply
      response.writeHead(status, headers).end(status === 204 ? undefined : (body ?? `status ${status} of ${path}`))
    })()
  })
  const receiver = {
    url: '',
    received,
    at: (path: string) => received.filter((message) => message.path === path),
    behave: (path: string, behaviour: Behaviour) => behaviours.set(path, behaviour),
  }
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return receiver
}

/** A server that may send to receivers on this machine, and what a worker does to deliver its webhooks. */
export function useDeliveringServer(environment: Record<string, string> = {}): ServerUnderTest {
  const server = useServer({
    environment: { SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32', SVC_WEBHOOK_ALLOWED_PORTS: '1-65535', ...environment },
  })
  let engine: ReturnType<typeof startWebhookDelivery>
  beforeAll(async () => {
    await ensureRetainedPartitions(server.platform.sql, server.platform.clock.now())
    engine = startWebhookDelivery(server.platform, server.registry)
  })
  afterAll(() => engine?.close())
  return server
}
