import { connect } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { useServer } from '../support/harness.ts'
import { misbehavingRoutes } from '../support/misbehaving-routes.ts'
import { request } from '../support/raw-http.ts'
import { operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const server = useServer({
  domain: misbehavingRoutes,
  environment: { SVC_REQUEST_TIMEOUT_SECONDS: '1', SVC_HANDLER_TIMEOUT_SECONDS: '1', SVC_BODY_LIMIT_BYTES: '200000' },
})
let tenant: Tenant

beforeAll(async () => {
  tenant = await tenantOf(server, (await operatorOf(server)).key)
})

const json = { 'content-type': 'application/json' }

/** All that the server says on one connection until it ends it, and every byte that was sent meanwhile. */
function conversation(chunks: readonly string[], { until }: { until?: RegExp } = {}) {
  return new Promise<{ text: string; heads: string[]; error?: string }>((resolve) => {
    let text = ''
    let error: string | undefined
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
    const finish = () => {
      socket.destroy()
      resolve({ text, heads: text.match(/HTTP\/1\.1 \d+/g) ?? [], ...(error !== undefined && { error }) })
    }
    socket.on('data', (chunk) => {
      text += chunk.toString()
      if (until?.test(text)) finish()
    })
    socket.on('end', () => {
      // Its answer is whole; only now does the caller stop sending.
      socket.end(() => finish())
    })
    socket.on('error', (cause: NodeJS.ErrnoException) => {
      error = cause.code
      finish()
    })
    socket.on('connect', () => {
      for (const chunk of chunks) socket.write(chunk)
    })
  })
}

describe('a request has one answer', () => {
  test('though its body stops after the answer was given', async () => {
    const { heads } = await conversation([
      request('POST', '/v1/test/closed-change', { ...json, 'content-length': '100' }, '{"name": '),
    ])
    expect(heads).toEqual(['HTTP/1.1 401'])
  })

  test('though its chunks never end', async () => {
    const { heads, text } = await conversation([
      request('POST', '/v1/test/closed-change', { ...json, 'transfer-encoding': 'chunked' }, '3\r\n{"n\r\n'),
    ])
    expect(heads).toEqual(['HTTP/1.1 401'])
    expect(text).toMatch(/^connection: close\r$/im)
  })

  test('and a connection on which nothing was asked has none', async () => {
    expect((await conversation([])).text).toBe('')
  })

  test('a large body that nobody wants ends the connection, and its sender gets the answer', async () => {
    const { heads, text, error } = await conversation([
      request('POST', '/v1/test/closed-change', { ...json, 'content-length': '10000000' }),
      ...Array.from({ length: 100 }, () => 'x'.repeat(100_000)),
      request('GET', '/healthz'),
    ])
    expect(error).toBeUndefined()
    expect(heads).toEqual(['HTTP/1.1 401'])
    expect(text).toMatch(/^connection: close\r$/im)
  })

  test('a small one is dropped, and the connection serves the next request', async () => {
    const { heads } = await conversation(
      [
        request('POST', '/v1/test/closed-change', { ...json, 'content-length': '9' }, '{"name": '),
        request('GET', '/healthz'),
      ],
      { until: /"ok"/ },
    )
    expect(heads).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200'])
  })

  test('what follows the answer that ended a connection is not carried out', async () => {
    const budgets = `/v1/orgs/${tenant.id}/budgets`
    const authorization = `Bearer ${tenant.key}`
    const body = '{"name":"late","scope_kind":"org","limit_usd":"1","period":"day"}'
    const { heads } = await conversation([
      request('POST', '/v1/test/closed-change', { ...json, 'transfer-encoding': 'chunked' }, '2\r\n{}\r\n0\r\n\r\n'),
      request('POST', budgets, { ...json, authorization, 'content-length': String(body.length) }, body),
    ])
    expect(heads).toEqual(['HTTP/1.1 401'])
    const listed = await fetch(server.url + budgets, { headers: { authorization } })
    expect(await listed.json()).toMatchObject({ data: [] })
  })
})

describe('leave to send a body is given', () => {
  const expecting = { ...json, expect: '100-continue', 'content-length': '22' }
  const body = '{"name":"n","count":1}'

  test('to who may send it, and the answer follows', async () => {
    const { heads } = await conversation([request('POST', '/v1/test/echo', expecting), body], { until: /"count":1/ })
    expect(heads).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200'])
  })

  test('to a valid key', async () => {
    const { heads } = await conversation(
      [request('POST', `/v1/orgs/${tenant.id}/budgets`, { ...expecting, authorization: `Bearer ${tenant.key}` }), body],
      { until: /validation_failed/ },
    )
    expect(heads).toEqual(['HTTP/1.1 100', 'HTTP/1.1 422'])
  })

  test.each([
    ['without a key', 401, request('POST', '/v1/test/closed-change', expecting)],
    ['with a key that is none', 401, request('POST', '/v1/runs', { ...expecting, authorization: 'Bearer weir_x' })],
    ['on an unmatched path', 404, request('POST', '/v1/nope', expecting)],
    ['by an unmatched method', 404, request('PUT', '/v1/test/echo', expecting)],
    ['for a body over the limit', 413, request('POST', '/v1/test/echo', { ...expecting, 'content-length': '200001' })],
    ['for what nobody reads', 200, request('GET', '/healthz', expecting)],
  ])('but not %s', async (_why, status, head) => {
    const { heads, text } = await conversation([head])
    expect(heads).toEqual([`HTTP/1.1 ${status}`])
    expect(text).toMatch(/^connection: close\r$/im)
  })
})
