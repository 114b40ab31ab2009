import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOutbound, type Outbound, type OutboundOptions } from '../../src/platform/infra/outbound.ts'
import { isPublicAddress } from '../../src/values/public-address.ts'
import { having, type Reply, useDnsServer } from '../support/dns-server.ts'

/** The canary listens on every address of this machine; whoever reaches it got through the wall. */
const arrivals: string[] = []
const canary = createServer((_, response) => response.end('sung'))
canary.on('connection', (socket) => arrivals.push(`${socket.localAddress} on ${socket.localPort}`))
/** The same on a port that is not allowed. */
const sideDoor = createServer((_, response) => response.end('sung'))
sideDoor.on('connection', (socket) => arrivals.push(`${socket.localAddress} on ${socket.localPort}`))

const dns = useDnsServer()
const opened: Outbound[] = []
let port = 0
let sidePort = 0

const open = (options: Partial<OutboundOptions> = {}) => {
  const outbound = createOutbound({
    allowedCidrs: [],
    allowedPorts: [{ first: port, last: port }],
    dnsServers: [dns.address],
    timeoutSeconds: 60,
    ...options,
  })
  opened.push(outbound)
  return outbound
}
const post = (outbound: Outbound, url: string) => outbound.post(url, { 'content-type': 'application/json' }, '{}')

