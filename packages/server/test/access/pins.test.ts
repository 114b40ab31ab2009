import { beforeAll, describe, expect, test } from 'vitest'
import type { ApiRoute } from '../../src/contract/routes.ts'
import { formatId, newUuid, requireId } from '../../src/values/id.ts'
import { costing, type MoneyOrg, useMoney } from '../support/money.ts'
import { eventually } from '../support/processes.ts'
import { type Answer, call, keyOf } from '../support/tenants.ts'

/**
 * Two keys that are pinned to different values of a dimension, on every route of the contract: neither sees or ends what is the
 * other's. From the route list itself, so that a route added tomorrow is asked too.
 */
const money = useMoney()
const dimensions = ['workflow_id', 'deployment_id', 'department_id', 'customer_id'] as const
type Dimension = (typeof dimensions)[number]

interface Pinned {
  readonly id: string
  readonly ask: (method: string, path: string, body?: unknown) => Promise<Answer>
}
interface Scene {
  readonly org: MoneyOrg
  readonly own: Pinned
  readonly other: Pinned
  /** Names of path parameters with ids of what is the other's. */
  readonly foreign: Readonly<Record<string, string>>
  /** Everything that only the other may be told of. */
  readonly secrets: readonly string[]
}

const routes = () => money.server.routes.filter(({ declaration }) => !declaration.open && !declaration.anyKey)
const missing = (name: string) => (name === 'chain_id' ? `chain-${newUuid()}` : formatId(kinds[name]!, newUuid()))
const kinds = {
  key_id: 'key',
  budget_id: 'budget',
  concurrency_limit_id: 'concurrencyLimit',
  price_id: 'price',
  reservation_id: 'reservation',
  decision_id: 'decision',
  run_id: 'run',
  approval_id: 'approval',
  proposal_id: 'proposal',
  refusal_id: 'refusal',
} as const satisfies Record<string, Parameters<typeof formatId>[0]> as Readonly<
  Record<string, Parameters<typeof formatId>[0]>
>

async function pinnedKey(org: MoneyOrg, pins: Record<string, string>): Promise<Pinned> {
  const { id, key } = await keyOf(money.server, org.id, { pins })
  const ask: Pinned['ask'] = (method, path, body) =>
    call(money.server.url, method, path, { key, ...(body !== undefined && { body }) })
  return { id, ask }
}

/** What a pinned key leaves behind: of everything that belongs to a value of a dimension, one. */
async function traces({ ask }: Pinned, org: MoneyOrg, name: Dimension, value: string): Promise<Record<string, string>> {
  const made = async (path: string, body: unknown) => (await ask('POST', path, body)).json
  const chain_id = `chain-${newUuid()}`
  const ended = await made('/v1/runs', costing('0.25', { chain_id }))
  await made(`/v1/runs/${ended['id'] as string}/finish`, { status: 'succeeded', cost_usd: '0.2' })
  const run = await made('/v1/runs', costing('0.25', { chain_id }))
  const reservation = await made('/v1/edge/decision', costing('0.25'))
  const refused = await made('/v1/runs', costing('0.25', { action: 'ask' }))
  const scope = { scope_kind: name.replace('_id', ''), scope_id: value }
  const budget = name === 'customer_id' ? undefined : await org.budget('100', scope)
  const more = { limit_usd: '200', reason: 'More.' }
  const proposal = budget && (await made(`/v1/orgs/${org.id}/budgets/${budget.id}/proposals`, more))
  const concurrency = await org.set('POST', '/concurrency-limits', { name: 'c', max_runs: 9, ...scope })
  if (name === 'customer_id') {
    await org.set('PUT', `/customers/${value}/limit`, { limit_usd: '100', period: 'month' })
    await org.set('POST', `/customers/${value}/credit-packs`, { amount_usd: '100' })
  }
  return {
    run_id: run['id'] as string,
    ended_run: ended['id'] as string,
    chain_id,
    reservation_id: reservation['reservation_id'] as string,
    decision_id: reservation['decision_id'] as string,
    approval_id: refused.error!.details['approval_id'] as string,
    ...(budget && { budget_id: budget.id }),
    ...(proposal && { proposal_id: proposal['id'] as string }),
    concurrency_limit_id: concurrency['id'] as string,
    ...(name === 'customer_id' && { customer_id: value }),
  }
}

const scenes = new Map<Dimension, Scene>()

