import { beforeAll, describe, expect, test } from 'vitest'
import { foldDeltas, foldOldUsage } from '../../src/records/usage/rollup.ts'
import { type FilledDay, fillUsage } from '../support/forecast-series-usage.ts'
import { useServer } from '../support/harness.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const server = useServer()
const dayMs = 86_400_000
let operator: string
beforeAll(async () => {
  operator = (await operatorOf(server)).key
})

interface Point {
  start: string
  end: string
  mean: string
  p50: [string, string]
  p80: [string, string]
  p95: [string, string]
}
interface Exhaustion {
  limit_id: string
  kind: string
  name: string
  limit: string | number
  used: string | number
  date: string | null
  earliest: string | null
  latest: string | null
  within_period: boolean
}
interface Series {
  key?: string | null
  is_other?: boolean
  history: { start: string; end: string; value: string }[]
  used_today: string
  forecast: Point[]
  total: Point | null
  method: string
  training: { from: string; to: string; days: number } | null
  error: { mase: number; wape: number; coverage_80: number | null } | null
  confidence: string
  reasons: string[]
  exhaustion: Exhaustion[]
}
interface Scenario {
  name: string
  parameters: Record<string, number | string>
  notes: string[]
  forecast: Point[]
  total: Point
  difference: string
  difference_percent: number
  exhaustion: Exhaustion[]
}
interface Forecasts {
  today: string
  timezone: string
  computed_at: string
  total: Series
  series: Series[]
  scenarios: Scenario[]
}

type Query = Record<string, string | number | readonly object[]>

const pathOf = (query: Query) => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'object') for (const one of value) parameters.append(name, JSON.stringify(one))
    else parameters.append(name, String(value))
  }
  return `/v1/capacity/forecasts?${parameters.toString()}`
}

const ask = (tenant: Tenant, query: Query = {}) => call(server.url, 'GET', pathOf(query), { key: tenant.key })
async function forecasts(tenant: Tenant, query: Query = {}): Promise<Forecasts> {
  const { status, text, json } = await ask(tenant, query)
  expect(status, text).toBe(200)
  return json as unknown as Forecasts
}

const today = () => Math.floor(Date.now() / dayMs) * dayMs
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** A tenant with usage of so many days up to yesterday. */
async function tenantWith(days: number, dayOf: (daysAgo: number) => Partial<FilledDay> | Partial<FilledDay>[]) {
  const tenant = await tenantOf(server, operator)
  const filled = Array.from({ length: days }, (_, i) =>
    [dayOf(i + 1)].flat().map((day) => ({ ...day, daysAgo: i + 1 })),
  )
  await fillUsage(server, tenant.id, today(), filled.flat())
  return tenant
}

const weekend = (daysAgo: number) => [0, 6].includes(new Date(today() - daysAgo * dayMs).getUTCDay())
/** A hundred dollars a day, less on weekends, and a bit of noise that is the same each time. */
const usual = (daysAgo: number) => (weekend(daysAgo) ? 40 : 100) * (1 + 0.05 * Math.sin(daysAgo * 12.9898))

