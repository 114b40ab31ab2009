import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { OpenAPIV3_1 } from 'openapi-types'
import { Registry } from 'prom-client'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ApiError, catalog, type ErrorCode, validationFailed } from '../../src/contract/errors.ts'
import { protobufTraces } from '../../src/runs/otlp/encodings.ts'
import { bytesField, integerField, MessageReader } from '../../src/runs/otlp/protobuf.ts'
import { otlp } from '../../src/runs/otlp/routes.ts'
import type { Ingest } from '../../src/runs/otlp/trace-ingest.ts'
import type { BulkRunInput } from '../../src/runs/otlp/trace-runs.ts'
import { documentOf } from '../support/document.ts'
import { useServer } from '../support/harness.ts'
import { bytesOf, chat, exportBy, exporters, request, span as spanAt, tracedSpans } from '../support/otlp-spans.ts'
import { keyOf, operatorOf, tenantOf } from '../support/tenants.ts'

// Beside the route that the API serves, one whose runs end here.
const prefix = '/v1/test'
const path = `${prefix}/v1/otlp/v1/traces`
const metrics = new Registry()
let ingested: (readonly BulkRunInput[])[] = []
let callers: string[] = []
let answerOf: (runs: readonly BulkRunInput[]) => ReturnType<Ingest> = () => Promise.resolve({ results: [] })

const server = useServer({
  environment: {
    SVC_BODY_LIMIT_BYTES: '1024',
    SVC_BULK_BODY_LIMIT_BYTES: '4194304',
    // Large bodies on a machine that is busy with others.
    SVC_HANDLER_TIMEOUT_SECONDS: '120',
    SVC_IDEMPOTENCY_INFLIGHT_TAKEOVER_SECS: '150',
  },
  domain: (app, { clock, sql, log }) =>
    void app.register(
      (scoped, _options, done) => {
        otlp(scoped, { clock, metrics, sql, log }, (caller, runs) => {
          ingested.push(runs)
          callers.push(caller.orgId)
          return answerOf(runs)
        })
        done()
      },
      { prefix },
    ),
})
let key: string
let limited: string

beforeAll(async () => {
  const { id } = await tenantOf(server, (await operatorOf(server)).key)
  ;({ key } = await keyOf(server, id, { role: 'service', scopes: ['runs:import'] }))
  limited = (await keyOf(server, id, { scopes: ['runs:write'] })).key
})
beforeEach(() => {
  ingested = []
  callers = []
  answerOf = () => Promise.resolve({ results: [] })
})

const nanoNow = () => String(BigInt(Date.now()) * 1_000_000n)
const span: typeof spanAt = (values, more) =>
  spanAt(values, { startTimeUnixNano: nanoNow(), endTimeUnixNano: nanoNow(), ...more })

const types = { json: 'application/json', protobuf: 'application/x-protobuf' } as const

async function send(type: string, body: string | Buffer, headers: Record<string, string> = {}) {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': type, ...headers },
    body: new Uint8Array(Buffer.from(body)),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status: response.status, type: response.headers.get('content-type') ?? '', bytes, text: bytes.toString() }
}
const sendJson = (body: unknown) => send(types.json, JSON.stringify(body))

/** What a protobuf answer says, by the field numbers of the specification. */
function partialSuccessOf(bytes: Buffer): { rejectedSpans: bigint; errorMessage: string } | undefined {
  const answer = new MessageReader(bytes)
  if (!answer.next()) return undefined
  expect(answer.field).toBe(1)
  const inner = answer.message()
  inner.next()
  expect(inner.field).toBe(1)
  const rejectedSpans = inner.integer()
  inner.next()
  expect(inner.field).toBe(2)
  return { rejectedSpans, errorMessage: inner.text() }
}

