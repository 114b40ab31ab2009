import { describe, expect, test } from 'vitest'
import { foldDeltas } from '../../src/records/usage/rollup.ts'
import { checkRuns } from '../../src/runs/reconciliation/reconciliation.ts'
import { parseId } from '../../src/values/id.ts'
import { type MoneyOrg, useMoney, verifyBooks } from '../support/money.ts'

const money = useMoney()
const dayMs = 86_400_000

const bulk = async (org: MoneyOrg, runs: readonly object[], more: object = {}) => {
  const { status, json } = await org.post('/v1/runs/bulk', { runs, ...more })
  expect([status, json.error]).toEqual([200, undefined])
  return (json['results'] as { run_id: string }[]).map(({ run_id }) => run_id)
}

const start = async (org: MoneyOrg, more: object = {}) =>
  (await org.post('/v1/runs', { model: 'gpt-4o-mini', input_tokens: 1_000, max_output_tokens: 1_000, ...more })).json[
    'id'
  ] as string

const finish = (org: MoneyOrg, id: string, end: object) =>
  org.post(`/v1/runs/${id}/finish`, { status: 'succeeded', ...end })
const tokens = { input_tokens: 700, output_tokens: 300 }

/** An organization in which runs have ended in every way that there is. */
async function livelyOrg() {
  const org = await money.org()
  const budget = await org.budget('100')
  const plan = { name: 'p', runs_per_month: null, tokens_per_month: 1_000_000_000, overage_policy: 'block' }
  await org.setAsOperator('PUT', '/plan', plan)
  await org.set('POST', '/customers/c/credit-packs', { amount_usd: '5' })
  const labels = { workflow_id: 'a', customer_id: 'c' }

  const measured = await start(org, labels)
  await finish(org, measured, tokens)
  await finish(org, await start(org, labels), { cost_usd: '0.5', value_usd: '3' })
  await finish(org, await start(org), { status: 'failed' })
  await finish(org, await start(org, { provider: 'openai' }), { model: 'gpt-4o', ...tokens })
  const expired = await start(org, labels)
  await org.rows(
    `update holds set expires_at = clock_timestamp() - interval '6 seconds' where org_id = $1 and id = $2`,
    parseId('run', expired),
  )
  const empty = await org.set('POST', '/budgets', { name: 'n', scope_kind: 'org', limit_usd: '0', period: 'month' })
  await start(org)
  await org.ask('DELETE', `/budgets/${String(empty['id'])}`)
  await finish(org, expired, tokens)

  const reservation_id = await org.hold('0.2', labels)
  const late = await org.hold('0.2')
  await bulk(org, [
    { reservation_id, ...tokens },
    {
      reservation_id: late,
      cost_usd: '0.7',
      model: 'other',
      started_at: new Date(Date.now() - 3 * dayMs).toISOString(),
    },
    { run_id: await start(org), ...tokens, status: 'cancelled' },
    { model: 'gpt-4o', cost_usd: '1', ...labels },
    { model: 'gpt-4o', ...tokens, started_at: new Date(Date.now() - 80 * dayMs).toISOString() },
  ])
  await bulk(org, [{ model: 'gpt-4o', cost_usd: '500' }], { enforce: false })
  await org.set('POST', '/ledger/adjustments', { limit_id: budget.id, amount_usd: '-1', reason: 'refund' })
  // Prices that change later change nothing that was settled.
  await org.set('PUT', '/prices', {
    prices: [{ model: 'gpt-4o', input_usd_per_million: '99', output_usd_per_million: '99' }],
  })
  return { org, measured }
}

/** Counts the usage of a name as that of others, as it is where there are too many names. */
const renamed = (table: string, column: string) =>
  `update ${table} set ${column} = '(other)' where org_id = $1 and ${column} <> ''`

const faultsIn = async (org: MoneyOrg, after = 0n, isComplete = true) => {
  const { sql, clock } = money.server.platform
  return checkRuns(sql, clock)(org.uuid, { after, isComplete })
}

describe('`verify` compares runs and usage with the ledger', () => {
  test('and finds nothing where runs have ended in every way', async () => {
    const { org } = await livelyOrg()
    expect(await faultsIn(org)).toEqual([])
    expect(await faultsIn(org, 0n, false)).toEqual([])
    expect(await verifyBooks(money.server.database)).toMatchObject({ code: 0, faults: [] })
    await foldDeltas(money.server.platform)
    expect(await faultsIn(org)).toEqual([])
    // Names that are too many are told together; their sums are still those of the runs.
    await org.rows(renamed('usage_15m', 'workflow_id'))
    await org.rows(renamed('usage_customer_days', 'customer_id'))
    expect(await faultsIn(org)).toEqual([])
  })

  const moveUsage = (change: string) =>
    `with wrong as (select * from runs where org_id = $1 and id = $2)
     update usage_deltas d set ${change} from wrong w
      where d.org_id = $1 and d.model = w.model and d.workflow_id = coalesce(w.workflow_id, '') and d.runs = 1 and d.customer_id is null
        and d.cost_nano = w.cost_nano`

  test.each([
    [
      'an ended run that lost what its finish said',
      /used 2000 tokens, the ledger counts 1000/,
      [
        moveUsage('input_tokens = 0, output_tokens = 0'),
        `update runs set input_tokens = null, output_tokens = null, cost_basis = 'reported' where org_id = $1 and id = $2`,
      ],
    ],
    [
      'a run that is recorded with another label than it was charged with',
      /recorded with workflow_id "b", and was charged with "a"/,
      [moveUsage(`workflow_id = 'b'`), `update runs set workflow_id = 'b' where org_id = $1 and id = $2`],
    ],
    [
      'a run of another model at the price of the one that was asked for',
      /of gpt-4o costs/,
      [moveUsage(`model = 'gpt-4o'`), `update runs set model = 'gpt-4o' where org_id = $1 and id = $2`],
    ],
    [
      'a run that costs something else than was charged',
      /the run costs \d+, the ledger says \d+/,
      ['update runs set cost_nano = cost_nano + 1 where org_id = $1 and id = $2'],
    ],
    ['a settlement whose run is gone', /has no run/, ['delete from runs where org_id = $1 and id = $2']],
    ['usage that counts a run twice', /has 1 runs, .* more than the runs/, [moveUsage('runs = d.runs + 1')]],
  ])('and finds %s', async (_, what, changes) => {
    const org = await money.org()
    await org.setAsOperator('PUT', '/plan', {
      name: 'p',
      runs_per_month: null,
      tokens_per_month: 1_000_000_000,
      overage_policy: 'block',
    })
    const id = await start(org, { workflow_id: 'a' })
    await finish(org, id, tokens)
    expect(await faultsIn(org)).toEqual([])
    money.tampered.add(org.uuid)
    for (const change of changes) await org.rows(change, parseId('run', id))
    for (const isComplete of [true, false]) {
      const faults = await faultsIn(org, 0n, isComplete)
      expect(faults.filter((fault) => what.test(fault.what)).length).toBeGreaterThan(0)
      expect(faults.every(({ driftNano }) => driftNano > 0n)).toBe(true)
    }
    // What was checked before is not looked at again.
    const settled = faultsOfRuns(await faultsIn(org, 10n, false))
    expect(settled).toEqual([])
    const { code, faults } = await verifyBooks(money.server.database)
    expect(code).toBe(1)
    expect(faults.some((fault) => fault.org_id === org.id && what.test(fault.what))).toBe(true)
  })
})

const faultsOfRuns = (faults: readonly { key: string }[]) => faults.filter(({ key }) => key.startsWith('run_'))