describe('a forecast of a steady organization', () => {
  let tenant: Tenant
  beforeAll(async () => {
    tenant = await tenantWith(200, (daysAgo) => ({
      usd: usual(daysAgo),
      department: daysAgo % 3 === 0 ? 'sales' : 'support',
    }))
  })

  test('follows its weeks, says how it was made, and holds its intervals in order', async () => {
    const { total, today: date, computed_at } = await forecasts(tenant)
    expect(date).toBe(dateOf(today()))
    expect(Math.abs(Date.parse(computed_at) - Date.now())).toBeLessThan(60_000)
    expect(total.history).toHaveLength(200)
    expect(total.history.at(-1)).toMatchObject({ start: dateOf(today() - dayMs), end: date })
    expect(Number(total.history.at(-1)!.value)).toBeCloseTo(usual(1), 4)
    expect(total.forecast).toHaveLength(30)
    for (const [i, point] of total.forecast.entries()) {
      expect(point.start).toBe(dateOf(today() + i * dayMs))
      expect(Math.abs(Number(point.mean) - (weekend(-i) ? 40 : 100)), point.start).toBeLessThan(12)
      const bounds = [point.p95[0], point.p80[0], point.p50[0], point.mean, point.p50[1], point.p80[1], point.p95[1]]
      expect(bounds.map(Number)).toEqual(bounds.map(Number).sort((a, b) => a - b))
      expect(Number(point.p95[0])).toBeGreaterThanOrEqual(0)
    }
    expect(total).toMatchObject({ confidence: 'high', reasons: [] })
    expect(total.training!.to).toBe(dateOf(today() - dayMs))
    expect(total.error!.mase).toBeLessThan(1)
    expect(total.error!.wape).toBeLessThan(0.1)
  })

  test('adds up to weeks and months with intervals narrower than the sum of their days’', async () => {
    const days = await forecasts(tenant, { horizon_days: 62 })
    for (const step of ['week', 'month']) {
      const { total } = await forecasts(tenant, { horizon_days: 62, step })
      expect(total.forecast[0]!.start).toBe(days.today)
      expect(total.forecast.at(-1)!.end).toBe(dateOf(today() + 62 * dayMs))
      for (const point of total.forecast) {
        const within = days.total.forecast.filter(({ start }) => start >= point.start && start < point.end)
        const sum = within.reduce((all, { mean }) => all + Number(mean), 0)
        expect(Number(point.mean)).toBeCloseTo(sum, 3)
        if (within.length < 5) continue
        const widths = within.reduce((all, { p80 }) => all + Number(p80[1]) - Number(p80[0]), 0)
        expect(Number(point.p80[1]) - Number(point.p80[0])).toBeLessThan(widths)
      }
    }
  })

  test('is told by department too, and each adds to the whole', async () => {
    const { series, total } = await forecasts(tenant, { by: 'department' })
    expect(new Set(series.map(({ key }) => key))).toEqual(new Set(['sales', 'support']))
    const last = (one: Series) => Number(one.history.find(({ start }) => start === dateOf(today() - dayMs))?.value ?? 0)
    expect(series.reduce((all, one) => all + last(one), 0)).toBeCloseTo(last(total), 3)
    const sales = await forecasts(tenant, { department_id: 'sales' })
    expect(sales.total.forecast).toEqual(series.find(({ key }) => key === 'sales')!.forecast)
  })

  test('is drawn as an image', async () => {
    const { status, headers, text } = await ask(tenant, { format: 'svg', step: 'week' })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('image/svg+xml; charset=utf-8')
    expect(text).toMatch(/^<svg[^]*<\/svg>\s*$/)
  })
})

describe('too little history', () => {
  test('says nothing where there is none', async () => {
    const { total } = await forecasts(await tenantOf(server, operator))
    expect(total).toMatchObject({
      method: 'none',
      forecast: [],
      history: [],
      total: null,
      training: null,
      confidence: 'low',
    })
    expect(total.reasons).toEqual(['There was no usage in the training window.'])
  })

  test('says no more than the mean of a few days', async () => {
    const { total } = await forecasts(await tenantWith(5, (daysAgo) => ({ usd: 10 * daysAgo })))
    expect(total).toMatchObject({ method: 'mean', confidence: 'low', error: null })
    expect(new Set(total.forecast.map(({ mean }) => mean))).toEqual(new Set(['30']))
    expect(Number(total.forecast[0]!.p80[1])).toBeGreaterThan(50)
    expect(total.reasons[0]).toContain('only 5 days')
  })

  test('says nothing of what has ended', async () => {
    const { total } = await forecasts(await tenantWith(90, (daysAgo) => ({ usd: daysAgo > 30 ? 5 : 0 })))
    expect(total).toMatchObject({ method: 'none', forecast: [], confidence: 'low' })
  })

  test('expects the mean of what happens rarely, and little of it', async () => {
    const { total } = await forecasts(await tenantWith(120, (daysAgo) => ({ usd: daysAgo % 5 === 0 ? 50 : 0 })))
    expect(total).toMatchObject({ method: 'mean', confidence: 'low' })
    expect(Number(total.forecast[7]!.mean)).toBeCloseTo(10, -1)
  })
})

