import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { Type } from 'typebox'
import { beforeAll, describe, expect, test } from 'vitest'
import { readNdjson } from '../../src/contract/ndjson.ts'
import type { App } from '../../src/contract/routes.ts'
import { withCheck } from '../../src/contract/semantic-check.ts'
import { useServer } from '../support/harness.ts'
import { bytesOf, tracedSpans } from '../support/otlp-spans.ts'
import { type Answer, keyOf, operatorOf, tenantOf } from '../support/tenants.ts'
import { leastTurnMs } from '../support/turns.ts'

const maxRuns = 5_000

/** Answers with what it was given, so that a body can be compared with what arrives. */
function echo(app: App) {
  const Item = Type.Object({
    n: Type.Integer({ minimum: 0, maximum: 9 }),
    text: Type.Optional(Type.String({ maxLength: 1_000 })),
    more: Type.Optional(Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), { maxProperties: 50 })),
  })
  const body = withCheck(
    Type.Object({
      runs: Type.Array(Item, { minItems: 1, maxItems: maxRuns }),
      note: Type.Optional(Type.String({ maxLength: 20 })),
    }),
    ({ note }: { note?: string }) =>
      note === 'odd' ? [{ field: 'note', code: 'invalid_value' as const, message: 'This is odd.' }] : [],
  )
  app.post(
    '/v1/test/batch',
    {
      config: {
        role: 'service',
        scope: 'runs:write',
        bulk: true,
        bodyTypes: { 'application/x-ndjson': readNdjson('runs', maxRuns) },
      },
      schema: {
        operationId: 'batch',
        body,
        querystring: Type.Object({ page: Type.Optional(Type.Integer({ maximum: 1 })) }),
      },
    },
    (request, reply) =>
      reply
        .header('x-read-in-thread', String(request.isBodyValid))
        .send({ body: request.body as object, digest: request.bodyDigest?.toString('hex') }),
  )
}

const server = useServer({ domain: echo })
let key: string

beforeAll(async () => {
  const { id } = await tenantOf(server, (await operatorOf(server)).key)
  ;({ key } = await keyOf(server, id))
})

async function send(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}, query = '') {
  const response = await fetch(`${server.url}/v1/test/batch${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body,
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) as Answer['json'] }
}

const faultsOf = ({ json }: Answer) =>
  (json.error!.details['fields'] as { field: string; code: string }[]).map(({ field, code }) => `${field}: ${code}`)

const item = (i: number) => ({
  n: i % 10,
  text: `"é𝄞\\${i}`.repeat(10),
  more: { [`name${i}`]: i, list: [i, null, -0.5] },
})
const large = { runs: Array.from({ length: 4_000 }, (_, i) => item(i)), note: 'as it was' }

