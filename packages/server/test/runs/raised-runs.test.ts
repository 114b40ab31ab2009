import { describe, expect, test } from 'vitest'
import { formatId, newUuid, requireId } from '../../src/values/id.ts'
import { addRule } from '../support/governed.ts'
import { costing, type MoneyOrg, refusalIn, useMoney } from '../support/money.ts'
import { type Answer, call, keyOf } from '../support/tenants.ts'

/** What becomes of a run that was raised, and who and what may keep it from being raised. */

const money = useMoney()

type Body = Record<string, unknown>

const startOf = async (org: MoneyOrg, body: Body, key = org.key): Promise<string> => {
  const { status, json, text } = await call(money.server.url, 'POST', '/v1/runs', { key, body })
  expect(status, text).toBe(201)
  return json['id'] as string
}
const raiseBy = (key: string, id: string, body: Body): Promise<Answer> =>
  call(money.server.url, 'POST', `/v1/runs/${id}/extend`, { key, body })
const raise = (org: MoneyOrg, id: string, usd: string) => raiseBy(org.key, id, { estimated_cost_usd: usd })
const read = async (org: MoneyOrg, id: string) =>
  (await call(money.server.url, 'GET', `/v1/runs/${id}`, { key: org.key })).json
const finish = (org: MoneyOrg, id: string, usd: string) =>
  org.post(`/v1/runs/${id}/finish`, { status: 'succeeded', cost_usd: usd })
const reservationOf = (id: string) => formatId('reservation', requireId('run', id))
const raised = async (org: MoneyOrg, id: string, usd: string) => {
  const { status, json, text } = await raise(org, id, usd)
  expect([status, json['reserved_usd']], text).toEqual([200, usd])
}

