import { type Agent, request } from 'node:http'

/** An answer as a client of a storm sees it; a status of 0: no whole answer came. */
export interface Reply {
  readonly status: number
  readonly text: string
}

interface Exchange {
  readonly host?: string
  readonly port: number
  readonly method: string
  readonly path: string
  /** The bearer key. */
  readonly key: string
  readonly body: string
  readonly idempotencyKey?: string | undefined
  readonly timeoutMs: number
}

/** Sends one request to a process on this machine, which may die at any moment. */
export function exchange(agent: Agent, sent: Exchange): Promise<Reply> {
  const { host = '127.0.0.1', port, method, path, key, body, idempotencyKey, timeoutMs } = sent
  return new Promise((resolve) => {
    const silence = () => resolve({ status: 0, text: '' })
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body !== '' && { 'content-type': 'application/json' }),
      'content-length': Buffer.byteLength(body),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    }
    const outgoing = request({ agent, host, port, path, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => (response.complete ? resolve({ status: response.statusCode!, text }) : silence()))
      response.on('error', silence)
      response.on('close', silence)
    })
    const timer = setTimeout(() => outgoing.destroy(), timeoutMs)
    outgoing.on('close', () => clearTimeout(timer))
    outgoing.on('error', silence)
    outgoing.end(body)
  })
}
