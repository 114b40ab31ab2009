import { gzipSync } from 'node:zlib'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Lanes } from '../../src/decisions/lanes/lanes.ts'
import { protobufLogs } from '../../src/runs/otlp/log-encodings.ts'
import { protobufMetrics } from '../../src/runs/otlp/metric-encodings.ts'
import { recordDue } from '../../src/runs/otlp/waiting-telemetry.ts'
import { atomsOf, books, fresh, merged, protobufOf, type Report, recorded } from '../support/assistant-reports.ts'
import { useServer } from '../support/harness.ts'
import { Random } from '../support/random.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

let lanes: Lanes
const server = useServer({
  domain: (_app, _platform, own) => {
    lanes = own
  },
})
let operator: string
beforeAll(async () => {
  operator = (await operatorOf(server)).key
})

interface Organization extends Tenant {
  readonly reporter: string
}

async function organization(pins: Record<string, string> = {}): Promise<Organization> {
  const tenant = await tenantOf(server, operator)
  return { ...tenant, reporter: await reporterOf(tenant, pins) }
}

const reporterOf = async ({ id }: Tenant, pins: Record<string, string> = {}) =>
  (await keyOf(server, id, { role: 'service', scopes: ['runs:import'], pins })).key

async function send({ reporter }: Pick<Organization, 'reporter'>, reports: readonly Report[]) {
  const answers = []
  for (const { path, body } of reports) {
    const { status, json } = await call(server.url, 'POST', path, { key: reporter, body })
    expect(status).toBe(200)
    answers.push(json)
  }
  return answers
}

/** Records what waits, as the worker does, as if all of it had waited long enough. */
async function wait() {
  const owner = new pg.Client({ connectionString: server.database.ownerUrl })
  await owner.connect()
  await owner.query(`update waiting_calls set due_at = clock_timestamp() - interval '1 second'`)
  await owner.query(`update telemetry_points set touched_at = touched_at - interval '1 hour'`)
  await owner.end()
  await recordDue(server.platform, lanes, 60_000)
}

interface Run {
  readonly id: string
  readonly model: string
  readonly cost_usd: string
  readonly input_tokens: number
  readonly output_tokens: number
  readonly value_usd: string | null
  readonly user_id: string | null
  readonly department_id: string | null
  readonly chain_id: string
  readonly key_id: string
  readonly tags: string[]
  readonly metadata: Record<string, string>
}

const runsOf = async ({ key }: Tenant, query = ''): Promise<Run[]> =>
  (await call(server.url, 'GET', `/v1/runs?limit=100${query}`, { key })).json['data'] as Run[]

const totalsOf = (runs: readonly Run[]) => ({
  input: runs.reduce((sum, { input_tokens }) => sum + input_tokens, 0),
  output: runs.reduce((sum, { output_tokens }) => sum + output_tokens, 0),
  calls: runs.length,
})

const spentOf = async ({ id, key }: Tenant) =>
  (await call(server.url, 'GET', `/v1/orgs/${id}/spend-cap`, { key })).json['spent_usd']

const withSpendCap = async (tenant: Organization) => {
  await call(server.url, 'PUT', `/v1/orgs/${tenant.id}/spend-cap`, { key: tenant.key, body: { cap_usd: '100' } })
  return tenant
}

