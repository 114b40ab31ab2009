import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface AlteredAnswer {
  status: number
  headers: Record<string, string>
  /** The body where it is JSON, to be changed in place or replaced. */
  json: unknown
  /** The body where it is not. */
  text: string
}

export interface Asked {
  readonly method: string
  readonly path: string
}

/** Changes an answer in place. */
export type Alteration = (answer: AlteredAnswer, asked: Asked) => void

/**
 * A proxy that lets requests through byte for byte, also those that are no HTTP, and may change the answers: a server with
 * one fault that the real one does not have.
 */
export async function startAlteringProxy(target: string, alter: Alteration) {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      socket.on('error', () => socket.destroy())
    }
    let asked: Asked | undefined
    let pending = Buffer.alloc(0)
    client.on('data', (chunk) => {
      asked ??= askedIn(chunk)
      upstream.write(chunk)
    })
    client.on('end', () => upstream.end())
    upstream.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk])
      for (;;) {
        const end = endOfAnswer(pending, asked?.method === 'HEAD')
        if (end === undefined) return
        const bytes = pending.subarray(0, end)
        pending = pending.subarray(end)
        client.write(altered(bytes, asked ?? { method: '', path: '' }, alter))
        if (!isInterim(bytes)) asked = undefined
      }
    })
    upstream.on('end', () => client.end(pending))
    upstream.on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function askedIn(chunk: Buffer): Asked {
  const [method = '', path = ''] = chunk.toString('latin1').split('\r\n', 1)[0]!.split(' ')
  return { method, path }
}

const headOf = (bytes: Buffer) => bytes.subarray(0, bytes.indexOf('\r\n\r\n')).toString('latin1')
const statusOf = (head: string) => Number(head.split(' ', 2)[1])
const isInterim = (bytes: Buffer) => statusOf(headOf(bytes)) < 200
const isChunked = (head: string) => /^transfer-encoding:.*chunked/im.test(head)

/** Where the first whole answer ends, or undefined where it has not come yet. */
function endOfAnswer(bytes: Buffer, isHead: boolean): number | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const head = headOf(bytes)
  const bodyStart = headEnd + 4
  if (isHead || statusOf(head) < 200 || statusOf(head) === 204) return bodyStart
  if (isChunked(head)) {
    const last = bytes.indexOf('0\r\n\r\n', bodyStart)
    return last < 0 ? undefined : last + 5
  }
  const end = bodyStart + Number(/^content-length:\s*(\d+)/im.exec(head)?.[1] ?? 0)
  return bytes.length < end ? undefined : end
}

function altered(bytes: Buffer, asked: Asked, alter: Alteration): Buffer {
  const head = headOf(bytes)
  if (isInterim(bytes) || isChunked(head)) return bytes
  const text = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4).toString('utf8')
  const headers: Record<string, string> = {}
  for (const line of head.split('\r\n').slice(1))
    headers[line.slice(0, line.indexOf(':')).toLowerCase()] = line.slice(line.indexOf(':') + 1).trim()
  const isJson = text !== '' && headers['content-type']?.startsWith('application/json') === true
  const json: unknown = isJson ? JSON.parse(text) : undefined
  const answer: AlteredAnswer = { status: statusOf(head), headers, json, text }
  const before = JSON.stringify(answer)
  alter(answer, asked)
  // What is not meant to be changed keeps its bytes.
  if (JSON.stringify(answer) === before) return bytes
  const body = Buffer.from(isJson ? JSON.stringify(answer.json) : answer.text)
  if (asked.method !== 'HEAD') answer.headers['content-length'] = String(body.length)
  const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`)
  const altered = [`HTTP/1.1 ${answer.status} Altered`, ...lines, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(altered, 'latin1'), asked.method === 'HEAD' ? Buffer.alloc(0) : body])
}
