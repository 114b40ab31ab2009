import { gzipSync } from 'node:zlib'
import type { Check } from '../check.ts'
import { type Answer, readAnswer } from '../client.ts'
import {
  errorIn,
  expectMatch,
  expectSame,
  expectStatus,
  expectThat,
  faultCodes,
  faultsIn,
  rowsIn,
  summaryOf,
} from '../expectations.ts'
import { aBudget, provokedCodes, refusalOf } from '../refusals.ts'
import { costing, type World } from '../world.ts'
import { publishedCodes } from './catalog.ts'

/** An answer to bytes that no library sends. */
const wired = async (world: World, what: string, text: string): Promise<Answer> => {
  const received = await world.client.wire(text)
  const answer = readAnswer(what, received)
  expectThat(answer !== undefined, `${what} is answered ${JSON.stringify(received)}`)
  return answer
}

/** Refusals of every layer: of HTTP, of the router, of access, of the body, of the rules. */
const manyRefusals = (world: World): Promise<Answer[]> =>
  world.once('many refusals', async () => {
    const org = await world.shared()
    return Promise.all([
      refusalOf(world, 'bad_request'),
      refusalOf(world, 'unauthorized'),
      refusalOf(world, 'forbidden'),
      refusalOf(world, 'missing_scope'),
      refusalOf(world, 'not_found'),
      refusalOf(world, 'conflict'),
      refusalOf(world, 'gone'),
      refusalOf(world, 'payload_too_large'),
      refusalOf(world, 'validation_failed'),
      refusalOf(world, 'spend_cap_exceeded'),
      refusalOf(world, 'rate_limited'),
      world.client.call('GET', '/v1/no/such/route'),
      org.ask('POST', '/budgets', '{', { key: org.key }),
      wired(world, 'a request line without a version', 'GET /v1/me\r\n\r\n'),
      wired(world, 'a header without a name', world.client.head('GET', '/v1/me', ': value')),
      wired(world, 'a request without a host', 'GET /v1/me HTTP/1.1\r\n\r\n'),
    ])
  })

const errorListing = (world: World) =>
  world.once('the listing of errors', async () => {
    const rows = rowsIn(await world.client.call('GET', '/v1/meta/errors?limit=200'))
    return rows as unknown as { code: string; statuses: number[] }[]
  })

const budgetFault = async (world: World, fields: Record<string, unknown>) =>
  faultCodes(await (await world.shared()).ask('POST', '/budgets', { ...aBudget('1'), ...fields }))

const decisionFault = async (world: World, fields: Record<string, unknown>) =>
  faultCodes(await (await world.shared()).call('POST', '/v1/edge/decision', { ...costing('1'), ...fields }))

/** Faults of every kind, by code and by what is wrong. */
const manyFaults = (world: World) =>
  world.once('many faults', async () => {
    const org = await world.shared()
    const answers = await Promise.all([
      org.ask('POST', '/budgets', { name: '', limit_usd: '-1', period: 'eon', scope_kind: 5, colour: 'red' }),
      org.call('POST', '/v1/edge/decision', { model: '', estimated_cost_usd: '9000000000', input_tokens: -1 }),
      org.call('POST', '/v1/runs/bulk', { runs: [{ model: 'm', started_at: '2026-11-15' }] }),
      org.ask('GET', '/audit-log?from=yesterday&limit=0&sort=colour'),
      org.ask('GET', '/audit-log?from=2026-01-01T00:00:00+02:00'),
    ])
    return answers.flatMap(faultsIn)
  })

/** Sends a body as it is, under a content type and perhaps an encoding. */
const sentAs = async (world: World, body: Buffer | string, type: string, encoding?: string) => {
  const org = await world.shared()
  const bytes = Buffer.from(body)
  const text = world.client.head(
    'POST',
    `/v1/orgs/${org.id}/budgets`,
    `authorization: Bearer ${org.key}`,
    `content-type: ${type}`,
    ...(encoding === undefined ? [] : [`content-encoding: ${encoding}`]),
    `content-length: ${bytes.length}`,
    'connection: close',
  )
  return wired(world, `a body of ${type} ${encoding ?? ''}`.trim(), text + bytes.toString('latin1'))
}

const domains = [
  '',
  '/keys',
  '/budgets',
  '/customer-limits',
  '/customers/one/credit-packs',
  '/policies',
  '/webhooks',
  '/benchmark-membership',
  '/models',
  '/routes',
  '/evals',
  '/audit-log',
  '/usage',
]

