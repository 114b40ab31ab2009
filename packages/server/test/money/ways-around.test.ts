import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { addRule } from '../support/governed.ts'
import { type MoneyOrg, refusalIn, useMoney } from '../support/money.ts'
import { call, keyOf } from '../support/tenants.ts'

/**
 * Ways round a limit that a penetration test has found, one by one: each is refused or counted. Most are proved where the rule is; here
 * stands which test does, and what no other test says.
 */

const money = useMoney()

const nothing = { model: 'gpt-4o', input_tokens: 0, max_output_tokens: 0 }
const strict = { reported_cost: 'ignore', reported_usage: 'raise_only', edge_expiry: 'charge', release: 'refuse' }

async function agentOf(org: MoneyOrg, trust: object = strict) {
  await org.set('PUT', '/trust', trust)
  const { key } = await keyOf(money.server, org.id, { role: 'service', scopes: ['edge:decide', 'runs:write'] })
  return (path: string, body: object) => call(money.server.url, 'POST', path, { key, body })
}

describe('is proved elsewhere:', () => {
  test.each([
    ['no tokens under a limit of nothing', 'full-limits', 'a limit of nothing refuses a call that says it needs'],
    ['no tokens under a limit that is spent', 'full-limits', 'a limit that is spent refuses every call that has a'],
    ['a minimum of zero', 'full-limits', 'a minimum of zero is not a way around'],
    ['a model spelled otherwise', 'model-spellings', 'spelled %j is held and charged at its price'],
    ['a dearer model that ran', 'model-spellings', 'and the dearer one when it names that'],
    ['a free name behind a dear one', 'model-spellings', 'of one’s own that is free is not to be had under'],
    ['a model without a price', 'model-spellings', 'without a price is refused with the nearest name'],
    ['a rule on a model', 'model-spellings', 'a rule on the name of a model is passed by no spelling'],
    ['a rate on a model', 'model-spellings', 'a rate per model counts every spelling of it'],
    ['a short lease', 'trust', 'lives at least as long as the settings say'],
    ['a lease that ends without a report', 'trust', 'is charged and recorded on the account of its key'],
    ['a release after use', 'trust', 'is not released by hand where that is refused'],
    ['a report after a release', 'trust', 'of a reservation that was released is booked as late'],
    ['an estimate of nothing', 'trust', 'an estimate lowers no hold of a key whose word'],
    ['a reported cost of nothing', 'trust', 'of a reservation or of a run without one is judged in the'],
    ['reported tokens of nothing', 'trust', 'that says %s charges no less than was held'],
    ['a report of nothing after the end of a lease', 'trust', 'after the end of a lease takes back nothing'],
    ['a report above the limit', 'trust', 'a run without a reservation that is above its limit'],
    ['a long call', 'service-tiers', 'a long call is held and charged at the rates of its length'],
    ['an id spelled otherwise', 'spellings', 'of a %s refuses it under every spelling, at the edge, as a run'],
    ['a customer or a tag spelled otherwise', 'spellings', 'of a customer, a tag, and two scopes together as well'],
    ['a customer without credits, spelled otherwise', 'spellings', 'exhausted credits are exhausted under every'],
    ['a blank for a required dimension', 'spellings', 'required dimensions are not satisfied by what names'],
    ['a fresh default limit by another spelling', 'spellings', 'a default limit is one limit for all spellings'],
    ['an id that nobody knows', 'dimensions', 'let their spellings pass and nothing else'],
    ['an action spelled otherwise', 'spellings', '%s is about the action refund, however anybody spells it'],
    ['no action', 'modes', 'an action does not start one with'],
    ['no input for the detectors', 'modes', 'their input does not start one with'],
    ['the edge and bulk, which ask no rules', 'modes', 'is refused at the edge and in bulk'],
  ])('%s', (_way, file, name) => {
    expect(readFileSync(new URL(`./${file}.test.ts`, import.meta.url), 'utf8')).toContain(name)
  })
})

