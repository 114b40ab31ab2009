import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { OpenAPIV3_1 } from 'openapi-types'
import { Type } from 'typebox'
import { beforeAll, describe, expect, test } from 'vitest'
import { idempotencyOf } from '../../src/access/idempotency/idempotency.ts'
import { readNdjson } from '../../src/contract/ndjson.ts'
import type { App } from '../../src/contract/routes.ts'
import { unreadable } from '../../src/contract/unreadable-body.ts'
import { documentOf } from '../support/document.ts'
import { useServer } from '../support/harness.ts'
import { type Answer, keyOf, operatorOf, tenantOf } from '../support/tenants.ts'

const maxRuns = 5

/** A route that reads three formats, and one that reads JSON only. */
function routesOfTypes(app: App) {
  const body = Type.Object({
    runs: Type.Array(Type.Object({ n: Type.Integer({ minimum: 0, maximum: 9 }) }), { minItems: 1, maxItems: maxRuns }),
    note: Type.Optional(Type.String({ maxLength: 10 })),
  })
  const config = { role: 'service', scope: 'runs:write' } as const
  app.post(
    '/v1/test/typed',
    {
      config: {
        ...config,
        bulk: true,
        bodyTypes: {
          'application/x-ndjson': readNdjson('runs', maxRuns),
          'application/x-digits': {
            schema: { type: 'string' },
            read: (bytes) =>
              /^\d+$/.test(bytes.toString('latin1'))
                ? { runs: Array.from(bytes.toString('latin1'), (digit) => ({ n: Number(digit) })) }
                : unreadable({ field: 'runs.0', code: 'invalid_format', message: 'This is no digit.' }),
          },
        },
      },
      schema: { operationId: 'typed', body },
    },
    (request) => ({ runs: request.body.runs, hash: idempotencyOf(request)?.hash.toString('hex') }),
  )
  app.post('/v1/test/json-only', { config, schema: { operationId: 'jsonOnly', body } }, ({ body: { runs } }) => ({
    runs,
  }))
}

const server = useServer({ domain: routesOfTypes, environment: { SVC_BULK_BODY_LIMIT_BYTES: '4096' } })
let key: string

beforeAll(async () => {
  const { id } = await tenantOf(server, (await operatorOf(server)).key)
  ;({ key } = await keyOf(server, id))
})

const ndjson = 'application/x-ndjson'
async function send(
  type: string | undefined,
  body: string | Uint8Array<ArrayBuffer>,
  options: { path?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const response = await fetch(server.url + (options.path ?? '/v1/test/typed'), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      ...(type !== undefined && { 'content-type': type }),
      ...options.headers,
    },
    body,
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: JSON.parse(text) as Answer['json'],
  }
}
const faultsOf = ({ json }: Answer) =>
  (json.error!.details['fields'] as { field: string; code: string; message: string }[]).map(
    ({ field, code }) => `${field}: ${code}`,
  )
const messageOf = ({ json }: Answer) => (json.error!.details['fields'] as { message: string }[])[0]!.message

