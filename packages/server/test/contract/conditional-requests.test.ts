import { beforeAll, describe, expect, test } from 'vitest'
import { configuration, pathTo, type Setting } from '../support/configuration.ts'
import { useServer } from '../support/harness.ts'
import { type Answer, call, operatorOf, tenantOf } from '../support/tenants.ts'

/** What is true of everything that can be replaced, changed or deleted, from the route list. */
const server = useServer({
  environment: {
    SVC_REGION: 'eu',
    SVC_WEBHOOK_ALLOWED_CIDRS: '203.0.113.0/24',
    SVC_SSO_ALLOWED_CIDRS: '203.0.113.0/24',
  },
})
let setting: Setting

beforeAll(async () => {
  const operator = (await operatorOf(server)).key
  setting = { server, operator, tenant: await tenantOf(server, operator) }
})

const writing = new Set(['PUT', 'PATCH', 'DELETE'])
const templates = Object.keys(configuration)
/** Resources that no key has; they are tried in the named test. */
const ofPeople: Readonly<Record<string, string>> = {
  '/v1/me/passkeys/{passkey_id}': 'passkey-routes.test.ts',
  '/v1/orgs/{id}/slack-links/{slack_link_id}': 'slack-decisions.test.ts',
}
const methodsOf = (template: string) =>
  server.routes.filter((route) => route.template === template).map(({ method }) => method)
const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: object): Promise<Answer> =>
  call(server.url, method, path, {
    key: path.startsWith('/v1/admin/') ? setting.operator : setting.tenant.key,
    headers,
    ...(body && { body }),
  })
const tagAt = async (path: string) => {
  const { status, headers } = await ask('GET', path)
  return status === 200 ? headers.get('etag')! : undefined
}
const outcome = ({ status, json }: Answer) => (json.error ? `${status} ${json.error.code}` : `${status}`)

/** Ways to change a resource; deleting it comes last. */
const changesOf = (template: string) => {
  const { put, patch } = configuration[template]!
  return [...(put ? [['PUT', put] as const] : []), ...(patch ? [['PATCH', patch] as const] : [])]
}

/** One resource is tried with every form of a condition. */
const isSample = (template: string) => template === '/v1/orgs/{id}/budgets/{budget_id}'

/** A resource that exists. */
async function existing(template: string): Promise<string> {
  const path = await pathTo(setting, template)
  const [first] = changesOf(template)
  if (first && (await tagAt(path)) === undefined) await ask(first[0], path, {}, first[1](0))
  return path
}

describe('the route list', () => {
  test('has a GET for everything that can be replaced, changed or deleted, and it is tried here', () => {
    const changed = new Set(server.routes.filter(({ method }) => writing.has(method)).map(({ template }) => template))
    expect([...changed].filter((template) => !methodsOf(template).includes('GET'))).toEqual([])
    expect([...templates, ...Object.keys(ofPeople)].toSorted()).toEqual([...changed].sort())
    for (const template of templates)
      expect([...changesOf(template).map(([method]) => method as string), 'GET', 'DELETE'], template).toEqual(
        expect.arrayContaining(methodsOf(template).filter((method) => method !== 'POST')),
      )
  })
})

describe.each(templates)('%s', (template) => {
  test('has a strong tag, and is not sent again to who has it', async () => {
    const path = await existing(template)
    const tag = (await tagAt(path))!
    expect(tag).toMatch(/^"[\w-]{16}(\.[\w-]{11})?"$/)
    for (const condition of isSample(template) ? [tag, `W/${tag}`, `"other", ${tag}`, '*'] : [tag]) {
      const { status, text, headers } = await ask('GET', path, { 'if-none-match': condition })
      expect({ status, text, tag: headers.get('etag') }, condition).toEqual({ status: 304, text: '', tag })
      expect(headers.get('content-type')).toBeNull()
      expect(headers.get('cache-control')).toBe('no-store')
    }
    expect(outcome(await ask('GET', path, { 'if-none-match': '"other"' }))).toBe('200')
    const head = await ask('HEAD', path, { 'if-none-match': tag })
    expect([head.status, head.headers.get('etag')]).toEqual([304, tag])
  })

  test('is changed by who has seen its state, and by nobody else', async () => {
    const path = await existing(template)
    let n = 20
    for (const [method, bodyOf] of changesOf(template)) {
      const before = (await ask('GET', path)).text
      const stale = isSample(template) ? [`W/${await tagAt(path)}`, '"one", "two"'] : []
      for (const condition of ['"other"', ...stale])
        expect(outcome(await ask(method, path, { 'if-match': condition }, bodyOf(n))), condition).toBe(
          '412 precondition_failed',
        )
      expect((await ask('GET', path)).text).toBe(before)
      let tag = (await tagAt(path))!
      for (const condition of isSample(template) ? [tag, '"other", TAG', '*'] : [tag]) {
        const answer = await ask(method, path, { 'if-match': condition.replace('TAG', tag) }, bodyOf(n++))
        expect(outcome(answer), template).toBe('200')
        tag = (await tagAt(path))!
        expect(answer.headers.get('etag')).toBe(tag)
      }
    }
    if (!methodsOf(template).includes('DELETE')) return
    const tag = (await tagAt(path))!
    expect(outcome(await ask('DELETE', path, { 'if-match': '"other"' }))).toBe('412 precondition_failed')
    expect(await tagAt(path)).toBe(tag)
    expect(outcome(await ask('DELETE', path, { 'if-match': tag }))).toBe('204')
  })

  test('has one winner among those who have seen the same state', async () => {
    const path = await existing(template)
    const [first] = changesOf(template)
    if (!first) return
    const [method, bodyOf] = first
    const tag = (await tagAt(path))!
    const writers = isSample(template) ? 50 : 4
    const bodies = Array.from({ length: writers }, (_, i) => bodyOf(40 + i))
    // Whoever writes what is there changes nothing, so that the next one wins as well.
    if (new Set(bodies.map((body) => JSON.stringify(body))).size < writers) return
    const answers = await Promise.all(bodies.map((body) => ask(method, path, { 'if-match': tag }, body)))
    expect(answers.map(outcome).sort()).toEqual(['200', ...Array(writers - 1).fill('412 precondition_failed')])
    expect(answers.find(({ status }) => status === 200)!.headers.get('etag')).toBe(await tagAt(path))
  })
})

