import { beforeAll, describe, expect, test } from 'vitest'
import { bodyChecker } from '../../src/contract/validation.ts'
import { formatId, type IdKind, newUuid } from '../../src/values/id.ts'
import { useServer } from '../support/harness.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** What callers are told of a wrong field, over every schema and every filter of the route list. */

const server = useServer()
let operator: string
let tenant: Tenant

beforeAll(async () => {
  operator = (await operatorOf(server)).key
  tenant = await tenantOf(server, operator)
})

type Schema = Record<string, unknown> & { properties?: Record<string, Schema> }
interface Place {
  readonly name: string
  readonly schema: Schema
}

/** Every schema inside those that a route takes. */
function* inside(name: string, schema: Schema): Generator<Place> {
  yield { name, schema }
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'examples' || value === null || typeof value !== 'object') continue
    for (const [inner, one] of Object.entries(value as Record<string, unknown>))
      if (one !== null && typeof one === 'object') yield* inside(`${name}.${inner}`, one as Schema)
    if (!Array.isArray(value) && 'type' in value) yield* inside(`${name}.${key}`, value)
  }
}

const taken = (): Place[] =>
  server.routes.flatMap(({ method, template, schema }) => {
    const { body, querystring, params } = schema as { body?: Schema; querystring?: Schema; params?: Schema }
    return [body, querystring, params].flatMap((one) =>
      one ? [...inside(`${method} ${template}`, JSON.parse(JSON.stringify(one)) as Schema)] : [],
    )
  })

/** Each different schema once, without those that are large because of what is inside them: that is asked by itself. */
function places(): Place[] {
  const different = new Map<string, Place>()
  for (const place of taken()) {
    const text = JSON.stringify(place.schema)
    if (text.length < 1_500) different.set(`${place.name.split('.').at(-1)} ${text}`, place)
  }
  return [...different.values()]
}

const judging = (schema: Schema) => {
  const check = bodyChecker({ schema: { type: 'object', properties: { f: schema } }, judgesText: false })
  return (value: unknown) => check({ f: value })
}

