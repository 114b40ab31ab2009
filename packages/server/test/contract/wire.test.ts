import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { catalog, type ErrorCode } from '../../src/contract/errors.ts'
import { useServer } from '../support/harness.ts'
import { misbehavingRoutes } from '../support/misbehaving-routes.ts'
import { exchange, type RawAnswer, request } from '../support/raw-http.ts'

const server = useServer({
  domain: misbehavingRoutes,
  environment: { SVC_HANDLER_TIMEOUT_SECONDS: '1', SVC_BODY_LIMIT_BYTES: '4096', SVC_BULK_BODY_LIMIT_BYTES: '16384' },
})

/** No stack, SQL, path or framework word ever leaves, whatever went wrong. */
function expectEnvelope(answer: RawAnswer, code: ErrorCode) {
  expect(answer.headers['content-type']).toMatch(/^application\/json(;|$)/)
  expect(answer.headers['x-svc-trace-id']).toMatch(/^[0-9a-f]{32}$/)
  const body = JSON.parse(answer.text) as { error: { code: string; message: string; details: Record<string, unknown> } }
  expect(Object.keys(body)).toEqual(['error'])
  expect(Object.keys(body.error)).toEqual(['code', 'message', 'details'])
  expect(body.error.code).toBe(code)
  expect(catalog[code].statuses).toContain(answer.status)
  expect(body.error.details).toBeTypeOf('object')
  expect(answer.text).not.toMatch(/\bat \S+:\d+|node_modules|\/src\/|select \*|FST_|no_such_table|teapot|alice/)
  return body.error
}

const fieldsOf = (answer: RawAnswer) =>
  (expectEnvelope(answer, 'validation_failed').details['fields'] as { field: string; code: string }[]).map(
    ({ field, code }) => `${field}: ${code}`,
  )

const json = { 'content-type': 'application/json' }
const post = (path: string, body: string | Buffer, headers: Record<string, string> = json) =>
  exchange(server.port, [
    request('POST', path, { ...headers, 'content-length': String(Buffer.byteLength(body)) }),
    body,
  ])
const get = (path: string, headers: Record<string, string> = {}) =>
  exchange(server.port, [request('GET', path, headers)])

describe('an unmatched route is not_found before anything else is asked', () => {
  const attempts: [string, () => Promise<RawAnswer>][] = [
    ['without a key', () => get('/v1/nope')],
    ['with a key', () => get('/v1/nope', { authorization: 'Bearer weir_x_y' })],
    ['outside /v1', () => get('/nope')],
    ['with bad JSON', () => post('/v1/nope', '{')],
    ['with a body over the limit', () => post('/v1/nope', 'x'.repeat(10_000))],
    ['by a wrong method', () => exchange(server.port, [request('DELETE', '/v1/meta/errors')])],
    ['by a wrong method on a closed route', () => exchange(server.port, [request('PATCH', '/v1/test/closed')])],
    ['by a method the framework does not route', () => exchange(server.port, [request('PROPFIND', '/v1/meta/errors')])],
    ['by a method that nobody knows', () => exchange(server.port, [request('FROB', '/v1/meta/errors')])],
    ['by a method in lower case', () => exchange(server.port, [request('get', '/v1/meta/errors')])],
    ['with a trailing slash', () => get('/v1/meta/errors/')],
    ['with an empty segment', () => get('/v1/test/things/')],
    ['with an empty segment and a query', () => get('/v1/test/things/?x=/')],
    ['with a very long segment', () => get(`/v1/test/things/${'9'.repeat(5_000)}`)],
  ]
  test.each(attempts)('%s', async (_name, attempt) => {
    const answer = await attempt()
    expect(answer.status).toBe(404)
    expect(expectEnvelope(answer, 'not_found').details).toEqual({})
  })
})

test('a malformed path id answers like a missing resource', async () => {
  const missing = await get('/v1/nope')
  const malformed = await get('/v1/test/things/abc')
  expect(malformed.text).toBe(missing.text)
  expect((await get('/v1/test/things/thing_1')).status).toBe(200)
})

