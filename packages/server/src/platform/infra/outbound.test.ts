import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { setDefaultCACertificates } from 'node:tls'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { certificate, certificateKey } from '../../../test/support/certificate.ts'
import { having, useDnsServer } from '../../../test/support/dns-server.ts'
import { createOutbound, type Outbound, type OutboundOptions } from './outbound.ts'
import { createConnections } from './outbound-connections.ts'

const dns = useDnsServer()
const opened: Outbound[] = []
afterEach(() => Promise.all(opened.splice(0).map((outbound) => outbound.close())))

const open = (options: Partial<OutboundOptions> = {}) => {
  const outbound = createOutbound({
    allowedCidrs: ['127.0.0.1'],
    allowedPorts: [{ first: 1, last: 65_535 }],
    dnsServers: [dns.address],
    timeoutSeconds: 30,
    ...options,
  })
  opened.push(outbound)
  return outbound
}

const headers = { 'content-type': 'application/json', 'x-svc-event-version': '2' }

async function listen(server: Server) {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port, url: `http://127.0.0.1:${port}/hook`, sockets, connections: () => connections }
}

const serve = (listener: RequestListener) => listen(createServer(listener))
const serveTls = (listener: RequestListener) =>
  listen(createTlsServer({ cert: certificate, key: certificateKey }, listener))
/** Speaks HTTP by hand: told the socket, once the first bytes of each request are there. */
const serveRaw = (onRequest: (socket: Socket, nth: number) => void) =>
  listen(
    createTcpServer((socket) => {
      let nth = 0
      socket.on('data', () => onRequest(socket, nth++)).on('error', () => undefined)
    }),
  )

describe('an attempt', () => {
  test('carries method, path, headers and bytes as they were given', async () => {
    const received: unknown[] = []
    const { port } = await serve((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        received.push([request.method, request.url, request.headers, Buffer.concat(chunks).toString()])
        response.writeHead(202).end('taken')
      })
    })
    const body = Buffer.from('{"text":"ä €"}')
    const outcome = await open().post(`http://127.0.0.1:${port}/a%20b?c=d&e=%20#f`, headers, body)
    expect(outcome).toEqual({ status: 202, latencyMs: expect.any(Number), excerpt: 'taken' })
    expect(received).toEqual([
      [
        'POST',
        '/a%20b?c=d&e=%20',
        {
          ...headers,
          host: `127.0.0.1:${port}`,
          connection: 'keep-alive',
          'content-length': String(body.length),
        },
        body.toString(),
      ],
    ])
  })

  test('is an answer whatever its status', async () => {
    const { port } = await serve((request, response) => response.writeHead(Number(request.url!.slice(1))).end())
    const outbound = open()
    for (const status of [200, 204, 301, 304, 400, 410, 429, 500, 599]) {
      expect(await outbound.post(`http://127.0.0.1:${port}/${status}`, headers, '{}')).toMatchObject({ status })
    }
  })

  test('ignores what only announces an answer', async () => {
    const { url } = await serveRaw((socket) => {
      socket.write('HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n')
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
    })
    expect(await open().post(url, headers, '{}')).toMatchObject({ status: 200, excerpt: 'ok' })
  })

  test('keeps the beginning of the body as text that PostgreSQL can store', async () => {
    const { url } = await serve((_, response) => {
      response.write(Buffer.from([0x61, 0x00, 0xff, 0x62]))
      response.end(`é${'x'.repeat(5_000)}`)
    })
    const outcome = await open().post(url, headers, '{}')
    expect(outcome).toMatchObject({ status: 200, excerpt: `a\ufffdbé${'x'.repeat(1_024 - 6)}` })
  })

  test('reads no more than it must of a body that does not end, and lets go of the connection', async () => {
    let written = 0
    const { url, sockets } = await serve((_, response) => {
      const chunk = Buffer.alloc(16_384, 'y')
      const more = () => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length
      }
      response.on('drain', more)
      more()
    })
    expect(await open().post(url, headers, '{}')).toMatchObject({ status: 200, excerpt: 'y'.repeat(1_024) })
    await expect.poll(() => sockets.size).toBe(0)
    // What the buffers of both systems took in the meantime, not what a reader would have taken.
    expect(written).toBeLessThan(64 * 1_048_576)
  })
})

