import { Pool } from 'undici'

export interface WeirRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs: number
}

export interface WeirAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** The way to Weir: over the network, or within one process. Throws where no answer came. */
export type Transport = (request: WeirRequest) => Promise<WeirAnswer>

/** A transport over HTTP. */
export function httpTransport(url: string): { send: Transport; close: () => Promise<void> } {
  const { origin, pathname } = new URL(url)
  const base = pathname.replace(/\/$/, '')
  const pool = new Pool(origin, { connections: 128, pipelining: 1, keepAliveTimeout: 30_000 })
  const send: Transport = async ({ method, path, headers, body, timeoutMs }) => {
    const answer = await pool.request({
      method,
      path: base + path,
      headers,
      body: body ?? null,
      signal: AbortSignal.timeout(Math.ceil(timeoutMs)),
    })
    return { status: answer.statusCode, headers: answer.headers, body: await answer.body.text() }
  }
  return { send, close: () => pool.close() }
}
