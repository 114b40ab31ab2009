import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { faultsOf } from '../support/limits.ts'
import { costing, type MoneyOrg, quietZone, refusalIn, useMoney } from '../support/money.ts'
import { eventually } from '../support/processes.ts'
import { request } from '../support/raw-http.ts'
import { call } from '../support/tenants.ts'

const money = useMoney()

const keyed = (key: string) => ({ 'idempotency-key': key })

describe('a caller that goes away', () => {
  /** Leaves while the decision waits for the organization's lock, which is given free afterwards. */
  async function leaveWhileWaiting(org: MoneyOrg, headers: Record<string, string>) {
    const body = JSON.stringify(costing('0.5'))
    await money.superuser.client.query('begin')
    await money.superuser.client.query('select 1 from org_ledgers where org_id = $1 for update', [org.uuid])
    const socket = connect(money.server.port, '127.0.0.1')
    socket.on('error', () => undefined)
    const all = {
      authorization: `Bearer ${org.key}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
      ...headers,
    }
    socket.write(request('POST', '/v1/edge/decision', all, body))
    await eventually(async () => {
      await money.superuser.client.query('select pg_stat_clear_snapshot()')
      const { rows } = await money.superuser.client.query(
        `select 1 from pg_stat_activity where application_name = 'weir lane' and datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows.length > 0
    })
    socket.destroy()
    await money.superuser.client.query('commit')
  }

  const holds = (org: MoneyOrg) =>
    org.rows<{ id: string; state: string }>('select id, state from holds where org_id = $1')

  test('gets its hold released where it sent no key', async () => {
    const org = await money.org()
    const { id } = await org.budget('1')
    // A lock that was given up on before it was free leaves no hold to look at.
    for (let tries = 0; tries < 10 && (await holds(org)).length === 0; tries++) {
      await leaveWhileWaiting(org, {})
      await eventually(async () => (await org.decide(costing('0.5', { dry_run: true }))).status !== 503)
    }
    expect(await holds(org)).not.toEqual([])
    await eventually(async () => (await holds(org)).every(({ state }) => state === 'released'))
    expect(await org.readBudget(id)).toMatchObject({ held_usd: '0', remaining_usd: '1' })
  })

  test('finds its hold again where it sent one', async () => {
    const org = await money.org()
    const { id } = await org.budget('1')
    for (let tries = 0; tries < 10 && (await holds(org)).length === 0; tries++) {
      await leaveWhileWaiting(org, keyed('k'))
      await eventually(async () => (await org.decide(costing('0.5', { dry_run: true }))).status !== 503)
    }
    const again = await org.decide(costing('0.5'), keyed('k'))
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(await org.holdState(again.json['reservation_id'] as string)).toBe('open')
    expect(await org.readBudget(id)).toMatchObject({ held_usd: '0.5' })
  })
})

