import { describe, expect, test } from 'vitest'
import { newUuid } from '../../src/values/id.ts'
import { costing, type MoneyOrg, quietZone, refusalIn, useMoney } from '../support/money.ts'
import { call } from '../support/tenants.ts'

/** A run, or a reservation, that asks for more while it goes on. */

const money = useMoney()

type Body = Record<string, unknown>

/** $2.50 a million tokens of input, $10 a million of output. */
const asked = { model: 'gpt-4o', input_tokens: 10_000, max_output_tokens: 100, customer_id: 'c', department_id: 'd' }
const period = { period: 'month', timezone: quietZone() }

interface Surface {
  readonly start: (org: MoneyOrg, body: Body) => Promise<string>
  readonly raise: (
    org: MoneyOrg,
    id: string,
    body: Body | undefined,
    headers?: Record<string, string>,
  ) => ReturnType<MoneyOrg['post']>
  readonly read: (org: MoneyOrg, id: string) => Promise<Body>
  readonly path: string
}

const run: Surface = {
  path: '/v1/runs',
  start: async (org, body) => {
    const { status, json, text } = await org.post('/v1/runs', body)
    expect(status, text).toBe(201)
    return json['id'] as string
  },
  raise: (org, id, body, headers) => org.post(`/v1/runs/${id}/extend`, body, headers),
  read: async (org, id) => (await call(money.server.url, 'GET', `/v1/runs/${id}`, { key: org.key })).json,
}
const reservation: Surface = {
  path: '/v1/edge/decision',
  start: async (org, body) => {
    const { status, json, text } = await org.post('/v1/edge/decision', body)
    expect(status, text).toBe(200)
    return json['reservation_id'] as string
  },
  raise: (org, id, body, headers) => org.post(`/v1/edge/reservations/${id}/extend`, body, headers),
  read: async (org, id) => (await call(money.server.url, 'GET', `/v1/edge/reservations/${id}`, { key: org.key })).json,
}

const everywhere: [string, Surface][] = [
  ['run', run],
  ['reservation', reservation],
]

interface Limited {
  readonly fits: number
  readonly set: (org: MoneyOrg) => Promise<unknown>
  readonly more?: Body
  readonly isAtEdge?: true
}

const limits: Readonly<Record<string, Limited>> = {
  'a budget': { fits: 7_500, set: (org) => org.budget('0.1'), isAtEdge: true },
  'a budget of its key': {
    fits: 7_500,
    set: (org) => org.budget('0.1', { scope_kind: 'key', scope_id: org.keyId }),
    isAtEdge: true,
  },
  'the default of its department': {
    fits: 7_500,
    set: (org) => org.set('PUT', '/budget-defaults/department', { limit_usd: '0.1', ...period }),
    isAtEdge: true,
  },
  'the spend cap': {
    fits: 7_500,
    set: (org) => org.set('PUT', '/spend-cap', { cap_usd: '0.1', timezone: quietZone() }),
    isAtEdge: true,
  },
  'a customer limit': {
    fits: 7_500,
    set: (org) => org.set('PUT', '/customers/c/limit', { limit_usd: '0.1', ...period }),
    isAtEdge: true,
  },
  'the default of customers': {
    fits: 7_500,
    set: (org) => org.set('PUT', '/customer-limit-default', { limit_usd: '0.1', ...period }),
    isAtEdge: true,
  },
  'credits in two packs': {
    fits: 7_500,
    set: async (org) => {
      await org.set('POST', '/customers/c/credit-packs', { amount_usd: '0.04' })
      await org.set('POST', '/customers/c/credit-packs', { amount_usd: '0.06' })
    },
  },
  'the prepaid quota': {
    fits: 7_500,
    set: (org) => org.setAsOperator('POST', '/quota/top-ups', { amount_usd: '0.1' }),
    isAtEdge: true,
  },
  'the cost of a chain': {
    fits: 7_500,
    set: async () => {},
    more: { chain_id: 'c', chain_limits: { max_cost_usd: '0.1' } },
  },
  'the tokens of a chain': {
    fits: 345,
    set: async () => {},
    more: { chain_id: 'c', chain_limits: { max_tokens: 10_345 } },
  },
  'the tokens of a plan': {
    fits: 345,
    set: (org) =>
      org.setAsOperator('PUT', '/plan', {
        name: 'Team',
        overage_policy: 'block',
        runs_per_month: 1,
        tokens_per_month: 10_345,
      }),
  },
}

const cases = everywhere.flatMap(([name, surface]) =>
  Object.entries(limits)
    .filter(([, { isAtEdge }]) => surface === run || isAtEdge)
    .map(([limit, limited]) => [name, limit, surface, limited] as const),
)

/** What a refusal says of a limit; ids and times differ. */
const told = ({ code, status, fits_max_output_tokens }: Body) => ({ code, status, fits_max_output_tokens })

