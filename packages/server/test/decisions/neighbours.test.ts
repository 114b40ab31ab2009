import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { costing, type MoneyOrg, useMoney } from '../support/money.ts'

/** All organizations share one lane: whoever stalls it stalls everybody. */
const money = useMoney({ SVC_LANES: '1' })

/** Reservations of one second that nobody ends, made long ago. */
async function abandon(org: MoneyOrg, count: number, usd: string, more: Record<string, unknown> = {}) {
  for (let made = 0; made < count; ) {
    const size = Math.min(200, count - made)
    const answers = await Promise.all(Array.from({ length: size }, () => org.decide(costing(usd, more))))
    made += answers.filter(({ status }) => status === 200).length
  }
  await org.rows(`update holds set expires_at = clock_timestamp() - interval '1 hour' where org_id = $1`)
}

describe('without any worker', () => {
  test('leases that are over give their room back, however many another organization has left', {
    timeout: 240_000,
  }, async () => {
    const [careless, careful] = [await money.org(), await money.org()]
    await abandon(careless, 2_300, '0.001')
    await careful.budget('1')
    await abandon(careful, 8, '0.125')
    // Those of the other one are older.
    await careless.rows(`update holds set expires_at = clock_timestamp() - interval '2 hours' where org_id = $1`)
    expect((await careful.decide(costing('0.125'))).status).toBe(200)
    const bulk = await careful.post('/v1/runs/bulk', {
      runs: [{ model: 'gpt-4o', cost_usd: '0.8', started_at: new Date().toISOString() }],
    })
    expect(bulk.status, bulk.text).toBe(200)
  })

  test('an organization gets all of its room back, however many leases it has left itself', {
    timeout: 240_000,
  }, async () => {
    const org = await money.org()
    const spare = await org.budget('2.3')
    await abandon(org, 2_300, '0.001')
    await org.rows(`update holds set expires_at = clock_timestamp() - interval '2 hours'
                     where org_id = $1 and id not in (select id from holds where org_id = $1 order by id limit 150)`)
    // Only with the last of them ended there is room for this.
    expect((await org.decide(costing('2.29'))).status).toBe(200)
    expect(await org.readBudget(spare.id)).toMatchObject({ held_usd: '2.29', spent_usd: '0' })
  })

  test('runs that are recorded find all of it too', { timeout: 240_000 }, async () => {
    const org = await money.org()
    await org.budget('2.3')
    await abandon(org, 2_300, '0.001')
    const { status, text } = await org.post('/v1/runs/bulk', {
      runs: [{ model: 'gpt-4o', cost_usd: '2.3', started_at: new Date().toISOString(), external_id: 'all of it' }],
    })
    expect(status, text).toBe(200)
  })
})

describe('a name that another transaction is claiming', () => {
  test('keeps nobody waiting but the run that wants it', async () => {
    const [claimant, other] = [await money.org(), await money.org()]
    const start = (org: MoneyOrg, name: string) =>
      org.post('/v1/runs', { model: 'gpt-4o', estimated_cost_usd: '0.01', external_id: name })
    expect((await start(other, 'warm')).status).toBe(201)
    expect((await start(claimant, 'warm')).status).toBe(201)
    const [{ key }] = (await claimant.rows<{ key: string }>('select key from run_keys where org_id = $1')) as [
      { key: string },
    ]
    const named = (name: string) => key.replace('warm', name)

    const bulk = new pg.Client({ connectionString: money.server.database.ownerUrl })
    bulk.on('error', () => undefined)
    await bulk.connect()
    await bulk.query('set idle_in_transaction_session_timeout = 0')
    await bulk.query('begin')
    for (let i = 0; i < 20; i++)
      await bulk.query(
        `insert into run_keys (org_id, key, run_id, seen_on) values ($1, $2, gen_random_uuid(), current_date)`,
        [claimant.uuid, named(`name ${i}`)],
      )
    const window = { isOpen: true }
    const statuses = new Set<number>()
    // Few enough to stay within what one organization may have under way.
    const claiming = Array.from({ length: 12 }, async (_, caller) => {
      for (let i = caller; window.isOpen; i += 12) statuses.add((await start(claimant, `name ${i % 20}`)).status)
    })
    // While the names are held: everybody else is served, named starts and starts of the same organization included.
    try {
      for (let round = 0; round < 20; round++) {
        const answers = await Promise.all([
          other.decide(costing('0.01')),
          start(other, `own ${round}`),
          claimant.decide(costing('0.01')),
          start(claimant, `own ${round}`),
        ])
        expect(answers.map(({ status }) => status)).toEqual([200, 201, 200, 201])
      }
    } finally {
      window.isOpen = false
      await Promise.all(claiming)
    }
    const last = start(claimant, 'name 0')
    await bulk.query('rollback')
    await bulk.end()
    // Once it is free the name is had.
    expect((await last).status).toBe(201)
    expect([...statuses].filter((status) => status !== 201 && status !== 503)).toEqual([])
    expect(await money.metric('svc_lane_failures_total')).toBe(0)
  })
})