describe('what HTTP itself cannot parse is bad_request', () => {
  const attempts: [string, () => Promise<RawAnswer>][] = [
    ['bad percent-encoding', () => get('/v1/test/things/%zz')],
    ['bad percent-encoding outside any route', () => get('/%c0%af')],
    ['oversized headers', () => get('/v1/meta/errors', { 'x-big': 'x'.repeat(40_000) })],
    ['plain garbage', () => exchange(server.port, ['\x16\x03\x01 hello, is this TLS?\r\n\r\n'])],
    ['a request line that is none', () => exchange(server.port, ['FROB /v1/meta/errors\r\nhost: x\r\n\r\n'])],
    ['a fragment in the target', () => get('/v1/meta/errors#x')],
    ...['a b', 'a/b', 'user@a', 'a:b', '[::1', 'a:80:80'].map((host): [string, () => Promise<RawAnswer>] => [
      `the host ${host}`,
      () => exchange(server.port, [`GET /v1/meta/errors HTTP/1.1\r\nhost: ${host}\r\n\r\n`]),
    ]),
    [
      'two content lengths',
      () =>
        exchange(server.port, [
          'POST /v1/test/echo HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}',
        ]),
    ],
    [
      'length and chunks together',
      () =>
        exchange(server.port, [
          'POST /v1/test/echo HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
        ]),
    ],
    [
      'an expectation nobody meets',
      () =>
        exchange(server.port, [request('POST', '/v1/test/bodyless', { expect: 'miracles', 'content-length': '0' })]),
    ],
    ['a tunnel', () => exchange(server.port, ['CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n'])],
    ...['host: a', 'authorization: Bearer a', 'content-type: application/json'].map(
      (line): [string, () => Promise<RawAnswer>] => [
        `two headers of which there can be one, ${line.split(':')[0]}`,
        () => exchange(server.port, [`GET /v1/meta/errors HTTP/1.1\r\nhost: a\r\n${line}\r\n${line}\r\n\r\n`]),
      ],
    ),
    ['no host', () => exchange(server.port, ['GET /v1/meta/errors HTTP/1.1\r\n\r\n'])],
  ]
  test.each(attempts)('%s', async (_name, attempt) => {
    const answer = await attempt()
    expect(answer.status).toBe(400)
    expect(expectEnvelope(answer, 'bad_request').details).toEqual({})
  })
})

test.each(['a', 'a:8080', '127.0.0.1', '[::1]:80', 'xn--nxasmq6b.example', ''])('the host %j is one', async (host) => {
  const answer = await exchange(server.port, [`GET /v1/meta/errors HTTP/1.1\r\nhost: ${host}\r\n\r\n`])
  expect(answer.status).toBe(200)
})

test('a target in absolute form is the same route', async () => {
  expect((await get('http://localhost/v1/meta/errors')).status).toBe(200)
  expect((await get('http://localhost/v1//errors')).status).toBe(404)
})

test('bad percent-encoding in a query is bad_request too', async () => {
  const answer = await get('/v1/meta/errors?sort=%zz')
  expect(answer.status).toBe(400)
  expectEnvelope(answer, 'bad_request')
})

