import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { validationFailed } from '../../src/contract/errors.ts'
import { runIngest } from '../../src/decisions/lanes/ingest/ingest-batch.ts'
import { Lane } from '../../src/decisions/lanes/lane.ts'
import type { IngestTask } from '../../src/decisions/lanes/lanes.ts'
import type { LaneTask } from '../../src/decisions/lanes/operations.ts'
import { parseId } from '../../src/values/id.ts'
import { type MoneyOrg, useMoney } from '../support/money.ts'
import { type Answer, call } from '../support/tenants.ts'

const money = useMoney()
const dayMs = 86_400_000
/** A process that stood still for a second answers 503: it is asked again. */
const patience = { timeout: 120_000, interval: 50 }

interface BulkResult {
  readonly run_id: string
  readonly duplicate: boolean
  readonly error?: { readonly code: string }
}

const run = (usd: string, more: object = {}) => ({ model: 'gpt-4o', cost_usd: usd, ...more })
const bulk = (org: MoneyOrg, runs: readonly object[], more: object = {}) => org.post('/v1/runs/bulk', { runs, ...more })
const resultsOf = ({ json }: Answer) => json['results'] as BulkResult[]
const start = (org: MoneyOrg, body: object = {}) =>
  org.post('/v1/runs', { model: 'gpt-4o', estimated_cost_usd: '1', max_output_tokens: 1, ...body })
const started = async (org: MoneyOrg, body: object = {}) => {
  const { status, json } = await start(org, body)
  expect(status).toBe(201)
  return json['id'] as string
}
const get = async (org: MoneyOrg, path: string) => (await call(money.server.url, 'GET', path, { key: org.key })).json
const shown = (org: MoneyOrg, id: string) => get(org, `/v1/runs/${id}`)
const stored = async (org: MoneyOrg) =>
  (await org.rows<{ n: number }>('select count(*)::int as n from runs where org_id = $1'))[0]!.n
const usage = async (org: MoneyOrg, more = '') =>
  (await get(org, `/v1/orgs/${org.id}/usage?granularity=day${more}`))['totals'] as Record<string, unknown>
const fieldsOf = ({ json }: Answer) =>
  (json.error!.details['fields'] as { field: string; code: string }[]).map(({ field, code }) => [field, code])
const iso = (ms: number) => new Date(ms).toISOString()

describe('a started run', () => {
  test('that names its parent and its chain meets the limits beside the chain', async () => {
    const org = await money.org()
    const budget = await org.budget('10')
    const root = await started(org, { chain_id: 'k' })
    const child = await start(org, { chain_id: 'k', parent_run_id: root })
    expect([child.status, child.json['depth']]).toEqual([201, 2])
    expect(await org.readBudget(budget.id)).toMatchObject({ held_usd: '2' })
  })

  test('bounds the chain that it begins, also where another start of the chain is refused at the same time', async () => {
    const org = await money.org()
    await org.budget('5')
    for (const chain_id of ['a', 'b', 'c', 'd']) {
      const [dear, cheap] = await Promise.all([
        start(org, { chain_id, estimated_cost_usd: '50' }),
        start(org, { chain_id, estimated_cost_usd: '0.1', chain_limits: { max_cost_usd: '0.2' } }),
      ])
      expect([dear.status, cheap.status]).toEqual([402, 201])
      const next = await start(org, { chain_id, estimated_cost_usd: '0.5' })
      expect(next.json.error).toMatchObject({ code: 'chain_budget_exceeded', details: { limit: '0.2' } })
    }
  })

  test('may be finished by a clock that is a little slow, and lasts no less than nothing', async () => {
    const org = await money.org()
    for (const end of [
      (id: string, ended_at: string) => org.post(`/v1/runs/${id}/finish`, { status: 'succeeded', ended_at }),
      (id: string, ended_at: string) => bulk(org, [run('0.5', { run_id: id, ended_at })]),
    ]) {
      const id = await started(org)
      expect((await end(id, iso(Date.now() - 2_000))).status).toBe(200)
      const { started_at, ended_at } = await shown(org, id)
      expect(ended_at).toBe(started_at)
    }
    expect(await usage(org)).toMatchObject({ runs: 2, average_duration_ms: 0 })
  })

  test('has a model and a provider that a log can show, as every recorded run has', async () => {
    const org = await money.org()
    expect(fieldsOf(await start(org, { model: 'a\nb', provider: 'c\u0007' }))).toEqual([
      ['model', 'invalid_format'],
      ['provider', 'invalid_format'],
    ])
  })

  test('whose row is gone while its name is remembered is a conflict when it is started again', async () => {
    const org = await money.org()
    const id = await vi.waitFor(() => started(org, { external_id: 'gone' }), patience)
    await vi.waitFor(async () => {
      const finished = await org.post(`/v1/runs/${id}/finish`, { status: 'succeeded', cost_usd: '1' })
      expect(finished.status).toBe(200)
    }, patience)
    money.tampered.add(org.uuid)
    for (const table of ['runs', 'holds'])
      await org.rows(`delete from ${table} where org_id = $1 and id = $2`, parseId('run', id))
    await vi.waitFor(async () => {
      const again = await start(org, { external_id: 'gone' })
      expect([again.status, again.json.error?.details]).toEqual([409, {}])
    }, patience)
  })
})

