import { describe, expect, test } from 'vitest'
import { parseId } from '../../src/values/id.ts'
import { type MoneyOrg, useMoney } from '../support/money.ts'
import { type Answer, call } from '../support/tenants.ts'

const money = useMoney()

interface Result {
  readonly run_id: string
  readonly duplicate: boolean
  readonly ignored_fields?: string[]
  readonly error?: { readonly code: string }
}

const bulk = (org: MoneyOrg, runs: readonly object[], more: object = {}) => org.post('/v1/runs/bulk', { runs, ...more })
const resultsOf = ({ json }: Answer) => json['results'] as Result[]
const get = async (org: MoneyOrg, path: string) => (await call(money.server.url, 'GET', path, { key: org.key })).json
const shown = (org: MoneyOrg, id: string) => get(org, `/v1/runs/${id}`)
const usage = async (org: MoneyOrg, more = '') =>
  (await get(org, `/v1/orgs/${org.id}/usage?granularity=day${more}`))['totals'] as Record<string, unknown>
const verdictOf = ({ status, json }: Answer) => [status, json.error?.code]
const codesOf = (answer: Answer) => resultsOf(answer).map(({ error, duplicate }) => error?.code ?? duplicate)

/** A reservation, priced by its tokens. */
async function reserve(org: MoneyOrg, more: object = {}) {
  const { json } = await org.decide({
    model: 'gpt-4o-mini',
    input_tokens: 1_000_000,
    max_output_tokens: 1_000,
    ...more,
  })
  return json['reservation_id'] as string
}

async function start(org: MoneyOrg, more: object = {}) {
  const body = { model: 'gpt-4o-mini', input_tokens: 1_000_000, max_output_tokens: 1_000, ...more }
  return (await org.post('/v1/runs', body)).json['id'] as string
}

/** gpt-4o-mini costs $0.15 and $0.60 per million tokens, gpt-4o $2.50 and $10. */
const usage1m = { input_tokens: 1_000_000, output_tokens: 1_000 }
const costs = { mini: '0.1506', large: '2.51' }

describe('a settlement charges and records the same thing', () => {
  test('on the account of its reservation, whatever it names', async () => {
    const org = await money.org()
    const a = await org.budget('100', { scope_kind: 'workflow', scope_id: 'a' })
    const b = await org.budget('0.5', { scope_kind: 'workflow', scope_id: 'b' })
    const reservation_id = await org.hold('0.2', { workflow_id: 'a' })
    const labels = { workflow_id: 'b', deployment_id: 'd', department_id: 'e', customer_id: 'c' }
    const sent = { reservation_id, model: 'gpt-4o', cost_usd: '0.2', ...labels }
    const [settled] = resultsOf(await bulk(org, [sent]))
    expect(settled).toMatchObject({ ignored_fields: Object.keys(labels) })
    const none = { deployment_id: null, department_id: null, customer_id: null }
    expect(await shown(org, settled!.run_id)).toMatchObject({ workflow_id: 'a', ...none })
    expect(await org.readBudget(a.id)).toMatchObject({ spent_usd: '0.2' })
    expect(await org.readBudget(b.id)).toMatchObject({ spent_usd: '0' })
    expect(await usage(org, '&workflow_id=a')).toMatchObject({ runs: 1, cost_usd: '0.2' })
    expect(await usage(org, '&workflow_id=b')).toMatchObject({ runs: 0, cost_usd: '0' })
    // Whoever lost the answer is told the same.
    const [again] = resultsOf(await bulk(org, [sent]))
    expect(again).toEqual({ ...settled, duplicate: true })
  })

  test('and says nothing of labels that are the same, or left out', async () => {
    const org = await money.org()
    const labels = { workflow_id: 'a', customer_id: 'c' }
    const [one, other] = [await org.hold('0.2', labels), await org.hold('0.2', labels)]
    const results = resultsOf(
      await bulk(org, [
        { reservation_id: one, cost_usd: '0.1', ...labels },
        { reservation_id: other, cost_usd: '0.1' },
      ]),
    )
    for (const { run_id, ...result } of results) {
      expect(result).not.toHaveProperty('ignored_fields')
      expect(await shown(org, run_id)).toMatchObject({ ...labels, model: 'gpt-4o', cost_usd: '0.1' })
    }
  })

  test('in the chain and under the names of the run that it ends', async () => {
    const org = await money.org()
    const labels = { workflow_id: 'a', chain_id: 'k', tags: ['x'], operation: 'chat' }
    const [byBulk, byFinish] = [await start(org, labels), await start(org, labels)]
    const other = { workflow_id: 'b', chain_id: 'l' }
    const more = { tags: ['y'], operation: 'embed', external_id: 'mine', metadata: { n: 1 } }
    const [ended] = resultsOf(await bulk(org, [{ run_id: byBulk, cost_usd: '0.1', ...other, ...more }]))
    expect(ended!.ignored_fields!.toSorted()).toEqual(Object.keys({ ...other, ...more }).toSorted())
    const finished = await org.post(`/v1/runs/${byFinish}/finish`, { status: 'succeeded', cost_usd: '0.1', ...other })
    expect(finished.json).toMatchObject({ ignored_fields: Object.keys(other) })
    for (const id of [byBulk, byFinish])
      expect(await shown(org, id)).toMatchObject({ ...labels, external_id: null, metadata: {} })
    expect(await get(org, '/v1/chains/k')).toMatchObject({ spent_usd: '0.2' })
    expect((await call(money.server.url, 'GET', '/v1/chains/l', { key: org.key })).status).toBe(404)
    // The name was not used: a run of its own may have it.
    expect(codesOf(await bulk(org, [{ external_id: 'mine', model: 'gpt-4o', cost_usd: '1' }]))).toEqual([false])
  })

  test('and needs no label that the organization requires of every call, nor may name one of others', async () => {
    const org = await money.org()
    const reservation_id = await org.hold('0.2', { customer_id: 'c', workflow_id: 'w' })
    await org.set('PATCH', '', { required_dimensions: ['workflow_id', 'customer_id'] })
    expect(codesOf(await bulk(org, [{ reservation_id, ...usage1m }]))).toEqual([false])
    const unheld = await bulk(org, [{ model: 'gpt-4o', cost_usd: '1' }])
    expect(unheld.status).toBe(422)
    const { json } = await org.ask('POST', '/keys', {
      name: 'pinned',
      role: 'service',
      scopes: ['runs:write'],
      pins: { customer_id: 'mine' },
    })
    const body = { runs: [{ reservation_id, cost_usd: '0', customer_id: 'c' }] }
    const refused = await call(money.server.url, 'POST', '/v1/runs/bulk', { key: json['secret'] as string, body })
    expect(refused.status).toBe(403)
  })
})