describe('recorded telemetry', () => {
  test.each([
    ['delta', books.claude],
    ['cumulative', books.claude],
    ['codex', books.codex],
  ] as const)('of %s is runs to the token of the provider’s books, however often it is sent', async (name, book) => {
    const org = await organization()
    const reports = fresh(recorded[name])
    for (let times = 0; times < 2; times++) for (const answer of await send(org, reports)) expect(answer).toEqual({})
    await wait()
    expect(totalsOf(await runsOf(org))).toEqual(book)
  })

  test('is taken as protobuf with gzip, and answered in kind', async () => {
    const { reporter } = await organization()
    const post = async (path: string, body: Buffer) => {
      const answer = await fetch(`${server.url}/v1/otlp/v1/${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${reporter}`,
          'content-type': 'application/x-protobuf',
          'content-encoding': 'gzip',
        },
        body: new Uint8Array(gzipSync(body)),
      })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toContain('application/x-protobuf')
    }
    await post('logs', protobufOf.codex)
    for (const { logs, metrics } of protobufOf.cumulative) {
      await post('logs', logs)
      await post('metrics', metrics)
    }
  })

  test('that is damaged is read or refused, and nothing else', () => {
    const random = new Random(9)
    const [{ logs, metrics }] = protobufOf.cumulative as [{ logs: Buffer; metrics: Buffer }]
    for (let times = 0; times < 2_000; times++)
      for (const [whole, type] of [
        [logs, protobufLogs],
        [metrics, protobufMetrics],
      ] as const) {
        const damaged = Buffer.from(whole.subarray(0, 1 + random.int(whole.length)))
        for (let hits = random.int(4); hits > 0; hits--) damaged[random.int(damaged.length)] = random.int(256)
        expect(type.read(damaged)).toBeTypeOf('object')
      }
  })

  test('says who, in which session and what the client believes that it cost', async () => {
    const org = await organization()
    await send(org, fresh(recorded.delta))
    const [run] = await runsOf(org)
    expect(run).toMatchObject({
      model: 'claude-opus-4-8',
      provider: 'anthropic',
      chain_id: 'a5a23e0b-c015-4dc0-963b-c1a4fdf6ad9c',
      deployment_id: 'claude-code',
      user_id: null,
      cost_usd: '0.09612',
      cost_basis: 'computed',
      tags: ['billing:metered'],
      metadata: { billing: 'metered', reported_cost_usd: '0.09612', cost_difference_usd: '0', client: 'claude_code' },
    })
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'counts nothing twice and loses nothing, in any order, pieces and repetitions (%i)',
    async (seed) => {
      const random = new Random(seed)
      const org = await organization()
      const atoms = atomsOf(fresh(seed % 2 === 0 ? recorded.delta : recorded.cumulative))
      const order = [...atoms, ...atoms.filter(() => random.next() < 0.4)]
        .map((atom) => ({ atom, at: random.next() }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ atom }) => atom)
      const rest = [...order]
      while (rest.length > 0) {
        await send(org, merged(rest.splice(0, 1 + random.int(12))))
        if (random.next() < 0.3) await wait()
      }
      await wait()
      const { input, output } = totalsOf(await runsOf(org))
      expect({ input, output }).toEqual({ input: books.claude.input, output: books.claude.output })
    },
  )

  test.each(['delta', 'cumulative'] as const)(
    'of %s metrics alone is counted by them, over restarts, once',
    async (name) => {
      const org = await withSpendCap(await organization())
      const metrics = fresh(recorded[name]).filter(({ path }) => path.endsWith('metrics'))
      for (const report of [...metrics, ...metrics.toReversed()]) {
        await send(org, [report])
        if (report === metrics[0]) await wait()
      }
      await wait()
      await wait()
      const runs = await runsOf(org)
      expect(totalsOf(runs)).toMatchObject({ input: books.claude.input, output: books.claude.output })
      expect(runs.map(({ model }) => model)).toEqual(runs.map(() => 'claude-opus-4-8'))
      expect(await spentOf(org)).toBe('0.192005')
    },
  )
})

const edit = (reports: readonly Report[], change: (text: string) => string) =>
  JSON.parse(change(JSON.stringify(reports))) as Report[]
const claudeLogs = () => fresh(recorded.delta).filter(({ path }) => path.endsWith('logs'))
const withAttributes = (reports: readonly Report[], values: Record<string, string>) =>
  edit(reports, (text) =>
    text.replaceAll(
      '{"key":"event.name"',
      `${Object.entries(values)
        .map(([key, stringValue]) => JSON.stringify({ key, value: { stringValue } }))
        .join(',')},{"key":"event.name"`,
    ),
  )

