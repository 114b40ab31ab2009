import { describe, expect, test } from 'vitest'
import { useServer } from '../support/harness.ts'
import { misbehavingRoutes } from '../support/misbehaving-routes.ts'

const server = useServer({ domain: misbehavingRoutes })

interface Answer {
  error?: { details: { fields?: { field: string; code: string; message: string }[] } }
  body?: Record<string, unknown>
  query?: Record<string, unknown>
}

async function send(path: string, body?: string) {
  const response = await fetch(server.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
  })
  const answer = (await response.json()) as Answer
  const fields = answer.error?.details.fields ?? []
  return {
    status: response.status,
    answer,
    fields,
    faults: fields.map(({ field, code }) => `${field}: ${code}`).sort(),
  }
}
const echo = (body: unknown, query = '') => send(`/v1/test/echo${query}`, JSON.stringify(body))
const good = { name: 'n', count: 1 }

test('five offending fields over query and body, one of them twice wrong, are five entries', async () => {
  // The amount is both too long and malformed.
  const { status, faults } = await echo(
    { name: '', count: '1', amount_usd: 'x'.repeat(30), runs: [{ cost_usd: '1' }, { cost_usd: 1 }] },
    '?page=500',
  )
  expect(status).toBe(422)
  expect(faults).toEqual([
    'amount_usd: too_long',
    'count: invalid_type',
    'name: empty',
    'page: out_of_range',
    'runs.1.cost_usd: invalid_type',
  ])
})

describe('each fault has its code', () => {
  const cases: [string, unknown, string[]][] = [
    ['missing fields, each by name', {}, ['count: required', 'name: required']],
    ['an unknown field', { ...good, colour: 1 }, ['colour: unknown_field']],
    ['an unknown field inside an element', { ...good, runs: [{ cost_usd: '1', x: 1 }] }, ['runs.0.x: unknown_field']],
    ['a wrong type', { ...good, name: 5 }, ['name: invalid_type']],
    ['null where there is no null', { ...good, name: null }, ['name: invalid_type']],
    ['an empty string', { ...good, name: '' }, ['name: empty']],
    ['a long string', { ...good, name: 'x'.repeat(11) }, ['name: too_long']],
    ['a number below', { ...good, count: -1 }, ['count: out_of_range']],
    ['a fraction', { ...good, count: 1.5 }, ['count: invalid_type']],
    ['a bad format', { ...good, amount_usd: '1e3' }, ['amount_usd: invalid_format']],
    ['money as a number', { ...good, amount_usd: 1 }, ['amount_usd: invalid_type']],
    ['too many decimals', { ...good, amount_usd: '0.0000000001' }, ['amount_usd: invalid_format']],
    ['a bad value', { ...good, runs: [{ cost_usd: '1', model: 'z' }] }, ['runs.0.model: invalid_value']],
    ['an empty array', { ...good, runs: [] }, ['runs: empty']],
    [
      'too many elements, whatever is inside them',
      { ...good, runs: Array.from({ length: 6 }, () => ({})) },
      ['runs: too_many'],
    ],
    ['a union, as one entry', { ...good, note: 5 }, ['note: invalid_type']],
    ['a union, by the branch that was meant', { ...good, note: 'x'.repeat(21) }, ['note: too_long']],
  ]
  test.each(cases)('%s', async (_name, body, faults) => {
    expect((await echo(body)).faults).toEqual(faults)
  })

  test('null passes where null is meant', async () => {
    expect((await echo({ ...good, note: null })).status).toBe(200)
  })
})

describe('nothing is coerced', () => {
  test.each([
    { name: 'n', count: '1' },
    { name: 'n', count: true },
    { name: 1, count: 1 },
    { name: ['n'], count: 1 },
  ])('%j', async (body) => {
    expect((await echo(body)).status).toBe(422)
  })

  test('a query parameter is read in its canonical spelling only', async () => {
    const { answer } = await echo(good, '?page=7&deep=true&tag=a&tag=b')
    expect(answer.query).toEqual({ page: 7, deep: true, tag: ['a', 'b'] })
    expect((await echo(good, '?tag=a')).answer.query).toEqual({ tag: ['a'] })
  })

  test.each(['01', '+1', '1e1', '0x1', ' 1', '1.0', '', 'one', '1&page=2'])('page=%s is not a number', async (page) => {
    expect((await echo(good, `?page=${encodeURI(page)}`)).faults).toEqual(['page: invalid_type'])
  })

  test.each(['True', '1', 'yes', ''])('deep=%s is not a boolean', async (deep) => {
    expect((await echo(good, `?deep=${deep}`)).faults).toEqual(['deep: invalid_type'])
  })
})