async function listen(server: Server) {
  server.listen(0)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

beforeAll(async () => {
  port = await listen(canary)
  sidePort = await listen(sideDoor)
})
afterAll(async () => {
  await Promise.all(opened.map((outbound) => outbound.close()))
  canary.close()
  sideDoor.close()
})

/** `PORT` stands for the port of the canary: the wall has to hold by the address alone. */
const hostileUrls = [
  // Loopback, as people write it and as they do not.
  'http://127.0.0.1:PORT/',
  'https://127.0.0.1:PORT/',
  'HTTP://127.0.0.1:PORT/',
  'http://127.0.0.1.:PORT/',
  'http://127.0.0.1:0000PORT/',
  'http://127.1:PORT/',
  'http://127.0.1:PORT/',
  'http://127.127.127.127:PORT/',
  'http://2130706433:PORT/',
  'http://017700000001:PORT/',
  'http://0177.0.0.1:PORT/',
  'http://0x7f000001:PORT/',
  'http://0x7F.0x0.0x0.0x1:PORT/',
  'http://0x7f.1:PORT/',
  'http://00000177.00.00.01:PORT/',
  'http://%31%32%37.0.0.1:PORT/',
  'http://127.0.0.1%2e:PORT/',
  'http://１２７.０.０.１:PORT/',
  'http://①②⑦.⓪.⓪.①:PORT/',
  'http://127。0。0。1:PORT/',
  'http://127．0．0．1:PORT/',
  'http://127｡0｡0｡1:PORT/',
  'http://127.0.\u00ad0.1:PORT/',
  'http://127.0.0\u200b.1:PORT/',
  'http://0:PORT/',
  'http://0.0.0.0:PORT/',
  'http://0x0:PORT/',
  // Parsers that disagree about where the host is.
  'http://user@127.0.0.1:PORT/',
  'http://user:word@127.0.0.1:PORT/',
  'http://8.8.8.8@127.0.0.1:PORT/',
  'http://8.8.8.8:PORT@127.0.0.1:PORT/',
  'http://8.8.8.8:PORT%2f@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT\\@8.8.8.8/',
  'http://127.0.0.1:PORT#@8.8.8.8/',
  'http://127.0.0.1:PORT?@8.8.8.8/',
  'http://8.8.8.8:PORT:@127.0.0.1:PORT/',
  'http://@127.0.0.1:PORT/',
  'http:\\\\127.0.0.1:PORT/',
  'http:/127.0.0.1:PORT/',
  'http:127.0.0.1:PORT/',
  'http:////127.0.0.1:PORT/',
  '//127.0.0.1:PORT/',
  '127.0.0.1:PORT',
  ' http://127.0.0.1:PORT/',
  'http://127.0.0.1\t:PORT/',
  'http://127.0.0.1:PORT/\r\nhost: 8.8.8.8',
  'ht\ntp://127.0.0.1:PORT/',
  'http://8.8.8.8 127.0.0.1:PORT/',
  // IPv6, plain and with an IPv4 address in its belly.
  'http://[::1]:PORT/',
  'https://[::1]:PORT/',
  'http://[0:0:0:0:0:0:0:1]:PORT/',
  'http://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/',
  'http://[::]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::ffff:7f00:1]:PORT/',
  'http://[0:0:0:0:0:ffff:7f00:0001]:PORT/',
  'http://[::FFFF:0.0.0.0]:PORT/',
  'http://[::ffff:169.254.169.254]:PORT/',
  'http://[::ffff:0:127.0.0.1]:PORT/',
  'http://[::127.0.0.1]:PORT/',
  'http://[::7f00:1]:PORT/',
  'http://[64:ff9b::127.0.0.1]:PORT/',
  'http://[64:ff9b::a9fe:a9fe]:PORT/',
  'http://[64:ff9b:1::7f00:1]:PORT/',
  'http://[2002:7f00:1::1]:PORT/',
  'http://[2001:0:7f00:1::]:PORT/',
  'http://[fe80::1]:PORT/',
  'http://[fe80::1%25lo]:PORT/',
  'http://[fe80::1%lo]:PORT/',
  'http://[::1%25lo]:PORT/',
  'http://[fc00::1]:PORT/',
  'http://[fd00:ec2::254]:PORT/',
  'http://[fec0::1]:PORT/',
  'http://[ff02::1]:PORT/',
  'http://[v1.fe80]:PORT/',
  // Networks of the house, and the metadata services of clouds.
  'http://10.0.0.1:PORT/',
  'http://172.16.0.1:PORT/',
  'http://172.31.255.255:PORT/',
  'http://192.168.1.1:PORT/',
  'http://100.64.0.1:PORT/',
  'http://169.254.169.254:PORT/latest/meta-data/',
  'http://2852039166:PORT/latest/meta-data/',
  'http://0xa9.0xfe.0xa9.0xfe:PORT/',
  'http://169.254.170.2:PORT/',
  'http://100.100.100.200:PORT/',
  'http://192.0.0.192:PORT/',
  'http://198.18.0.1:PORT/',
  'http://224.0.0.1:PORT/',
  'http://240.0.0.1:PORT/',
  'http://255.255.255.255:PORT/',
  // Numbers that are no addresses.
  'http://4294967297:PORT/',
  'http://256.0.0.1:PORT/',
  'http://127.0.0.1.1:PORT/',
  // Other schemes.
  'ftp://127.0.0.1:PORT/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:PORT/_x',
  'dict://127.0.0.1:PORT/',
  'ldap://127.0.0.1:PORT/',
  'ws://127.0.0.1:PORT/',
  'blob:http://127.0.0.1:PORT/x',
  'view-source:http://127.0.0.1:PORT/',
  'javascript:fetch("http://127.0.0.1:PORT/")',
  'data:text/plain,x',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
  'http://unix:/var/run/docker.sock:/',
  '',
  'http://',
]

describe('a URL that leads inside', () => {
  test('is written in more ways than anybody thinks of', () => {
    expect(new Set(hostileUrls).size).toBeGreaterThan(100)
  })

  test.each(hostileUrls)('%j is refused when it is saved and when it is posted to', async (url) => {
    const target = url.replaceAll('PORT', String(port))
    const outbound = open()
    expect(await outbound.check(target)).toMatchObject({ code: expect.stringMatching(/^invalid_/) })
    expect(await post(outbound, target)).toMatchObject({ error: 'refused_address' })
    expect(arrivals).toEqual([])
  })

  test('is refused for every address that this machine has', async () => {
    const own = Object.values(networkInterfaces()).flatMap((interfaces) => interfaces!.map(({ address }) => address))
    const outbound = open()
    for (const address of own.filter((each) => !isPublicAddress(each))) {
      const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}/`
      expect(await outbound.check(url), url).toMatchObject({ code: 'invalid_value' })
      expect(await post(outbound, url), url).toMatchObject({ error: 'refused_address' })
    }
    expect(arrivals).toEqual([])
  })

  test('is refused for its length alone', async () => {
    const url = `http://127.0.0.1:${port}/${'a'.repeat(2_048)}`
    const outbound = open({ allowedCidrs: ['127.0.0.0/8'] })
    expect(await outbound.check(url)).toMatchObject({ code: 'too_long' })
    expect(await post(outbound, url)).toMatchObject({ error: 'refused_address' })
    expect(arrivals).toEqual([])
  })

  test.each(['', ':0', ':SIDE', ':22', ':25', ':6379', ':65536', ':-1', ':SIDE#:PORT'])(
    'a port that is not allowed (%j) is refused at an address that is',
    async (suffix) => {
      const url = `http://127.0.0.1${suffix.replace('SIDE', String(sidePort)).replace('PORT', String(port))}/`
      const outbound = open({ allowedCidrs: ['127.0.0.0/8'] })
      expect(await outbound.check(url)).toMatchObject({ code: expect.stringMatching(/^invalid_/) })
      expect(await post(outbound, url)).toMatchObject({ error: 'refused_address' })
      expect(arrivals).toEqual([])
    },
  )
})

/** What a name says, by type; `saved` is whether its URL can be saved, since nothing bad is known of it yet. */
const hostileNames: Record<string, { says: (type: string, nth: number) => Reply; error: string; saved?: true }> = {
  loopback: { says: having('127.0.0.1'), error: 'refused_address' },
  loopback6: { says: having('::1'), error: 'refused_address' },
  'loopback-both': { says: having('127.0.0.1', '::1'), error: 'refused_address' },
  unspecified: { says: having('0.0.0.0'), error: 'refused_address' },
  unspecified6: { says: having('::'), error: 'refused_address' },
  mapped: { says: having('::ffff:7f00:1'), error: 'refused_address' },
  compatible: { says: having('::7f00:1'), error: 'refused_address' },
  nat64: { says: having('64:ff9b::7f00:1'), error: 'refused_address' },
  '6to4': { says: having('2002:7f00:1::1'), error: 'refused_address' },
  teredo: { says: having('2001:0:7f00:1::1'), error: 'refused_address' },
  metadata: { says: having('169.254.169.254'), error: 'refused_address' },
  metadata6: { says: having('fd00:ec2::254'), error: 'refused_address' },
  'link-local': { says: having('fe80::1'), error: 'refused_address' },
  private: { says: having('192.168.0.1'), error: 'refused_address' },
  carrier: { says: having('100.100.100.200'), error: 'refused_address' },
  multicast: { says: having('224.0.0.1'), error: 'refused_address' },
  broadcast: { says: having('255.255.255.255'), error: 'refused_address' },
  'public-then-private': { says: having('8.8.8.8', '127.0.0.1'), error: 'refused_address' },
  'private-then-public': { says: having('127.0.0.1', '8.8.8.8'), error: 'refused_address' },
  'public-and-loopback6': { says: having('8.8.8.8', '::1'), error: 'refused_address' },
  'loopback-and-public6': { says: having('127.0.0.1', '2001:4860:4860::8888'), error: 'refused_address' },
  'many-and-last-private': {
    says: having(...Array.from({ length: 60 }, (_, i) => `8.8.8.${i}`), '127.0.0.1'),
    error: 'refused_address',
  },
  'alias-of-private': {
    says: (type) => ({
      records: [
        { type: 'CNAME', data: 'inside.test' },
        ...(type === 'A' ? [{ type: 'A' as const, name: 'inside.test', data: '10.0.0.1' }] : []),
      ],
    }),
    error: 'refused_address',
  },
  'alias-of-alias-of-loopback': {
    says: (type) => ({
      records: [
        { type: 'CNAME', data: 'one.test' },
        { type: 'CNAME', name: 'one.test', data: 'localhost' },
        ...(type === 'AAAA' ? [{ type: 'AAAA' as const, name: 'localhost', data: '::1' }] : []),
      ],
    }),
    error: 'refused_address',
  },
  'loopback-and-failing6': {
    says: (type) => (type === 'A' ? having('127.0.0.1')(type) : { code: 2 }),
    error: 'refused_address',
  },
  'public-once-then-loopback': {
    says: (type, nth) => having(nth === 0 ? '8.8.8.8' : '127.0.0.1')(type),
    error: 'refused_address',
    saved: true,
  },
  'public-once-then-loopback6': {
    says: (type, nth) => (nth === 0 ? having('8.8.8.8') : having('::1'))(type),
    error: 'refused_address',
    saved: true,
  },
  'public-once-then-mixed': {
    says: (type, nth) => (nth === 0 ? having('8.8.8.8') : having('8.8.8.8', '127.0.0.1'))(type),
    error: 'refused_address',
    saved: true,
  },
  'nobody-then-loopback': {
    says: (type, nth) => (nth === 0 ? { code: 3 } : having('127.0.0.1')(type)),
    error: 'refused_address',
    saved: true,
  },
  empty: { says: () => ({}), error: 'dns', saved: true },
  'alias-of-nothing': { says: () => ({ records: [{ type: 'CNAME', data: 'gone.test' }] }), error: 'dns', saved: true },
  'alias-of-itself': {
    says: () => ({ records: [{ type: 'CNAME', data: 'alias-of-itself.test' }] }),
    error: 'dns',
    saved: true,
  },
  'does-not-exist': { says: () => ({ code: 3 }), error: 'dns', saved: true },
  refused: { says: () => ({ code: 5 }), error: 'dns', saved: true },
}

describe('a name that leads inside', () => {
  test.each(Object.entries(hostileNames))('%s is never connected to', async (label, { says, error, saved }) => {
    const name = `${label}.test`
    dns.answer(name, says)
    const outbound = open()
    for (const scheme of saved ? ['http'] : ['http', 'https']) {
      const url = `${scheme}://${name}:${port}/`
      expect((await outbound.check(url))?.code).toBe(saved ? undefined : 'invalid_value')
      expect(await post(outbound, url)).toMatchObject({ error })
      // Asked again, it is judged again.
      expect(await post(outbound, url)).toMatchObject({ error })
    }
    expect(arrivals).toEqual([])
  })

  test('names are the same in capitals and with a dot at the end', async () => {
    dns.answer('dotted.test', having('127.0.0.1'))
    const outbound = open()
    for (const host of ['dotted.test.', 'DOTTED.test', 'ｄｏｔｔｅｄ.test', 'dotted%2etest', 'dotted。test']) {
      const url = `http://${host}:${port}/`
      expect(await outbound.check(url), url).toMatchObject({ code: 'invalid_value' })
      expect(await post(outbound, url), url).toMatchObject({ error: 'refused_address' })
    }
    expect(arrivals).toEqual([])
  })

  test('a name server that is slow, lies or talks nonsense holds an attempt up for its time limit at most', async () => {
    const kinds: Record<string, (type: string) => Reply> = {
      silent: () => ({ isSilent: true }),
      failing: () => ({ code: 2 }),
      spoofed: (type) => ({ ...having('127.0.0.1')(type), idOffset: 1 }),
      nonsense: () => ({ bytes: Buffer.from('nonsense') }),
      nothing: () => ({ bytes: Buffer.alloc(0) }),
      truncated: (type) => ({ ...having('127.0.0.1')(type), isTruncated: true }),
      huge: having(...Array.from({ length: 3_000 }, (_, i) => `8.8.${i >> 8}.${i & 255}`), '127.0.0.1'),
    }
    const outbound = open({ timeoutSeconds: 1 })
    await Promise.all(
      Object.entries(kinds).map(async ([kind, says]) => {
        const url = `http://${kind}.test:${port}/`
        dns.answer(`${kind}.test`, says)
        const outcome = await post(outbound, url)
        expect(outcome, kind).toMatchObject({ error: expect.stringMatching(/^(dns|timeout|refused_address)$/) })
        await outbound.check(url)
      }),
    )
    expect(arrivals).toEqual([])
  })

  test.each(['localhost', 'LOCALHOST', 'localhost.', 'ip6-localhost', 'x.localhost', hostname()])(
    'the name %j of this machine itself is never connected to',
    async (name) => {
      const outbound = open({ dnsServers: undefined })
      const url = `http://${name}:${port}/`
      await outbound.check(url)
      expect(await post(outbound, url)).toMatchObject({ error: expect.stringMatching(/^(refused_address|dns)$/) })
      expect(arrivals).toEqual([])
    },
  )

  test('localhost cannot be saved', async () => {
    expect(await open({ dnsServers: undefined }).check(`http://localhost:${port}/`)).toMatchObject({
      code: 'invalid_value',
    })
  })
})

describe('a server that leads inside', () => {
  test.each([301, 302, 303, 307, 308, 300, 305])('an answer of %i is an answer, and not followed', async (status) => {
    const locations = [`http://127.0.0.1:${port}/`, `//[::1]:${port}/`, 'file:///etc/passwd', '/again', '']
    const requests: string[] = []
    const server = createServer((request, response) => {
      requests.push(request.url!)
      response.writeHead(status, { location: locations[requests.length - 1] }).end('elsewhere')
    })
    const from = await listen(server)
    // Where it leads is allowed: what is not followed needs no wall.
    const outbound = open({
      allowedCidrs: ['127.0.0.0/8', '::1'],
      allowedPorts: [
        { first: port, last: port },
        { first: from, last: from },
      ],
    })
    for (const _ of locations) {
      expect(await post(outbound, `http://127.0.0.1:${from}/hook`)).toMatchObject({ status, excerpt: 'elsewhere' })
    }
    expect(requests).toEqual(locations.map(() => '/hook'))
    expect(arrivals).toEqual([])
    server.close()
  })
})

test('a name is asked once for a connection, and what it said then is what is connected to', async () => {
  const received: string[] = []
  const server = createServer((request, response) => {
    received.push(request.socket.localAddress!)
    response.end()
  })
  const at = await listen(server)
  const outbound = open({ allowedCidrs: ['127.0.0.1'], allowedPorts: [{ first: 1, last: 65_535 }] })
  // Allowed the first time, the canary afterwards.
  dns.answer('moving.test', (type, nth) => having(nth === 0 ? '127.0.0.1' : '127.0.0.2')(type))
  const url = `http://moving.test:${at}/`
  expect(await post(outbound, url)).toMatchObject({ status: 200 })
  // The connection that was judged is used again, without another question.
  expect(await post(outbound, url)).toMatchObject({ status: 200 })
  expect(dns.questions.filter((question) => question === 'A moving.test')).toHaveLength(1)
  server.closeAllConnections()
  await expect.poll(() => post(outbound, url)).toMatchObject({ error: 'refused_address' })
  expect(new Set(received.map((address) => address.replace('::ffff:', '')))).toEqual(new Set(['127.0.0.1']))
  server.close()
})

test('the canary has seen nobody, and sings once its network is allowed', async () => {
  expect(arrivals).toEqual([])
  dns.answer('allowed.test', having('127.0.0.1'))
  const allowed = open({ allowedCidrs: ['127.0.0.0/8', '::1'] })
  const urls = [
    'http://127.0.0.1:PORT/',
    'http://2130706433:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[::1]:PORT/',
  ]
  for (const url of [...urls, 'http://allowed.test:PORT/']) {
    const target = url.replace('PORT', String(port))
    const before = arrivals.length
    expect(await allowed.check(target), url).toBeUndefined()
    expect(arrivals, url).toHaveLength(before)
    expect(await post(allowed, target), url).toMatchObject({ status: 200, excerpt: 'sung' })
  }
  // The second is the first in another notation, so it used the same connection.
  expect(arrivals).toHaveLength(4)
  const system = open({ allowedCidrs: ['127.0.0.0/8', '::1'], dnsServers: undefined })
  expect(await post(system, `http://localhost:${port}/`)).toMatchObject({ status: 200 })
})
