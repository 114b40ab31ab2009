import { randomUUID } from 'node:crypto'
import type { Check } from '../check.ts'
import type { Answer } from '../client.ts'
import {
  expectBareRefusal,
  expectMatch,
  expectRefusal,
  expectSame,
  expectStatus,
  expectThat,
  faultCodes,
  faultsIn,
  rowsIn,
  summaryOf,
} from '../expectations.ts'
import { aBudget, hurried, type ProvokedCode, refusalOf } from '../refusals.ts'
import { costing, type World } from '../world.ts'
import { publishedCodes } from './catalog.ts'
import { openApi, operationsOf } from './listing.ts'

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } })

const aNewBudget = () => aBudget('1000000', 'workflow', randomUUID())

/** Whether an answer is one that was given before. */
const isReplay = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true'

const takesKeys = (world: World) =>
  openApi(world).then((document) =>
    operationsOf(document).map(({ path, method, operation }) => ({
      path,
      method,
      isStated: /idempotency-?key/i.test(JSON.stringify(operation['parameters'] ?? [])),
    })),
  )

const untilSeconds = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000))

export const ruleChecks: Record<number, Check> = {
  72: async (world) => {
    const rows = rowsIn(await world.client.call('GET', '/v1/meta/errors?limit=200'))
    const listed = new Set(rows.map(({ code }) => code))
    const lost = [...publishedCodes.keys()].filter((code) => !listed.has(code))
    expectSame(lost, [], 'what is missing among the codes')
  },
  74: async (world) => {
    const { headers } = await refusalOf(world, 'rate_limited')
    expectMatch(headers['retry-after'], /^[1-9]\d*$/, 'Retry-After of rate_limited')
    for (const code of ['spend_cap_exceeded', 'quota_exhausted', 'conflict'] satisfies ProvokedCode[])
      expectSame((await refusalOf(world, code)).headers['retry-after'], undefined, `Retry-After of ${code}`)
  },
  75: async (world) => {
    const answer = await refusalOf(world, 'rate_limited')
    const details = expectRefusal(answer, 429, 'rate_limited')
    expectSame(String(details['retry_after_seconds']), answer.headers['retry-after'], 'retry_after_seconds')
  },
  76: async (world) => {
    const org = await world.shared()
    const trace = randomUUID().replaceAll('-', '')
    const headers = { traceparent: `00-${trace}-${trace.slice(0, 16)}-01` }
    const answers = [
      await org.ask('GET', ''),
      await world.client.call('GET', '/v1/nothing'),
      await refusalOf(world, 'unauthorized'),
      await refusalOf(world, 'validation_failed'),
      await refusalOf(world, 'policy_expression_error'),
    ]
    for (const answer of answers)
      expectMatch(answer.headers['x-svc-trace-id'], /^[0-9a-f]{32}$/, `trace id of ${answer.asked}`)
    const traced = await org.ask('GET', '', undefined, { key: org.key, headers })
    expectSame(traced.headers['x-svc-trace-id'], trace, 'the trace id of a request with a traceparent')
  },
  77: async (world) => {
    const org = await world.shared()
    const query = faultCodes(await org.ask('GET', '/audit-log?limit=0&sort=colour&outcome=odd'))
    expectSame(
      query.map((fault) => fault.split(':')[0]),
      ['limit', 'outcome', 'sort'],
      'the faulty parameters',
    )
    const answer = await org.ask('POST', '/budgets', { name: 5, limit_usd: 7, period: 'eon', scope_kind: 'moon' })
    const fields = faultsIn(answer).map(({ field }) => field)
    expectSame(fields.toSorted(), ['limit_usd', 'name', 'period', 'scope_kind'], 'the faulty fields')
  },
  78: async (world) => {
    const org = await world.shared()
    faultsIn(await org.ask('POST', '/budgets', '{'))
    faultsIn(await org.ask('GET', '/budgets?limit=1000000'))
    faultsIn(await org.ask('GET', '/budgets?sort=colour'))
    faultsIn(await org.ask('GET', '/budgets?scope_kind=moon'))
    faultsIn(await org.ask('PUT', '/spend-cap', { cap_usd: 1 }))
    faultsIn(await org.ask('POST', '/keys', { name: 'x', role: 'king', scopes: [] }))
  },
  79: async (world) => {
    const org = await world.shared()
    const [key, body] = [randomUUID(), aNewBudget()]
    const post = () => org.ask('POST', '/budgets', body, { key: org.key, ...withKey(key) })
    const first = expectStatus(await post(), 201)
    const again = expectStatus(await post(), 201)
    expectSame(again.text, first.text, 'the answer to a repeated request')
    expectThat(!isReplay(first) && isReplay(again), 'the repeated answer and no other says Idempotent-Replayed')
  },
  80: async (world) => {
    const operations = await takesKeys(world)
    const reading = operations.filter(({ method, isStated }) => method === 'GET' && isStated)
    expectSame(reading, [], 'reads that state an Idempotency-Key')
    const stated = (method: string, path: string) =>
      operations.some((operation) => operation.method === method && operation.path === path && operation.isStated)
    for (const path of [
      '/v1/orgs/{id}/budgets',
      '/v1/orgs/{id}/keys',
      '/v1/runs',
      '/v1/runs/bulk',
      '/v1/edge/decision',
    ])
      expectThat(stated('POST', path), `OpenAPI does not state the Idempotency-Key of POST ${path}`)
    expectThat(stated('PUT', '/v1/orgs/{id}/spend-cap'), 'OpenAPI does not state the Idempotency-Key of PUT spend-cap')
    const org = await world.makeOrg()
    const twice = async (method: string, path: string, body: unknown) => {
      const more = { key: org.key, ...withKey(randomUUID()) }
      const [first, again] = [await org.call(method, path, body, more), await org.call(method, path, body, more)]
      expectSame(again.text, first.text, `the second answer to ${first.asked}`)
      expectThat(isReplay(again), `${summaryOf(again)}: not the kept answer`)
    }
    await twice('POST', '/v1/edge/decision', costing('0.01'))
    await twice('POST', '/v1/runs', costing('0.01'))
    await twice('PUT', `/v1/orgs/${org.id}/spend-cap`, { cap_usd: '1000' })
  },
  81: async (world) => {
    const org = await world.shared()
    const key = randomUUID()
    const post = (path: string, body: unknown) => org.ask('POST', path, body, { key: org.key, ...withKey(key) })
    expectStatus(await post('/budgets', aNewBudget()), 201)
    const others = [aNewBudget(), { ...aNewBudget(), limit_usd: 'abc' }, {}, '{']
    for (const body of others) expectBareRefusal(await post('/budgets', body), 409, 'idempotency_key_conflict')
  },
  82: async (world) => {
    const { answers } = await hurried(world)
    const firsts = answers.filter((answer) => answer.status === 200 && !isReplay(answer))
    expectSame(firsts.length, 1, 'the number of requests that had an effect')
    for (const answer of answers)
      if (answer.status !== 200) expectBareRefusal(answer, 409, 'idempotency_key_processing')
      else expectSame(answer.text, firsts[0]!.text, 'a repeated answer')
  },
  84: async (world) => {
    const org = await world.makeOrg()
    expectStatus(await org.ask('PUT', '/spend-cap', { cap_usd: '0.1' }), 200)
    for (let i = 0; i < 3; i++)
      expectRefusal(await org.call('POST', '/v1/edge/decision', costing('0.5')), 402, 'spend_cap_exceeded')
  },
  85: async (world) => {
    const org = await world.makeOrg()
    const limit = async (policy: Record<string, unknown>) =>
      expectStatus(await org.admin('PUT', '/rate-limits', { read_rpm: null, policies: [policy] }), 200)
    await limit({ kind: 'requests', per: 'route_class', match: 'change', amount: 1, window_seconds: 1 })
    const change = () => org.ask('PATCH', '', { name: 'Conformance' })
    const until = Date.now() + 10_000
    let refused = await change()
    while (refused.status === 200 && Date.now() < until) refused = await change()
    expectRefusal(refused, 429, 'rate_limited')
    await untilSeconds(Number(refused.headers['retry-after']))
    expectStatus(await change(), 200)
    await limit({ kind: 'tokens', per: 'org', amount: 1_000, window_seconds: 2 })
    const large = { model: 'gpt-4o', input_tokens: 6_000, max_output_tokens: 100 }
    for (const path of ['/v1/edge/decision', '/v1/runs']) {
      const codes = faultsIn(await org.call('POST', path, large)).map(({ code }) => code)
      expectSame([...new Set(codes)], ['out_of_range'], `the faults of more tokens than ever fit, at ${path},`)
    }
  },
}