test('calls that declare one token each and use many are counted as they are, and the first one that is reported ends them', async () => {
  const org = await money.org()
  const budget = await org.budget('0.05')
  const post = await agentOf(org)
  const asked = { model: 'gpt-4o', input_tokens: 1, max_output_tokens: 1 }
  const started = await Promise.all(Array.from({ length: 20 }, () => post('/v1/runs', asked)))
  expect(started.map(({ json }) => json['reserved_usd'])).toEqual(Array.from({ length: 20 }, () => '0.001'))
  const used = { status: 'succeeded', input_tokens: 100_000, output_tokens: 100_000 }
  for (const { json } of started) expect((await post(`/v1/runs/${String(json['id'])}/finish`, used)).status).toBe(200)
  expect(await org.readBudget(budget.id)).toMatchObject({ spent_usd: '25', overrun_usd: '24.98' })
  expect(refusalIn(await post('/v1/runs', asked))).toMatchObject({ code: 'budget_exceeded' })
})

test('a chain whose tokens are used up ends, also for calls that say they need none', async () => {
  const org = await money.org()
  await org.set('PUT', '/chain-limits', { default: { max_tokens: 100 } })
  const post = await agentOf(org)
  const { json } = await post('/v1/runs', { ...nothing, chain_id: 'c' })
  const used = { status: 'succeeded', input_tokens: 100, output_tokens: 100 }
  await post(`/v1/runs/${String(json['id'])}/finish`, used)
  expect(refusalIn(await post('/v1/runs', { ...nothing, chain_id: 'c' }))).toMatchObject({
    reason: 'tokens',
    limit: 100,
  })
})

test('a rate of tokens counts a call that says it needs none', async () => {
  const org = await money.org()
  const policy = { kind: 'tokens', per: 'org', amount: 3, window_seconds: 3_600 }
  await org.setAsOperator('PUT', '/rate-limits', { read_rpm: null, policies: [policy] })
  const post = await agentOf(org)
  const statuses: number[] = []
  for (let i = 0; i < 5; i++) statuses.push((await post('/v1/edge/decision', nothing)).status)
  expect(statuses).toEqual([200, 200, 200, 429, 429])
})

test('a grant of one cent admits no call that says it costs nothing and could cost more', async () => {
  const org = await money.org()
  await addRule(org, { effect: 'require_approval', reason: 'Ask first.' })
  const post = await agentOf(org)
  const cheap = { model: 'gpt-4o', input_tokens: 1, max_output_tokens: 1 }
  const asked = await post('/v1/runs', cheap)
  const approval = String(asked.json.error?.details['approval_id'])
  const approver = (await keyOf(money.server, org.id, { role: 'admin' })).key
  const grant = { max_amount_usd: '0.01' }
  expect((await org.ask('POST', `/approvals/${approval}/approve`, grant, approver)).status).toBe(200)
  const free = { model: 'gpt-4o', estimated_cost_usd: '0' }
  expect(refusalIn(await post('/v1/runs', free))).toMatchObject({ code: 'policy_approval_required' })
  const { json: run } = await post('/v1/runs', cheap)
  const { json } = await post(`/v1/runs/${String(run['id'])}/finish`, { status: 'succeeded', cost_usd: '50' })
  expect(json).toMatchObject({ cost_usd: '0.001', cost_basis: 'estimated' })
})

test('a run without a chain of its own is counted by the limits of everything else', async () => {
  const org = await money.org()
  await org.set('PUT', '/chain-limits', { default: { max_cost_usd: '0.01' } })
  await org.budget('0.02')
  const post = await agentOf(org)
  const asked = { model: 'gpt-4o', input_tokens: 0, max_output_tokens: 900 }
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) statuses.push((await post('/v1/runs', asked)).status)
  expect(statuses).toEqual([201, 201, 402, 402])
})