describe('hostile connections do not end the process', () => {
  const health = async () => (await get('/healthz')).status
  const gzip = { ...json, 'content-encoding': 'gzip' }

  test('a GET with a body that is not gzip', async () => {
    await exchange(server.port, [request('GET', '/healthz', { ...gzip, 'content-length': '7' }, 'garbage')])
    expect(await health()).toBe(200)
  })

  test('gzip over the limit, and gzip that turns corrupt beyond it', async () => {
    const bomb = gzipSync('x'.repeat(1_000_000))
    await exchange(server.port, [request('POST', '/v1/test/echo', { ...gzip, 'content-length': '5000' })])
    await post('/v1/test/echo', Buffer.concat([bomb.subarray(0, -20), Buffer.alloc(40, 7)]), gzip)
    expect(await health()).toBe(200)
  })

  test('a tunnel asked for and cut before its answer is read', async () => {
    const { connect } = await import('node:net')
    for (let i = 0; i < 20; i++) {
      const socket = connect(server.port, '127.0.0.1')
      socket.on('error', () => undefined)
      await new Promise((resolve) => socket.once('connect', resolve))
      socket.write('CONNECT x:1 HTTP/1.1\r\nhost: x:1\r\n\r\n', () => socket.resetAndDestroy())
      await new Promise((resolve) => socket.once('close', resolve))
    }
    expect(await health()).toBe(200)
  })

  test('a second request on the same connection that is not HTTP still gets the envelope', async () => {
    const { connect } = await import('node:net')
    for (const second of ['garbage\r\n\r\n', request('GET', '/healthz', { 'x-big': 'x'.repeat(40_000) })]) {
      const text = await new Promise<string>((resolve, reject) => {
        let received = ''
        let sent = false
        const socket = connect(server.port, '127.0.0.1', () => socket.write(request('GET', '/healthz')))
        socket.on('error', reject)
        socket.on('data', (chunk) => {
          received += chunk.toString()
          if (!sent && received.includes('"ok"')) {
            sent = true
            socket.write(second)
          }
        })
        socket.on('close', () => resolve(received))
      })
      expect(text).toContain('HTTP/1.1 400')
      expect(text).toContain('"bad_request"')
    }
  })

  test('an odd expectation pipelined behind another request is answered', async () => {
    const { connect } = await import('node:net')
    const both =
      request('GET', '/healthz') + request('POST', '/v1/test/bodyless', { expect: 'miracles', 'content-length': '0' })
    const text = await new Promise<string>((resolve, reject) => {
      let received = ''
      const socket = connect(server.port, '127.0.0.1', () => socket.write(both))
      socket.on('error', reject)
      socket.on('data', (chunk) => (received += chunk.toString()))
      socket.on('close', () => resolve(received))
    })
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
  })
})

describe('a body that cannot be understood is a fault of the field body', () => {
  const echo = '/v1/test/echo'
  const attempts: [string, string, () => Promise<RawAnswer>][] = [
    ['malformed JSON', 'body: invalid_json', () => post(echo, '{"name": ')],
    ['JSON of the wrong type', 'body: invalid_type', () => post(echo, '[]')],
    ['a JSON string', 'body: invalid_type', () => post(echo, '"name"')],
    ['JSON null', 'body: invalid_type', () => post(echo, 'null')],
    ['a wrong content type', 'body: invalid_content_type', () => post(echo, '{}', { 'content-type': 'text/plain' })],
    [
      'a form',
      'body: invalid_content_type',
      () => post(echo, 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }),
    ],
    ['a missing content type', 'body: invalid_content_type', () => post(echo, '{}', {})],
    [
      'a content type that is none',
      'body: invalid_content_type',
      () => post(echo, '{}', { 'content-type': 'what ever' }),
    ],
    ...['charset=latin1', 'charset', 'charset=', 'x="a', 'a=b c'].map(
      (parameter): [string, string, () => Promise<RawAnswer>] => [
        `the parameter ${parameter}`,
        'body: invalid_content_type',
        () => post(echo, '{}', { 'content-type': `application/json; ${parameter}` }),
      ],
    ),
    ['bytes that are not UTF-8', 'body: invalid_body', () => post(echo, Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))],
    ['bytes that are not gzip', 'body: invalid_body', () => post(echo, '{}', { ...json, 'content-encoding': 'gzip' })],
    [
      'gzip cut short',
      'body: invalid_body',
      () => post(echo, gzipSync('{"name":"n","count":1}').subarray(0, 15), { ...json, 'content-encoding': 'gzip' }),
    ],
    ['an encoding nobody offered', 'body: invalid_body', () => post(echo, '{}', { ...json, 'content-encoding': 'br' })],
    ['__proto__', 'body: invalid_value', () => post(echo, '{"name":"n","count":1,"__proto__":{"admin":true}}')],
    [
      'an escaped __proto__',
      'body: invalid_value',
      () => post(echo, '{"name":"n","count":1,"\\u005f_proto__":{"admin":true}}'),
    ],
    [
      'constructor.prototype',
      'body: invalid_value',
      () => post(echo, '{"name":"n","count":1,"constructor":{"prototype":{"admin":true}}}'),
    ],
  ]
  test.each(attempts)('%s', async (_name, fault, attempt) => {
    const answer = await attempt()
    expect(answer.status).toBe(422)
    expect(fieldsOf(answer)).toEqual([fault])
  })

  test.each(['', '; charset=utf-8', ';charset="UTF-8"', '; foo=bar', '; v=1; charset=utf-8; q="a;\\"b"', ';'])(
    'but application/json%s is JSON',
    async (parameters) => {
      const type = { 'content-type': `Application/JSON${parameters}` }
      expect((await post(echo, '{"name":"n","count":1}', type)).status).toBe(200)
    },
  )

  test('and does not hide the faults of the query', async () => {
    expect(fieldsOf(await post(`${echo}?page=0`, '{'))).toEqual(['page: out_of_range', 'body: invalid_json'])
    const encoded = { ...json, 'content-encoding': 'br' }
    expect(fieldsOf(await post(`${echo}?page=0`, '{}', encoded))).toEqual(['page: out_of_range', 'body: invalid_body'])
  })
})