test('a sum that grows after it was counted is counted by what it has grown, once', async () => {
  const org = await organization()
  const [, first] = fresh(recorded.cumulative) as [Report, Report]
  const grown = edit([first], (text) => text.replaceAll('"asDouble":19077', '"asDouble":20000'))
  for (const reports of [[first], grown, [first], grown]) {
    await send(org, reports)
    await wait()
  }
  expect(totalsOf(await runsOf(org))).toEqual({ input: 20_000, output: 20, calls: 2 })
})

describe('a gateway that reports the same call', () => {
  const session = 'a5a23e0b-c015-4dc0-963b-c1a4fdf6ad9c'
  const requestIds = ['req_47dae781db2e468b36f1ad2c', 'req_b29b426aa75dc0e48a549e44']
  const usage = [
    { input_tokens: 19_077, output_tokens: 20 },
    { input_tokens: 19_124, output_tokens: 20 },
  ]
  const held = async ({ key }: Pick<Tenant, 'key'>, chain = session, model = 'claude-opus-4-8') => {
    const { status, json } = await call(server.url, 'POST', '/v1/runs', {
      key,
      body: { model, input_tokens: 20_000, max_output_tokens: 100, chain_id: chain },
    })
    expect(status).toBe(201)
    return String(json['id'])
  }
  const settle = async ({ key }: Pick<Tenant, 'key'>, run: object) =>
    (await call(server.url, 'POST', '/v1/runs/bulk', { key, body: { mode: 'partial', runs: [run] } })).json

  test.each([1, 2, 3, 4])('is met before, while and after it settles (%i)', async (seed) => {
    const random = new Random(seed)
    const org = await organization()
    const atoms = atomsOf(fresh(recorded.delta, 0).filter(({ path }) => path.endsWith('logs')))
    const runs = [await held(org), await held(org)]
    const settlements = runs.map(
      (run_id, i) => () => settle(org, { run_id, provider_request_id: requestIds[i], ...usage[i] }),
    )
    const steps = [...settlements, ...atoms.map((atom) => () => send(org, [atom])), wait]
      .map((step) => ({ step, at: random.next() }))
      .toSorted((a, b) => a.at - b.at)
    for (const { step } of steps) await step()
    await wait()
    expect(totalsOf(await runsOf(org))).toEqual(books.claude)
  })

  test('is known by the provider’s id of the request, whatever chain it was put in', async () => {
    const org = await organization()
    for (const [i, requestId] of requestIds.entries())
      await settle(org, { run_id: await held(org, 'nightly'), provider_request_id: requestId, ...usage[i] })
    await send(org, claudeLogs())
    expect(totalsOf(await runsOf(org))).toEqual(books.claude)
  })

  test('is known by its tokens where the assistant names no request', async () => {
    const org = await organization()
    const run_id = await held(org, '01a1f146-9348-7113-ae53-8109af416a19', 'gpt-5')
    await settle(org, { run_id, provider_request_id: 'req_of-openai', input_tokens: 9_876, output_tokens: 20 })
    await send(org, fresh(recorded.codex))
    expect(totalsOf(await runsOf(org))).toEqual(books.codex)
  })

  test('does not hide calls that went past it in the same session', async () => {
    const org = await organization()
    await settle(org, { run_id: await held(org), provider_request_id: requestIds[0], ...usage[0] })
    await send(org, claudeLogs())
    expect(totalsOf(await runsOf(org))).toEqual(books.claude)
  })

  test('makes metrics of its session superfluous', async () => {
    const org = await organization()
    for (const [i, requestId] of requestIds.entries())
      await settle(org, { run_id: await held(org), provider_request_id: requestId, ...usage[i] })
    await send(
      org,
      fresh(recorded.delta).filter(({ path }) => path.endsWith('metrics')),
    )
    await wait()
    expect(totalsOf(await runsOf(org))).toEqual(books.claude)
  })

  test('cannot be feigned: not by a key that may not settle the run, and not by a smaller one', async () => {
    const org = await organization()
    const run_id = await held(org, 'other')
    for (const pins of [{}, { user_id: 'mallory' }]) {
      const stranger = await keyOf(server, org.id, { role: 'service', scopes: ['runs:write'], pins })
      const refused = await settle(stranger, { run_id, provider_request_id: requestIds[0], ...usage[0] })
      expect(refused['accepted'] ?? 0).toBe(0)
    }
    const small = await held(org, 'small')
    await settle(org, { run_id: small, provider_request_id: requestIds[1], input_tokens: 1, output_tokens: 1 })
    await send(org, claudeLogs())
    expect(totalsOf((await runsOf(org)).filter(({ chain_id }) => chain_id === session))).toEqual(books.claude)
  })
})

