import { gzipSync } from 'node:zlib'
import { Type } from 'typebox'
import { beforeAll, describe, expect, test } from 'vitest'
import { jsonBoundsOf, maxJsonDepth } from '../../src/contract/json-bounds.ts'
import type { App } from '../../src/contract/routes.ts'
import { Metadata, Tags } from '../../src/records/run-log/run-log.ts'
import { useServer } from '../support/harness.ts'
import { keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** An open body, so that only the bounds before parsing can refuse it. */
function openBodies(app: App) {
  const schema = { body: Type.Unsafe<unknown>({}) }
  const config = { role: 'service', scope: 'runs:write' } as const
  app.post('/v1/test/open', { config, schema: { ...schema, operationId: 'openBody' } }, () => ({}))
  const own = Type.Object({ tags: Type.Optional(Tags), metadata: Type.Optional(Metadata) })
  app.post('/v1/test/own', { config, schema: { body: own, operationId: 'ownBody' } }, () => ({}))
}

const server = useServer({ domain: openBodies })
let tenant: Tenant
let key: string

beforeAll(async () => {
  tenant = await tenantOf(server, (await operatorOf(server)).key)
  ;({ key } = await keyOf(server, tenant.id))
})

async function send(
  path: string,
  body: string,
  { type = 'application/json', isZipped = false }: { type?: string; isZipped?: boolean } = {},
) {
  const response = await fetch(server.url + path.replace('{id}', tenant.id), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': type,
      ...(isZipped && { 'content-encoding': 'gzip' }),
    },
    body: isZipped ? new Uint8Array(gzipSync(body)) : body,
  })
  const { error } = (await response.json()) as {
    error?: { code: string; details: { fields?: { field: string; code: string }[] } }
  }
  return { status: response.status, faults: error?.details.fields?.map(({ field, code }) => `${field}: ${code}`) }
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const refusedAs = (...faults: string[]) => ({ status: 422, faults })

describe('a body that is nested too deep is not parsed', () => {
  test('one level more than the bound is refused, the bound itself is not', async () => {
    expect((await send('/v1/test/open', nested(maxJsonDepth))).status).toBe(200)
    expect(await send('/v1/test/open', nested(maxJsonDepth + 1))).toEqual(refusedAs('body: invalid_json'))
  })

  test.each(['/v1/orgs/{id}/policies/evaluate', '/v1/runs', '/v1/runs/bulk', '/v1/otlp/v1/traces'])(
    'a kilobyte of gzip that is half a million brackets: %s',
    async (path) => {
      expect(await send(path, nested(520_000), { isZipped: true })).toEqual(refusedAs('body: invalid_json'))
    },
  )

  test('on a line of NDJSON it is that line that is at fault', async () => {
    const run = '{"model":"gpt-4o","cost_usd":"1"}'
    const lines = [run, nested(maxJsonDepth + 1), run].join('\n')
    expect(await send('/v1/runs/bulk', lines, { type: 'application/x-ndjson' })).toEqual(
      refusedAs('runs.1: invalid_json'),
    )
  })
})

describe('a body with too much structure is not parsed', () => {
  const normal = jsonBoundsOf({}).maxStructure
  const bulk = jsonBoundsOf({ bulk: true }).maxStructure
  const listOf = (structure: number) => `[${'0,'.repeat(structure - 2)}0]`

  test('one structural character more than the bound is refused, the bound itself is not', async () => {
    expect((await send('/v1/test/open', listOf(normal))).status).toBe(200)
    expect(await send('/v1/test/open', listOf(normal + 1))).toEqual(refusedAs('body: too_many'))
  })

  test('1,100,000 names in the metadata of one run', async () => {
    const names = Array.from({ length: 1_100_000 }, (_, i) => `"n${i}":1`).join()
    const body = `{"runs":[{"model":"gpt-4o","cost_usd":"1","metadata":{${names}}}]}`
    expect(await send('/v1/runs/bulk', body, { isZipped: true })).toEqual(refusedAs('body: too_many'))
  })

  test('lines of NDJSON are bounded in their sum', async () => {
    const line = `{"model":"gpt-4o","tags":[${'0,'.repeat(bulk / 10)}0]}\n`
    expect(await send('/v1/runs/bulk', line.repeat(11), { type: 'application/x-ndjson' })).toEqual(
      refusedAs('body: too_many'),
    )
  })
})

test('a few kilobytes do not become a body of the largest size', async () => {
  const run = '{"runs":[{"model":"gpt-4o","cost_usd":"0"}]}'
  const padded = (bytes: number) => run + ' '.repeat(bytes)
  expect((await send('/v1/runs/bulk', padded(4_000_000), { isZipped: true })).status).toBe(200)
  expect((await send('/v1/runs/bulk', padded(4_300_000), { isZipped: true })).status).toBe(413)
  expect((await send('/v1/runs/bulk', padded(4_300_000))).status).toBe(200)
})