describe('a route without required fields accepts every form of no body', () => {
  const attempts: [string, string, string?][] = [
    ['nothing at all', request('POST', '/v1/test/bodyless')],
    ['an empty body', request('POST', '/v1/test/bodyless', { 'content-length': '0' })],
    ['an empty body with a type', request('POST', '/v1/test/bodyless', { ...json, 'content-length': '0' })],
    [
      'an empty body with a foreign type',
      request('POST', '/v1/test/bodyless', { 'content-type': 'text/plain', 'content-length': '0' }),
    ],
    [
      'an empty body with nonsense for a type',
      request('POST', '/v1/test/bodyless', { 'content-type': 'what ever', 'content-length': '0' }),
    ],
    ['an empty chunked body', request('POST', '/v1/test/bodyless', { 'transfer-encoding': 'chunked' }), '0\r\n\r\n'],
    [
      'an empty chunked body with a foreign type',
      request('POST', '/v1/test/bodyless', { 'transfer-encoding': 'chunked', 'content-type': 'text/plain' }),
      '0\r\n\r\n',
    ],
    [
      'an empty chunked body that says it is gzip',
      request('POST', '/v1/test/bodyless', { 'transfer-encoding': 'chunked', 'content-encoding': 'gzip' }),
      '0\r\n\r\n',
    ],
    ['{}', request('POST', '/v1/test/bodyless', { ...json, 'content-length': '2' }), '{}'],
  ]
  test.each(attempts)('%s', async (_name, head, body = '') => {
    const answer = await exchange(server.port, [head, body])
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.text)).toEqual({ body: {} })
  })

  test('but no field it does not know', async () => {
    expect(fieldsOf(await post('/v1/test/bodyless', '{"x":1}'))).toEqual(['x: unknown_field'])
  })
})

describe('a body over the limit is payload_too_large', () => {
  const attempts: [string, () => Promise<RawAnswer>][] = [
    [
      'by content-length, before it is read',
      () => exchange(server.port, [request('POST', '/v1/test/echo', { ...json, 'content-length': '4097' })]),
    ],
    [
      'while its client is still sending',
      () =>
        exchange(server.port, [
          request('POST', '/v1/test/echo', { ...json, 'content-length': '3000000' }),
          ...Array.from({ length: 30 }, () => 'x'.repeat(100_000)),
        ]),
    ],
    [
      'by chunks',
      () =>
        exchange(server.port, [
          request('POST', '/v1/test/echo', { ...json, 'transfer-encoding': 'chunked' }),
          ...Array.from({ length: 5 }, () => `400\r\n${'x'.repeat(1024)}\r\n`),
        ]),
    ],
    [
      'by what gzip inflates to',
      () => post('/v1/test/echo', gzipSync('x'.repeat(1_000_000)), { ...json, 'content-encoding': 'gzip' }),
    ],
    [
      'on a bulk route, whose limit is larger',
      () => exchange(server.port, [request('POST', '/v1/test/bulk', { ...json, 'content-length': '16385' })]),
    ],
  ]
  test.each(attempts)('%s', async (_name, attempt) => {
    const answer = await attempt()
    expect(answer.status).toBe(413)
    expectEnvelope(answer, 'payload_too_large')
  })

  test('and one exactly at the limit is not', async () => {
    const body = JSON.stringify({ text: '' })
    const full = JSON.stringify({ text: 'x'.repeat(16_384 - body.length) })
    expect(full.length).toBe(16_384)
    expect((await post('/v1/test/bulk', full)).status).toBe(200)
  })

  test('a gzip body within it is read', async () => {
    const answer = await post('/v1/test/echo', gzipSync('{"name":"n","count":1}'), {
      ...json,
      'content-encoding': 'gzip',
    })
    expect(JSON.parse(answer.text)).toEqual({ body: { name: 'n', count: 1 }, query: {} })
  })

  test('and the connection serves the next request', async () => {
    const oversized = request('POST', '/v1/test/echo', { ...json, 'content-length': '5000' }, 'x'.repeat(5_000))
    const answers: string[] = []
    const { connect } = await import('node:net')
    await new Promise<void>((resolve, reject) => {
      const socket = connect(server.port, '127.0.0.1', () => socket.write(oversized + request('GET', '/healthz')))
      socket.on('error', reject)
      socket.on('data', (chunk) => {
        answers.push(...(chunk.toString().match(/HTTP\/1\.1 \d+/g) ?? []))
        if (answers.length < 2) return
        socket.destroy()
        resolve()
      })
    })
    expect(answers).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
  })
})