const wrong = [
  '',
  ' ',
  'no such thing!',
  '\u0007',
  '..',
  '-1',
  '9000000000',
  '2026-11-15',
  'x'.repeat(5_000),
  -1,
  1.5,
  1e300,
  true,
  null,
  [],
  {},
  [1, 1],
  { a: { b: 1 } },
]
const unspeakable = /\^|\\|\[[^\]]*\]|\(\?|pattern|must NOT|##|schema|undefined|[<>]=/

describe('every schema that a route takes', () => {
  test('says what is wrong without a pattern, and in sentences', () => {
    const asked = places().filter(({ schema }) => typeof schema['type'] === 'string' || 'anyOf' in schema)
    expect(asked.length).toBeGreaterThan(100)
    const found: string[] = []
    for (const { name, schema } of asked) {
      const judge = judging(schema)
      for (const value of wrong)
        for (const { message } of judge(value))
          if (unspeakable.test(message) || !/^[A-Z].*\.$/s.test(message)) found.push(`${name}: ${message}`)
    }
    expect(found).toEqual([])
  })

  test('calls text that is empty "empty", and money beyond its bounds "out_of_range"', () => {
    const found: string[] = []
    let amounts = 0
    for (const { name, schema } of places()) {
      if (schema['type'] !== 'string') continue
      const judge = judging(schema)
      const codes = judge('').map(({ code }) => code)
      if (codes.length > 0 && codes[0] !== 'empty') found.push(`${name}: ${codes[0]} of ""`)
      if (name.endsWith('_usd') && typeof schema['pattern'] === 'string') {
        amounts += 1
        const [most] = judge('9000000000')
        const [least] = schema['pattern'].startsWith('^-?') ? [{ code: 'out_of_range' }] : judge('-1')
        if (most?.code !== 'out_of_range' || least?.code !== 'out_of_range')
          found.push(`${name}: ${most?.code}, ${least?.code}`)
        if (judge('1e3')[0]?.code !== 'invalid_format') found.push(`${name}: 1e3`)
      }
    }
    expect(amounts).toBeGreaterThan(10)
    expect(found).toEqual([])
  })
})

describe('every filter of every route', () => {
  const kinds: Record<string, IdKind> = {
    key_id: 'key',
    chain_id: 'chain',
    rule_id: 'rule',
    cohort_id: 'cohort',
    sub_id: 'subscription',
  }
  const pathOf = (template: string) =>
    template.replace(/\{(\w+)\}/g, (_whole, name: string) =>
      name === 'id' || name === 'org_id' ? tenant.id : kinds[name] ? formatId(kinds[name], newUuid()) : 'some',
    )

  /** Texts that no such filter can mean. */
  function badValues(name: string, schema: Schema): string[] {
    const bad = ['', '%00', encodeURIComponent('x'.repeat(5_000)), `a&${name}=b`]
    if ('enum' in schema || schema['type'] === 'boolean' || schema['type'] === 'integer')
      bad.push('no-such-value', '-1.5')
    if (typeof schema['pattern'] === 'string' && /^\^[a-z]{3}_/.test(schema['pattern']))
      bad.push('zzz', formatId('audit', newUuid()))
    if (name === 'from' || name === 'to') bad.push('yesterday', '2026-02-30', '2026-11-01T00:00:00+02:00')
    if (name.endsWith('_usd')) bad.push('-1', '1e3', '9000000000')
    return bad
  }

  test('is refused as invalid_filter where its value is bad, and no bad one passes', async () => {
    const found: string[] = []
    let asked = 0
    for (const { method, template, declaration, schema } of server.routes) {
      const { querystring } = schema as { querystring?: Schema }
      const filters = Object.entries(querystring?.properties ?? {}).filter(([, one]) => one['x-filter'] === true)
      for (const [name, one] of filters) {
        for (const bad of badValues(name, one)) {
          asked += 1
          const { status, json } = await call(server.url, method, `${pathOf(template)}?${name}=${bad}`, {
            key: declaration.role === 'operator' ? operator : tenant.key,
          })
          const fields = (json.error?.details['fields'] ?? []) as { field: string; code: string }[]
          const told = fields.filter(({ field }) => field === name).map(({ code }) => code)
          if (status !== 422 || told.join() !== 'invalid_filter')
            found.push(`${method} ${template}?${name}=${bad.slice(0, 20)}: ${status} ${told.join()}`)
        }
      }
    }
    expect(asked).toBeGreaterThan(300)
    expect(found).toEqual([])
  })
})

describe('an id that leads nowhere', () => {
  const strange = (kind: IdKind) => ['not-an-id', formatId(kind, newUuid()), formatId('audit', newUuid())]

  test('in a body is answered alike, whatever is wrong with it', async () => {
    const answers = new Set<string>()
    for (const id of strange('run')) {
      const body = { model: 'gpt-4o', input_tokens: 1, max_output_tokens: 1, parent_run_id: id }
      const { status, text } = await call(server.url, 'POST', '/v1/runs', { key: tenant.key, body })
      answers.add(`${status} ${text}`)
    }
    expect([...answers]).toEqual([expect.stringMatching(/^404 .*"not_found"/)])
  })

  test('in a path is answered alike, with a body that is right and with one that is not', async () => {
    for (const [body, status] of [
      [{}, 422],
      [{ model: 'm' }, 404],
    ] as const) {
      const answers = new Set<string>()
      for (const id of strange('model')) {
        const answer = await call(server.url, 'PUT', `/v1/orgs/${tenant.id}/models/${id}`, { key: tenant.key, body })
        answers.add(`${answer.status} ${answer.text}`)
      }
      expect([...answers]).toEqual([expect.stringMatching(new RegExp(`^${status} `))])
    }
  })
})

test('a name of a caller’s own cannot be "." or "..", which no URL could reach', async () => {
  for (const customer_id of ['.', '..']) {
    const { status, json } = await call(server.url, 'POST', '/v1/edge/decision', {
      key: tenant.key,
      body: { model: 'gpt-4o', estimated_cost_usd: '0.01', customer_id },
    })
    expect({ status, fields: json.error?.details['fields'] }).toMatchObject({
      status: 422,
      fields: [{ field: 'customer_id', code: 'invalid_format', message: expect.stringContaining('".."') }],
    })
  }
})