describe('a route that reads several media types', () => {
  test('gets the same value from each', async () => {
    const expected = { runs: [{ n: 1 }, { n: 2 }] }
    for (const [type, body] of [
      ['application/json', '{"runs":[{"n":1},{"n":2}]}'],
      [ndjson, '{"n":1}\n{"n":2}'],
      [`${ndjson}; charset=utf-8`, '\r\n{"n":1}\r\n\n  {"n":2}\t\n'],
      ['Application/X-NDJSON', '{"n":1}\n{"n":2}\n'],
      ['application/x-digits', '12'],
    ] as const) {
      const answer = await send(type, body)
      expect(answer.status, type).toBe(200)
      expect(answer.json, type).toEqual(expected)
      const zipped = await send(type, new Uint8Array(gzipSync(body)), { headers: { 'content-encoding': 'gzip' } })
      expect(zipped.json, type).toEqual(expected)
    }
  })

  test('validates what was read, whatever it was read from', async () => {
    expect(faultsOf(await send(ndjson, '{"n":1}\n{"n":10}\n{}\n7'))).toEqual([
      'runs.1.n: out_of_range',
      'runs.2.n: required',
      'runs.3: invalid_type',
    ])
    expect(faultsOf(await send(ndjson, '{"n":1,"__proto":1}'))).toEqual(['runs.0.__proto: unknown_field'])
  })

  test('says in a refusal what it takes', async () => {
    const answer = await send('text/plain', '1')
    expect(faultsOf(answer)).toEqual(['body: invalid_content_type'])
    const listed = 'The content type must be application/json, application/x-ndjson or application/x-digits.'
    expect(messageOf(answer)).toBe(listed)
    for (const type of ['what ever', `${ndjson}; charset=latin1`, 'constructor', 'a/constructor'])
      expect(messageOf(await send(type, '1')), type).toBe(listed)
    for (const type of [ndjson, 'what ever'])
      expect(messageOf(await send(type, '{"n":1}', { path: '/v1/test/json-only' }))).toBe(
        'The content type must be application/json.',
      )
  })

  test('names the part of the body that a reader could not understand, beside the faults of the query', async () => {
    expect(faultsOf(await send('application/x-digits', 'x', { path: '/v1/test/typed?page=1' }))).toEqual([
      'page: unknown_field',
      'runs.0: invalid_format',
    ])
  })

  test('is bound by its body limit in each, inflated', async () => {
    const large = '7'.repeat(5_000)
    for (const type of [ndjson, 'application/x-digits']) {
      expect((await send(type, large)).json.error!.code).toBe('payload_too_large')
      const zipped = await send(type, new Uint8Array(gzipSync(large)), { headers: { 'content-encoding': 'gzip' } })
      expect(zipped.status).toBe(413)
    }
  })

  test('tells a repeated request from another one by the bytes that arrived', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const hashOf = async (body: string) => (await send(ndjson, body, { headers })).json['hash']
    const hash = await hashOf('{"n":1}')
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(await hashOf('{"n":1}')).toBe(hash)
    expect(await hashOf('{"n":1}\n')).not.toBe(hash)
  })

  test('is documented with all of them', async () => {
    const document = await documentOf(server.url)
    const { content } = document.paths!['/v1/test/typed']!.post!.requestBody as OpenAPIV3_1.RequestBodyObject
    expect(Object.keys(content)).toEqual(['application/json', ndjson, 'application/x-digits'])
    expect(content[ndjson]!.schema).toMatchObject({ type: 'string' })
  })
})

describe('NDJSON', () => {
  test('names every line that is no JSON by its index', async () => {
    expect(faultsOf(await send(ndjson, '{"n":1}\n{"n":\n\n}\n{"n":2}'))).toEqual([
      'runs.1: invalid_json',
      'runs.2: invalid_json',
    ])
  })

  test('cannot reach a prototype', async () => {
    expect(faultsOf(await send(ndjson, '{"n":1}\n{"n":1,"__proto__":{"admin":true}}'))).toEqual([
      'runs.1: invalid_value',
    ])
    expect(faultsOf(await send(ndjson, '{"constructor":{"prototype":{"admin":true}}}'))).toEqual([
      'runs.0: invalid_value',
    ])
  })

  test('with one line too many is too many, whatever stands in those beyond', async () => {
    const line = '{"n":1}\n'
    expect((await send(ndjson, line.repeat(maxRuns))).status).toBe(200)
    expect(faultsOf(await send(ndjson, line.repeat(maxRuns + 1)))).toEqual(['runs: too_many'])
    expect(faultsOf(await send(ndjson, `${line.repeat(maxRuns)}{\n{\n{`))).toEqual(['runs: too_many'])
    expect(faultsOf(await send(ndjson, '{\n'.repeat(300)))).toEqual(['runs: too_many'])
  })

  test('without a line is empty, without a byte is missing', async () => {
    expect(faultsOf(await send(ndjson, '\n \n'))).toEqual(['runs: empty'])
    expect(faultsOf(await send(ndjson, ''))).toEqual(['runs: required'])
  })

  test('is text', async () => {
    expect(faultsOf(await send(ndjson, new Uint8Array([0x22, 0xff, 0x22])))).toEqual(['body: invalid_body'])
    expect(faultsOf(await send(ndjson, 'x', { headers: { 'content-encoding': 'gzip' } }))).toEqual([
      'body: invalid_body',
    ])
  })
})