describe('whatever a handler does, its answer is the envelope', () => {
  const attempts: [string, ErrorCode, number][] = [
    ['string', 'internal', 500],
    ['null', 'internal', 500],
    ['undefined', 'internal', 500],
    ['status', 'internal', 500],
    ['late-status', 'internal', 500],
    ['sql', 'internal', 500],
    ['unserializable', 'internal', 500],
    ['never', 'service_unavailable', 503],
    ['catalog', 'budget_exceeded', 402],
    ['rate-limited', 'rate_limited', 429],
  ]
  test.each(attempts)('%s', async (name, code, status) => {
    const answer = await get(`/v1/test/throws/${name}`)
    expect(answer.status).toBe(status)
    expectEnvelope(answer, code)
  })

  test('an internal error carries the trace id under which the log has its cause', async () => {
    const answer = await get('/v1/test/throws/sql')
    const line = server.logs.find(
      ({ trace_id, level }) => trace_id === answer.headers['x-svc-trace-id'] && level === 'error',
    )
    expect(line?.['error']).toMatchObject({ code: '42P01', message: 'relation "no_such_table" does not exist' })
  })

  test('rate_limited says in the header when to come back; other 429 and 503 do not', async () => {
    expect((await get('/v1/test/throws/rate-limited')).headers['retry-after']).toBe('7')
    expect((await get('/v1/test/throws/never')).headers['retry-after']).toBeUndefined()
  })
})

describe('the trace id', () => {
  test('is taken from a W3C traceparent', async () => {
    const answer = await get('/v1/meta/errors', {
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    })
    expect(answer.headers['x-svc-trace-id']).toBe('4bf92f3577b34da6a3ce929d0e0e4736')
  })

  test.each([
    '',
    'x',
    '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
    'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01',
  ])('is made anew where the traceparent is %j', async (traceparent) => {
    const answer = await get('/v1/meta/errors', { traceparent })
    expect(answer.headers['x-svc-trace-id']).toMatch(/^[0-9a-f]{32}$/)
    expect(answer.headers['x-svc-trace-id']).not.toMatch(/^(0{32}|4bf92f)/i)
  })

  test('differs from request to request', async () => {
    const ids = await Promise.all(
      Array.from({ length: 50 }, async () => (await get('/v1/meta/errors')).headers['x-svc-trace-id']),
    )
    expect(new Set(ids).size).toBe(50)
  })
})

test('a closed route refuses every token, and no token reaches the log', async () => {
  for (const headers of [{}, { authorization: 'Bearer weir_abc_def' }, { authorization: 'weir_abc_def' }]) {
    const answer = await get('/v1/test/closed', headers)
    expect(answer.status).toBe(401)
    expectEnvelope(answer, 'unauthorized')
  }
  // Refused before its body is read: not even one that could not be parsed changes the answer.
  expect((await post('/v1/test/closed-change', '{')).status).toBe(401)
  expect((await post('/v1/test/closed-change', 'x'.repeat(10_000))).status).toBe(401)
  expect(JSON.stringify(server.logs)).not.toContain('weir_abc_def')
})