test('a jump to another level leaves out what came before it', async () => {
  const tenant = await tenantWith(200, (daysAgo) => ({ usd: (daysAgo <= 60 ? 3 : 1) * usual(daysAgo) }))
  const { total } = await forecasts(tenant)
  expect(total.training!.days).toBeLessThanOrEqual(64)
  expect(total.reasons[0]).toMatch(/^The level changed (5[6-9]|6[0-4]) days ago/)
  expect(Number(total.total!.mean)).toBeGreaterThan(30 * 200)
})

test('only the largest are told by themselves, and all others as one', async () => {
  const tenant = await tenantWith(40, () =>
    Array.from({ length: 25 }, (_, i) => ({ usd: i + 1, workflow: `w-${String(i).padStart(2, '0')}` })),
  )
  const { series, total } = await forecasts(tenant, { by: 'workflow', horizon_days: 7 })
  expect(series).toHaveLength(21)
  expect(series[0]!.key).toBe('w-24')
  expect(series.at(-1)).toMatchObject({ key: null, is_other: true })
  expect(Number(series.at(-1)!.history[0]!.value)).toBeCloseTo(1 + 2 + 3 + 4 + 5, 6)
  expect(Number(total.history[0]!.value)).toBeCloseTo(325, 6)
})

describe('limits', () => {
  test('are reached on a date with an interval, each by what feeds it', async () => {
    const tenant = await tenantWith(120, (daysAgo) => ({ usd: 0.95 * usual(daysAgo), department: 'sales' }))
    const made = async (path: string, body: object, method = 'POST') => {
      const { status, text, json } = await call(server.url, method, `/v1/orgs/${tenant.id}${path}`, {
        key: tenant.key,
        body,
      })
      expect(status, text).toBeLessThan(300)
      return json as { id: string }
    }
    const budget = (name: string, limit: string, more: object = {}) =>
      made('/budgets', { name, scope_kind: 'org', limit_usd: limit, period: 'year', ...more })
    const near = await budget('near', '1000', { anchor: dateOf(today()) })
    await budget('far', '1000000')
    await budget('unlimited', '0', { limit_usd: null })
    await budget('sales', '500', { scope_kind: 'department', scope_id: 'sales', anchor: dateOf(today()) })
    await made('/spend-cap', { cap_usd: '200' }, 'PUT')
    await call(server.url, 'POST', `/v1/admin/orgs/${tenant.id}/quota/top-ups`, {
      key: operator,
      body: { amount_usd: '700' },
    })
    const { total, series } = await forecasts(tenant, { by: 'department' })
    const named = (name: string) => total.exhaustion.find((one) => one.name === name)!
    expect(total.exhaustion.map(({ name }) => name).sort()).toEqual(['Daily spend cap', 'Prepaid quota', 'far', 'near'])
    const reached = named('near')
    expect(reached).toMatchObject({ limit_id: near.id, kind: 'budget', limit: '1000', used: '0', within_period: true })
    // The week makes 554 dollars: a thousand are gone in the second.
    expect(Date.parse(reached.date!) - today()).toBeGreaterThanOrEqual(10 * dayMs)
    expect(Date.parse(reached.date!) - today()).toBeLessThanOrEqual(15 * dayMs)
    expect(reached.earliest! <= reached.date! && reached.date! <= reached.latest!).toBe(true)
    expect(named('far')).toMatchObject({ date: null, earliest: null, latest: null, within_period: false })
    expect(named('Daily spend cap')).toMatchObject({ kind: 'spend_cap', date: null })
    expect(named('Prepaid quota').date! < reached.date!).toBe(true)
    expect(series[0]!.exhaustion.map(({ name }) => name)).toEqual(['sales'])
    expect(series[0]!.exhaustion[0]!.date! < reached.date!).toBe(true)
    const part = await forecasts(tenant, { model: 'gpt-4o' })
    expect(part.total.exhaustion).toEqual([])
    const scoped = await forecasts(tenant, { department_id: 'sales' })
    expect(scoped.total.exhaustion.map(({ name }) => name)).toEqual(['sales'])
  })

  test('of a plan are told in runs and tokens', async () => {
    const tenant = await tenantWith(60, () => ({ runs: 100, input: 1_000, output: 500 }))
    const plan = { name: 'Team', overage_policy: 'block', runs_per_month: 500, tokens_per_month: 10_000 }
    await call(server.url, 'PUT', `/v1/admin/orgs/${tenant.id}/plan`, { key: operator, body: plan })
    const runs = await forecasts(tenant, { metric: 'runs', horizon_days: 60 })
    expect(runs.total.exhaustion).toMatchObject([{ kind: 'plan', name: 'Team', limit: 500, used: 0 }])
    // Five days of one hundred each, now or, if fewer are left of this month, in the next one.
    const days = (Date.parse(runs.total.exhaustion[0]!.date!) - today()) / dayMs
    expect(days === 4 || new Date(runs.total.exhaustion[0]!.date!).getUTCDate() === 5).toBe(true)
    const tokens = await forecasts(tenant, { metric: 'tokens', horizon_days: 60 })
    expect(tokens.total.exhaustion).toMatchObject([{ kind: 'plan', limit: 10_000 }])
  })
})