describe('metadata', () => {
  test('with a name that is no text is refused by the field that it is in', async () => {
    const org = await money.org()
    const metadata = { fine: 1, 'half\ud800': 2 }
    expect(fieldsOf(await start(org, { metadata }))).toEqual([['metadata', 'invalid_format']])
    expect(fieldsOf(await bulk(org, [run('0'), run('0', { metadata })]))).toEqual([
      ['runs.1.metadata', 'invalid_format'],
    ])
  })
})

describe('runs in bulk', () => {
  test('that repeat a name and a reservation are settled once each, by the first', async () => {
    const org = await money.org()
    const budget = await org.budget('100')
    const runs: object[] = []
    for (let i = 0; i < 40; i++)
      runs.push(run('0.1', { reservation_id: await org.hold('0.1'), external_id: `call-${i}` }))
    const answer = await bulk(org, [...runs, ...runs.toReversed(), ...runs])
    expect(answer.json).toMatchObject({ accepted: 40, duplicates: 80 })
    expect(resultsOf(answer).map(({ duplicate }) => duplicate)).toEqual([
      ...runs.map(() => false),
      ...[...runs, ...runs].map(() => true),
    ])
    expect(await stored(org)).toBe(40)
    expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '4', held_usd: '0' })
    expect(await usage(org)).toMatchObject({ runs: 40, cost_usd: '4' })
  })

  test('recorded whatever the limits say still go all or none where one contradicts', async () => {
    const org = await money.org()
    await bulk(org, [run('1', { external_id: 'a' })])
    const runs = [run('2', { external_id: 'a' }), run('1', { external_id: 'b' })]
    const refused = await bulk(org, runs, { enforce: false })
    expect([refused.status, refused.json.error?.details]).toEqual([409, {}])
    expect(await usage(org)).toMatchObject({ runs: 1, cost_usd: '1' })
    const partial = await bulk(org, runs, { enforce: false, mode: 'partial' })
    expect(partial.json).toMatchObject({ accepted: 1, refused: 1 })
    expect(await usage(org)).toMatchObject({ runs: 2, cost_usd: '2' })
  })

  test('are refused with the index of the one at fault, not of one that stands by twice', async () => {
    const org = await money.org()
    await org.budget('1')
    const bystander = run('0.6', { external_id: 'a' })
    const refused = await bulk(org, [bystander, bystander, run('0.6')])
    expect(refused.json.error?.details).toMatchObject({ index: 2 })
    expect(await stored(org)).toBe(0)
  })

  test('that settle a reservation in a new chain begin it, with what bounds it', async () => {
    const org = await money.org()
    await org.set('PUT', '/chain-limits', { default: { max_cost_usd: '2' } })
    const reservation_id = await org.hold('0.5')
    const [root] = resultsOf(await bulk(org, [run('0.5', { reservation_id, chain_id: 'k' })]))
    expect(await get(org, '/v1/chains/k')).toMatchObject({ chain_id: 'k' })
    const child = await start(org, { parent_run_id: root!.run_id })
    expect([child.status, child.json['depth'], child.json['chain_id']]).toEqual([201, 2, 'k'])
    const dear = await start(org, { parent_run_id: root!.run_id })
    expect(dear.json.error?.details).toMatchObject({ reason: 'cost', current: '1.5', attempted: '1', limit: '2' })
  })

  test('that settle a reservation run on the account it was made for, and are counted there', async () => {
    const org = await money.org()
    const reservation_id = await org.hold('0.5', { customer_id: 'c', workflow_id: 'w' })
    const [one] = resultsOf(await bulk(org, [run('0.5', { reservation_id, department_id: 'd' })]))
    expect(one).toMatchObject({ ignored_fields: ['department_id'] })
    expect(await shown(org, one!.run_id)).toMatchObject({ customer_id: 'c', workflow_id: 'w', department_id: null })
    expect(await usage(org, '&customer_id=c')).toMatchObject({ runs: 1, cost_usd: '0.5' })
  })

  test('go all or none where a reservation among them was settled by somebody else', async () => {
    const org = await money.org()
    const reservation_id = await org.hold('0.5')
    await org.settle(reservation_id, '0.5')
    const refused = await bulk(org, [run('1'), run('0.5', { reservation_id })])
    expect([refused.status, refused.json.error?.details]).toEqual([409, {}])
    expect(await stored(org)).toBe(0)
  })

  test('may say when they ended and not when they started', async () => {
    const org = await money.org()
    const [byId, byName] = [await started(org), await started(org, { external_id: 'n' })]
    await sleep(20)
    const ended_at = iso(Date.now())
    await sleep(20)
    const answer = await bulk(org, [
      run('0.5', { run_id: byId, ended_at }),
      run('0.5', { external_id: 'n', ended_at }),
      run('0.5', { ended_at }),
    ])
    expect(answer.json).toMatchObject({ accepted: 3, results: [{ run_id: byId }, { run_id: byName }, {}] })
    for (const { run_id } of resultsOf(answer))
      expect(Date.parse((await shown(org, run_id))['ended_at'] as string)).toBe(Date.parse(ended_at))
    expect(fieldsOf(await bulk(org, [run('1', { ended_at: iso(Date.now() - 91 * dayMs) })]))).toEqual([
      ['runs.0.ended_at', 'out_of_range'],
    ])
  })

  test('cannot end a started run before it started, whatever start they tell', async () => {
    const org = await money.org()
    const id = await started(org)
    const times = { started_at: iso(Date.now() - 2 * dayMs), ended_at: iso(Date.now() - dayMs) }
    expect(fieldsOf(await bulk(org, [run('0'), run('0.5', { run_id: id, ...times })]))).toEqual([
      ['runs.1.ended_at', 'out_of_range'],
    ])
    expect(await shown(org, id)).toMatchObject({ status: 'running' })
    expect(await stored(org)).toBe(0)
  })

  test('that name one started run and settle another are a conflict, and both go on', async () => {
    const org = await money.org()
    const [one, other] = [await started(org), await started(org, { external_id: 'other' })]
    const reservation_id = await org.hold('1')
    for (const settled of [{ run_id: one }, { reservation_id }]) {
      const refused = await bulk(org, [run('0.5', { ...settled, external_id: 'other' })])
      expect([refused.status, refused.json.error?.code]).toEqual([409, 'conflict'])
    }
    for (const id of [one, other]) expect(await shown(org, id)).toMatchObject({ status: 'running' })
    expect(await org.holdState(reservation_id)).toBe('open')
  })

  test('are answered to everybody who sends the same at once', async () => {
    const org = await money.org()
    const runs = Array.from({ length: 20 }, (_, i) => run('0.01', { external_id: `r-${i}` }))
    const answers = await Promise.all(Array.from({ length: 12 }, () => bulk(org, runs)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(answers.reduce((sum, { json }) => sum + Number(json['accepted']), 0)).toBe(20)
  })

  test('that were all recorded before are found again without a long stop for everybody', async () => {
    const ratioOf = async () => {
      const org = await money.org()
      const runs = Array.from({ length: 5_000 }, (_, i) => run('0.1', { external_id: `r-${i}` }))
      const timed = async () => {
        const before = performance.now()
        const { json } = await bulk(org, runs)
        return { ms: performance.now() - before, json }
      }
      const [first, again] = [await timed(), await timed()]
      expect(again.json).toMatchObject({ accepted: 0, duplicates: 5_000 })
      return again.ms / first.ms
    }
    // A machine that pauses in the second half of one attempt does not do so in all three.
    let ratio = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < 3 && ratio >= 2; attempt++) ratio = Math.min(ratio, await ratioOf())
    expect(ratio).toBeLessThan(2)
  })

  test('of an organization whose books are broken fail for it alone, and at once', async () => {
    const sound = await Promise.all(Array.from({ length: 4 }, () => money.org()))
    const broken = await money.org()
    money.tampered.add(broken.id)
    money.tampered.add(broken.uuid)
    await broken.budget('10', { scope_kind: 'workflow', scope_id: 'w' })
    const reservation_id = await broken.hold('1', { workflow_id: 'w' })
    await broken.rows('delete from allowances where org_id = $1')
    const [failed, ...others] = await Promise.all([
      bulk(broken, [run('1', { reservation_id }), run('1', { external_id: 'x' })]),
      ...sound.map((org) => bulk(org, [run('1')])),
    ])
    expect([failed.status, failed.json.error?.code]).toEqual([500, 'internal'])
    expect(others.map(({ status }) => status)).toEqual(sound.map(() => 200))
    expect(await stored(broken)).toBe(0)
    expect(await broken.rows('select from run_keys where org_id = $1')).toEqual([])
  })

  test('that are refused do not bound the chain which the next run of the batch begins', async () => {
    const org = await money.org()
    await org.budget('0.5', { scope_kind: 'workflow', scope_id: 'wide' })
    await org.set('PUT', '/chain-limits', { workflows: [{ workflow_id: 'narrow', max_cost_usd: '1' }] })
    const runs = [
      run('1', { chain_id: 'k', workflow_id: 'wide' }),
      run('0.5', { chain_id: 'k', workflow_id: 'narrow' }),
    ]
    expect((await bulk(org, runs, { mode: 'partial' })).json).toMatchObject({ accepted: 1, refused: 1 })
    expect((await bulk(org, [run('5', { chain_id: 'k', workflow_id: 'narrow' })])).status).toBe(402)
  })
})

