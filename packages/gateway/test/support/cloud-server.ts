import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A request as it arrived at a cloud. */
export interface Arrived {
  readonly url: URL
  readonly method: string
  readonly headers: IncomingMessage['headers']
  /** The path as it was sent, before any decoding. */
  readonly rawPath: string
  readonly body: Buffer
}

/** Work that a cloud lets the practice provider do for a request. */
interface Work {
  readonly path: string
  readonly body: string
  readonly type?: string
  /** Writes the pieces of the practice provider's stream as this cloud does. */
  readonly wrap?: () => (piece: Buffer) => Buffer
}

/** The work that a request asks for, or the refusal of it. */
export type Verdict =
  | Work
  | { readonly status: number; readonly body: object; readonly headers?: Record<string, string> }

export type Judge = (request: Arrived) => Verdict | Promise<Verdict>

export interface CloudServer {
  readonly url: string
  readonly arrived: Arrived[]
  /** Refusals, by their bodies. */
  readonly refused: string[]
  stop(): Promise<void>
}

/**
 * A cloud before the practice provider: it checks every request as the real one does, and has the practice provider do the work and keep the
 * books. One that bills to the end reads an answer to its end when its caller is gone.
 */
export async function startCloud(
  judge: Judge,
  practiceUrl: () => string,
  billsToTheEnd: boolean,
): Promise<CloudServer> {
  const arrived: Arrived[] = []
  const refused: string[] = []
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const came = await arrivedIn(request)
    arrived.push(came)
    const verdict = await judge(came)
    if ('status' in verdict) {
      if (verdict.status >= 400) refused.push(JSON.stringify(verdict.body))
      response.writeHead(verdict.status, { 'content-type': 'application/json', ...verdict.headers })
      response.end(JSON.stringify(verdict.body))
      return
    }
    const hangUp = new AbortController()
    if (!billsToTheEnd) response.once('close', () => hangUp.abort())
    const answer = await fetch(practiceUrl() + verdict.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-practice': String(request.headers['x-practice'] ?? '{}') },
      body: verdict.body,
      signal: hangUp.signal,
    })
    await passOn(answer, verdict, response)
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    refused,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const arrivedIn = async (request: IncomingMessage): Promise<Arrived> => ({
  url: new URL(`http://${request.headers.host}${request.url}`),
  method: request.method ?? '',
  headers: request.headers,
  rawPath: (request.url ?? '').split('?')[0] ?? '',
  body: await buffer(request),
})

async function passOn(answer: Response, { type, wrap }: Work, response: ServerResponse) {
  const own = answer.headers.get('content-type') ?? 'application/json'
  const isStream = own.startsWith('text/event-stream')
  response.writeHead(answer.status, { 'content-type': isStream ? (type ?? own) : own, 'x-amzn-requestid': 'req-cloud' })
  const written = isStream && wrap ? wrap() : (piece: Buffer) => piece
  for await (const piece of answer.body ?? []) response.write(written(Buffer.from(piece as Uint8Array)))
  response.end()
}