describe('the time limit', () => {
  const slow: Record<string, (socket: Socket) => void> = {
    'never answers': () => undefined,
    'drips its head': (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('x-more: 1\r\n'), 20)
      socket.on('close', () => clearInterval(timer))
    },
    'drips its body': (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      const timer = setInterval(() => socket.write('1\r\nx\r\n'), 20)
      socket.on('close', () => clearInterval(timer))
    },
    'announces an answer for ever': (socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 20)
      socket.on('close', () => clearInterval(timer))
    },
  }
  test.each(Object.entries(slow))('ends an attempt at a server that %s', async (_, behave) => {
    const { url, sockets } = await serveRaw(behave)
    const outcome = await open({ timeoutSeconds: 1 }).post(url, headers, '{}')
    expect(outcome).toMatchObject({ error: 'timeout', message: 'No complete response within 1 s.' })
    expect(outcome.latencyMs).toBeGreaterThanOrEqual(1_000)
    await expect.poll(() => sockets.size).toBe(0)
  })

  test('ends an attempt at a server that takes a connection and never encrypts it', async () => {
    const { port, sockets } = await serveRaw(() => undefined)
    const outcome = await open({ timeoutSeconds: 1 }).post(`https://127.0.0.1:${port}/`, headers, '{}')
    expect(outcome).toMatchObject({ error: 'timeout' })
    await expect.poll(() => sockets.size).toBe(0)
  })

  test('is each attempt’s own, whatever is under way beside it', async () => {
    const { port } = await serve((request, response) => {
      if (request.url === '/fast') response.end('fast')
    })
    const outbound = open({ timeoutSeconds: 1 })
    const stuck = Array.from({ length: 20 }, () => outbound.post(`http://127.0.0.1:${port}/stuck`, headers, '{}'))
    for (let i = 0; i < 20; i++) {
      // A machine that stands still lets these time out as well, once.
      await expect
        .poll(() => outbound.post(`http://127.0.0.1:${port}/fast`, headers, '{}'))
        .toMatchObject({ status: 200 })
    }
    const outcomes = await Promise.all(stuck)
    expect(outcomes.map((outcome) => 'error' in outcome && outcome.error)).toEqual(stuck.map(() => 'timeout'))
  })
})

describe('what goes wrong has a kind', () => {
  const broken: [string, string, (socket: Socket) => void][] = [
    ['resets the connection', 'connection', (socket) => void socket.resetAndDestroy()],
    ['closes without an answer', 'connection', (socket) => void socket.end()],
    ['closes in the middle of the head', 'connection', (socket) => void socket.end('HTTP/1.1 200 OK\r\nx: ')],
    [
      'closes in the middle of the body',
      'connection',
      (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'),
    ],
    ['talks something else', 'protocol', (socket) => void socket.end('SSH-2.0-OpenSSH_9.9\r\n')],
    [
      'says two lengths',
      'protocol',
      (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'),
    ],
    [
      'changes the protocol',
      'protocol',
      (socket) => void socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    ],
    [
      'has a head without end',
      'protocol',
      (socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`),
    ],
  ]
  test.each(broken)('a server that %s: %s', async (_, error, behave) => {
    const { url } = await serveRaw(behave)
    const outcome = await open().post(url, headers, '{}')
    expect(outcome).toEqual({ error, message: expect.any(String), latencyMs: expect.any(Number) })
  })

  test('nobody listens: connection, and the address is not told', async () => {
    const server = createTcpServer()
    const { port } = await listen(server)
    server.close()
    await once(server, 'close')
    dns.answer('nobody.test', having('127.0.0.1'))
    for (const host of ['127.0.0.1', 'nobody.test']) {
      expect(await open().post(`http://${host}:${port}/`, headers, '{}')).toMatchObject({
        error: 'connection',
        message: 'The connection failed: ECONNREFUSED',
      })
    }
  })

  test('a certificate that nobody signed, no certificate, the wrong name: tls; the right one: an answer', async () => {
    const { port } = await serveTls((_, response) => response.end('sealed'))
    const plain = await serve((_, response) => response.end())
    for (const name of ['trusted.test', 'other.test']) dns.answer(name, having('127.0.0.1'))
    const post = (host: string) => open().post(`https://${host}/`, headers, '{}')

    expect(await post(`trusted.test:${port}`)).toMatchObject({ error: 'tls', message: /self-signed/ })
    expect(await post(`127.0.0.1:${plain.port}`)).toMatchObject({ error: 'tls' })
    setDefaultCACertificates([certificate])
    for (const host of ['trusted.test', 'trusted.test.', 'TRUSTED.test', '127.0.0.1']) {
      expect(await post(`${host}:${port}`), host).toMatchObject({ status: 200, excerpt: 'sealed' })
    }
    expect(await post(`other.test:${port}`)).toMatchObject({ error: 'tls' })
  })
})