describe('a model that nobody has priced', () => {
  test('is written down when its runs are recorded, with a way to record them', async () => {
    const org = await money.org()
    const refused = await bulk(org, [run('1'), { model: 'nobody-knows', provider: 'p', input_tokens: 1 }])
    expect(JSON.stringify(refused.json.error)).toContain('cost_usd')
    await expect
      .poll(async () => JSON.stringify((await org.ask('GET', '/prices')).json['unpriced_models']))
      .toContain('nobody-knows')
  })
})

describe('a key with pins', () => {
  test('records nothing in bulk where one run is on another account', async () => {
    const org = await money.org()
    const { json } = await org.ask('POST', '/keys', {
      name: 'pinned',
      role: 'service',
      scopes: ['runs:write'],
      pins: { customer_id: 'c' },
    })
    const send = (runs: readonly object[]) =>
      call(money.server.url, 'POST', '/v1/runs/bulk', { key: json['secret'] as string, body: { runs } })
    const refused = await send([run('1'), run('1', { customer_id: 'other' })])
    expect([refused.status, refused.json.error]).toMatchObject([403, { code: 'forbidden', details: {} }])
    expect(await stored(org)).toBe(0)
    const [one] = resultsOf(await send([run('1')]))
    expect(await shown(org, one!.run_id)).toMatchObject({ customer_id: 'c' })
  })
})

