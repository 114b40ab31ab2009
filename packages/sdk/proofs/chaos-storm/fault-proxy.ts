import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../../server/test/support/random.ts'

/** A way to Weir that is as bad as can be: it loses requests and answers, delays them, and says 503 of what was committed. */
export interface FaultProxy {
  readonly url: string
  readonly counts: Record<'lostRequests' | 'lostAnswers' | 'slow' | 'falseRefusals' | 'foreign', number>
  /** Refuses every connection until the function that it returns is called. */
  readonly cut: () => () => void
  /** From now on it does what it ought to. */
  readonly calm: () => void
  readonly close: () => Promise<void>
}

const unavailable = JSON.stringify({
  error: { code: 'service_unavailable', message: 'A dependency is unavailable. Retry with backoff.', details: {} },
})

export async function openFaultProxy(port: () => number | undefined, random: Random): Promise<FaultProxy> {
  let [isCut, isCalm] = [false, false]
  const counts = { lostRequests: 0, lostAnswers: 0, slow: 0, falseRefusals: 0, foreign: 0 }
  const server = createServer((incoming, answer) => {
    serve(incoming, answer).catch(() => answer.destroy())
  })
  server.on('connection', (socket) => {
    if (isCut) socket.resetAndDestroy()
  })

  async function serve(incoming: IncomingMessage, answer: ServerResponse) {
    const body = await buffer(incoming)
    const kind = isCalm ? 1 : random.next()
    if (isCut || kind < 0.02) {
      counts.lostRequests += 1
      answer.destroy()
      return
    }
    if (kind < 0.03) {
      counts.foreign += 1
      answer.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
      return
    }
    const { status, headers, text } = await forward(port() ?? 1, incoming, body)
    if (kind < 0.05) {
      counts.lostAnswers += 1
      answer.destroy()
      return
    }
    if (kind < 0.07) {
      counts.falseRefusals += 1
      answer.writeHead(503, { 'content-type': 'application/json' }).end(unavailable)
      return
    }
    if (kind < 0.08) {
      counts.slow += 1
      await pause(2_500)
    }
    answer.writeHead(status, headers).end(text)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    cut: () => {
      isCut = true
      server.closeAllConnections()
      return () => {
        isCut = false
      }
    },
    calm: () => {
      isCalm = true
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function forward(port: number, { method, url, headers }: IncomingMessage, body: Buffer) {
  const sent = request({ host: '127.0.0.1', port, method, path: url, headers })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 502, headers: response.headers, text: await buffer(response) }
}
