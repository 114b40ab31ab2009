import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>

/** An endpoint for webhooks, at an address that the server can reach. */
export async function openReceiver(publicUrl?: string) {
  const waiting = new Set<() => void>()
  const received: Received[] = []
  const server = createServer((request, response) => {
    void (async () => {
      received.push({ path: request.url ?? '', headers: request.headers, body: await text(request) })
      response.writeHead(204).end()
      for (const check of waiting) check()
    })()
  })
  const address = publicUrl === undefined ? undefined : new URL(publicUrl)
  server.listen(address === undefined ? 0 : Number(address.port), address === undefined ? '127.0.0.1' : undefined)
  await once(server, 'listening')
  const url = publicUrl?.replace(/\/$/, '') ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    url,
    /** The first delivery to a path that matches, past or to come; undefined where none comes in time. */
    delivery: (path: string, matches: (message: Received) => boolean, withinMs = 30_000) =>
      new Promise<Received | undefined>((resolve) => {
        const finish = (found: Received | undefined) => {
          waiting.delete(check)
          clearTimeout(timer)
          resolve(found)
        }
        const check = () => {
          const found = received.find((message) => message.path === path && matches(message))
          if (found) finish(found)
        }
        const timer = setTimeout(finish, withinMs, undefined)
        waiting.add(check)
        check()
      }),
    close: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