describe('a raised run', () => {
  test('is settled within what it was raised to, without overrun, and the rest is given back', async () => {
    const org = await money.org()
    const budget = await org.budget('1')
    const id = await startOf(org, costing('0.1'))
    await raised(org, id, '0.6')
    expect((await finish(org, id, '0.5')).json).toMatchObject({
      cost_usd: '0.5',
      overrun_usd: '0',
      reserved_usd: '0.6',
    })
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '0.5', held_usd: '0', overrun_usd: '0' })
    const moved = (await org.ask('GET', `/ledger?sort=batch&reservation_id=${reservationOf(id)}`)).json['data']
    expect(moved).toMatchObject([{ kind: 'hold' }, { kind: 'hold' }, { kind: 'settle' }])
  })

  test('is charged all of it when its lease ends', async () => {
    const org = await money.org()
    const budget = await org.budget('1')
    const id = await startOf(org, costing('0.1'))
    await raised(org, id, '0.6')
    await org.endLease(reservationOf(id))
    const holdId = requireId('run', id)
    await money.lanes().submit({ orgId: org.uuid, holdId, plan: () => ({ command: { type: 'expire', holdId } }) })
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '0.6', held_usd: '0' })
    expect(await read(org, id)).toMatchObject({ status: 'expired', cost_usd: '0.6' })
    expect((await raise(org, id, '0.7')).json.error).toMatchObject({ code: 'conflict' })
  })

  test('draws on packs in their order, and gives back what it does not use', async () => {
    const org = await money.org()
    const pack = (amount_usd: string) => org.set('POST', '/customers/c/credit-packs', { amount_usd })
    const [first, second] = [await pack('0.3'), await pack('0.5')]
    const standing = async () => {
      const packs = (await org.ask('GET', '/customers/c/credit-packs')).json['data'] as Body[]
      return [first, second].map(({ id }) => {
        const { spent_usd, held_usd } = packs.find((one) => one['id'] === id)!
        return [spent_usd, held_usd]
      })
    }
    const id = await startOf(org, costing('0.2', { customer_id: 'c' }))
    await raised(org, id, '0.6')
    expect(await standing()).toEqual([
      ['0', '0.3'],
      ['0', '0.3'],
    ])
    await finish(org, id, '0.4')
    expect(await standing()).toEqual([
      ['0.3', '0'],
      ['0.1', '0'],
    ])
  })

  test('counts in the period in which it was raised, and no more in the one before', async () => {
    const org = await money.org()
    const budget = await org.budget('1', { period: 'month' })
    const id = await startOf(org, costing('0.9'))
    await org.endPeriod(budget.id, { period: 'week' })
    await org.hold('0.5')
    expect((await raise(org, id, '0.95')).status).toBe(402)
    expect(await read(org, id)).toMatchObject({ reserved_usd: '0.9' })
    const rows = await org.allowances()
    expect(new Set(rows.map(({ held }) => Number(held)))).toEqual(new Set([500_000_000, 900_000_000]))
    await org.set('PATCH', `/budgets/${budget.id}`, { limit_usd: '2' })
    await raised(org, id, '0.95')
    expect(new Set((await org.allowances()).map(({ held }) => Number(held)))).toEqual(new Set([0, 1_450_000_000]))
    await finish(org, id, '0.95')
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '0.95', held_usd: '0.5' })
  })

  test('keeps its place where a limit on runs at once was lowered, and is warned of where a limit only alerts', async () => {
    const org = await money.org()
    await org.budget('0.2', { enforcement: 'alert' })
    const limit = await org.set('POST', '/concurrency-limits', { name: 'two', scope_kind: 'org', max_runs: 2 })
    const [id] = [await startOf(org, costing('0.1')), await startOf(org, costing('0.1'))]
    await org.set('PATCH', `/concurrency-limits/${limit['id'] as string}`, { max_runs: 1 })
    await raised(org, id, '0.6')
    expect((await org.post('/v1/runs', costing('0.1'))).json.error).toMatchObject({ code: 'concurrency_exceeded' })
    const warned = (await org.allowances()).map((row) => Number(row.would_refuse))
    expect(new Set(warned)).toEqual(new Set([0, 1]))
  })

  test('can be explained: the limits as they were when it was raised', async () => {
    const org = await money.org()
    await org.budget('1')
    const id = await startOf(org, { model: 'gpt-4o', input_tokens: 1_000, max_output_tokens: 1_000 })
    const { decision_id } = await read(org, id)
    await org.hold('0.3')
    expect((await raiseBy(org.key, id, { max_output_tokens: 3_000 })).json).toMatchObject({ max_output_tokens: 3_000 })
    expect((await org.explain(decision_id as string)).json).toMatchObject({
      decision: 'allow',
      granted_output_tokens: 3_000,
      inputs: { max_output_tokens: 3_000 },
      limits: [{ held: '0.3', attempted: '0.0325', limit: '1', fits: true }],
    })
  })

  test('that was granted less than it asked for is raised from that', async () => {
    const org = await money.org()
    const budget = await org.budget('0.1')
    const body = { model: 'gpt-4o', input_tokens: 10_000, max_output_tokens: 16_000, min_output_tokens: 100 }
    const id = await startOf(org, body)
    expect(await read(org, id)).toMatchObject({ max_output_tokens: 7_500, reserved_usd: '0.1' })
    await org.set('PATCH', `/budgets/${budget.id}`, { limit_usd: '0.12' })
    expect((await raiseBy(org.key, id, { max_output_tokens: 16_000 })).status).toBe(402)
    expect((await raiseBy(org.key, id, { max_output_tokens: 9_500 })).json).toMatchObject({ reserved_usd: '0.12' })
  })
})

