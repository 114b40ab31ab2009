import { describe, expect, test } from 'vitest'
import { faultsOf } from '../support/limits.ts'
import { costing, refusalIn, useMoney } from '../support/money.ts'
import { eventually } from '../support/processes.ts'

const money = useMoney()

const timestamp = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}\+00:00$/) as string

describe('an explanation', () => {
  test('of an allowed call has its request, its price, what was read, and what became of it', async () => {
    const org = await money.org()
    const budget = await org.budget('1')
    await org.settle(await org.hold('0.25'), '0.25')
    await org.hold('0.5')
    const body = { model: 'gpt-4o', input_tokens: 1_000, max_output_tokens: 500, workflow_id: 'w' }
    const { json: allowed } = await org.decide(body)
    const { json } = await org.explain(allowed['decision_id'] as string)
    expect(json).toEqual({
      decision_id: allowed['decision_id'],
      decision: 'allow',
      dry_run: false,
      key_id: org.keyId,
      reservation: {
        reservation_id: allowed['reservation_id'],
        status: 'open',
        reserved_usd: '0.0075',
        charged_usd: null,
        overrun_usd: null,
        created_at: json['decided_at'],
        expires_at: allowed['expires_at'],
      },
      decided_at: timestamp,
      decided_by: null,
      error_code: null,
      granted_output_tokens: 500,
      inputs: body,
      price: { basis: 'computed', price_id: expect.stringContaining('gpt-4o') as string, amount_usd: '0.0075' },
      limits: [
        {
          limit_id: budget.id,
          kind: 'budget',
          subject: '',
          unit: 'usd',
          enforcement: null,
          limit: '1',
          spent: '0.25',
          held: '0.5',
          attempted: '0.0075',
          fits: true,
          period_start: budget['period_start'],
          period_end: budget['period_end'],
        },
      ],
      rules_version: 2,
    })
    await org.settle(allowed['reservation_id'] as string, '0.01')
    expect((await org.explain(allowed['decision_id'] as string)).json['reservation']).toMatchObject({
      status: 'settled',
      charged_usd: '0.01',
      overrun_usd: '0.0025',
    })
  })

  test('of a refusal names the limit that decided, and those that did not', async () => {
    const org = await money.org()
    const wide = await org.budget('5')
    const narrow = await org.budget('1', { scope_kind: 'workflow', scope_id: 'w' })
    const refused = await org.decide(costing('2', { workflow_id: 'w' }))
    const { decision_id } = refusalIn(refused) as unknown as { decision_id: string }
    await eventually(async () => (await org.explain(decision_id)).status === 200)
    expect((await org.explain(decision_id)).json).toMatchObject({
      decision_id,
      decision: 'deny',
      reservation: null,
      decided_by: narrow.id,
      error_code: 'budget_exceeded',
      inputs: costing('2', { workflow_id: 'w' }),
      price: { basis: 'estimate', amount_usd: '2' },
      limits: [
        { limit_id: wide.id, fits: true, attempted: '2', limit: '5', enforcement: 'block' },
        { limit_id: narrow.id, fits: false, attempted: '2', limit: '1', subject: 'w' },
      ],
    })
  })

  test('of another organization, or of nothing, is not found', async () => {
    const [org, stranger] = [await money.org(), await money.org()]
    const { json } = await org.decide(costing('1'))
    expect((await org.explain(json['decision_id'] as string)).status).toBe(200)
    expect((await stranger.explain(json['decision_id'] as string)).status).toBe(404)
    expect((await org.explain('dec_01jbsteb4peb5vskx602h9mw4q')).status).toBe(404)
  })
})

describe('a dry run', () => {
  test('decides, holds nothing, and is explained', async () => {
    const org = await money.org()
    const { id } = await org.budget('1')
    const before = await org.allowances()
    const { json } = await org.decide(costing('0.75', { dry_run: true }))
    expect(json).toEqual({
      decision: 'allow',
      decision_id: json['decision_id'],
      reservation_id: null,
      reserved_usd: '0.75',
      remaining_usd: '0.25',
      max_output_tokens: 16_384,
      expires_at: null,
    })
    expect(refusalIn(await org.decide(costing('1.5', { dry_run: true })))).toMatchObject({
      status: 402,
      code: 'budget_exceeded',
    })
    expect(await org.allowances()).toEqual(before)
    expect(await org.rows('select 1 from holds where org_id = $1')).toEqual([])
    expect(await org.readBudget(id)).toMatchObject({ held_usd: '0' })
    await eventually(async () => (await org.explain(json['decision_id'] as string)).status === 200)
    expect((await org.explain(json['decision_id'] as string)).json).toMatchObject({
      decision: 'allow',
      dry_run: true,
      reservation: null,
      limits: [{ limit_id: id, fits: true }],
    })
  })
})

