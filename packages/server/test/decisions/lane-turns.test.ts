import { beforeAll, describe, expect, test } from 'vitest'
import { costing, type MoneyOrg, useMoney } from '../support/money.ts'

const money = useMoney({ SVC_LANES: '1' })
const callers = 64

let heavy: MoneyOrg
let light: MoneyOrg

/** An organization from before there was a limit to the budgets of one scope. */
beforeAll(async () => {
  heavy = await money.org()
  light = await money.org()
  await heavy.rows(`
    insert into limits (org_id, id, kind, name, scope_kind, unit, amount, period, timezone, enforcement)
    select $1, gen_random_uuid(), 'budget', 'b', 'org', 'usd', 1000000000000, 'year', 'UTC', 'block'
      from generate_series(1, 1000)`)
  await heavy.rows('update org_ledgers set config_version = config_version + 1 where org_id = $1')
  await light.budget('1000')
  // Both are known to the process, and the rows of the first are made.
  await heavy.hold('0.01')
  await light.hold('0.01')
})

describe('a lane that two organizations share', () => {
  test('lets one whose decisions are a thousand times heavier wait for itself', async () => {
    const done: unknown[] = []
    const first = Promise.withResolvers<void>()
    const asked = Array.from({ length: callers }, async () => {
      const answer = await heavy.decide(costing('0.01'))
      if (answer.status === 200) done.push(answer)
      first.resolve()
      return answer
    })
    await first.promise
    const doneBefore = done.length
    const passed: number[] = []
    for (let i = 0; i < 5; i++) {
      const before = done.length
      expect((await light.decide(costing('0.01'))).status).toBe(200)
      passed.push(done.length - before)
    }
    // A decision of the light one waits for the transaction that is on its way, and goes with or before the next.
    expect(doneBefore).toBeLessThan(callers / 4)
    for (const count of passed) expect(count).toBeLessThanOrEqual(4)
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
    expect(statuses).toContain(200)
  })
})
