import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useDatabase } from '../../../test/support/harness.ts'
import type { Caller } from '../../access/identity/identity.ts'
import { checkOf } from '../../contract/semantic-check.ts'
import { createLog } from '../../platform/infra/log.ts'
import { openSql, type Sql } from '../../platform/infra/sql.ts'
import { newUuid } from '../../values/id.ts'
import { secret } from '../../values/secret.ts'
import { getRateLimits, putRateLimits } from './rate-limits.ts'
import { RateLimitsInput } from './schema.ts'
import { callWindows } from './windows.ts'

describe('limits of an organization', () => {
  const database = useDatabase()
  const [orgId, otherId] = [newUuid(), newUuid()]
  let sql: Sql
  beforeAll(async () => {
    sql = openSql({
      url: secret(database.appUrl),
      maxConnections: 2,
      applicationName: 'test',
      log: createLog({ level: 'fatal', role: 'test' }),
    })
    await database.owner.query(`insert into orgs (id, name) values ($1, 'one'), ($2, 'other')`, [orgId, otherId])
  })
  afterAll(() => sql?.close())

  const put = (input: RateLimitsInput) => sql.asOrgs([orgId], (tx) => putRateLimits(tx, orgId, input))
  const get = (id = orgId) => sql.asOrgs([id], (tx) => getRateLimits(tx, id))

  test('are none until they are set, and then what was set', async () => {
    expect(await get()).toEqual({
      default_rates: true,
      read_rpm: null,
      on_unavailable: 'local',
      policies: [],
      updated_at: null,
    })
    const written = await put({
      read_rpm: 600,
      on_unavailable: 'deny',
      policies: [
        { kind: 'requests', per: 'org', amount: 999_999_999_999, window_seconds: 60 },
        { kind: 'tokens', per: 'model', match: 'gpt-5', amount: 5, window_seconds: 2_678_400 },
      ],
    })
    expect(written).toMatchObject({
      read_rpm: 600,
      on_unavailable: 'deny',
      policies: [
        { id: expect.stringMatching(/^rlp_/), kind: 'requests', per: 'org', match: null, amount: 999_999_999_999 },
        { kind: 'tokens', per: 'model', match: 'gpt-5', amount: 5, window_seconds: 2_678_400 },
      ],
      updated_at: expect.stringMatching(/\+00:00$/),
    })
    expect(await get()).toEqual(written)
    expect((await get(otherId)).policies).toEqual([])
  })

  test('are replaced as a whole, and a policy whose amount alone changes keeps its id', async () => {
    const before = await put({
      read_rpm: 1,
      policies: [
        { kind: 'requests', per: 'org', amount: 1, window_seconds: 60 },
        { kind: 'requests', per: 'key', amount: 1, window_seconds: 60 },
      ],
    })
    const after = await put({
      read_rpm: null,
      policies: [
        { kind: 'requests', per: 'org', match: null, amount: 2, window_seconds: 60 },
        { kind: 'quota', per: 'org', amount: 3, window_seconds: 60 },
      ],
    })
    expect(after).toMatchObject({ read_rpm: null, on_unavailable: 'local' })
    const idOf = (view: typeof after, kind: string, per: string) =>
      view.policies.find((policy) => policy.kind === kind && policy.per === per)?.id
    expect(idOf(after, 'requests', 'org')).toBe(idOf(before, 'requests', 'org'))
    expect(new Set(after.policies.map(({ amount }) => amount))).toEqual(new Set([2, 3]))
  })

  test('two changes at once leave what one of them set', async () => {
    const many = (amount: number): RateLimitsInput => ({
      read_rpm: amount,
      policies: [60, 120, 180].map((window_seconds) => ({ kind: 'requests', per: 'org', amount, window_seconds })),
    })
    for (let round = 0; round < 10; round++) {
      await Promise.all([put(many(1)), put(many(2))])
      const { read_rpm, policies } = await get()
      expect(policies.map(({ amount }) => amount)).toEqual([read_rpm, read_rpm, read_rpm])
    }
  })
})

describe('a policy that cannot mean anything is refused', () => {
  const check = checkOf(RateLimitsInput)!
  const valid = { kind: 'requests', per: 'org', amount: 1, window_seconds: 60 }
  test.each([
    [{ ...valid, match: 'read' }, 'policies.0.match'],
    [{ ...valid, per: 'route_class', match: 'reads' }, 'policies.0.match'],
    [{ ...valid, per: 'key', match: 'key_1' }, 'policies.0.match'],
    [{ ...valid, kind: 'tokens', per: 'route_class' }, 'policies.0.per'],
  ])('%j', (policy, field) => {
    expect(check({ read_rpm: null, policies: [policy] })).toEqual([
      { field, code: 'invalid_value', message: expect.any(String) },
    ])
  })

  test('the second of two that limit the same', () => {
    const policies = [valid, { ...valid, window_seconds: 61 }, { ...valid, match: null, amount: 9 }]
    expect(check({ read_rpm: null, policies }).map(({ field }) => field)).toEqual(['policies.2'])
  })
})

test('tokens, and requests per model, are counted where the model is known', () => {
  const policy = { id: '', match: null, amount: 10, window_seconds: 60 }
  const caller = {
    id: newUuid(),
    ratePolicies: [
      { ...policy, kind: 'tokens', per: 'org' },
      { ...policy, kind: 'requests', per: 'model' },
      { ...policy, kind: 'tokens', per: 'model', match: 'other' },
      { ...policy, kind: 'requests', per: 'org' },
    ],
  } as unknown as Caller
  expect(callWindows(caller, 'gpt-5', 700)).toMatchObject([
    { name: 'tokens-org-60s', cost: 700 },
    { name: 'requests-model-60s', subject: 'gpt-5', cost: 1 },
  ])
})
