import { beforeAll, describe, expect, test } from 'vitest'
import { setOptIns } from '../../src/access/events/events.ts'
import { lockLedgerForConfigChange } from '../../src/money/ledger/ledger.ts'
import { formatId, newUuid, parseId, requireId } from '../../src/values/id.ts'
import { eventsOf } from '../support/events.ts'
import { costing, type MoneyOrg, useMoney } from '../support/money.ts'
import { chat, request, span } from '../support/otlp-spans.ts'
import { type Answer, call, keyOf, operatorOf } from '../support/tenants.ts'

/** What a key made is its own: who else may see it, who may end it, and what is written down of both. */

const money = useMoney()
let org: MoneyOrg

beforeAll(async () => {
  org = await money.org()
  // Something that counts every run: what nothing counts makes no movement.
  await org.budget('1000000', { enforcement: 'alert' })
})

const agentScopes = ['edge:decide', 'runs:write', 'runs:read', 'limits:read', 'usage:read']

interface Agent {
  readonly id: string
  readonly ask: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>
}

async function agent(pins: Record<string, string> = {}, scopes: readonly string[] = agentScopes): Promise<Agent> {
  const { id, key } = await keyOf(money.server, org.id, { role: 'service', scopes, pins })
  return {
    id,
    ask: (method, path, body, headers = {}) =>
      call(money.server.url, method, path, { key, headers, ...(body !== undefined && { body }) }),
  }
}

const startOf = async ({ ask }: Agent, more: object = {}) => {
  const { status, json, text } = await ask('POST', '/v1/runs', costing('0.5', { ...more }))
  expect(status, text).toBe(201)
  return json['id'] as string
}
const holdOf = async ({ ask }: Agent, more: object = {}) => {
  const { status, json, text } = await ask('POST', '/v1/edge/decision', costing('0.5', { ...more }))
  expect(status, text).toBe(200)
  return json['reservation_id'] as string
}
const finished = { status: 'succeeded', cost_usd: '0.2' }
const bulk = (...runs: object[]) => ({ runs: runs.map((run) => ({ model: 'gpt-4o', cost_usd: '0.1', ...run })) })
const movementsOf = async (reservation: string) =>
  (await org.ask('GET', `/ledger?sort=batch&reservation_id=${reservation}`)).json['data'] as Record<string, unknown>[]
const reservationOf = (run: string) => formatId('reservation', requireId('run', run))

/** What a client can tell two answers apart by. */
const told = ({ status, text, headers }: Answer, id: string) => ({
  status,
  text: text.replaceAll(id, '(id)'),
  headers: [...headers.keys()].sort(),
})

/** How something stands, and how it stands once its maker has ended it. */
async function stateAndEnd({ ask }: Agent, id: string): Promise<unknown[]> {
  if (id.startsWith('run_')) {
    const { json } = await ask('GET', `/v1/runs/${id}`)
    return [json['status'], (await ask('POST', `/v1/runs/${id}/finish`, finished)).json['status']]
  }
  const { json } = await ask('POST', `/v1/edge/reservations/${id}/extend`, {})
  return [json['status'], (await ask('POST', `/v1/edge/reservations/${id}/release`)).json['status']]
}

/** All that ends a run or a reservation, or reads it. */
const attempts: [string, 'run' | 'reservation', (agent: Agent, id: string) => Promise<Answer>][] = [
  ['read', 'run', ({ ask }, id) => ask('GET', `/v1/runs/${id}`)],
  ['finish', 'run', ({ ask }, id) => ask('POST', `/v1/runs/${id}/finish`, { status: 'succeeded', cost_usd: '999' })],
  ['extend a run', 'run', ({ ask }, id) => ask('POST', `/v1/runs/${id}/extend`, { lease_seconds: 60 })],
  ['release a run', 'run', ({ ask }, id) => ask('POST', `/v1/edge/reservations/${reservationOf(id)}/release`)],
  ['finish in bulk', 'run', ({ ask }, id) => ask('POST', '/v1/runs/bulk', bulk({ run_id: id }))],
  ['release', 'reservation', ({ ask }, id) => ask('POST', `/v1/edge/reservations/${id}/release`)],
  ['extend', 'reservation', ({ ask }, id) => ask('POST', `/v1/edge/reservations/${id}/extend`, {})],
  ['settle in bulk', 'reservation', ({ ask }, id) => ask('POST', '/v1/runs/bulk', bulk({ reservation_id: id }))],
  [
    'explain',
    'reservation',
    ({ ask }, id) => ask('GET', `/v1/decisions/${formatId('decision', requireId('reservation', id))}`),
  ],
]

