import { describe, expect, test } from 'vitest'
import { parseUsd } from '../../src/values/money.ts'
import { useMoney } from '../support/money.ts'
import { firstSeed, Random } from '../support/random.ts'
import { call } from '../support/tenants.ts'

const money = useMoney()

async function chained() {
  const org = await money.org()
  const start = (body: object) => org.post('/v1/runs', { model: 'gpt-4o', ...body })
  const started = async (body: object) => {
    const { json, status } = await start(body)
    expect(json.error).toBeUndefined()
    expect(status).toBe(201)
    return json as { id: string; chain_id: string | null; depth: number | null }
  }
  const chain = async (id: string) =>
    (await call(money.server.url, 'GET', `/v1/chains/${encodeURIComponent(id)}`, { key: org.key })).json
  return { org, start, started, chain }
}

const cost = (usd: string) => ({ estimated_cost_usd: usd, max_output_tokens: 1 })

describe('a chain of runs', () => {
  test('200 descendants of a root with $1, at once and at random depth, settle at most $1', async () => {
    const { org, start, started } = await chained()
    const seed = firstSeed()
    console.info(`descendants from seed ${seed}`)
    const random = new Random(seed)
    const root = await started({ ...cost('0.01'), chain_limits: { max_cost_usd: '1' } })
    const parents = [root.id]
    const refusals: { status: number; details: unknown }[] = []
    let spent = 0n
    let next = 0
    const descendants = async () => {
      while (next++ < 200) {
        const amount = `0.0${random.between(1, 9)}`
        const { status, json } = await start({ ...cost(amount), parent_run_id: random.pick(parents) })
        // A starved machine may refuse for want of time: that says nothing about the chain.
        if (status === 503) {
          next--
          continue
        }
        if (status !== 201) {
          refusals.push({ status, details: json.error?.details })
          continue
        }
        parents.push(json['id'] as string)
        const finished = await org.post(`/v1/runs/${String(json['id'])}/finish`, {
          status: 'succeeded',
          cost_usd: amount,
        })
        spent += parseUsd(finished.json['cost_usd'] as string)
      }
    }
    await Promise.all(Array.from({ length: 40 }, descendants))
    await org.post(`/v1/runs/${root.id}/finish`, { status: 'succeeded', cost_usd: '0.01' })
    expect(spent + parseUsd('0.01')).toBeLessThanOrEqual(parseUsd('1'))
    expect(spent).toBeGreaterThan(parseUsd('0.9'))
    expect(refusals.length).toBeGreaterThan(0)
    for (const { status, details } of refusals) {
      expect(status).toBe(402)
      expect(details).toMatchObject({
        reason: 'cost',
        current: expect.stringMatching(/^0\.\d+$|^1$/),
        attempted: expect.stringMatching(/^0\.0\d/),
        limit: '1',
      })
    }
  })

  test('is bounded in depth: 429, and no counter changes', async () => {
    const { org, start, started } = await chained()
    await org.set('PUT', '/chain-limits', { default: { max_depth: 3 } })
    let parent = await started(cost('0.01'))
    expect(parent).toMatchObject({ depth: 1, chain_id: expect.stringMatching(/^chn_/) })
    for (const depth of [2, 3]) {
      parent = await started({ ...cost('0.01'), parent_run_id: parent.id })
      expect(parent.depth).toBe(depth)
    }
    const before = await org.allowances()
    const refused = await start({ ...cost('0.01'), parent_run_id: parent.id })
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBeNull()
    expect(refused.json.error).toMatchObject({
      code: 'chain_budget_exceeded',
      details: { reason: 'depth', current: 3, attempted: 4, limit: 3 },
    })
    expect(await org.allowances()).toEqual(before)
  })

  test('is bounded in tokens along all of its runs, together with what is held', async () => {
    const { org, start, started } = await chained()
    await org.set('PUT', '/chain-limits', { workflows: [{ workflow_id: 'w', max_tokens: 100 }] })
    const tokens = (input: number) => ({ input_tokens: input, max_output_tokens: 10, workflow_id: 'w' })
    const root = await started({ ...tokens(30), chain_id: 'mine' })
    await started({ ...tokens(40), chain_id: 'mine' })
    const refused = await start({ ...tokens(1), parent_run_id: root.id })
    expect(refused.status).toBe(429)
    expect(refused.json.error?.details).toMatchObject({ reason: 'tokens', current: 90, attempted: 11, limit: 100 })
    await org.post(`/v1/runs/${root.id}/finish`, { status: 'succeeded', input_tokens: 5, output_tokens: 5 })
    await started({ ...tokens(1), parent_run_id: root.id })
    // Another chain has a budget of its own.
    await started({ ...tokens(90), chain_id: 'other' })
  })

  test('keeps the bounds of its first run; a run may ask for tighter ones, not for looser', async () => {
    const { org, start, started } = await chained()
    await org.set('PUT', '/chain-limits', { default: { max_cost_usd: '0.5' } })
    await started({ ...cost('0.1'), chain_id: 'a', chain_limits: { max_cost_usd: '100' } })
    expect((await start({ ...cost('0.45'), chain_id: 'a' })).status).toBe(402)
    await started({ ...cost('0.1'), chain_id: 'b', chain_limits: { max_cost_usd: '0.2' } })
    expect((await start({ ...cost('0.15'), chain_id: 'b' })).status).toBe(402)
    await org.set('PUT', '/chain-limits', { default: { max_cost_usd: '9' } })
    expect((await start({ ...cost('0.45'), chain_id: 'a' })).status).toBe(402)
    await started({ ...cost('5'), chain_id: 'c' })
  })

  test('needs a parent that is in it', async () => {
    const { start, started } = await chained()
    const other = await money.org()
    const foreign = (await other.post('/v1/runs', { model: 'gpt-4o', ...cost('0.01'), chain_id: 'f' })).json['id']
    const inA = await started({ ...cost('0.01'), chain_id: 'a' })
    const alone = await started(cost('0.01'))
    const refused = async (body: object) => {
      const { status, json } = await start({ ...cost('0.01'), ...body })
      expect(status).toBe(422)
      return (json.error!.details as { fields: { field: string; message: string }[] }).fields[0]!
    }
    for (const parent_run_id of ['run_01jfb5nb4pexxbskpk0846kr2q', foreign, 'nonsense'])
      expect((await start({ ...cost('0.01'), parent_run_id })).json.error).toMatchObject({ code: 'not_found' })
    expect((await refused({ parent_run_id: inA.id, chain_id: 'b' })).field).toBe('parent_run_id')
    expect((await refused({ parent_run_id: alone.id })).field).toBe('parent_run_id')
  })

  test('is shown as a tree, with what each part cost', async () => {
    const { org, started, chain } = await chained()
    const root = await started({ ...cost('0.5'), chain_id: 'a/b ü', chain_limits: { max_cost_usd: '2' } })
    const child = await started({ ...cost('0.2'), parent_run_id: root.id })
    await org.post(`/v1/runs/${child.id}/finish`, { status: 'succeeded', cost_usd: '0.25' })
    const shown = await chain('a/b ü')
    expect(JSON.stringify(shown)).toContain(child.id)
    expect(shown).toMatchObject({ chain_id: 'a/b ü' })
    expect((await call(money.server.url, 'GET', '/v1/chains/none', { key: org.key })).status).toBe(404)
  })

  test('limits are replaced as a whole, and shown as they were set', async () => {
    const { org } = await chained()
    const set = {
      default: { max_cost_usd: '1.5', max_depth: 4 },
      workflows: [{ workflow_id: 'w', max_tokens: 10 }],
    }
    expect(await org.set('PUT', '/chain-limits', set)).toMatchObject({
      default: { max_cost_usd: '1.5', max_depth: 4, max_tokens: null },
      workflows: [{ workflow_id: 'w', max_tokens: 10, max_cost_usd: null, max_depth: null }],
    })
    expect(await org.set('PUT', '/chain-limits', {})).toMatchObject({ default: null, workflows: [] })
    const twice = await org.ask('PUT', '/chain-limits', { workflows: [{ workflow_id: 'w' }, { workflow_id: 'w' }] })
    expect(twice.status).toBe(422)
  })
})