describe('connections', () => {
  test('are used again, and as many are open as there are attempts at once', async () => {
    const { url, connections } = await serve((request, response) => {
      request.resume().on('end', () => setImmediate(() => response.end('ok')))
    })
    const outbound = open()
    for (let i = 0; i < 20; i++) expect(await outbound.post(url, headers, '{}')).toMatchObject({ status: 200 })
    expect(connections()).toBe(1)
    const burst = () => Promise.all(Array.from({ length: 30 }, () => outbound.post(url, headers, '{}')))
    for (const outcome of [...(await burst()), ...(await burst())]) expect(outcome).toMatchObject({ status: 200 })
    expect(connections()).toBe(30)
  })

  test('that the other side wants closed are not used again', async () => {
    const { url, connections } = await serve((_, response) => response.setHeader('connection', 'close').end('ok'))
    const outbound = open()
    for (let i = 0; i < 5; i++) expect(await outbound.post(url, headers, '{}')).toMatchObject({ status: 200 })
    expect(connections()).toBe(5)
  })

  test('that the other side drops while they are used again are no failure', async () => {
    const { url, connections } = await serveRaw((socket, nth) => {
      if (nth === 0) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
      else socket.resetAndDestroy()
    })
    const outbound = open()
    for (let i = 0; i < 5; i++) expect(await outbound.post(url, headers, '{}')).toMatchObject({ status: 200 })
    expect(connections()).toBe(5)
  })

  test('that answer nothing the second time are tried once more, not for ever', async () => {
    let requests = 0
    const { url } = await serveRaw((socket) => {
      if (requests++ === 0) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
      else socket.resetAndDestroy()
    })
    const outbound = open()
    expect(await outbound.post(url, headers, '{}')).toMatchObject({ status: 200 })
    expect(await outbound.post(url, headers, '{}')).toMatchObject({ error: 'connection' })
    expect(requests).toBe(3)
  })

  test('that wait are bounded, however many origins there are', async () => {
    const { port, sockets } = await serve((_, response) => response.setHeader('keep-alive', 'timeout=600').end('ok'))
    const outbound = open()
    const origins = Array.from({ length: 1_100 }, (_, i) => `o${i}.test`)
    for (const name of origins) dns.answer(name, having('127.0.0.1'))
    const next = origins.values()
    const work = async () => {
      for (const name of next) {
        expect(await outbound.post(`http://${name}:${port}/`, headers, '{}')).toMatchObject({ status: 200 })
      }
    }
    await Promise.all(Array.from({ length: 10 }, work))
    await expect.poll(() => sockets.size).toBeLessThanOrEqual(1_000)
  })

  test('are refused by whoever opens them, without anybody having looked at the URL', async () => {
    const { port, connections } = await serve((_, response) => response.end())
    const pool = createConnections({ lookup: () => expect.unreachable(), isAllowedAddress: () => false })
    const { client } = pool.open(`http://127.0.0.1:${port}`)
    await expect(client.request({ method: 'POST', path: '/' })).rejects.toThrow('not public')
    expect(connections()).toBe(0)
    await pool.close()
  })
})

describe('the sender', () => {
  test('ends an attempt by its signal', async () => {
    const { url, sockets } = await serveRaw(() => ending.abort())
    const ending = new AbortController()
    const outbound = open()
    expect(await outbound.post(url, headers, '{}', ending.signal)).toMatchObject({
      error: 'connection',
      message: 'The sender aborted the attempt.',
    })
    expect(await outbound.post(url, headers, '{}', ending.signal)).toMatchObject({ error: 'connection' })
    await expect.poll(() => sockets.size).toBe(0)
  })

  test('ends all attempts by closing', async () => {
    let requests = 0
    const { url, sockets } = await serveRaw(() => void requests++)
    const outbound = open()
    const attempts = Array.from({ length: 5 }, () => outbound.post(url, headers, '{}'))
    await expect.poll(() => requests).toBe(5)
    await outbound.close()
    for (const outcome of await Promise.all(attempts)) expect(outcome).toMatchObject({ error: 'connection' })
    expect(await outbound.post(url, headers, '{}')).toMatchObject({ error: 'connection' })
    await expect.poll(() => sockets.size).toBe(0)
  })
})