describe('a tag', () => {
  const budgets = () => `/v1/orgs/${setting.tenant.id}/budgets`
  const budget = { name: 'Tagged', scope_kind: 'workflow', scope_id: 'tagged', limit_usd: '9', period: 'month' }

  test('is on what was made, and on the answer to a retry', async () => {
    const headers = { 'idempotency-key': 'make-1' }
    const first = await ask('POST', budgets(), headers, budget)
    const tag = first.headers.get('etag')
    expect(tag).toBe(await tagAt(`${budgets()}/${String(first.json['id'])}`))
    const again = await ask('POST', budgets(), headers, budget)
    expect([again.headers.get('idempotent-replayed'), again.headers.get('etag')]).toEqual(['true', tag])
  })

  test('lets a retry of a change be answered again though the state has changed by it', async () => {
    const { json } = await ask('POST', budgets(), {}, budget)
    const path = `${budgets()}/${String(json['id'])}`
    const headers = { 'idempotency-key': 'change-1', 'if-match': (await tagAt(path))! }
    const first = await ask('PATCH', path, headers, { limit_usd: '10' })
    const again = await ask('PATCH', path, headers, { limit_usd: '10' })
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
    expect(outcome(await ask('PATCH', path, { ...headers, 'idempotency-key': 'change-2' }, { limit_usd: '11' }))).toBe(
      '412 precondition_failed',
    )
  })

  test('tells of what is spent, and spending does not get in the way of a change', async () => {
    const { id } = setting.tenant
    const paths = {
      budget: `${budgets()}/${String((await ask('POST', budgets(), {}, { ...budget, scope_id: 'spending' })).json['id'])}`,
      cap: `/v1/orgs/${id}/spend-cap`,
      customer: `/v1/orgs/${id}/customers/spender/limit`,
      plan: `/v1/admin/orgs/${id}/plan`,
    }
    const bodies = {
      budget: { limit_usd: '0.5', enforcement: 'alert' },
      cap: { cap_usd: '900' },
      customer: { limit_usd: '900', period: 'day' },
      plan: { name: 'Team', runs_per_month: 900, tokens_per_month: null, overage_policy: 'allow' },
    }
    const change = (name: keyof typeof paths, headers = {}) =>
      ask(name === 'budget' ? 'PATCH' : 'PUT', paths[name], headers, bodies[name])
    const names = Object.keys(paths) as (keyof typeof paths)[]
    for (const name of names) expect(outcome(await change(name)), name).toBe('200')
    const before = new Map(await Promise.all(names.map(async (name) => [name, (await tagAt(paths[name]))!] as const)))
    for (let i = 0; i < 2; i++) {
      const run = { model: 'own', workflow_id: 'spending', customer_id: 'spender', estimated_cost_usd: '0.4' }
      expect(outcome(await ask('POST', '/v1/runs', {}, run))).toBe('201')
    }
    for (const name of names) {
      const tag = before.get(name)!
      const current = (await tagAt(paths[name]))!
      expect(current, name).not.toBe(tag)
      expect(outcome(await ask('GET', paths[name], { 'if-none-match': tag })), name).toBe('200')
      expect(outcome(await change(name, { 'if-match': tag })), name).toBe('200')
    }
  })

  test('that names nothing there refuses the change; that none may be there makes one', async () => {
    const path = `/v1/orgs/${setting.tenant.id}/customers/new/limit`
    const body = { limit_usd: '5', period: 'day' }
    expect(outcome(await ask('PUT', path, { 'if-match': '*' }, body))).toBe('412 precondition_failed')
    const both = await Promise.all([1, 2, 3].map(() => ask('PUT', path, { 'if-none-match': '*' }, body)))
    expect(both.map(outcome).sort()).toEqual(['200', '412 precondition_failed', '412 precondition_failed'])
  })

  test('that cannot be read, or that nobody would look at, is refused', async () => {
    const path = `/v1/orgs/${setting.tenant.id}`
    for (const condition of ['abc', '"a" "b"', '"a', "'a'", '', '*, "a"', '"a",'])
      expect(
        (await ask('PATCH', path, { 'if-match': condition }, { name: 'X' })).json.error?.details,
        condition,
      ).toEqual({
        fields: [expect.objectContaining({ field: 'If-Match', code: 'invalid_format' })],
      })
    const key = `/v1/orgs/${setting.tenant.id}/keys/${setting.tenant.keyId}/rotate`
    expect((await ask('POST', key, { 'if-match': '"a"' })).json.error?.details).toEqual({
      fields: [expect.objectContaining({ field: 'If-Match', code: 'invalid_value' })],
    })
  })
})