describe('scenarios', () => {
  test('each change the whole by their formula', async () => {
    // A million tokens of each kind a day, at whatever they cost.
    const tenant = await tenantWith(60, () => [
      { usd: 10, runs: 50, input: 1_000_000, output: 200_000, model: 'old' },
      { usd: 30, runs: 50, input: 1_000_000, output: 200_000, model: 'other' },
    ])
    const price = (model: string, input: string, output: string) => ({
      model,
      input_usd_per_million: input,
      output_usd_per_million: output,
    })
    const { status } = await call(server.url, 'PUT', `/v1/orgs/${tenant.id}/prices`, {
      key: tenant.key,
      body: { prices: [price('old', '6', '20'), price('new', '1', '5')] },
    })
    expect(status).toBe(200)
    const at = dateOf(today() + 10 * dayMs)
    const { scenarios, total } = await forecasts(tenant, {
      horizon_days: 20,
      scenario: [
        { name: 'twice', kind: 'team_growth', teams_now: 5, teams_then: 10, at },
        { name: 'given', kind: 'team_growth', teams_now: 5, teams_then: 10, at, exponent: 0.5 },
        { name: 'dearer', kind: 'price_change', model: 'old', input_factor: 2, at },
        { name: 'all half', kind: 'price_change', factor: 0.5, at: '2026-01-01' },
        { name: 'moved', kind: 'model_switch', from: 'old', to: 'new', share: 0.5, at },
        { name: 'unpriced', kind: 'model_switch', from: 'old', to: 'nobody knows', at },
        { name: 'app', kind: 'launch', at, daily_cost_usd: '20', ramp_days: 4 },
        { name: 'app by runs', kind: 'launch', at, daily_runs: 10 },
        { name: 'capped', kind: 'cap', at, daily_usd: '25' },
      ],
    })
    expect(Number(total.total!.mean)).toBeCloseTo(800, 4)
    const means = (one: Scenario) =>
      [one.forecast[9]!, one.forecast[10]!, one.forecast[19]!].map(({ mean }) => Number(mean))
    const expected: [string, number[], number][] = [
      ['twice', [40, 40 * 2 ** 0.8, 40 * 2 ** 0.8], 400 * (2 ** 0.8 - 1)],
      ['given', [40, 40 * Math.SQRT2, 40 * Math.SQRT2], 400 * (Math.SQRT2 - 1)],
      // Six of the ten dollars are for input: 6 more a day.
      ['dearer', [40, 46, 46], 60],
      ['all half', [20, 20, 20], -400],
      // Half of ten dollars becomes half of two: 1 × 1 + 0.2 × 5.
      ['moved', [40, 36, 36], -40],
      ['unpriced', [40, 40, 40], 0],
      ['app', [40, 45, 60], 5 + 10 + 15 + 7 * 20],
      ['app by runs', [40, 44, 44], 40],
      ['capped', [40, 25, 25], -150],
    ]
    expect(scenarios.map(({ name }) => name)).toEqual(expected.map(([name]) => name))
    for (const [i, [name, line, difference]] of expected.entries()) {
      const one = scenarios[i]!
      for (const [place, value] of means(one).entries()) expect(value, name).toBeCloseTo(line[place]!, 4)
      expect(Number(one.difference), name).toBeCloseTo(difference, 3)
      expect(Number(one.total.mean) - 800, name).toBeCloseTo(difference, 3)
    }
    expect(scenarios[0]!.parameters).toMatchObject({ exponent: 0.8, exponent_source: 'default' })
    expect(scenarios[1]!.parameters).toMatchObject({ exponent: 0.5, exponent_source: 'given' })
    expect(scenarios[5]!.notes[0]).toContain('has no price')
    expect(Number(scenarios[8]!.forecast[15]!.p95[1])).toBeLessThanOrEqual(25)
  })

  test('find the exponent in how usage grew with the departments', async () => {
    const tenant = await tenantWith(80, (daysAgo) => {
      const teams = 2 + Math.floor((80 - daysAgo) / 10)
      return Array.from({ length: teams }, (_, i) => ({ usd: 10 * teams ** -0.4, department: `d-${i}` }))
    })
    const { scenarios } = await forecasts(tenant, {
      scenario: [{ name: 'more', kind: 'team_growth', teams_now: 10, teams_then: 20, at: dateOf(today()) }],
    })
    expect(scenarios[0]!.parameters).toMatchObject({ exponent_source: 'fitted' })
    expect(scenarios[0]!.parameters['exponent'] as number).toBeCloseTo(0.6, 3)
  })

  test('reach limits on other days', async () => {
    const tenant = await tenantWith(60, () => ({ usd: 10 }))
    await call(server.url, 'POST', `/v1/admin/orgs/${tenant.id}/quota/top-ups`, {
      key: operator,
      body: { amount_usd: '95' },
    })
    const { total, scenarios } = await forecasts(tenant, {
      scenario: [{ name: 'twice as dear', kind: 'price_change', factor: 2, at: dateOf(today()) }],
    })
    expect(total.exhaustion[0]).toMatchObject({ kind: 'quota', date: dateOf(today() + 9 * dayMs) })
    expect(scenarios[0]!.exhaustion[0]).toMatchObject({ date: dateOf(today() + 4 * dayMs) })
  })
})