beforeAll(async () => {
  for (const name of dimensions) {
    const org = await money.org()
    await org.budget('1000', { enforcement: 'alert' })
    await org.set('POST', '/policies', {
      name: 'ask',
      effect: 'require_approval',
      target: 'action',
      priority: 1,
      expression: 'run.action == "ask"',
      reason: 'Ask.',
    })
    const [mine, theirs] = [`mine-${newUuid()}`, `theirs-${newUuid()}`]
    const own = await pinnedKey(org, { [name]: mine })
    const other = await pinnedKey(org, { [name]: theirs })
    await traces(own, org, name, mine)
    const left = await traces(other, org, name, theirs)
    const foreign = { ...left, key_id: other.id }
    scenes.set(name, { org, own, other, foreign, secrets: [theirs, ...Object.values(foreign)] })
  }
  // What rules have refused is written a moment later.
  for (const { org, other } of scenes.values())
    await eventually(async () => {
      const { text } = await other.ask('GET', `/v1/orgs/${org.id}/policies/matches`)
      return text.includes('theirs-')
    })
  for (const [name, scene] of scenes) {
    const { org, other } = scene
    const idOf = async (path: string) => {
      await eventually(async () => (await other.ask('GET', path)).text.includes('theirs-'))
      return ((await other.ask('GET', path)).json['data'] as { id: string }[])[0]!.id
    }
    const refusal_id = await idOf(`/v1/orgs/${org.id}/refusals`)
    scenes.set(name, {
      ...scene,
      foreign: { ...scene.foreign, refusal_id },
      secrets: [...scene.secrets, refusal_id],
    })
  }
})

const pathOf = ({ template }: ApiRoute, orgId: string, ids: Readonly<Record<string, string>>) =>
  template.replace(/\{(\w+)\}/g, (_whole, name: string) => (name === 'id' ? orgId : (ids[name] ?? missing(name))))
const bodyOf = ({ method, template }: ApiRoute) => {
  if (method === 'GET') return undefined
  if ((method === 'PUT' || method === 'PATCH') && template.includes('/keys/')) return { name: 'renamed' }
  if (template.endsWith('/{budget_id}/proposals')) return { limit_usd: '900', reason: 'r' }
  return template.endsWith('/finish') ? { status: 'succeeded', cost_usd: '999' } : {}
}
const parameterOf = ({ template }: ApiRoute) => /\{(?!id\})(\w+)\}/.exec(template)?.[1]
/** What a client can tell two answers apart by. */
const told = ({ status, text, headers }: Answer) => ({ status, text, headers: [...headers.keys()].sort() })

describe.each(dimensions)('of two keys pinned to different values of %s', (dimension) => {
  const scene = () => scenes.get(dimension)!

  test('each reads what is its own', async () => {
    const { org, other, foreign } = scene()
    const paths = ['/v1/runs', `/v1/orgs/${org.id}/ledger`, `/v1/orgs/${org.id}/approvals`, `/v1/orgs/${org.id}/keys`]
    for (const path of paths) {
      const { json, text } = await other.ask('GET', path)
      expect(json['data'], `${path} ${text}`).not.toHaveLength(0)
    }
    for (const path of [`/v1/runs/${foreign['run_id']!}`, `/v1/chains/${foreign['chain_id']!}`])
      expect((await other.ask('GET', path)).status, path).toBe(200)
    const usage = await other.ask('GET', `/v1/orgs/${org.id}/usage`)
    expect(usage.json['totals']).toMatchObject({ runs: 1, cost_usd: '0.2' })
  })

  test('neither is told a name, an id or a value of the other by any route', async () => {
    const { org, own, secrets } = scene()
    for (const route of routes().filter(({ method, declaration: { pinned } }) => method === 'GET' && pinned)) {
      if (parameterOf(route) !== undefined) continue
      const path = pathOf(route, org.id, {})
      const { text } = await own.ask('GET', path)
      for (const secret of secrets) expect(text, `${path} tells ${secret}`).not.toContain(secret)
    }
  })

  test('what is the other’s and what does not exist answer the same bytes', async () => {
    const { org, own, foreign } = scene()
    const asked: string[] = []
    for (const route of routes()) {
      const name = parameterOf(route)
      // A key says that it is there: nobody without keys:read learns it, and ids are not guessed.
      const isKeyChange = name === 'key_id' && route.method === 'POST'
      if (name === undefined || foreign[name] === undefined || isKeyChange || !route.declaration.pinned) continue
      const attempt = (ids: Record<string, string>) => own.ask(route.method, pathOf(route, org.id, ids), bodyOf(route))
      const absent = name === 'customer_id' ? { customer_id: `nobody-${newUuid()}` } : {}
      const [theirs, nothing] = [await attempt({ [name]: foreign[name] }), await attempt(absent)]
      expect(told(theirs), `${route.method} ${route.template}`).toEqual(told(nothing))
      expect([403, 404], `${route.method} ${route.template}`).toContain(theirs.status)
      asked.push(name)
    }
    expect(new Set(asked)).toEqual(new Set(Object.keys(foreign).filter((name) => name !== 'ended_run')))
  })

  test('neither has ended what the other began', async () => {
    const { other, foreign } = scene()
    expect((await other.ask('GET', `/v1/runs/${foreign['run_id']!}`)).json).toMatchObject({ status: 'running' })
    const { json } = await other.ask('GET', `/v1/decisions/${foreign['decision_id']!}`)
    expect(json['reservation']).toMatchObject({ status: 'open' })
  })

  test('neither asks for the value of the other', async () => {
    const { org, own, secrets } = scene()
    for (const path of ['/v1/runs', `/v1/orgs/${org.id}/usage`]) {
      const { status, json } = await own.ask('GET', `${path}?${dimension}=${secrets[0]!}`)
      expect([status, json.error?.code], path).toEqual([403, 'forbidden'])
    }
  })

  test('both are refused by routes that reach beyond pins', async () => {
    const { org, own } = scene()
    for (const route of routes().filter(({ template }) => !template.startsWith('/v1/admin/'))) {
      if (route.declaration.pinned) continue
      const path = pathOf(route, org.id, { ...unrelated, customer_id: 'c', scope_kind: 'workflow' })
      const { status, json } = await own.ask(route.method, path, bodyOf(route))
      expect([status, json.error?.code], `${route.method} ${route.template}`).toEqual([403, 'forbidden'])
    }
  })
})