export const envelopeChecks: Record<number, Check> = {
  1: async (world) => {
    expectStatus(await world.client.call('GET', '/v1/meta/errors'), 200)
    const elsewhere = await world.client.call('GET', '/meta/errors')
    expectThat(elsewhere.status === 404, `the API is also served outside /v1: ${summaryOf(elsewhere)}`)
  },
  2: async (world) => {
    const org = await world.shared()
    for (const path of domains) expectStatus(await org.ask('GET', path), 200)
    for (const path of ['/v1/runs', '/v1/capacity/forecasts', '/v1/benchmarks/cohorts'])
      expectStatus(await org.call('GET', path), 200)
    const recorded = await org.call('POST', '/v1/runs/bulk', { runs: [{ model: 'm', cost_usd: '0.000001' }] })
    expectStatus(recorded, 200)
    expectStatus(await org.admin('GET', '/rate-limits'), 200)
    expectStatus(await org.ask('GET', '/spend-cap'), 200, 404)
  },
  3: async (world) => {
    for (const answer of await manyRefusals(world)) errorIn(answer)
  },
  4: async (world) => {
    const listed = new Map((await errorListing(world)).map(({ code, statuses }) => [code, statuses]))
    for (const answer of await manyRefusals(world)) {
      const { code } = errorIn(answer)
      expectThat(listed.get(code)?.includes(answer.status) === true, `${summaryOf(answer)}: no status of ${code}`)
    }
  },
  5: async (world) => {
    const org = await world.shared()
    const before = await world.counted('/v1/forecast')
    const { headers } = expectStatus(await org.call('GET', '/v1/forecast'), 200)
    for (const name of ['deprecation', 'sunset', 'link'])
      expectThat(headers[name] !== undefined, `GET /v1/forecast has no header ${name}`)
    const listing = await world.client.call('GET', '/v1/meta/deprecations')
    expectThat(listing.text.includes('"/v1/forecast"'), `the listing lacks /v1/forecast: ${summaryOf(listing)}`)
    const after = await world.counted('/v1/forecast')
    expectThat((after ?? 0) > (before ?? 0), `the counter went from ${before} to ${after}`)
  },
  7: async (world) => {
    const seen = (await manyRefusals(world)).map((answer) => errorIn(answer).code)
    const listed = (await errorListing(world)).map(({ code }) => code)
    for (const code of [...seen, ...listed]) expectMatch(code, /^[a-z]+(_[a-z]+)*$/, 'a code')
  },
  8: async (world) => {
    const listed = new Map((await errorListing(world)).map(({ code, statuses }) => [code, statuses]))
    for (const [code, statuses] of publishedCodes) {
      const kept = statuses.every((status) => listed.get(code)?.includes(status) === true)
      expectThat(kept, `${code} is listed with ${JSON.stringify(listed.get(code))}, not ${JSON.stringify(statuses)}`)
    }
  },
  9: async (world) => {
    for (const answer of await manyRefusals(world))
      expectMatch(errorIn(answer).message, /^\S.* .*\.$/s, `message of ${answer.asked}`)
  },
  10: async (world) => {
    for (const answer of await manyRefusals(world)) errorIn(answer)
  },
  11: async (world) => {
    for (const code of ['bad_request', 'unauthorized', 'forbidden', 'not_found', 'conflict', 'gone'] as const)
      expectSame(errorIn(await refusalOf(world, code)).details, {}, `details of ${code}`)
    for (const code of provokedCodes.filter((name) => name.startsWith('org_') || name.startsWith('ip_')))
      expectSame(errorIn(await refusalOf(world, code)).details, {}, `details of ${code}`)
  },
  13: async (world) => {
    const org = await world.shared()
    const nested = await org.call('POST', '/v1/runs/bulk', { runs: [{ model: 'm' }, { model: 5 }] })
    const fields = faultsIn(nested).map(({ field }) => field)
    expectThat(
      fields.includes('runs.1.model'),
      `the model of the second run is wrong, and the faults are on ${fields.join(', ')}`,
    )
    expectSame(await budgetFault(world, { name: 5 }), ['name: invalid_type'], 'the fault of a number as name')
    expectSame(
      faultCodes(await org.ask('POST', '/budgets', '[]')),
      ['body: invalid_type'],
      'the fault of a list as body',
    )
  },
  14: async (world) => {
    const json = 'application/json'
    const cases: [string, Answer][] = [
      ['body: invalid_json', await sentAs(world, '{', json)],
      ['body: invalid_json', await sentAs(world, '{}x', json)],
      ['body: invalid_type', await sentAs(world, '[]', json)],
      ['body: invalid_content_type', await sentAs(world, '{}', 'text/plain')],
      ['body: invalid_body', await sentAs(world, 'not gzip', json, 'gzip')],
      ['body: invalid_body', await sentAs(world, gzipSync('{"name":"x"}').subarray(0, 15), json, 'gzip')],
      ['body: invalid_body', await sentAs(world, Buffer.from([0x22, 0xff, 0x22]), json)],
    ]
    for (const [fault, answer] of cases) expectSame(faultCodes(answer), [fault], `the faults of ${answer.asked}`)
    // A parameter of the media type that nobody knows changes nothing.
    const parameters = faultsIn(await sentAs(world, '{}', `${json}; foo=bar`))
    expectThat(!parameters.some(({ code }) => code === 'invalid_content_type'), 'application/json; foo=bar is refused')
  },
  15: async (world) => {
    const org = await world.shared()
    expectSame(await decisionFault(world, { model: '' }), ['model: empty'], 'the fault of an empty model')
    expectSame(
      await decisionFault(world, { input_tokens: -1 }),
      ['input_tokens: out_of_range'],
      'the fault of -1 tokens',
    )
    const amount = 'estimated_cost_usd'
    expectSame(await decisionFault(world, { [amount]: '' }), [`${amount}: empty`], 'the fault of "" as amount')
    for (const text of ['-1', '9000000000', '99999999999999'])
      expectSame(
        await decisionFault(world, { [amount]: text }),
        [`${amount}: out_of_range`],
        `the fault of "${text}" as amount`,
      )
    const tooMany = Array.from({ length: 5_001 }, () => ({ model: 'm' }))
    expectSame(
      faultCodes(await org.call('POST', '/v1/runs/bulk', { runs: tooMany })),
      ['runs: too_many'],
      'the fault of 5,001 runs',
    )
    expectSame(
      faultCodes(await org.call('POST', '/v1/runs/bulk', { runs: [] })),
      ['runs: empty'],
      'the fault of no runs',
    )
  },
  16: async (world) => {
    for (const { field, message } of await manyFaults(world)) {
      expectMatch(message, /^[A-Z].* .*\.$/s, `message on ${field}`)
      expectThat(!/\^|\[0-9]|\\[d.]|pattern/.test(message), `message on ${field} is a regular expression: ${message}`)
    }
  },
}