describe('a raise', () => {
  test.each(cases)(
    'of a %s goes up to %s exactly, and is refused above it as a start is',
    async (_name, _limit, surface, limited) => {
      const { fits, set, more } = limited
      const [org, twin] = [await money.org(), await money.org()]
      await Promise.all([set(org), set(twin)])
      const body = { ...asked, ...more }
      const id = await surface.start(org, body)
      const before = [await surface.read(org, id), await org.allowances()]
      const refused = refusalIn(await surface.raise(org, id, { max_output_tokens: fits + 1, lease_seconds: 3_600 }))
      const atStart = refusalIn(await twin.post(surface.path, { ...body, max_output_tokens: fits + 1 }))
      expect(told(refused)).toEqual(told(atStart))
      expect(refused['fits_max_output_tokens']).toBe(fits)
      expect([await surface.read(org, id), await org.allowances()]).toEqual(before)
      const raised = await surface.raise(org, id, { max_output_tokens: fits })
      expect(raised.status, raised.text).toBe(200)
      expect(raised.json['reserved_usd']).toBe(fits === 7_500 ? '0.1' : '0.02845')
      expect(await surface.read(org, id)).toMatchObject({ reserved_usd: raised.json['reserved_usd'] })
      // Everything is taken: one token more is too much, for this one and for others.
      expect(refusalIn(await surface.raise(org, id, { max_output_tokens: fits + 1 }))).toMatchObject({
        code: refused['code'],
      })
    },
  )

  test.each(everywhere)('of a %s is a raise only, and the same again changes nothing', async (_name, surface) => {
    const org = await money.org()
    const budget = await org.budget('1')
    const held = async () => (await org.readBudget(budget.id))['held_usd']
    const id = await surface.start(org, { ...asked, max_output_tokens: 1_000 })
    expect(await held()).toBe('0.035')
    const lower = [
      { max_output_tokens: 10 },
      { estimated_cost_usd: '0.01' },
      { max_output_tokens: 1_000 },
      {},
      undefined,
    ]
    for (const body of lower) {
      const answer = await surface.raise(org, id, body)
      expect([answer.status, answer.json['reserved_usd'], await held()]).toEqual([200, '0.035', '0.035'])
    }
    for (let i = 0; i < 2; i++) {
      const raised = await surface.raise(org, id, { max_output_tokens: 2_000 })
      expect([raised.json['reserved_usd'], await held()]).toEqual(['0.045', '0.045'])
    }
    expect((await surface.raise(org, id, { estimated_cost_usd: '0.5' })).json['reserved_usd']).toBe('0.5')
    expect(await held()).toBe('0.5')
    expect((await surface.raise(org, id, { estimated_cost_usd: '1000001' })).status).toBe(422)
  })

  test.each(everywhere)('of a %s under an idempotency key takes effect once', async (_name, surface) => {
    const org = await money.org()
    const budget = await org.budget('0.1')
    const id = await surface.start(org, asked)
    const key = { 'idempotency-key': newUuid() }
    const first = await surface.raise(org, id, { max_output_tokens: 5_000 }, key)
    expect(first.status, first.text).toBe(200)
    const again = await surface.raise(org, id, { max_output_tokens: 5_000 }, key)
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true'])
    const other = await surface.raise(org, id, { max_output_tokens: 6_000 }, key)
    expect(other.json.error).toMatchObject({ code: 'idempotency_key_conflict' })
    expect((await org.readBudget(budget.id))['held_usd']).toBe('0.075')
    // A refusal is not stored: with room, the same request succeeds.
    const later = { 'idempotency-key': newUuid() }
    expect((await surface.raise(org, id, { max_output_tokens: 8_000 }, later)).status).toBe(402)
    await org.set('PATCH', `/budgets/${budget.id}`, { limit_usd: '0.2' })
    expect((await surface.raise(org, id, { max_output_tokens: 8_000 }, later)).json['reserved_usd']).toBe('0.105')
  })

  test.each(everywhere)(
    'of 200 of a %s at once never passes a tight budget, and uses it up',
    async (_name, surface) => {
      const org = await money.org()
      const budget = await org.budget('3')
      await org.set('PUT', '/prices', { prices: [], min_hold_usd: '0.01' })
      const body = { model: 'gpt-4o', max_output_tokens: 1, input_tokens: 1 }
      const ids = await Promise.all(Array.from({ length: 200 }, () => surface.start(org, body)))
      expect(await org.readBudget(budget.id)).toMatchObject({ held_usd: '2', spent_usd: '0' })
      const answers = await Promise.all(ids.map((id) => surface.raise(org, id, { estimated_cost_usd: '0.02' })))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(100)
      expect(answers.filter(({ status }) => status === 402)).toHaveLength(100)
      expect(await org.readBudget(budget.id)).toMatchObject({ held_usd: '3', spent_usd: '0', overrun_usd: '0' })
    },
  )

  test.each(everywhere)(
    'of one %s, 200 at once to different amounts, ends at the largest that fits',
    async (_name, surface) => {
      const org = await money.org()
      const budget = await org.budget('1')
      const id = await surface.start(org, costing('0.01'))
      const wished = Array.from({ length: 200 }, (_, i) => `${(i + 1) / 100}`)
      const answers = await Promise.all(wished.map((usd) => surface.raise(org, id, { estimated_cost_usd: usd })))
      const statuses = new Set(answers.map(({ status }) => status))
      expect([...statuses].filter((status) => ![200, 402, 503].includes(status))).toEqual([])
      const short = answers.filter(
        ({ status, json }, i) => status === 200 && Number(json['reserved_usd']) < Number(wished[i]),
      )
      expect(short).toEqual([])
      await surface.raise(org, id, { estimated_cost_usd: '1' })
      expect(await org.readBudget(budget.id)).toMatchObject({ held_usd: '1' })
      expect(await surface.read(org, id)).toMatchObject({ reserved_usd: '1' })
    },
  )
})
