import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Customers' endpoints as a process of their own. The first part of a path says how the endpoint behaves. What arrives is verified
 * here, with code that shares nothing with the sender, and told on standard output.
 */

export interface Arrival {
  readonly path: string
  readonly eventId: string
  readonly type: string
  /** What whoever wrote the event calls it. */
  readonly name: string | undefined
  /** Of the bytes of the body. */
  readonly digest: string
  readonly atMs: number
  /** When it says it was signed. */
  readonly signedAt: number | undefined
  readonly version: string
  /** How many secrets the endpoint knew, and by which of them this is genuine. */
  readonly known: number
  readonly verified: readonly number[]
  readonly isAccepted: boolean
}

type Behaviour = (name: string, nth: number, response: ServerResponse) => Promise<number | 'answered'> | number

/** From 0 to 1, the same for the same text. */
const chanceOf = (text: string) => createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32

const fail: Behaviour = async (name, nth, response) => {
  const chance = chanceOf(`${name} fails ${nth}`)
  if (chance < 0.4) return 500
  if (chance < 0.7) return 429
  response.writeHead(200, { 'content-length': '1000' }).write('The beginning of an answer')
  await sleep(20)
  response.socket?.resetAndDestroy()
  return 'answered'
}

const behaviours: Readonly<Record<string, Behaviour>> = {
  healthy: () => 204,
  /** Fails the first time for a quarter of all events. */
  flaky: (name, nth, response) => (nth === 1 && chanceOf(`${name} is flaky`) < 0.25 ? fail(name, nth, response) : 204),
  slow: async (name) => {
    await sleep(300 + 500 * chanceOf(`${name} is slow`))
    return 200
  },
  failing: fail,
  gone: () => 410,
}

const secretsOf = new Map<string, readonly string[]>()
const seen = new Map<string, number>()
let arrivals: Arrival[] = []

const hmac = (key: string | Buffer, message: string) => createHmac('sha256', key).update(message, 'utf8').digest()

/** Which secrets a message is genuine by. */
function verifiedBy(secrets: readonly string[], headers: Record<string, string>, body: string, eventId: string) {
  const signature = headers['x-svc-signature'] ?? ''
  if (headers['x-svc-event-version'] === '1')
    return indicesOf(secrets, (secret) => signature === `v1=${hmac(secret, body).toString('hex')}`)
  const [time, ...ours] = signature.split(',')
  const seconds = time!.slice(2)
  const standard = (headers['webhook-signature'] ?? '').split(' ')
  if (headers['webhook-timestamp'] !== seconds || headers['webhook-id'] !== eventId) return []
  return indicesOf(
    secrets,
    (secret) =>
      ours.includes(`v1=${hmac(secret, `${seconds}.${body}`).toString('hex')}`) &&
      standard.includes(
        `v1,${hmac(Buffer.from(secret.split('_')[1]!, 'base64'), `${eventId}.${seconds}.${body}`).toString('base64')}`,
      ),
  )
}

const indicesOf = (secrets: readonly string[], holds: (secret: string) => boolean) =>
  secrets.flatMap((secret, i) => (holds(secret) ? [i] : []))

async function receive(path: string, request: IncomingMessage, response: ServerResponse) {
  const body = await text(request)
  const atMs = Date.now()
  const headers = request.headers as Record<string, string>
  const { id, type, data } = JSON.parse(body) as { id: string; type: string; data: { storm?: string } }
  const secrets = secretsOf.get(path) ?? []
  const verified = verifiedBy(secrets, headers, body, id)
  const key = `${path} ${id}`
  const nth = (seen.get(key) ?? 0) + 1
  seen.set(key, nth)
  const behaviour = behaviours[path.split('/')[1]!]!
  const status = verified.length === 0 ? 401 : await behaviour(data.storm ?? id, nth, response)
  const signedAt = /^t=(\d+),/.exec(headers['x-svc-signature'] ?? '')?.[1]
  arrivals.push({
    path,
    eventId: id,
    type,
    name: data.storm,
    digest: createHash('sha256').update(body).digest('base64url'),
    atMs,
    signedAt: signedAt === undefined ? undefined : Number(signedAt),
    version: headers['x-svc-event-version'] ?? '',
    known: secrets.length,
    verified,
    isAccepted: typeof status === 'number' && status < 300,
  })
  if (typeof status === 'number') response.writeHead(status).end(status === 204 ? undefined : `status ${status}`)
}

const tell = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

const server = createServer((request, response) => {
  void (async () => {
    const path = request.url!
    if (path !== '/secrets') return receive(path, request, response)
    for (const [of, secrets] of Object.entries(JSON.parse(await text(request)) as Record<string, string[]>))
      secretsOf.set(of, secrets)
    response.writeHead(204).end()
  })().catch(() => {
    // Whoever sent it has gone in the middle.
    response.destroy()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1')
await once(server, 'listening')
tell({ message: 'listening', port: (server.address() as AddressInfo).port })
setInterval(() => {
  if (arrivals.length === 0) return
  tell({ message: 'arrived', arrivals })
  arrivals = []
}, 50)