describe('what is refused', () => {
  const faults = async (query: Query | string) => {
    const tenant = await tenantOf(server, operator)
    const path = typeof query === 'string' ? `/v1/capacity/forecasts?${query}` : pathOf(query)
    const { status, json } = await call(server.url, 'GET', path, { key: tenant.key })
    expect(status).toBe(422)
    return (json.error!.details['fields'] as { field: string; code: string }[])
      .map(({ field, code }) => `${field} ${code}`)
      .sort()
  }

  test('names each field', async () => {
    expect(
      await faults({
        metric: 'fish',
        by: 'customer',
        horizon_days: 181,
        step: 'year',
        training_days: 13,
        format: 'png',
      }),
    ).toEqual([
      'by invalid_value',
      'format invalid_value',
      'horizon_days out_of_range',
      'metric invalid_value',
      'step invalid_value',
      'training_days out_of_range',
    ])
    expect(await faults({ timezone: 'Mars/Olympus' })).toEqual(['timezone invalid_value'])
    expect(await faults({ nonsense: '1' })).toEqual(['nonsense unknown_field'])
  })

  test('names each field of each scenario', async () => {
    const at = '2026-12-01'
    expect(
      await faults({
        scenario: [
          {},
          { name: 'a', kind: 'team_growth', teams_now: 0, teams_then: 1.5, at: '2026-02-30', exponent: 3 },
          { name: 'b', kind: 'price_change', at, factor: 2, input_factor: 1 },
          { name: 'c', kind: 'model_switch', at, from: '', to: 7, share: 2 },
          { name: 'd', kind: 'launch', at, daily_cost_usd: '1e3', ramp_days: 181 },
          { name: 'e', kind: 'launch', at, daily_cost_usd: '1', daily_runs: 2 },
          { name: 'f', kind: 'cap', at, extra: 1 },
          { name: 'g', kind: 'constructor', at },
        ],
      }),
    ).toEqual([
      'scenario.0.kind required',
      'scenario.0.name required',
      'scenario.1.at invalid_format',
      'scenario.1.exponent out_of_range',
      'scenario.1.teams_now out_of_range',
      'scenario.1.teams_then invalid_type',
      'scenario.2.factor invalid_value',
      'scenario.3.from empty',
      'scenario.3.share out_of_range',
      'scenario.3.to invalid_type',
      'scenario.4.daily_cost_usd invalid_format',
      'scenario.4.ramp_days out_of_range',
      'scenario.5.daily_runs invalid_value',
      'scenario.6.daily_usd required',
      'scenario.6.extra unknown_field',
      'scenario.7.kind invalid_value',
    ])
    expect(await faults('scenario=%7B&scenario=%5B%5D&scenario=%7B%22__proto__%22%3A1%7D')).toEqual([
      'scenario.0 invalid_json',
      'scenario.1 invalid_type',
      'scenario.2 invalid_json',
    ])
    const cap = { name: 'cap', kind: 'cap', at, daily_usd: '1' }
    expect(await faults({ metric: 'runs', scenario: [cap] })).toEqual(['scenario.0.kind invalid_value'])
    expect(await faults({ scenario: Array.from({ length: 11 }, () => cap) })).toEqual(['scenario too_many'])
    const move = { name: 'move', kind: 'model_switch', from: 'a', to: 'b', at }
    expect(await faults({ model: 'a', scenario: [move] })).toEqual(['scenario.0.kind invalid_value'])
  })
})