describe('a key that is pinned elsewhere', () => {
  test.each(attempts)('cannot %s what another key made, nor learn that it exists', async (_name, kind, attempt) => {
    const [teamA, teamB] = [await agent({ workflow_id: 'teamA' }), await agent({ workflow_id: 'teamB' })]
    const id = kind === 'run' ? await startOf(teamB) : await holdOf(teamB)
    const missing = formatId(kind, newUuid())
    expect(told(await attempt(teamA, id), id)).toEqual(told(await attempt(teamA, missing), missing))
    // It is as it was, and its maker ends it.
    const states = kind === 'run' ? ['running', 'succeeded'] : ['open', 'released']
    expect(await stateAndEnd(teamB, id)).toEqual(states)
    // Nor after its end.
    expect(told(await attempt(teamA, id), id)).toEqual(told(await attempt(teamA, missing), missing))
  })

  test('does not meet a run by the name that its maker gave it', async () => {
    const [teamA, teamB] = [await agent({ workflow_id: 'teamA' }), await agent({ workflow_id: 'teamB' })]
    const external_id = `call-${newUuid()}`
    const id = await startOf(teamB, { external_id })
    const settled = await teamA.ask('POST', '/v1/runs/bulk', bulk({ external_id, cost_usd: '999' }))
    expect(settled.json.error).toMatchObject({ code: 'conflict' })
    expect(settled.text).not.toContain(id)
    expect((await teamA.ask('GET', `/v1/runs?external_id=${external_id}`)).json['data']).toEqual([])
    expect((await teamB.ask('GET', `/v1/runs/${id}`)).json).toMatchObject({ status: 'running' })
  })

  test('learns nothing of a reservation that is settled by its maker', async () => {
    const [teamA, teamB] = [await agent({ workflow_id: 'teamA' }), await agent({ workflow_id: 'teamB' })]
    const id = await holdOf(teamB)
    expect((await teamB.ask('POST', '/v1/runs/bulk', bulk({ reservation_id: id }))).json).toMatchObject({ accepted: 1 })
    const missing = formatId('reservation', newUuid())
    const settle = (reservation_id: string) => teamA.ask('POST', '/v1/runs/bulk', bulk({ reservation_id }))
    expect(told(await settle(id), id)).toEqual(told(await settle(missing), missing))
  })
})

describe('a key that sees what another made', () => {
  const ending = attempts.filter(([name]) => !['read', 'explain', 'release a run'].includes(name))

  test.each(ending)('needs runs:manage to %s it', async (_name, kind, attempt) => {
    const [maker, other] = [await agent(), await agent()]
    const id = kind === 'run' ? await startOf(maker) : await holdOf(maker)
    const denied = await attempt(other, id)
    expect([denied.status, denied.json.error]).toMatchObject([
      403,
      { code: 'missing_scope', details: { required: 'runs:manage' } },
    ])
    const manager = await agent({}, [...agentScopes, 'runs:manage'])
    const { status, text } = await attempt(manager, id)
    expect(status, text).toBe(200)
  })

  test.each(ending)('and cannot read it learns nothing by trying to %s it', async (_name, kind, attempt) => {
    const maker = await agent()
    const blind = await agent({}, ['edge:decide', 'runs:write'])
    const id = kind === 'run' ? await startOf(maker) : await holdOf(maker)
    const missing = formatId(kind, newUuid())
    expect(told(await attempt(blind, id), id)).toEqual(told(await attempt(blind, missing), missing))
  })

  test('manages only within its own pins', async () => {
    const maker = await agent({ workflow_id: 'teamB' })
    const manager = await agent({ workflow_id: 'teamA' }, [...agentScopes, 'runs:manage'])
    const id = await startOf(maker)
    expect((await manager.ask('POST', `/v1/runs/${id}/finish`, finished)).status).toBe(404)
  })

  test('settles with runs:manage, inside its pins, the very run that another started, and nobody else does', async () => {
    const workflow_id = `w-${newUuid()}`
    const budget = await org.budget('10', { scope_kind: 'workflow', scope_id: workflow_id })
    const spent = async () => {
      const { spent_usd, held_usd } = (await org.ask('GET', `/budgets/${budget.id}`)).json
      return [spent_usd, held_usd]
    }
    const managing = [...agentScopes, 'runs:manage']
    const elsewhere = await money.org()
    const stranger = await keyOf(money.server, elsewhere.id, { role: 'service', scopes: managing })
    const outsider: Agent = {
      id: stranger.id,
      ask: (method, path, body) =>
        call(money.server.url, method, path, { key: stranger.key, ...(body !== undefined && { body }) }),
    }
    const maker = await agent({ workflow_id })
    const [settled, counted] = [await startOf(maker), await startOf(maker)]
    const settlements: [number, Agent][] = [
      [403, await agent({ workflow_id })],
      [404, await agent({ workflow_id }, ['runs:write'])],
      [404, await agent({ workflow_id: 'teamA' }, managing)],
      [404, await agent({ workflow_id, customer_id: 'c-other' }, managing)],
      [404, outsider],
    ]
    for (const [status, key] of settlements) {
      const { text, ...answer } = await key.ask('POST', `/v1/runs/${settled}/finish`, finished)
      expect(answer.status, text).toBe(status)
      const inBulk = await key.ask('POST', '/v1/runs/bulk', bulk({ run_id: settled, cost_usd: '0.2' }))
      expect(inBulk.json['accepted'], inBulk.text).not.toBe(1)
    }
    expect(await spent()).toEqual(['0', '1'])
    const manager = await agent({ workflow_id }, managing)
    expect((await manager.ask('POST', `/v1/runs/${settled}/finish`, finished)).json).toMatchObject({
      status: 'succeeded',
      cost_usd: '0.2',
      key_id: maker.id,
    })
    expect(await spent()).toEqual(['0.2', '0.5'])
    const inBulk = await manager.ask('POST', '/v1/runs/bulk', bulk({ run_id: counted, cost_usd: '0.3' }))
    expect(inBulk.json, inBulk.text).toMatchObject({ accepted: 1 })
    expect(await spent()).toEqual(['0.5', '0'])
  })

  test('is refused by itself in a batch that may be recorded in part', async () => {
    const [maker, other] = [await agent(), await agent()]
    const run_id = await startOf(maker)
    const { status, json } = await other.ask('POST', '/v1/runs/bulk', {
      ...bulk({ run_id }, { external_id: `own-${newUuid()}` }),
      mode: 'partial',
    })
    expect(status).toBe(200)
    expect(json).toMatchObject({ accepted: 1, refused: 1, results: [{ error: { code: 'missing_scope' } }, {}] })
  })
})