describe.each(['json', 'protobuf'] as const)('a real exporter of %s', (encoding) => {
  const exporter = (compression: 'none' | 'gzip' = 'none') =>
    new exporters[encoding]({
      url: server.url + path,
      headers: { authorization: `Bearer ${key}` },
      compression: compression as never,
    })

  test('is understood, with and without gzip, and hears of success', async () => {
    const spans = tracedSpans()
    for (const compression of ['none', 'gzip'] as const)
      expect(await exportBy(exporter(compression), spans)).toMatchObject({ code: 0 })
    expect(ingested).toHaveLength(2)
    expect(ingested[1]).toEqual(ingested[0])
    expect(ingested[0]!.map(({ model, status }) => [model, status])).toEqual([
      ['gpt-4o', 'succeeded'],
      ['claude-sonnet-4-5', 'failed'],
    ])
    const { traceId, spanId } = spans.find(({ name }) => name === 'chat gpt-4o')!.spanContext()
    expect(ingested[0]![0]).toMatchObject({ external_id: `otlp:${traceId}:${spanId}`, chain_id: traceId })
    expect(new Set(callers).size).toBe(1)
  })

  test('gets its answer in its own encoding, of which full success says nothing', async () => {
    const answer = await send(types[encoding], await bytesOf(encoding, tracedSpans()))
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.type).toContain(types[encoding])
    expect(answer.text).toBe(encoding === 'json' ? '{}' : '')
  })

  test('is told how many spans were not taken, and why', async () => {
    answerOf = (runs) =>
      Promise.resolve({
        results: runs.map((_run, index) =>
          index === 1 ? { error: { code: 'conflict', message: 'It was sent before.' } } : {},
        ),
      })
    const answer = await send(types[encoding], await bytesOf(encoding, tracedSpans()))
    expect(answer.status).toBe(200)
    const { rejectedSpans, errorMessage } =
      encoding === 'json'
        ? (JSON.parse(answer.text) as { partialSuccess: { rejectedSpans: string; errorMessage: string } })
            .partialSuccess
        : partialSuccessOf(answer.bytes)!
    expect(String(rejectedSpans)).toBe('1')
    expect(errorMessage).toMatch(/^[0-9a-f]{32}:[0-9a-f]{16}: conflict: It was sent before\.$/)
  })

  test('hears of errors in the envelope', async () => {
    const bytes = await bytesOf(encoding, tracedSpans())
    answerOf = () => Promise.reject(new ApiError('service_unavailable'))
    const away = await send(types[encoding], bytes)
    expect(away.status).toBe(503)
    expect(away.type).toContain('application/json')
    expect(JSON.parse(away.text)).toMatchObject({ error: { code: 'service_unavailable' } })
    for (const [authorization, status] of [
      ['', 401],
      [`Bearer ${limited}`, 403],
    ] as const)
      expect((await send(types[encoding], bytes, { authorization })).status).toBe(status)
    expect(await exportBy(new exporters[encoding]({ url: server.url + path }), tracedSpans())).toMatchObject({
      code: 1,
    })
  })

  test('is bound by the limit of batches, inflated', async () => {
    const large = Buffer.alloc(4_200_000, '{')
    expect((await send(types[encoding], large)).status).toBe(413)
    expect((await send(types[encoding], gzipSync(large), { 'content-encoding': 'gzip' })).status).toBe(413)
  })
})

