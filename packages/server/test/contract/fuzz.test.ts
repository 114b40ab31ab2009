import fc from 'fast-check'
import { expect, test } from 'vitest'
import { catalog, type ErrorCode } from '../../src/contract/errors.ts'
import { useServer } from '../support/harness.ts'
import { misbehavingRoutes } from '../support/misbehaving-routes.ts'
import { exchange, request } from '../support/raw-http.ts'

const server = useServer({ domain: misbehavingRoutes, environment: { SVC_REQUEST_TIMEOUT_SECONDS: '1' } })

const body = '{"name":"n","count":1,"runs":[{"cost_usd":"1.5"}]}'
const wellFormed = [
  request('GET', '/v1/meta/errors?limit=3&sort=-code&status=402', {
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  }),
  request(
    'POST',
    '/v1/test/echo?page=2',
    { 'content-type': 'application/json', 'content-length': String(body.length) },
    body,
  ),
  request(
    'POST',
    '/v1/test/echo',
    { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  ),
  request('GET', '/v1/test/things/thing_1', { authorization: 'Bearer weir_a_b' }),
]

const edit = fc.record({
  at: fc.nat({ max: 9_999 }).map((n) => n / 10_000),
  kind: fc.constantFrom('replace', 'insert', 'remove', 'truncate'),
  bytes: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 4 }).map((array) => Buffer.from(array)),
    fc
      .constantFrom('\r\n', '\0', '%', '{', '"', '..', ': ', ' ', 'chunked', '-1', '\u00e9')
      .map((text) => Buffer.from(text)),
  ),
})

function apply(original: Buffer, { at, kind, bytes }: { at: number; kind: string; bytes: Buffer }): Buffer {
  const index = Math.floor(at * original.length)
  const [before, after] = [original.subarray(0, index), original.subarray(index)]
  if (kind === 'truncate') return before
  if (kind === 'remove') return Buffer.concat([before, after.subarray(bytes.length)])
  return Buffer.concat([before, bytes, kind === 'replace' ? after.subarray(bytes.length) : after])
}

test('whatever arrives is answered by the contract or not at all, and the server goes on', async () => {
  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...wellFormed),
      fc.array(edit, { minLength: 1, maxLength: 3 }),
      async (original, edits) => {
        const bytes = edits.reduce(apply, Buffer.from(original))
        // The caller closes its side after sending: the server may end the connection of a request that never becomes whole.
        const answer = await exchange(server.port, [bytes], { half: true }).catch(() => undefined)
        if (!answer) return
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        if (answer.status < 400) return
        const { error } = JSON.parse(answer.text) as { error: { code: ErrorCode; details: object } }
        expect(catalog[error.code].statuses).toContain(answer.status)
        expect(error.details).toBeTypeOf('object')
        expect(answer.status).toBeLessThan(500)
        expect(answer.headers['x-svc-trace-id']).toMatch(/^[0-9a-f]{32}$/)
      },
    ),
    { numRuns: 3_000, verbose: true },
  )
  // A fuzzer that only ever sees one outcome tests nothing.
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 404, 422]))
  expect(server.logs.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
})