describe('what is managed', () => {
  const allowed = new Set(['read', 'explain', 'extend a run', 'extend'])
  test.each(attempts.filter(([name]) => !allowed.has(name)))(
    'its maker cannot %s, before its end or after',
    async (_name, kind, attempt) => {
      const [maker, manager] = [await agent(), await agent({}, [...agentScopes, 'runs:manage'])]
      const id = await (kind === 'run' ? startOf : holdOf)(maker, { managed: true })
      const refused = await attempt(maker, id)
      expect([refused.status, refused.json['error']]).toMatchObject([
        403,
        { code: 'missing_scope', details: { required: 'runs:manage' } },
      ])
      const extend = kind === 'run' ? `/v1/runs/${id}/extend` : `/v1/edge/reservations/${id}/extend`
      expect((await maker.ask('POST', extend, { lease_seconds: 60 })).status).toBe(200)
      const end = { ...(kind === 'run' ? { run_id: id } : { reservation_id: id }), cost_usd: '0.3', estimated: true }
      expect((await manager.ask('POST', '/v1/runs/bulk', bulk(end))).status).toBe(200)
      expect((await attempt(maker, id)).status).toBeGreaterThanOrEqual(400)
      const [movement] = (await movementsOf(kind === 'run' ? reservationOf(id) : id)).slice(-1)
      expect(movement).toMatchObject({ kind: 'settle' })
    },
  )

  test('a maker that may manage ends it', async () => {
    const maker = await agent({}, [...agentScopes, 'runs:manage'])
    const id = await startOf(maker, { managed: true })
    expect((await maker.ask('POST', `/v1/runs/${id}/finish`, finished)).status).toBe(200)
  })
})

describe('rotation', () => {
  const rotated = async (id: string) => {
    const { json } = await org.ask('POST', `/keys/${id}/rotate`, { overlap_seconds: 600 })
    const key = json['secret'] as string
    const ask: Agent['ask'] = (method, path, body) =>
      call(money.server.url, method, path, { key, ...(body !== undefined && { body }) })
    return { id: json['id'] as string, ask }
  }

  test('a successor ends what its predecessor began, while that still works, and both are named', async () => {
    const first = await agent({}, ['edge:decide', 'runs:write'])
    const [id, reservation] = [await startOf(first), await holdOf(first)]
    const second = await rotated(first.id)
    const third = await rotated(second.id)
    const later = await startOf(second)
    const answers = await Promise.all([
      third.ask('POST', `/v1/runs/${id}/finish`, finished),
      third.ask('POST', '/v1/runs/bulk', bulk({ reservation_id: reservation })),
      first.ask('POST', `/v1/runs/${later}/finish`, finished),
    ])
    for (const { status, text } of answers) expect(status, text).toBe(200)
    expect(answers[0].json).toMatchObject({ key_id: first.id })
    const [held, settled] = await movementsOf(reservationOf(id))
    expect(held).toMatchObject({ kind: 'hold', key_id: first.id, actor: { kind: 'key', id: first.id } })
    expect(settled).toMatchObject({ kind: 'settle', key_id: first.id, actor: { kind: 'key', id: third.id } })
  })
})