describe('hostile JSON does no harm', () => {
  test('duplicate keys have one reading, the last', async () => {
    const { answer } = await send('/v1/test/echo', '{"name":"a","count":1,"name":"b"}')
    expect(answer.body).toEqual({ name: 'b', count: 1 })
  })

  test('prototype names are ordinary unknown fields', async () => {
    const { faults } = await send(
      '/v1/test/echo',
      '{"name":"a","count":1,"toString":1,"constructor":1,"hasOwnProperty":1}',
    )
    expect(faults).toEqual(['constructor: unknown_field', 'hasOwnProperty: unknown_field', 'toString: unknown_field'])
  })

  test('a query cannot reach the prototype either', async () => {
    expect((await echo(good, '?__proto__=1')).faults).toEqual(['__proto__: unknown_field'])
    expect(({} as Record<string, unknown>)['1']).toBeUndefined()
  })

  test.each(['[', '{"a":'])('100,000 levels of %s are refused', async (opening) => {
    const depth = 100_000
    const closing = opening === '[' ? ']' : '}'
    const nested = `${opening.repeat(depth)}1${closing.repeat(depth)}`
    expect((await send('/v1/test/echo', nested)).status).toBe(422)
    expect((await send('/v1/test/echo', `{"name":"n","count":${nested}}`)).faults).toEqual(['body: invalid_json'])
    expect((await send('/v1/test/echo', `{"name":"n","count":1,"x":${nested}}`)).faults).toEqual(['body: invalid_json'])
  })

  test.each(['9007199254740992', '9007199254740993', '12345678901234567890', '1e300'])(
    '%s is refused, not rounded',
    async (number) => {
      expect((await send('/v1/test/echo', `{"name":"n","count":${number}}`)).faults).toEqual(['count: out_of_range'])
    },
  )

  test.each(['a\\u0000b', '\\ud800', 'x\\udc00y'])(
    'text that cannot be stored (%s) is refused by name',
    async (text) => {
      expect((await send('/v1/test/echo', `{"name":"${text}","count":1}`)).faults).toEqual(['name: invalid_format'])
      const inside = `{"name":"n","count":1,"runs":[{"cost_usd":"1"}],"note":"${text}"}`
      expect((await send('/v1/test/echo', inside)).faults).toEqual(['note: invalid_format'])
    },
  )

  test('a whole surrogate pair is text', async () => {
    expect((await send('/v1/test/echo', '{"name":"\\ud83d\\ude00","count":1}')).status).toBe(200)
  })

  test('a hundred thousand unknown fields are one fault, not a hundred thousand', async () => {
    const body = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`field${i}`, 1]))
    const { faults, status } = await echo(body)
    expect(status).toBe(422)
    expect(faults).toEqual(['body: too_many'])
  })

  test('a number beyond all doubles is refused', async () => {
    expect((await send('/v1/test/echo', '{"name":"n","count":1e999}')).status).toBe(422)
  })

  test('the largest exact integer passes unchanged', async () => {
    const { answer } = await send('/v1/test/echo', '{"name":"n","count":9007199254740991}')
    expect(answer.body!['count']).toBe(Number.MAX_SAFE_INTEGER)
  })
})

describe('a list', () => {
  test('knows its sorts, its filters and nothing else', async () => {
    const cases: [string, string[]][] = [
      ['?sort=name', []],
      ['?sort=-created_at', []],
      ['?sort=colour', ['sort: unknown_sort_field']],
      ['?sort=--name', ['sort: unknown_sort_field']],
      ['?status=on&minimum=3', []],
      ['?status=red', ['status: invalid_filter']],
      ['?colour=red', ['colour: invalid_filter']],
      ['?minimum=11', ['minimum: invalid_filter']],
      ['?minimum=x', ['minimum: invalid_filter']],
      ['?limit=0', ['limit: out_of_range']],
      ['?limit=201', ['limit: out_of_range']],
      ['?limit=ten', ['limit: invalid_type']],
      ['?cursor=', ['cursor: empty']],
      [
        '?sort=x&status=y&limit=0&z=1',
        ['limit: out_of_range', 'sort: unknown_sort_field', 'status: invalid_filter', 'z: invalid_filter'],
      ],
    ]
    for (const [query, faults] of cases) expect((await send(`/v1/test/rows${query}`)).faults, query).toEqual(faults)
  })

  test('HEAD is validated like GET', async () => {
    expect((await fetch(`${server.url}/v1/test/rows?limit=0`, { method: 'HEAD' })).status).toBe(422)
  })
})
