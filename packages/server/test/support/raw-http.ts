import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'

export interface RawAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly text: string
}

/** Writes bytes to a real socket and reads one answer: what a library client would never send can be sent here. */
export function exchange(
  port: number,
  chunks: readonly (string | Buffer)[],
  options: { half?: boolean } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const received: Buffer[] = []
    const finish = () => {
      const answer = parseAnswer(Buffer.concat(received))
      if (!answer) return false
      socket.destroy()
      resolve(answer)
      return true
    }
    socket.on('data', (chunk) => {
      received.push(chunk)
      finish()
    })
    socket.on('end', () => finish() || reject(new Error(`no answer in ${Buffer.concat(received).toString()}`)))
    socket.on('error', (error) => finish() || reject(error))
    const send = async () => {
      for (const chunk of chunks) {
        if (!socket.writable) break
        if (!socket.write(chunk)) await new Promise((drained) => socket.once('drain', drained).once('close', drained))
      }
      if (options.half) socket.end()
    }
    socket.on('connect', () => void send())
  })
}

function parseAnswer(bytes: Buffer): RawAnswer | undefined {
  const text = bytes.toString('latin1')
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [statusLine, ...headerLines] = text.slice(0, headEnd).split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of headerLines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const length = Number(headers['content-length'] ?? 0)
  const body = bytes.subarray(headEnd + 4)
  if (body.length < length) return undefined
  return { status: Number(statusLine!.split(' ')[1]), headers, text: body.subarray(0, length).toString('utf8') }
}

/** A well-formed request, head and body apart so that either can be replaced. */
export const request = (method: string, path: string, headers: Record<string, string> = {}, body = '') =>
  `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`

/** A request whose body is held back: the service has admitted its caller and waits. */
export async function holdBody(port: number, method: string, path: string, key: string, body: string) {
  const socket = connect(port, '127.0.0.1')
  let received = Buffer.alloc(0)
  const arrivals = new EventEmitter()
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    arrivals.emit('data')
  })
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    expect: '100-continue',
  }
  socket.write(request(method, path, headers))
  // Only now is the body asked for.
  while (!received.includes('\r\n\r\n')) await once(arrivals, 'data')
  if (!received.toString().startsWith('HTTP/1.1 100')) throw new Error(received.toString())
  received = Buffer.alloc(0)
  return {
    /** Sends the body; returns the answer. */
    complete: async (): Promise<RawAnswer> => {
      socket.write(body)
      for (;;) {
        const answer = parseAnswer(received)
        if (answer) {
          socket.destroy()
          return answer
        }
        await once(arrivals, 'data')
      }
    },
    /** Hangs up. */
    drop: () => {
      socket.destroy()
    },
  }
}