describe('a reservation', () => {
  test('is released once; releasing what has ended changes nothing, and what is settled stays', async () => {
    const org = await money.org()
    const { id } = await org.budget('1')
    const [released, expired, settled] = [await org.hold('0.1'), await org.hold('0.2'), await org.hold('0.3')]
    for (const answer of [await org.release(released), await org.release(released)])
      expect([answer.status, answer.json['status'], answer.json['charged_usd']]).toEqual([200, 'released', null])
    await org.endLease(expired)
    await org.decide(costing('1'))
    expect((await org.release(expired)).json['status']).toBe('expired')
    await org.settle(settled, '0.3')
    expect(refusalIn(await org.release(settled))).toMatchObject({ status: 409, code: 'conflict' })
    expect(await org.readBudget(id)).toMatchObject({ spent_usd: '0.3', held_usd: '0' })
    expect(await org.settle(released, '0.1')).toMatchObject({ type: 'ended', isLate: true })
    expect(await org.readBudget(id)).toMatchObject({ spent_usd: '0.4', held_usd: '0' })
    expect((await org.release('rsv_01jbsteb4peb5vskx602h9mw4q')).status).toBe(404)
  })

  test('is nobody else’s to end', async () => {
    const [org, stranger] = [await money.org(), await money.org()]
    const hold = await org.hold('1')
    expect((await stranger.release(hold)).status).toBe(404)
    expect((await stranger.extend(hold, {})).status).toBe(404)
    expect(await org.holdState(hold)).toBe('open')
  })

  test('is extended only while open, never shortened, and stands for 24 hours at most', async () => {
    const org = await money.org()
    const hold = await org.hold('1', { lease_seconds: 600 })
    const lease = ({ json }: { json: Record<string, unknown> }) =>
      Date.parse(json['expires_at'] as string) - Date.parse(json['created_at'] as string)
    expect(lease(await org.extend(hold, { lease_seconds: 1 }))).toBe(600_000)
    const extended = lease(await org.extend(hold, { lease_seconds: 1_200 }))
    expect(extended).toBeGreaterThanOrEqual(1_200_000)
    expect(lease(await org.extend(hold, { lease_seconds: 86_400 }))).toBe(86_400_000)
    expect(faultsOf(await org.extend(hold, { lease_seconds: 86_401 }))).toEqual(['lease_seconds: out_of_range'])
    await org.release(hold)
    expect(refusalIn(await org.extend(hold, {}))).toMatchObject({ status: 409, code: 'conflict' })
  })

  test('that is extended after its time, but before anybody needed its room, goes on', async () => {
    const org = await money.org()
    await org.budget('1')
    const hold = await org.hold('1')
    await org.endLease(hold, 60)
    expect((await org.extend(hold, { lease_seconds: 600 })).status).toBe(200)
    expect((await org.decide(costing('0.001'))).status).toBe(402)
  })
})

describe('a decision', () => {
  test('says how long its parts took', async () => {
    const org = await money.org()
    const part = String.raw`;dur=\d+(\.\d{1,2})?`
    expect((await org.decide(costing('1'))).headers.get('server-timing')).toMatch(
      new RegExp(`^wait${part}, read${part}, decide${part}, commit${part}$`),
    )
  })

  test('says null where no limit binds, and what the tightest one leaves where several do', async () => {
    const org = await money.org()
    expect((await org.decide(costing('1'))).json['remaining_usd']).toBeNull()
    await org.budget('10')
    await org.budget('3', { scope_kind: 'workflow', scope_id: 'w' })
    await org.budget('0', { enforcement: 'alert' })
    expect((await org.decide(costing('1', { workflow_id: 'w' }))).json['remaining_usd']).toBe('2')
    expect((await org.decide(costing('1'))).json['remaining_usd']).toBe('8')
  })

  test.each(['workflow_id', 'deployment_id', 'department_id', 'customer_id', 'model', 'provider'])(
    'takes no %s that a database cannot store',
    async (field) => {
      const org = await money.org()
      for (const text of ['\\u0000', 'a\\u0000b', '\\ud800', 'x\\udc00y']) {
        const { [field]: _, ...rest } = costing('1')
        const body = `{"${field}":"${text}",${JSON.stringify(rest).slice(1)}`
        const answer = await org.post('/v1/edge/decision', body)
        expect([answer.status, faultsOf(answer)[0]?.split(':')[0]]).toEqual([422, field])
      }
      expect((await org.decide(costing('1', { customer_id: '😀 "quoted" \\ $1' }))).status).toBe(200)
    },
  )

  test('is about a million dollars at most', async () => {
    const org = await money.org()
    expect((await org.decide(costing('1000000'))).json['reserved_usd']).toBe('1000000')
    expect(faultsOf(await org.decide(costing('1000000.000000001')))).toEqual(['estimated_cost_usd: out_of_range'])
    const tokens = { model: 'o3-pro', input_tokens: 1_000_000_000, max_output_tokens: 1_000_000_000 }
    expect((await org.decide(tokens)).json['reserved_usd']).toBe('100000')
    await org.set('PUT', '/prices', {
      prices: [{ model: 'dear', input_usd_per_million: '1000', output_usd_per_million: '1000' }],
    })
    expect(faultsOf(await org.decide({ ...tokens, model: 'dear' }))).toEqual(['max_output_tokens: out_of_range'])
    for (const estimate of ['-1', '1e3', 'NaN', '01', '1.0000000001', 1])
      expect(faultsOf(await org.decide({ model: 'gpt-4o', estimated_cost_usd: estimate }))).toHaveLength(1)
  })
})