test('no route has a valid body that the bounds refuse', () => {
  const bodies = server.routes
    .filter(({ declaration }) => declaration.foreignBody !== true)
    .map(({ template, declaration, schema }) => ({
      template,
      largest: largestOf((schema as { body?: Schema }).body ?? {}),
      bounds: jsonBoundsOf(declaration),
    }))
    .filter(({ template }) => !template.startsWith('/v1/test/'))
  expect(bodies.length).toBeGreaterThan(100)
  for (const { template, largest, bounds } of bodies) {
    expect(largest.structure, template).toBeLessThanOrEqual(bounds.maxStructure)
    expect(largest.depth, template).toBeLessThanOrEqual(bounds.maxDepth)
  }
})

interface Schema {
  readonly type?: string
  readonly properties?: Record<string, Schema>
  readonly patternProperties?: Record<string, Schema>
  readonly additionalProperties?: Schema | boolean
  readonly maxProperties?: number
  readonly items?: Schema
  readonly maxItems?: number
  readonly anyOf?: readonly Schema[]
}
interface Extent {
  readonly depth: number
  readonly structure: number
}

/** The most structure that a valid value can have. */
function largestOf({ type, anyOf, items, ...schema }: Schema): Extent {
  if (anyOf) return mostOf(anyOf.map(largestOf))
  if (type === 'array')
    return inside(
      Array.from({ length: schema.maxItems! }, () => largestOf(items!)),
      0,
    )
  if (type !== 'object') return { depth: 0, structure: 0 }
  const named = Object.values(schema.properties ?? {}).map(largestOf)
  const others = [...Object.values(schema.patternProperties ?? {}), schema.additionalProperties]
    .filter((other): other is Schema => typeof other === 'object')
    .map(largestOf)
  const free = others.length === 0 ? [] : Array.from({ length: schema.maxProperties! }, () => mostOf(others))
  return inside([...named, ...free], 1)
}

const mostOf = (extents: readonly Extent[]): Extent => ({
  depth: Math.max(...extents.map(({ depth }) => depth)),
  structure: Math.max(...extents.map(({ structure }) => structure)),
})
const inside = (values: readonly Extent[], perName: number): Extent => ({
  depth: 1 + values.reduce((most, { depth }) => Math.max(most, depth), 0),
  structure: 2 + Math.max(0, values.length - 1) + values.reduce((sum, { structure }) => sum + structure + perName, 0),
})

describe('what a schema allows few of is counted, and then not looked at', () => {
  test('a field that many names are too many for has one fault', async () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `"\\u0000${i}":null`).join()
    expect(await send('/v1/test/own', `{"metadata":{${names}}}`)).toEqual(refusedAs('metadata: too_many'))
  })

  test('items that must differ are not compared with one another when there are too many', async () => {
    const tags = Array.from({ length: 49_000 }, (_, i) => String(i)).join()
    const before = process.cpuUsage()
    expect(await send('/v1/test/own', `{"tags":[${tags}]}`)).toEqual(refusedAs('tags: too_many'))
    // A billion comparisons take many times as much.
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(3_000)
    expect(await send('/v1/test/own', '{"tags":["a","b","a"]}')).toEqual(refusedAs('tags: invalid_value'))
  })
})

describe('a body with the input of a model', () => {
  const limit = 5_242_880
  const padded = (bytes: number) => {
    const body = JSON.stringify({ model: 'gpt-4o', input: '😀'.repeat(1_048_576), dry_run: true })
    return body + ' '.repeat(bytes - Buffer.byteLength(body))
  }

  test('may be as long as the longest input needs, and not a byte longer', async () => {
    expect((await send('/v1/runs', padded(limit))).status).toBe(200)
    expect((await send('/v1/runs', padded(limit), { isZipped: true })).status).toBe(413)
    expect((await send('/v1/runs', padded(limit + 1))).status).toBe(413)
    expect((await send('/v1/test/open', padded(limit))).status).toBe(413)
  })

  test('is as strict as any other, though it is read elsewhere', async () => {
    const long = 'a'.repeat(200_000)
    const faulty = JSON.stringify({ model: 'gpt-4o', input: long, max_output_tokens: -1, other: 1 })
    expect(await send('/v1/runs', faulty)).toEqual(refusedAs('other: unknown_field', 'max_output_tokens: out_of_range'))
    expect(await send('/v1/runs', `{"model":"gpt-4o","input":"${long}`)).toEqual(refusedAs('body: invalid_json'))
    expect((await send('/v1/runs', `{"model":"gpt-4o","input":"${long}\\u0000"}`)).status).toBe(422)
  })
})