describe('somebody who wants to look cheaper', () => {
  test('suppresses nobody’s calls by reporting them first: each key’s word is its own', async () => {
    const org = await organization()
    const mallory = { reporter: await reporterOf(org, { user_id: 'mallory' }) }
    await send(mallory, fresh(recorded.delta))
    await send(org, fresh(recorded.delta))
    await wait()
    const runs = await runsOf(org)
    expect(totalsOf(runs.filter(({ user_id }) => user_id === null))).toEqual(books.claude)
    expect(totalsOf(runs.filter(({ user_id }) => user_id === 'mallory'))).toEqual(books.claude)
  })

  test('cannot name another person, department or account than its key is pinned to', async () => {
    const org = await organization({ user_id: 'mallory', department_id: 'ops' })
    await send(
      org,
      withAttributes(fresh(recorded.delta), {
        'user.email': 'victim@example.com',
        'weir.user_id': 'victim',
        'weir.department_id': 'sales',
      }),
    )
    for (const run of await runsOf(org)) expect(run).toMatchObject({ user_id: 'mallory', department_id: 'ops' })
  })

  test('is not believed to have a seat unless the organization says so', async () => {
    const org = await withSpendCap(await organization())
    const claims = { auth_mode: 'Chatgpt', 'organization.id': 'org-of-seats', 'weir.tags': 'Billing:Seat,ok' }
    await send(org, withAttributes(claudeLogs(), claims))
    const runs = await runsOf(org)
    expect(runs.map(({ tags }) => tags)).toEqual(runs.map(() => ['ok', 'billing:metered']))
    expect(await spentOf(org)).toBe('0.192005')
  })

  test.each([
    ['a negative number', '-5', '20'],
    ['a fraction', '0.5', '20'],
    ['none', '0', '0'],
    ['too many', '99999999999', '20'],
  ])('cannot report %s of tokens', async (_what, input, output) => {
    const org = await organization()
    const forged = edit(claudeLogs(), (text) =>
      text
        .replace(/"key":"input_tokens","value":\{[^}]*\}/g, `"key":"input_tokens","value":{"doubleValue":${input}}`)
        .replace(/"key":"output_tokens","value":\{[^}]*\}/g, `"key":"output_tokens","value":{"intValue":"${output}"}`),
    )
    for (const answer of await send(org, forged))
      expect(answer).toMatchObject({ partialSuccess: { rejectedLogRecords: '1' } })
    expect(await runsOf(org)).toEqual([])
  })

  test('lowers nothing by metrics that fall, and takes nothing back', async () => {
    const org = await organization()
    const metrics = fresh(recorded.cumulative).filter(({ path }) => path.endsWith('metrics'))
    await send(org, metrics)
    await send(
      org,
      edit(metrics, (text) => text.replace(/"asDouble":[1-9]\d*/g, '"asDouble":1')),
    )
    await send(
      org,
      edit(metrics, (text) => text.replace(/"asDouble":\d+/g, '"asDouble":-9')),
    )
    await wait()
    expect(totalsOf(await runsOf(org))).toMatchObject({ input: books.claude.input, output: books.claude.output })
  })
})