describe('what is taken', () => {
  test('a span that is not fit does not keep the others from it', async () => {
    const answer = await sendJson(
      request([span(chat), span({ ...chat, 'weir.customer_id': 'x'.repeat(201) }), span({ 'db.system': 'x' })]),
    )
    expect(ingested[0]).toHaveLength(1)
    expect(JSON.parse(answer.text)).toEqual({
      partialSuccess: {
        rejectedSpans: '1',
        errorMessage: expect.stringContaining('weir.customer_id has more than 200'),
      },
    })
  })

  test('a fault that is found only while recording takes its own run out, stage after stage', async () => {
    const faults: Record<string, string> = { unpriced: 'model', dear: 'output_tokens' }
    let stage = 0
    answerOf = (runs) => {
      const [model, field] = Object.entries(faults)[stage++] ?? []
      const fields = runs.flatMap((run, i) =>
        run.model === model ? [{ field: `runs.${i}.${field}`, code: 'invalid_value' as const, message: 'No.' }] : [],
      )
      return fields.length > 0 ? Promise.reject(validationFailed(fields)) : Promise.resolve({ results: [] })
    }
    const models = ['unpriced', 'a', 'dear', 'unpriced', 'b']
    const answer = await sendJson(request(models.map((model) => span({ ...chat, 'gen_ai.request.model': model }))))
    expect(ingested.map((runs) => runs.map(({ model }) => model))).toEqual([models, ['a', 'dear', 'b'], ['a', 'b']])
    const { partialSuccess } = JSON.parse(answer.text) as { partialSuccess: Record<string, string> }
    expect(partialSuccess['rejectedSpans']).toBe('3')
    expect(partialSuccess['errorMessage']).toContain('invalid_value: model: No.')
  })

  test('nothing is ingested where there is nothing, or nothing but other spans', async () => {
    for (const body of [{}, { resourceSpans: [] }, { resourceSpans: [{}] }, request([span({ 'db.system': 'x' })])])
      expect((await sendJson(body)).text).toBe('{}')
    expect((await send(types.protobuf, bytesField(99, Buffer.from('unknown')))).status).toBe(200)
    expect((await send(types.json, '')).status).toBe(200)
    expect(await send(types.protobuf, '')).toMatchObject({ status: 200, type: types.protobuf })
    expect(ingested).toEqual([])
  })

  test('every span is counted by what became of it', async () => {
    const counts = async () => {
      const { values } = await metrics.getSingleMetric('svc_otlp_spans_total')!.get()
      return Object.fromEntries(values.map(({ labels, value }) => [labels['outcome'], value]))
    }
    const before = await counts()
    answerOf = () => Promise.resolve({ results: [{ error: { code: 'conflict', message: '' } }] })
    const unfit = { ...chat, 'gen_ai.usage.input_tokens': -1 }
    const strange = { ...chat, 'gen_ai.operation.name': 'ponder' }
    await sendJson(request([span(chat), span(chat), span(unfit), span(strange), span({}), span({}), span({})]))
    const after = await counts()
    expect(Object.keys(after).map((name) => [name, after[name]! - (before[name] ?? 0)])).toEqual([
      ['recorded', 1],
      ['rejected', 2],
      ['unrecognized', 1],
      ['ignored', 3],
    ])
  })

  test('unknown fields are ignored in JSON, at every level', async () => {
    const body = {
      future: [1],
      resourceSpans: [
        {
          resource: { attributes: [], droppedAttributesCount: 0, entityRefs: [{}] },
          schemaUrl: 'x',
          future: null,
          scopeSpans: [
            {
              scope: { name: 'x', future: {} },
              future: 1,
              spans: [
                {
                  ...span(chat),
                  traceState: 'a=b',
                  kind: 3,
                  name: 'n\u0000',
                  events: [{ name: '\ud800' }],
                  future: { a: [{ b: 1 }] },
                },
              ],
            },
          ],
        },
      ],
    }
    expect((await sendJson(body)).text).toBe('{}')
    expect(ingested[0]).toHaveLength(1)
  })

  test('unknown fields and forms are ignored in protobuf, at every level', async () => {
    const plain = await bytesOf('protobuf', tracedSpans())
    const unknown = Buffer.concat([
      integerField(50, 300),
      bytesField(51, Buffer.from('future')),
      Buffer.from([0x9d, 0x06, 1, 2, 3, 4]), // field 99, 32 bits
      Buffer.from([0x99, 0x06, 1, 2, 3, 4, 5, 6, 7, 8]), // field 99, 64 bits
      integerField(1, 7), // a field that is known, in a form that it does not have
    ])
    expect((await send(types.protobuf, Buffer.concat([unknown, withUnknown(plain, unknown, 3), unknown]))).status).toBe(
      200,
    )
    await send(types.protobuf, plain)
    expect(ingested[0]).toEqual(ingested[1])
  })

  test('more model calls than a batch may have are too large a payload', async () => {
    const many = request(Array.from({ length: 5_001 }, () => span(chat)))
    const answer = await sendJson(many)
    expect(answer.status).toBe(413)
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code: 'payload_too_large' } })
  })
})