const unrelated = Object.fromEntries(
  (
    [
      ['pack_id', 'creditPack'],
      ['rule_id', 'rule'],
      ['model_id', 'model'],
      ['eval_id', 'evalResult'],
      ['route_id', 'modelRoute'],
      ['grant_id', 'grant'],
      ['sub_id', 'subscription'],
      ['delivery_id', 'delivery'],
      ['cohort_id', 'cohort'],
      ['event_id', 'event'],
    ] as const
  ).map(([name, kind]) => [name, formatId(kind, newUuid())]),
)

test('a chain of several teams shows each its own part', async () => {
  const org = await money.org()
  const [a, b] = [await pinnedKey(org, { workflow_id: 'a' }), await pinnedKey(org, { workflow_id: 'b' })]
  const chain_id = `shared-${newUuid()}`
  const root = (await a.ask('POST', '/v1/runs', costing('0.5', { chain_id }))).json['id'] as string
  await a.ask('POST', `/v1/runs/${root}/finish`, { status: 'succeeded', cost_usd: '0.4' })
  const child = await b.ask('POST', '/v1/runs', costing('0.25', { chain_id, parent_run_id: root }))
  expect(child.status, child.text).toBe(201)
  expect((await a.ask('GET', `/v1/chains/${chain_id}`)).json).toMatchObject({
    root_run_id: root,
    spent_usd: '0.4',
    held_usd: '0',
    nodes: [{ id: root }],
  })
  expect((await b.ask('GET', `/v1/chains/${chain_id}`)).json).toMatchObject({
    root_run_id: null,
    spent_usd: '0',
    held_usd: '0.25',
    remaining_usd: null,
    nodes: [{ id: child.json['id'] }],
  })
  const nobody = await pinnedKey(org, { workflow_id: 'c' })
  const absent = await nobody.ask('GET', `/v1/chains/absent-${newUuid()}`)
  expect(told(await nobody.ask('GET', `/v1/chains/${chain_id}`))).toEqual(told(absent))
  const whole = await call(money.server.url, 'GET', `/v1/chains/${chain_id}`, { key: org.key })
  expect(whole.json).toMatchObject({ root_run_id: root, spent_usd: '0.4', held_usd: '0.25' })
})

test('usage is told within several pins, and not where it is not kept by all of them', async () => {
  const org = await money.org()
  const bulk = (runs: object[]) => org.post('/v1/runs/bulk', { runs: runs.map((run) => ({ model: 'm', ...run })) })
  await bulk([
    { cost_usd: '1', workflow_id: 'w', department_id: 'd' },
    { cost_usd: '2', workflow_id: 'w' },
    { cost_usd: '4', department_id: 'd', customer_id: 'c' },
    { cost_usd: '8', workflow_id: 'w', department_id: 'd', customer_id: 'c' },
  ])
  const read = async (pins: Record<string, string>, query = '') =>
    (await pinnedKey(org, pins)).ask('GET', `/v1/orgs/${org.id}/usage${query}`)
  const total = (answer: Answer) => (answer.json['totals'] as { cost_usd: string } | undefined)?.cost_usd
  expect(total(await read({ workflow_id: 'w', department_id: 'd' }))).toBe('9')
  expect(total(await read({ customer_id: 'c' }))).toBe('12')
  expect((await read({ customer_id: 'c' }, '?group_by=model')).status).toBe(422)
  expect((await read({ customer_id: 'c', workflow_id: 'w' })).status).toBe(403)
  expect((await read({ workflow_id: 'w' }, '?group_by=customer_id')).status).toBe(403)
  const exported = async (pins: Record<string, string>) =>
    (await pinnedKey(org, pins)).ask('GET', `/v1/orgs/${org.id}/usage/export?from=${today()}`)
  const lines = (await exported({ department_id: 'd' })).text.trim().split('\n').slice(1)
  expect(new Set(lines.map((line) => line.split(',')[0]))).toEqual(new Set(['4', '9']))
  expect((await exported({ customer_id: 'c' })).status).toBe(403)
})

const today = () => new Date().toISOString().slice(0, 10)

test('a key that ends what it may not see would be found in the record: nothing moved but by its maker', async () => {
  for (const { org, other, foreign } of scenes.values()) {
    const reservation = formatId('reservation', requireId('run', foreign['run_id']!))
    const { json } = await org.ask('GET', `/ledger?reservation_id=${reservation}`)
    expect(json['data']).toMatchObject([{ kind: 'hold', key_id: other.id, actor: { id: other.id } }])
  }
})