describe('a large body is read by a thread of its own', () => {
  test('and arrives as it was sent, from JSON, NDJSON and gzip', async () => {
    const text = JSON.stringify(large)
    const lines = large.runs.map((run) => JSON.stringify(run)).join('\n')
    const ndjson = { 'content-type': 'application/x-ndjson' }
    const gzip = { 'content-encoding': 'gzip' }
    for (const [body, headers, expected] of [
      [text, {}, large],
      [new Uint8Array(gzipSync(text)), gzip, large],
      [lines, ndjson, { runs: large.runs }],
      [new Uint8Array(gzipSync(lines)), { ...ndjson, ...gzip }, { runs: large.runs }],
    ] as const) {
      const answer = await send(body, headers)
      expect(answer.status, answer.text.slice(0, 300)).toBe(200)
      expect(answer.headers.get('x-read-in-thread')).toBe('true')
      expect(answer.json['body']).toEqual(expected)
    }
  })

  test('a small one is not, and has the same faults', async () => {
    const answer = await send(JSON.stringify({ runs: [item(1)] }))
    expect(answer.headers.get('x-read-in-thread')).toBe('false')
  })

  const faulty = (runs: readonly unknown[], more: object = {}) => ({ runs: [...runs], ...more })
  test.each([
    ['fields', faulty([{ n: 10 }, {}, 7, { n: 1, stray: 1 }])],
    [
      'text that cannot be stored',
      faulty([
        { n: 1, text: 'a\0b' },
        { n: 1, more: { '\0': 1 } },
      ]),
    ],
    ['what JSON Schema cannot say', faulty([{ n: 1 }], { note: 'odd' })],
    ['too many', faulty(Array.from({ length: maxRuns + 1 }, () => ({ n: 1 })))],
    ['a wrong shape', { runs: {} }],
  ])('faults are the same in both: %s', async (_name, body) => {
    const small = JSON.stringify(body)
    const [ofSmall, ofLarge] = [await send(small), await send(small + ' '.repeat(70_000))]
    expect(ofSmall.status).toBe(422)
    expect(ofLarge.text).toBe(ofSmall.text)
  })

  test('faults of the query are told beside those of the body', async () => {
    const text = JSON.stringify({ ...large, runs: [...large.runs, { n: 10 }] })
    expect(faultsOf(await send(text, {}, '?page=2'))).toEqual(['page: out_of_range', 'runs.4000.n: out_of_range'])
  })

  test.each([
    ['no JSON', JSON.stringify(large).slice(0, -1), 'body: invalid_json'],
    ['a prototype', JSON.stringify(large).replace('"n":', '"__proto__":{"a":1},"n":'), 'body: invalid_value'],
    [
      'no UTF-8',
      new Uint8Array(Buffer.concat([Buffer.from([0xff]), Buffer.from(JSON.stringify(large))])),
      'body: invalid_body',
    ],
  ])('%s is refused', async (_name, body, fault) => {
    expect(faultsOf(await send(body))).toEqual([fault])
  })

  test('its digest is of the bytes as they arrived', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const zipped = new Uint8Array(gzipSync(JSON.stringify(large)))
    const { json } = await send(zipped, { ...headers, 'content-encoding': 'gzip' })
    expect(json['digest']).toBe(Buffer.from(await crypto.subtle.digest('SHA-256', zipped)).toString('hex'))
  })

  test('many at once are all answered, in turns', async () => {
    const text = JSON.stringify(large)
    const answers = await Promise.all(Array.from({ length: 12 }, () => send(text)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  })
})

test('a batch of 5,000 runs keeps nobody else waiting for 50 ms', async () => {
  const batch = () =>
    JSON.stringify({
      runs: Array.from({ length: maxRuns }, (_, i) => ({
        model: 'gpt-4o',
        cost_usd: '0',
        workflow_id: `w-${i % 50}`,
        external_id: randomUUID(),
        tags: ['a', 'b'],
        metadata: Object.fromEntries(
          Array.from({ length: 10 }, (_, name) => [`name-${name}`, `value ${i} `.repeat(5)]),
        ),
      })),
    })
  const bodies = [batch(), batch(), batch(), batch()]
  const record = async () => {
    const body = new Uint8Array(gzipSync(bodies.pop()!))
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-encoding': 'gzip' }
    return async () => {
      const response = await fetch(`${server.url}/v1/runs/bulk`, { method: 'POST', headers, body })
      expect(response.status).toBe(200)
      await response.arrayBuffer()
    }
  }
  // The first one also compiles what all others use.
  await (await record())()
  const prepared = [await record(), await record(), await record()]
  expect(await leastTurnMs(() => prepared.pop()!(), 50)).toBeLessThan(50)
})

test('traces are read there too, in both encodings, and are recorded', async () => {
  const post = (type: string, body: Uint8Array<ArrayBuffer>) =>
    fetch(`${server.url}/v1/otlp/v1/traces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': type },
      body,
    })
  const recorded = async () =>
    Number(
      /svc_otlp_spans_total\{outcome="recorded"\} (\d+)/.exec(
        await (await fetch(`${server.url}/metrics`)).text(),
      )?.[1] ?? 0,
    )
  for (const [encoding, type] of [
    ['json', 'application/json'],
    ['protobuf', 'application/x-protobuf'],
  ] as const) {
    const before = await recorded()
    const body = new Uint8Array(await bytesOf(encoding, Array.from({ length: 80 }, tracedSpans).flat()))
    expect(body.length).toBeGreaterThan(65_536)
    expect((await post(type, body)).status).toBe(200)
    expect((await recorded()) - before).toBeGreaterThanOrEqual(80)
    expect((await post(type, body.slice(0, -3))).status).toBe(422)
  }
})
