import { Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { connect as plainConnect } from 'node:net'
import { connect as tlsConnect } from 'node:tls'

export interface Answer {
  readonly status: number
  /** By lower-case name; a header that came twice is joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The body, or undefined where it is not JSON. */
  readonly json: unknown
  /** The request, for messages. */
  readonly asked: string
}

export interface Call {
  readonly key?: string | undefined
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const timeoutMs = 30_000
const mostAttempts = 6

/** Talks to one server, over connections that are kept. */
export function createClient(base: string) {
  const { protocol, hostname, port, pathname } = new URL(base)
  const isTls = protocol === 'https:'
  const root = pathname.replace(/\/$/, '')
  const agent = isTls
    ? new TlsAgent({ keepAlive: true, maxSockets: 16 })
    : new PlainAgent({ keepAlive: true, maxSockets: 16 })
  const host = hostname.replace(/^\[|\]$/g, '')
  const portNumber = port === '' ? (isTls ? 443 : 80) : Number(port)

  /** Asks, and asks again where the server says that it is unavailable for the moment. */
  const call = async (method: string, path: string, how: Call = {}): Promise<Answer> => {
    for (let attempt = 1; ; attempt++) {
      const answer = await ask(method, path, how)
      if (!isUnavailable(answer) || attempt === mostAttempts) return answer
      await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt))
    }
  }

  const ask = (method: string, path: string, { key, body, headers }: Call): Promise<Answer> => {
    const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
    const sent: Record<string, string> = {
      accept: 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(payload !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(payload)),
      }),
      ...headers,
    }
    return new Promise((resolve, reject) => {
      const outgoing = (isTls ? tlsRequest : plainRequest)(
        { agent, host, port: portNumber, method, path: root + path, headers: sent, timeout: timeoutMs },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () =>
            resolve(
              answerOf(
                `${method} ${path}`,
                response.statusCode!,
                response.rawHeaders,
                Buffer.concat(chunks).toString('utf8'),
              ),
            ),
          )
        },
      )
      outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer to ${method} ${path} in ${timeoutMs} ms`)))
      outgoing.on('error', reject)
      outgoing.end(payload)
    })
  }

  /**
   * Writes bytes to a socket and gives back every byte of the answer, once `enough` says so or the server closes: what
   * no HTTP library would send can be sent here.
   */
  const wire = (text: string, enough: (received: string) => boolean = hasWholeAnswer): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = isTls
        ? tlsConnect({ host, port: portNumber, servername: host })
        : plainConnect({ host, port: portNumber })
      let received = ''
      const finish = () => {
        socket.destroy()
        resolve(received)
      }
      socket.setTimeout(timeoutMs, finish)
      socket.on(isTls ? 'secureConnect' : 'connect', () => socket.write(text, 'latin1'))
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1')
        if (enough(received)) finish()
      })
      socket.on('end', finish)
      socket.on('error', (error) => (received === '' ? reject(error) : finish()))
    })

  return {
    call,
    wire,
    /** A request head for `wire`. */
    head: (method: string, path: string, ...lines: string[]) =>
      `${[`${method} ${root}${path} HTTP/1.1`, `host: ${hostname}:${portNumber}`, ...lines].join('\r\n')}\r\n\r\n`,
    isLocal: /^(localhost|127\.|::1$)/.test(host),
    close: () => agent.destroy(),
  }
}

export type Client = ReturnType<typeof createClient>

const isUnavailable = ({ status, text }: Answer) => status === 503 && text.includes('"service_unavailable"')

const hasWholeAnswer = (received: string) => {
  const answer = readAnswer('', received)
  return answer !== undefined && answer.status >= 200
}

/** The first answer in the bytes that came, if all of it is there. */
export function readAnswer(asked: string, received: string): Answer | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [statusLine, ...lines] = received.slice(0, headEnd).split('\r\n')
  const raw = lines.flatMap((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()])
  const status = Number(statusLine!.split(' ')[1])
  const length = Number(/^content-length:\s*(\d+)/im.exec(received.slice(0, headEnd))?.[1] ?? 0)
  const body = Buffer.from(received.slice(headEnd + 4), 'latin1')
  if (body.length < length) return undefined
  return answerOf(asked, status, raw, body.subarray(0, length).toString('utf8'))
}

function answerOf(asked: string, status: number, rawHeaders: readonly string[], text: string): Answer {
  const headers: Record<string, string> = {}
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    headers[name] = headers[name] === undefined ? rawHeaders[i + 1]! : `${headers[name]}, ${rawHeaders[i + 1]!}`
  }
  return { asked, status, headers, text, json: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