describe('another model than was asked for', () => {
  test.each([
    ['a reservation', async (org: MoneyOrg) => ({ reservation_id: await reserve(org) })],
    ['a started run, in bulk', async (org: MoneyOrg) => ({ run_id: await start(org) })],
  ])('is recorded and costs its own price where it settles %s; the rest is overrun', async (_, held) => {
    const org = await money.org()
    const budget = await org.budget('100')
    const [one] = resultsOf(await bulk(org, [{ ...(await held(org)), model: 'gpt-4o', ...usage1m }]))
    expect(await shown(org, one!.run_id)).toMatchObject({
      model: 'gpt-4o',
      cost_usd: costs.large,
      cost_basis: 'computed',
      reserved_usd: costs.mini,
      overrun_usd: '2.3594',
    })
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: costs.large, overrun_usd: '2.3594' })
    expect(await usage(org, '&model=gpt-4o')).toMatchObject({ runs: 1, cost_usd: costs.large })
    expect(await usage(org, '&model=gpt-4o-mini')).toMatchObject({ runs: 0 })
  })

  test('is told at the finish as well, also of a run that had expired', async () => {
    const org = await money.org()
    const [running, expired] = [await start(org, { provider: 'openai' }), await start(org)]
    await org.rows(
      `update holds set expires_at = clock_timestamp() - interval '6 seconds' where org_id = $1 and id = $2`,
      parseId('run', expired),
    )
    await org.set('POST', '/budgets', { name: 'none', scope_kind: 'org', limit_usd: '0', period: 'month' })
    await org.post('/v1/runs', { model: 'gpt-4o', estimated_cost_usd: '1' })
    expect(await shown(org, expired)).toMatchObject({ status: 'expired', model: 'gpt-4o-mini' })
    for (const id of [running, expired]) {
      const end = { status: 'succeeded', model: 'gpt-4o', ...usage1m }
      const finished = await org.post(`/v1/runs/${id}/finish`, end)
      expect(finished.json).toMatchObject({ model: 'gpt-4o', provider: null, cost_usd: costs.large })
      expect(await shown(org, id)).toEqual(finished.json)
      expect((await org.post(`/v1/runs/${id}/finish`, end)).json).toEqual(finished.json)
    }
    expect(await usage(org, '&model=gpt-4o')).toMatchObject({ runs: 2 })
    expect(await usage(org, '&model=gpt-4o-mini')).toMatchObject({ runs: 0, cost_usd: '0' })
  })

  test('costs what it did when the call was admitted, not what it does since', async () => {
    const org = await money.org()
    const price = (usd: string, effective_from: string) => ({
      model: 'fallback',
      input_usd_per_million: usd,
      output_usd_per_million: '0',
      effective_from,
    })
    const before = price('1', '2026-01-01T00:00:00Z')
    await org.set('PUT', '/prices', { prices: [before] })
    const reservation_id = await reserve(org)
    const now = new Date(Date.now() + 1).toISOString()
    await org.set('PUT', '/prices', { prices: [before, price('50', now)] })
    const [one] = resultsOf(await bulk(org, [{ reservation_id, model: 'fallback', ...usage1m }]))
    expect(await shown(org, one!.run_id)).toMatchObject({ cost_usd: '1', cost_basis: 'computed' })
  })

  test('that nobody has priced costs no less than what was held, nor than the model that was asked for', async () => {
    const org = await money.org()
    const cost = async (usage: object, more: object = {}) => {
      const reservation_id = await reserve(org)
      const [one] = resultsOf(await bulk(org, [{ reservation_id, model: 'mystery-9', ...usage, ...more }]))
      const { model, cost_usd, cost_basis } = await shown(org, one!.run_id)
      return [model, cost_usd, cost_basis]
    }
    expect(await cost({ input_tokens: 10 })).toEqual(['mystery-9', costs.mini, 'estimated'])
    expect(await cost({ input_tokens: 10_000_000 })).toEqual(['mystery-9', '1.5', 'estimated'])
    expect(await cost({ input_tokens: 10 }, { cost_usd: '0.01' })).toEqual(['mystery-9', '0.01', 'reported'])
    await org.set('PUT', '/prices', { prices: [], unpriced_ceiling_usd: '7' })
    expect(await cost({ input_tokens: 10 })).toEqual(['mystery-9', '7', 'estimated'])
    const unpriced = (await get(org, `/v1/orgs/${org.id}/prices`))['unpriced_models'] as { model: string }[]
    expect(unpriced.map(({ model }) => model)).toEqual(['mystery-9'])
  })
})