describe('a retry with the same key', () => {
  test('gets the same bytes, marked as replayed, and holds nothing more', async () => {
    const org = await money.org()
    const { id } = await org.budget('1')
    const first = await org.decide(costing('0.6'), keyed('k'))
    const second = await org.decide(costing('0.6'), keyed('k'))
    expect(second.text).toBe(first.text)
    expect([first, second].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true'])
    expect(await org.readBudget(id)).toMatchObject({ held_usd: '0.6' })
  })

  test('gets the same bytes also when the hold has ended since, and its settlement is late', async () => {
    const org = await money.org()
    const { id } = await org.budget('1')
    const first = await org.decide(costing('0.6'), keyed('k'))
    const reservation = first.json['reservation_id'] as string
    await org.endLease(reservation)
    await org.hold('1')
    expect((await org.decide(costing('0.6'), keyed('k'))).text).toBe(first.text)
    expect(await org.settle(reservation, '0.6')).toMatchObject({ isLate: true })
    expect(await org.readBudget(id)).toMatchObject({ spent_usd: '0.6', late_usd: '0.6', held_usd: '1' })
  })

  test('and another body is a conflict', async () => {
    const org = await money.org()
    await org.decide(costing('0.6'), keyed('k'))
    expect(refusalIn(await org.decide(costing('0.7'), keyed('k')))).toEqual({
      status: 409,
      code: 'idempotency_key_conflict',
    })
    const stranger = await money.org()
    expect((await stranger.decide(costing('0.7'), keyed('k'))).status).toBe(200)
  })

  test('is decided anew after a refusal: the limit may have been raised', async () => {
    const org = await money.org()
    const { id } = await org.budget('0.5')
    expect((await org.decide(costing('0.6'), keyed('k'))).status).toBe(402)
    await org.set('PATCH', `/budgets/${id}`, { limit_usd: '1' })
    expect((await org.decide(costing('0.6'), keyed('k'))).status).toBe(200)
    expect(await org.readBudget(id)).toMatchObject({ held_usd: '0.6' })
  })

  test('of a release or an extension gets the first answer', async () => {
    const org = await money.org()
    const reservation = await org.hold('0.5')
    const extend = () => org.post(`/v1/edge/reservations/${reservation}/extend`, { lease_seconds: 900 }, keyed('e'))
    const [first, second] = [await extend(), await extend()]
    expect([second.text, second.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    const release = () => org.post(`/v1/edge/reservations/${reservation}/release`, undefined, keyed('r'))
    expect((await release()).json['status']).toBe('released')
    expect((await release()).headers.get('idempotent-replayed')).toBe('true')
  })
})

describe('leaving something out does not help', () => {
  async function pinnedKey(org: MoneyOrg, pins: Record<string, string>) {
    const body = { name: 'agent', role: 'service', scopes: ['edge:decide'], pins }
    return (await org.set('POST', '/keys', body))['secret'] as string
  }
  const decideAs = (key: string, more: Record<string, unknown> = {}) =>
    call(money.server.url, 'POST', '/v1/edge/decision', { key, body: costing('0.6', more) })

  test('a pinned dimension is filled in, and another value is forbidden', async () => {
    const org = await money.org()
    const { id } = await org.budget('1', { scope_kind: 'workflow', scope_id: 'w' })
    const key = await pinnedKey(org, { workflow_id: 'w', customer_id: 'c' })
    expect(refusalIn(await decideAs(key, { workflow_id: 'other' }))).toMatchObject({ status: 403, code: 'forbidden' })
    expect(refusalIn(await decideAs(key, { customer_id: 'd' }))).toMatchObject({ status: 403, code: 'forbidden' })
    expect((await decideAs(key)).status).toBe(200)
    expect(await org.readBudget(id)).toMatchObject({ held_usd: '0.6' })
    expect(refusalIn(await decideAs(key, { workflow_id: 'w' }))).toMatchObject({
      code: 'budget_exceeded',
      scope_kind: 'workflow',
    })
  })

  test('a required dimension is asked for, unless the key pins it', async () => {
    const org = await money.org()
    await org.set('PATCH', '', { required_dimensions: ['workflow_id', 'customer_id'] })
    expect(faultsOf(await org.decide(costing('1')))).toEqual(['customer_id: required', 'workflow_id: required'])
    expect(faultsOf(await org.decide(costing('1', { workflow_id: 'w' })))).toEqual(['customer_id: required'])
    expect((await org.decide(costing('1', { workflow_id: 'w', customer_id: 'c' }))).status).toBe(200)
    const key = await pinnedKey(org, { workflow_id: 'w' })
    expect(faultsOf(await decideAs(key))).toEqual(['customer_id: required'])
    expect((await decideAs(key, { customer_id: 'c' })).status).toBe(200)
  })

  test('beyond the bound on new customers a day all further ones share one allowance', async () => {
    const org = await money.org()
    const byDefault = await org.set('PUT', '/customer-limit-default', {
      limit_usd: '1',
      period: 'year',
      timezone: quietZone(),
      max_new_customers_per_day: 3,
    })
    const ask = (customer_id: string, usd = '0.4') => org.decide(costing(usd, { customer_id }))
    for (const known of ['a', 'b', 'c']) expect((await ask(known)).status).toBe(200)
    expect((await ask('d')).status).toBe(200)
    expect((await ask('e')).status).toBe(200)
    expect(refusalIn(await ask('f'))).toMatchObject({
      code: 'budget_exceeded',
      scope_kind: 'customer',
      budget_id: byDefault['id'],
      held_usd: '0.8',
      limit_usd: '1',
    })
    // Those who are known keep what is theirs, and so does who has a limit of its own.
    for (const known of ['a', 'b', 'c']) expect((await ask(known, '0.6')).status).toBe(200)
    expect((await ask('a')).status).toBe(402)
    await org.set('PUT', '/customers/g/limit', { limit_usd: '2', period: 'year' })
    expect((await ask('g', '2')).status).toBe(200)
    const counted = (await org.allowances()).filter(({ kind }) => kind === 'customer')
    expect(counted.map(({ subject, held }) => `${subject} ${held}`).sort()).toEqual([
      ' 800000000',
      'a 1000000000',
      'b 1000000000',
      'c 1000000000',
      'g 2000000000',
    ])
  })

  test('a refused newcomer is not counted as met', async () => {
    const org = await money.org()
    await org.set('PUT', '/customer-limit-default', { limit_usd: '1', period: 'year', max_new_customers_per_day: 1 })
    expect((await org.decide(costing('2', { customer_id: 'a' }))).status).toBe(402)
    expect((await org.decide(costing('1', { customer_id: 'b' }))).status).toBe(200)
    expect((await org.decide(costing('1', { customer_id: 'c' }))).status).toBe(200)
    expect((await org.decide(costing('1', { customer_id: 'd' }))).status).toBe(402)
  })
})