describe('seats', () => {
  const map = async ({ id, key }: Tenant, body: object) => {
    const answer = await call(server.url, 'PUT', `/v1/orgs/${id}/otlp-mapping`, { key, body })
    expect(answer.status).toBe(200)
    return answer.json
  }

  test.each([
    [
      'an account that the organization names',
      { seat_accounts: ['org-of-seats'] },
      { 'organization.id': 'org-of-seats' },
    ],
    ['a login that the organization believes', { seat_logins: true }, { auth_mode: 'Chatgpt' }],
  ])('by %s cost nothing and show what they are worth', async (_how, mapping, attributes) => {
    const org = await withSpendCap(await organization())
    await map(org, mapping)
    await send(org, withAttributes(claudeLogs(), attributes))
    const runs = await runsOf(org)
    expect(runs.map(({ cost_usd, value_usd }) => [cost_usd, value_usd])).toEqual([
      ['0', '0.09612'],
      ['0', '0.095885'],
    ])
    expect(runs[0]).toMatchObject({ tags: ['billing:seat'], metadata: { billing: 'seat' } })
    expect(await spentOf(org)).toBe('0')
  })

  test('by a key stay with it when it is rotated, and make no other key’s', async () => {
    const org = await withSpendCap(await organization())
    const made = await call(server.url, 'POST', `/v1/orgs/${org.id}/keys`, {
      key: org.key,
      body: { name: 'seats', role: 'service', scopes: ['runs:import'] },
    })
    const id = String(made.json['id'])
    expect(await map(org, { seat_keys: [id] })).toMatchObject({ seat_keys: [id] })
    const rotated = await call(server.url, 'POST', `/v1/orgs/${org.id}/keys/${id}/rotate`, { key: org.key, body: {} })
    expect(rotated.status).toBe(200)
    await send({ reporter: String(rotated.json['secret']) }, claudeLogs())
    expect(await spentOf(org)).toBe('0')
    await send(org, claudeLogs())
    expect(await spentOf(org)).toBe('0.192005')
    const unknown = await call(server.url, 'PUT', `/v1/orgs/${org.id}/otlp-mapping`, {
      key: org.key,
      body: { seat_keys: ['key_01jz8xq6vh4b2t3m5n7p9r0s1d', id, 'key_01jz8xq6vh4b2t3m5n7p9r0s1e'] },
    })
    expect(unknown.json.error?.details['fields']).toMatchObject([{ field: 'seat_keys.0' }, { field: 'seat_keys.2' }])
  })
})

test('a person is their address in one spelling, unless the organization maps another attribute', async () => {
  const org = await organization()
  await send(org, withAttributes(claudeLogs(), { 'user.email': ' Ann@Example.COM' }))
  expect(new Set((await runsOf(org)).map(({ user_id }) => user_id))).toEqual(new Set(['ann@example.com']))
})

test('an event of the GenAI conventions and its span are one run', async () => {
  const org = await organization()
  const at = String(BigInt(Date.now()) * 1_000_000n)
  const attributes = [
    { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
    { key: 'gen_ai.request.model', value: { stringValue: 'gpt-4o' } },
    { key: 'gen_ai.usage.input_tokens', value: { intValue: '120' } },
    { key: 'gen_ai.usage.output_tokens', value: { intValue: '30' } },
  ]
  const ids = { traceId: '5b8efff798038103d269b633813fc60c', spanId: 'eee19b7ec3c1b174' }
  const record = { ...ids, eventName: 'gen_ai.client.inference.operation.details', timeUnixNano: at, attributes }
  const span = { ...ids, startTimeUnixNano: at, endTimeUnixNano: at, attributes }
  await send(org, [{ path: '/v1/otlp/v1/logs', body: { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] } }])
  const traces = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }
  const answer = await call(server.url, 'POST', '/v1/otlp/v1/traces', { key: org.reporter, body: traces })
  expect(answer).toMatchObject({ status: 200, json: {} })
  expect(totalsOf(await runsOf(org))).toEqual({ input: 120, output: 30, calls: 1 })
})