describe('ending again', () => {
  test('in the same way answers the first result, in another way is a conflict, for a reservation', async () => {
    const org = await money.org()
    const budget = await org.budget('10')
    const first = { reservation_id: await org.hold('1'), external_id: 'one', cost_usd: '0.2' }
    const [settled] = resultsOf(await bulk(org, [first]))
    expect(resultsOf(await bulk(org, [first]))).toEqual([{ ...settled, duplicate: true }])
    const others = [
      { ...first, cost_usd: '0.4' },
      { ...first, status: 'failed' },
      { ...first, external_id: 'two', cost_usd: '0.4' },
      { ...first, external_id: 'two' },
    ]
    for (const other of others) {
      const refused = await bulk(org, [other])
      expect(verdictOf(refused)).toEqual([409, 'conflict'])
      expect(refused.json.error).toMatchObject({ message: expect.stringMatching(/^runs\.0[ :]/), details: {} })
      const partial = await bulk(org, [{ model: 'gpt-4o', cost_usd: '0.1' }, other], { mode: 'partial' })
      expect(codesOf(partial)).toEqual([false, 'conflict'])
    }
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '0.6', held_usd: '0' })
    // A name that was refused is free.
    expect(codesOf(await bulk(org, [{ external_id: 'two', model: 'gpt-4o', cost_usd: '1' }]))).toEqual([false])
  })

  test('in the same way answers the first result, in another way is a conflict, for a started run', async () => {
    const org = await money.org()
    const budget = await org.budget('10')
    const [run_id, other_id] = [await start(org), await start(org, { external_id: 'n' })]
    const ends = [
      { run_id, cost_usd: '0.2' },
      { external_id: 'n', model: 'gpt-4o-mini', cost_usd: '0.2' },
    ]
    expect(codesOf(await bulk(org, ends))).toEqual([false, false])
    expect(codesOf(await bulk(org, ends))).toEqual([true, true])
    for (const more of [{ cost_usd: '0.3' }, { status: 'failed' }, { input_tokens: 1 }]) {
      const others = ends.map((end) => ({ ...end, ...more }))
      const beside = { model: 'gpt-4o', cost_usd: '1' }
      expect(verdictOf(await bulk(org, [beside, ...others]))).toEqual([409, 'conflict'])
      expect(codesOf(await bulk(org, others, { mode: 'partial' }))).toEqual(['conflict', 'conflict'])
    }
    // By whichever way it is told.
    for (const id of [run_id, other_id]) {
      const finish = (end: object) => org.post(`/v1/runs/${id}/finish`, end)
      expect((await finish({ status: 'succeeded', cost_usd: '0.2' })).status).toBe(200)
      expect(verdictOf(await finish({ status: 'failed', cost_usd: '0.2' }))).toEqual([409, 'conflict'])
    }
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '0.4', held_usd: '0' })
  })

  test('within one request is judged alike: the first of them ends it', async () => {
    const org = await money.org()
    const [run_id, reservation_id] = [await start(org), await org.hold('1')]
    const sent = [
      { run_id, cost_usd: '0.2' },
      { run_id, cost_usd: '0.3' },
      { run_id, cost_usd: '0.2' },
      { reservation_id, cost_usd: '0.2' },
      { reservation_id, cost_usd: '0.3' },
      { reservation_id, cost_usd: '0.2' },
    ]
    const answer = await bulk(org, sent, { mode: 'partial' })
    expect(codesOf(answer)).toEqual([false, 'conflict', true, false, 'conflict', true])
    expect(await usage(org)).toMatchObject({ runs: 2, cost_usd: '0.4' })
  })

  test('at the same time ends it once, and only who said the same is told that it did', async () => {
    const org = await money.org()
    for (let i = 0; i < 10; i++) {
      const run_id = await start(org)
      const ends = ['0.1', '0.2', '0.1', '0.2', '0.1', '0.2'].map((cost_usd) => ({ run_id, cost_usd }))
      const answers = await Promise.all(ends.map((end) => bulk(org, [end])))
      const { cost_usd } = await shown(org, run_id)
      expect(answers.map(({ status }) => status)).toEqual(ends.map((end) => (end.cost_usd === cost_usd ? 200 : 409)))
      expect(answers.filter(({ json }) => json['accepted'] === 1)).toHaveLength(1)
    }
  })

  test('a run that had expired: the first finish replaces the estimate, and then stands', async () => {
    const org = await money.org()
    const id = await start(org)
    await org.rows(
      `update holds set expires_at = clock_timestamp() - interval '6 seconds' where org_id = $1 and id = $2`,
      parseId('run', id),
    )
    await org.set('POST', '/budgets', { name: 'none', scope_kind: 'org', limit_usd: '0', period: 'month' })
    await org.post('/v1/runs', { model: 'gpt-4o', estimated_cost_usd: '1' })
    expect(await shown(org, id)).toMatchObject({ status: 'expired' })
    const finish = (end: object) => org.post(`/v1/runs/${id}/finish`, end)
    const first = await finish({ status: 'failed', cost_usd: '0.05' })
    expect(first.json).toMatchObject({ status: 'failed', cost_usd: '0.05' })
    expect((await finish({ status: 'failed', cost_usd: '0.05' })).json).toEqual(first.json)
    expect(verdictOf(await finish({ status: 'succeeded', cost_usd: '0.05' }))).toEqual([409, 'conflict'])
    expect(verdictOf(await bulk(org, [{ run_id: id, cost_usd: '0.06' }]))).toEqual([409, 'conflict'])
    expect(verdictOf(await org.post(`/v1/runs/${id}/extend`, {}))).toEqual([409, 'conflict'])
  })

  test('what was released is booked as late when it is reported, and what was settled cannot be released', async () => {
    const org = await money.org()
    const [released, settled] = [await org.hold('1'), await org.hold('1')]
    const end = (id: string, verb: string) => org.post(`/v1/edge/reservations/${id}/${verb}`)
    expect((await end(released, 'release')).status).toBe(200)
    expect((await end(released, 'release')).status).toBe(200)
    expect(codesOf(await bulk(org, [{ reservation_id: released, cost_usd: '1' }]))).toEqual([false])
    expect(codesOf(await bulk(org, [{ reservation_id: settled, cost_usd: '1' }]))).toEqual([false])
    expect(verdictOf(await end(settled, 'release'))).toEqual([409, 'conflict'])
    for (const id of [released, settled]) expect(verdictOf(await end(id, 'extend'))).toEqual([409, 'conflict'])
  })
})