describe('a raise is refused', () => {
  /** How a run of $0.1 stands after a refused raise, and how it ends. */
  const standing = async (org: MoneyOrg, id: string) => {
    const { status, reserved_usd } = await read(org, id)
    return [status, reserved_usd, (await finish(org, id, '0.1')).json['overrun_usd']]
  }
  const asBefore = ['running', '0.1', '0']

  test('by a freeze, though the run may go on', async () => {
    const org = await money.org()
    await org.budget('1')
    const id = await startOf(org, costing('0.1'))
    await org.set('POST', '/freeze', { reason: 'An agent loops.' })
    expect(refusalIn(await raise(org, id, '0.2'))).toMatchObject({ status: 402, code: 'frozen' })
    expect(await standing(org, id)).toEqual(asBefore)
  })

  test('by a rule that would have blocked the whole run', async () => {
    const org = await money.org()
    await org.budget('10')
    await addRule(org, { expression: 'run.estimated_cost_usd > 0.5', reason: 'Too dear.' })
    const id = await startOf(org, costing('0.1'))
    const refused = refusalIn(await raise(org, id, '0.6'))
    expect(refused).toMatchObject({ status: 403, code: 'policy_blocked', reason: 'Too dear.' })
    expect(await standing(org, id)).toEqual(asBefore)
    const other = await startOf(org, costing('0.1'))
    await raised(org, other, '0.5')
  })

  test('beyond the amount that was approved, and goes up to it', async () => {
    const org = await money.org()
    await org.budget('10')
    await addRule(org, { effect: 'require_approval', reason: 'Ask first.' })
    const asked = refusalIn(await org.post('/v1/runs', costing('0.1')))
    expect(asked).toMatchObject({ code: 'policy_approval_required' })
    const approver = (await keyOf(money.server, org.id, { role: 'admin' })).key
    const approval = asked['approval_id'] as string
    const grant = { max_runs: 1, max_amount_usd: '0.5' }
    expect((await org.ask('POST', `/approvals/${approval}/approve`, grant, approver)).status).toBe(200)
    const id = await startOf(org, costing('0.1'))
    await raised(org, id, '0.4')
    expect(refusalIn(await raise(org, id, '0.51'))).toMatchObject({ status: 403, code: 'policy_approval_required' })
    expect(await read(org, id)).toMatchObject({ reserved_usd: '0.4' })
    await raised(org, id, '0.5')
    expect((await org.post('/v1/runs', costing('0.1'))).json.error).toMatchObject({ code: 'policy_approval_required' })
  })

  test('by a rate of tokens, of which it takes what is added', async () => {
    const org = await money.org()
    await org.budget('10')
    const policies = [{ kind: 'tokens', per: 'org', amount: 10_000, window_seconds: 3_600 }]
    await org.setAsOperator('PUT', '/rate-limits', { read_rpm: null, policies })
    const id = await startOf(org, { model: 'gpt-4o', input_tokens: 1_000, max_output_tokens: 4_000 })
    expect((await raiseBy(org.key, id, { max_output_tokens: 8_000 })).status).toBe(200)
    expect(refusalIn(await raiseBy(org.key, id, { max_output_tokens: 9_001 }))).toMatchObject({ code: 'rate_limited' })
    expect(await read(org, id)).toMatchObject({ max_output_tokens: 8_000 })
    expect((await raiseBy(org.key, id, { max_output_tokens: 9_000 })).status).toBe(200)
  })

  test('after the end of the run, and of one that is not there', async () => {
    const org = await money.org()
    const id = await startOf(org, costing('0.1'))
    await finish(org, id, '0.05')
    expect((await raise(org, id, '0.2')).json.error).toMatchObject({ code: 'conflict' })
    expect((await raise(org, formatId('run', newUuid()), '0.2')).status).toBe(404)
  })

  test('to keys that may not settle it; one that may raises what the limits of its maker leave', async () => {
    const org = await money.org()
    const keyOfRole = (scopes: string[], pins = {}) => keyOf(money.server, org.id, { role: 'service', scopes, pins })
    const maker = await keyOfRole(['runs:write', 'runs:read'])
    await org.budget('0.3', { scope_kind: 'key', scope_id: maker.id })
    const id = await startOf(org, costing('0.1'), maker.key)
    const wish = { estimated_cost_usd: '0.2' }
    const statuses: [number, string[], object?][] = [
      [403, ['runs:write', 'runs:read']],
      [404, ['runs:write']],
      [404, ['runs:write', 'runs:read', 'runs:manage'], { workflow_id: 'elsewhere' }],
    ]
    for (const [status, scopes, pins] of statuses)
      expect((await raiseBy((await keyOfRole(scopes, pins)).key, id, wish)).status).toBe(status)
    const stranger = await money.org()
    expect((await raiseBy(stranger.key, id, wish)).status).toBe(404)
    expect(await read(org, id)).toMatchObject({ reserved_usd: '0.1' })
    const manager = await keyOfRole(['runs:write', 'runs:manage'])
    expect((await raiseBy(manager.key, id, wish)).json).toMatchObject({ reserved_usd: '0.2', key_id: maker.id })
    const above = await raiseBy(manager.key, id, { estimated_cost_usd: '0.31' })
    expect(refusalIn(above)).toMatchObject({ code: 'budget_exceeded', scope_kind: 'key' })
  })

  test('through its reservation: rules are asked about runs', async () => {
    const org = await money.org()
    const id = await startOf(org, costing('0.1'))
    const answer = await org.extend(reservationOf(id), { estimated_cost_usd: '0.2' })
    expect(answer.json.error).toMatchObject({ code: 'conflict' })
    expect((await org.extend(reservationOf(id), { lease_seconds: 60 })).status).toBe(200)
  })
})