describe('a lane', () => {
  test('learns the time from the database alone, and nothing from a batch that did not ask it', async () => {
    const fault = { field: 'cost_usd', code: 'required', message: '' } as const
    const draft = () => {
      throw validationFailed([fault])
    }
    const task = { orgId: 'o', mode: 'atomic', isRecordedOnly: false, items: [{ draft }] } as unknown as IngestTask
    const connection = { pipeline: async (statements: readonly unknown[]) => statements.map(() => ({ rows: [] })) }
    const { answers, databaseMs } = await runIngest([task], {
      connection,
      orgConfigOf: () => ({}),
      estimatedDbTimeMs: 1,
    } as never)
    expect(answers.get(task)).toMatchObject({ code: 'validation_failed' })
    expect(databaseMs).toBeUndefined()
  })

  test('turns away at the door by what the waiting are worth, not by how many they are', async () => {
    interface Heavy extends LaneTask {
      readonly weight: number
    }
    const task = (): Heavy => ({ orgId: 'o', weight: 10 })
    let release = () => undefined as void
    const held = () => new Promise<void>((resolve) => (release = resolve))
    let next: Promise<void> = sleep(100)
    const nothing = { inc: () => undefined, observe: () => undefined }
    const lane = new Lane<Heavy, object, never>({
      connect: async () => ({ destroy: () => undefined }) as never,
      runBatch: async (tasks) => {
        await next
        const set = new Set()
        const answers = new Map(tasks.map((each) => [each, {}]))
        return { answers, unread: 0, deferred: set, locked: set, changed: set, databaseMs: undefined } as never
      },
      observe: () => undefined,
      batchSize: { tasks: 10, tasksOfOneOrg: 10, work: 10, workOfOneOrg: 10 },
      workOf: ({ weight }) => weight,
      maxWaiting: 1_000,
      deadlineMs: 10,
      configCache: { get: () => ({}), evict: () => undefined } as never,
      metrics: { rejected: nothing, wait: nothing, failures: nothing } as never,
      writability: { recordFailure: () => undefined, recordCommit: () => undefined },
      log: console as never,
      estimatedDbTimeMs: () => 0,
      syncClock: () => expect.fail('no time was told'),
      releaseLater: () => undefined,
    })
    await lane.submit(task())
    next = held()
    const underway = lane.submit(task())
    await sleep(5)
    const waiting = lane.submit(task())
    const turnedAway = Promise.allSettled([lane.submit(task())])
    release()
    expect(await turnedAway).toMatchObject([
      { reason: { message: expect.stringContaining('Too many decisions are waiting') } },
    ])
    await Promise.allSettled([underway, waiting])
    await lane.close()
  })
})