describe('what is on record', () => {
  test('runs, their explanations, movements and usage name the key that made them', async () => {
    const maker = await agent({ workflow_id: `w-${newUuid()}` })
    const id = await startOf(maker)
    const { json: run } = await maker.ask('POST', `/v1/runs/${id}/finish`, finished)
    expect(run).toMatchObject({ key_id: maker.id })
    expect((await maker.ask('GET', `/v1/runs/${id}`)).json).toEqual(run)
    const explained = await maker.ask('GET', `/v1/decisions/${run['decision_id'] as string}`)
    expect(explained.json).toMatchObject({ key_id: maker.id })
    const listed = await org.ask('GET', `/ledger?sort=batch&key_id=${maker.id}`)
    expect((listed.json['data'] as object[]).map((one) => ({ ...one }))).toMatchObject([
      { kind: 'hold', key_id: maker.id, actor: { kind: 'key', id: maker.id } },
      { kind: 'settle', key_id: maker.id, actor: { kind: 'key', id: maker.id } },
    ])
    const usage = await org.ask('GET', `/usage?group_by=key_id,model&key_id=${maker.id}`)
    expect(usage.json).toMatchObject({ data: [{ key_id: maker.id, runs: 1, cost_usd: '0.2' }], totals: { runs: 1 } })
    const all = (await org.ask('GET', '/usage?group_by=key_id')).json['data'] as { key_id: string; cost_usd: string }[]
    expect(all.find(({ key_id }) => key_id === maker.id)).toMatchObject({ cost_usd: '0.2' })
    const page = await call(money.server.url, 'GET', `/v1/runs?key_id=${maker.id}`, { key: org.key })
    expect(page.json['data']).toEqual([run])
    const unknown = formatId('key', newUuid())
    expect((await call(money.server.url, 'GET', `/v1/runs?key_id=${unknown}`, { key: org.key })).json['data']).toEqual(
      [],
    )
  })

  test('a manager that ends it is named beside its maker, and the run stays its maker’s', async () => {
    const maker = await agent()
    const manager = await agent({}, [...agentScopes, 'runs:manage'])
    const [run, reservation] = [await startOf(maker), await holdOf(maker)]
    expect((await manager.ask('POST', `/v1/runs/${run}/finish`, finished)).json).toMatchObject({ key_id: maker.id })
    await manager.ask('POST', '/v1/runs/bulk', bulk({ reservation_id: reservation }))
    for (const id of [reservationOf(run), reservation])
      expect((await movementsOf(id)).map(({ kind, key_id, actor }) => ({ kind, key_id, actor }))).toEqual([
        { kind: 'hold', key_id: maker.id, actor: { kind: 'key', id: maker.id } },
        { kind: 'settle', key_id: maker.id, actor: { kind: 'key', id: manager.id } },
      ])
    const made = (await manager.ask('GET', `/v1/runs?key_id=${maker.id}`)).json['data'] as { key_id: string }[]
    expect(made.map(({ key_id }) => key_id)).toEqual([maker.id, maker.id])
  })

  test('a lease that ends by itself is its maker’s, and nobody’s act', async () => {
    const maker = await agent()
    const run = await startOf(maker)
    await org.endLease(reservationOf(run))
    const { orgId, holdId } = { orgId: org.uuid, holdId: requireId('run', run) }
    await money.lanes().submit({ orgId, holdId, plan: () => ({ command: { type: 'expire', holdId } }) })
    expect((await movementsOf(reservationOf(run))).at(-1)).toMatchObject({
      kind: 'expire',
      key_id: maker.id,
      actor: { kind: 'system' },
    })
    expect((await maker.ask('GET', `/v1/runs/${run}`)).json).toMatchObject({ status: 'expired', key_id: maker.id })
  })

  test('bulk runs and imported spans name the key that sent them, and so does what is told of them', async () => {
    const importer = await agent({}, [...agentScopes, 'runs:import'])
    await money.server.platform.sql.asOrgs([org.uuid], async (tx) => {
      await lockLedgerForConfigChange(tx, org.uuid)
      await setOptIns(tx, org.uuid, ['run.finished'])
    })
    await importer.ask('POST', '/v1/runs/bulk', bulk({ external_id: `bulk-${newUuid()}` }))
    const nano = (ms: number) => String(BigInt(ms) * 1_000_000n)
    const times = { startTimeUnixNano: nano(Date.now() - 2_000), endTimeUnixNano: nano(Date.now() - 1_000) }
    const { status } = await importer.ask('POST', '/v1/otlp/v1/traces', request([span({ ...chat }, times)]))
    expect(status).toBe(200)
    const { json } = await importer.ask('GET', `/v1/runs?key_id=${importer.id}`)
    expect(json['data']).toMatchObject([{ key_id: importer.id }, { key_id: importer.id }])
    const charged = (await org.ask('GET', `/ledger?key_id=${importer.id}`)).json['data']
    const charge = { kind: 'charge', key_id: importer.id, actor: { kind: 'key', id: importer.id } }
    expect(charged).toMatchObject([charge, charge])
    const told = await eventsOf(money.superuser.client, org.uuid)
    const finishes = told.filter(({ kind }) => kind === 'run.finished')
    expect(finishes.map(({ data }) => data['key_id'])).toEqual([importer.id, importer.id])
  })

  test('what a support grant moved names the grant', async () => {
    const { json } = await call(money.server.url, 'POST', '/v1/admin/support-grants', {
      key: (await operatorOf(money.server)).key,
      body: { org_id: org.id, reason: 'ticket 1', scope: 'billing', duration_seconds: 600 },
    })
    const grant = json['id'] as string
    const budget = await org.budget('5')
    const adjusted = await call(money.server.url, 'POST', `/v1/orgs/${org.id}/ledger/adjustments`, {
      key: json['token'] as string,
      body: { limit_id: budget.id, amount_usd: '1', reason: 'ticket 1' },
    })
    expect(adjusted.status, adjusted.text).toBeLessThan(300)
    const listed = (await org.ask('GET', `/ledger?key_id=${grant}`)).json['data']
    expect(listed).toMatchObject([{ kind: 'adjust', key_id: grant, actor: { kind: 'support', id: grant } }])
    const run = await startOf(await agent())
    const denied = await call(money.server.url, 'POST', `/v1/runs/${run}/finish`, {
      key: json['token'] as string,
      body: finished,
    })
    expect([denied.status, denied.json.error?.code]).toEqual([403, 'support_scope_denied'])
  })

  test('a refusal names who was refused', async () => {
    const maker = await agent({ workflow_id: `w-${newUuid()}` })
    const { workflow_id } = (await maker.ask('GET', '/v1/me')).json['pins'] as { workflow_id: string }
    await org.budget('0', { scope_kind: 'workflow', scope_id: workflow_id })
    const refused = await maker.ask('POST', '/v1/edge/decision', costing('0.5'))
    const decision = refused.json.error!.details['decision_id'] as string
    expect((await maker.ask('GET', `/v1/decisions/${decision}`)).json).toMatchObject({ key_id: maker.id })
    const other = await agent({ workflow_id: 'elsewhere' })
    expect((await other.ask('GET', `/v1/decisions/${decision}`)).status).toBe(404)
  })

  test('what was begun before makers were kept names nobody, and can be finished by whoever may see it', async () => {
    const [maker, other] = [await agent(), await agent()]
    const pinnedElsewhere = await agent({ workflow_id: 'elsewhere' })
    const run = await startOf(maker)
    const makerId = parseId('key', maker.id)
    await org.rows('update holds set key_id = null where org_id = $1 and key_id = $2', makerId)
    await org.rows(
      `update ledger_batches set made_by_keys = '{}' where org_id = $1 and made_by_keys = array[$2::uuid]`,
      makerId,
    )
    expect((await other.ask('GET', `/v1/runs/${run}`)).json).toMatchObject({ key_id: null })
    expect((await pinnedElsewhere.ask('POST', `/v1/runs/${run}/finish`, finished)).status).toBe(404)
    expect((await other.ask('POST', `/v1/runs/${run}/finish`, finished)).json).toMatchObject({ key_id: null })
    const [held, settled] = await movementsOf(reservationOf(run))
    expect(held).toMatchObject({ key_id: null, actor: null })
    expect(settled).toMatchObject({ key_id: null, actor: { kind: 'key', id: other.id } })
  })
})