/** Adds fields to each message of the first so many levels: requests, resources and scopes have nothing but messages. */
function withUnknown(bytes: Buffer, unknown: Buffer, levels: number): Buffer {
  const parts: Buffer[] = []
  const reader = new MessageReader(bytes)
  while (reader.next()) {
    const content = Buffer.from(reader.text('hex'), 'hex')
    const isDeeper = levels > 1 && (levels === 3 || reader.field === 2)
    parts.push(
      bytesField(
        reader.field,
        isDeeper ? Buffer.concat([unknown, withUnknown(content, unknown, levels - 1)]) : content,
      ),
    )
  }
  return Buffer.concat(parts)
}

describe('what cannot be understood', () => {
  const faultsOf = (text: string) =>
    (JSON.parse(text) as { error: { details: { fields: { field: string; code: string; message: string }[] } } }).error
      .details.fields

  test('is a fault of the body, or of the list that is none', async () => {
    for (const [type, body, expected] of [
      [types.json, '{', 'body: invalid_json'],
      [types.json, '[]', 'body: invalid_type'],
      [types.json, '{"resourceSpans":{}}', 'resourceSpans: invalid_type'],
      [
        types.json,
        '{"resourceSpans":[{"scopeSpans":[{"spans":[1]}]}]}',
        'resourceSpans.0.scopeSpans.0.spans.0: invalid_type',
      ],
      [types.json, '{"__proto__":{}}', 'body: invalid_value'],
      [types.protobuf, '{}', 'body: invalid_body'],
      [types.protobuf, '\x0a\xff', 'body: invalid_body'],
      ['text/plain', 'x', 'body: invalid_content_type'],
    ] as const) {
      const { status, text } = await send(type, Buffer.from(body, 'latin1'))
      expect(status, body).toBe(422)
      expect(faultsOf(text).map(({ field, code }) => `${field}: ${code}`)).toEqual([expected])
    }
    expect(faultsOf((await send('text/plain', 'x')).text)[0]!.message).toBe(
      'The content type must be application/json or application/x-protobuf.',
    )
  })

  test('of protobuf: every truncation is refused or means less, and none is a failure of ours', async () => {
    const bytes = await bytesOf('protobuf', tracedSpans())
    const whole = new Set<number>()
    for (let length = 1; length < bytes.length; length += 7) {
      const { status } = await send(types.protobuf, bytes.subarray(0, length))
      whole.add(status)
    }
    expect([...whole]).toEqual([422])
  })

  test('of hostile shape costs about as much as JSON of that size', async () => {
    const size = 1_500_000
    const repeated = (bytes: number[]) => Buffer.alloc(size - (size % bytes.length), Buffer.from(bytes))
    const inSpan = (bytes: Buffer) => nested(bytes, [1, 2, 2])
    const hostile: [string, Buffer, number][] = [
      ['empty resources', repeated([0x0a, 0x00]), 413],
      ['empty spans', nested(repeated([0x12, 0x00]), [1, 2]), 413],
      ['a length beyond all bounds', Buffer.from('0affffffffffffffffff01', 'hex'), 422],
      ['a number without an end', repeated([0xff]), 422],
      ['groups', repeated([0x0b]), 422],
      ['the field 0', Buffer.from([0x02, 0x00]), 422],
      ['long numbers', inSpan(repeated([0x30, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1])), 200],
      ['empty attributes', inSpan(repeated([0x4a, 0x00])), 200],
      ['statuses', inSpan(repeated([0x7a, 0x00])), 200],
      ['a value of lists in lists', deepAttribute(2_000), 200],
      ['an attribute repeated', inSpan(Buffer.concat(Array<Buffer>(70_000).fill(emptyAttribute))), 200],
    ]
    // CPU time of this thread: what else the machine does is not counted.
    const shortestMs = (work: () => unknown) =>
      Math.min(
        ...[1, 2, 3].map(() => {
          const before = process.threadCpuUsage()
          work()
          const { user, system } = process.threadCpuUsage(before)
          return (user + system) / 1_000
        }),
      )
    const json = `[${'{},'.repeat(size / 3)}{}]`
    const jsonMs = shortestMs(() => JSON.parse(json) as unknown)
    for (const [name, body, status] of hostile) {
      const answers = await Promise.all([send(types.protobuf, body), fetch(`${server.url}/healthz`)])
      expect([name, ...answers.map((answer) => answer.status)]).toEqual([name, status, 200])
      const readMs = shortestMs(() => {
        try {
          protobufTraces.read(body)
        } catch {
          // Refused, as its answer has said.
        }
      })
      expect(readMs, name).toBeLessThan(jsonMs * 10)
    }
    const depth = 500_000
    const deep = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":${'['.repeat(depth)}${']'.repeat(depth)}}]}]}]}`
    expect((await send(types.json, deep)).status).toBe(422)
  })

  const emptyAttribute = bytesField(
    9,
    Buffer.concat([bytesField(1, Buffer.from('gen_ai.system')), bytesField(2, Buffer.alloc(0))]),
  )
  const nested = (inner: Buffer, fields: number[]) =>
    fields.reduceRight((bytes, field) => bytesField(field, bytes), inner)
  function deepAttribute(depth: number): Buffer {
    let value = bytesField(1, Buffer.from('x'))
    for (let i = 0; i < depth; i++) value = bytesField(5, bytesField(1, value))
    return nested(Buffer.concat([bytesField(1, Buffer.from('weir.tags')), bytesField(2, value)]), [1, 2, 2, 9])
  }

  test('whatever arrives is answered by the contract, and the server goes on', async () => {
    const spans = tracedSpans()
    const originals = { protobuf: await bytesOf('protobuf', spans), json: await bytesOf('json', spans) }
    const statuses = new Map<number, number>()
    const edit = fc.record({
      at: fc.nat({ max: 9_999 }).map((n) => n / 10_000),
      kind: fc.constantFrom('replace', 'insert', 'remove', 'truncate'),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 6 }).map((array) => Buffer.from(array)),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('protobuf', 'json'),
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        async (encoding, edits) => {
          const body = edits.reduce((original: Buffer, { at, kind, bytes }) => {
            const index = Math.floor(at * original.length)
            const [before, after] = [original.subarray(0, index), original.subarray(index)]
            if (kind === 'truncate') return before
            if (kind === 'remove') return Buffer.concat([before, after.subarray(bytes.length)])
            return Buffer.concat([before, bytes, kind === 'replace' ? after.subarray(bytes.length) : after])
          }, originals[encoding])
          const { status, text } = await send(types[encoding], body)
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          if (status === 200) return
          expect(status).toBeLessThan(500)
          const { error } = JSON.parse(text) as { error: { code: ErrorCode } }
          expect(catalog[error.code].statuses).toContain(status)
        },
      ),
      { numRuns: 2_000, verbose: true },
    )
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 422]))
    expect(server.logs.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  })
})

test('the document has both encodings of request and answer', async () => {
  const document = await documentOf(server.url)
  const { requestBody, responses } = document.paths![path]!.post!
  const encodings = ['application/json', 'application/x-protobuf']
  expect(Object.keys((requestBody as OpenAPIV3_1.RequestBodyObject).content)).toEqual(encodings)
  expect(Object.keys((responses['200'] as OpenAPIV3_1.ResponseObject).content!)).toEqual(encodings)
})