describe('an answer is kept', () => {
  test('until usage, limits or prices change, and not by folding', async () => {
    const tenant = await tenantWith(60, () => ({ usd: 10 }))
    const computed = async () => (await forecasts(tenant)).computed_at
    const first = await computed()
    expect(await computed()).toBe(first)
    await foldDeltas(server.platform)
    expect(await computed()).toBe(first)
    await fillUsage(server, tenant.id, today(), [{ daysAgo: 30, usd: 1 }])
    const second = await computed()
    expect(second > first).toBe(true)
    await foldDeltas(server.platform)
    expect(await computed()).toBe(second)
    const budget = { name: 'b', scope_kind: 'org', limit_usd: '50', period: 'month' }
    await call(server.url, 'POST', `/v1/orgs/${tenant.id}/budgets`, { key: tenant.key, body: budget })
    expect((await computed()) > second).toBe(true)
    expect((await forecasts(tenant)).total.exhaustion).toHaveLength(1)
  })

  test('for its own organization only', async () => {
    const [alice, bob] = [await tenantWith(40, () => ({ usd: 10 })), await tenantWith(40, () => ({ usd: 77 }))]
    for (const [tenant, usd] of [
      [alice, 10],
      [bob, 77],
      [alice, 10],
    ] as const)
      expect(Number((await forecasts(tenant)).total.forecast[0]!.mean)).toBeCloseTo(usd, 4)
  })
})

test('days are those of the time zone, and what is kept by UTC days only stays on its date', async () => {
  const tenant = await tenantOf(server, operator)
  // Evenings in New York are the next day in UTC.
  await fillUsage(server, tenant.id, today(), [
    { daysAgo: 5, usd: 7, hour: 3 },
    { daysAgo: 5, usd: 11, hour: 12 },
    { daysAgo: 100, usd: 5, hour: 3 },
    { daysAgo: 101, usd: 4, hour: 20 },
  ])
  await foldDeltas(server.platform)
  await foldOldUsage(server.platform)
  const { total } = await forecasts(tenant, { timezone: 'America/New_York' })
  const used = total.history.filter(({ value }) => value !== '0').map(({ start, value }) => [start, value])
  expect(used).toEqual([
    [dateOf(today() - 101 * dayMs), '4'],
    [dateOf(today() - 100 * dayMs), '5'],
    [dateOf(today() - 6 * dayMs), '7'],
    [dateOf(today() - 5 * dayMs), '11'],
  ])
})
