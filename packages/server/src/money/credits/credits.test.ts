import { sql as raw } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useServer } from '../../../test/support/harness.ts'
import { faultsOf, refusalOf, useLimits } from '../../../test/support/limits.ts'
import { formatId, newUuid, requireId } from '../../values/id.ts'
import type { OrgLimits, Pack } from '../ledger/ledger.ts'
import { creditsKind, loadPacks } from './credits.ts'

const server = useServer()
const limits = useLimits(server)
const pathOf = (customer: string) => `/customers/${encodeURIComponent(customer)}/credit-packs`
const give = async (customer: string, more: object = {}) =>
  (await limits.ask('POST', pathOf(customer), { amount_usd: '25', ...more })).json
const uuidOf = ({ id }: Record<string, unknown>) => requireId('creditPack', String(id))
const voidPath = ({ id }: Record<string, unknown>) => `/credit-packs/${String(id)}/void`
const packsOf = async (customer: string) =>
  (await limits.ask('GET', `${pathOf(customer)}?sort=created_at`, undefined, limits.viewer)).json['data'] as Record<
    string,
    unknown
  >[]

describe('a pack of credits', () => {
  test('is what was asked for, with nothing drawn', async () => {
    const { status, json } = await limits.ask('POST', pathOf('c 1'), {
      amount_usd: '25.50',
      name: 'Welcome',
      priority: 0,
      expires_at: '2100-01-01T02:00:00+02:00',
    })
    expect(status).toBe(201)
    expect(json).toEqual({
      id: expect.stringMatching(/^crp_/),
      customer_id: 'c 1',
      name: 'Welcome',
      amount_usd: '25.5',
      spent_usd: '0',
      held_usd: '0',
      remaining_usd: '25.5',
      refused_count: 0,
      exhausted_at: null,
      priority: 0,
      expires_at: '2100-01-01T00:00:00.000+00:00',
      status: 'active',
      voided_at: null,
      created_at: expect.any(String),
      updated_at: json['created_at'],
    })
    expect(await packsOf('c 1')).toEqual([json])
    expect((await limits.recorded('credit_pack.created'))[0]).toMatchObject({ target: { id: json['id'] }, after: json })
    expect(await give('c2')).toMatchObject({ name: null, priority: 100, expires_at: null })
  })

  test('says how much of it is drawn, and when it is used up', async () => {
    const pack = await give('used')
    await limits.book(uuidOf(pack), { spent: 20_000_000_000n, held: 5_000_000_000n })
    expect(await packsOf('used')).toMatchObject([
      { spent_usd: '20', held_usd: '5', remaining_usd: '0', status: 'active' },
    ])
    await limits.book(uuidOf(pack), { spent: 25_000_000_001n })
    expect(await packsOf('used')).toMatchObject([{ spent_usd: '25.000000001', remaining_usd: '0', status: 'depleted' }])
  })

  test('has nothing more to give once its time is over', async () => {
    const pack = await give('expired', { expires_at: '2100-01-01T00:00:00Z' })
    await limits.query(
      (orgId) => raw`update packs set expires_at = now() where org_id = ${orgId} and id = ${uuidOf(pack)}`,
    )
    expect(await packsOf('expired')).toMatchObject([{ status: 'expired', amount_usd: '25', remaining_usd: '0' }])
  })

  test('that has expired is not voided, and stays what it is', async () => {
    const pack = await give('expired-first')
    await limits.query(
      (orgId) => raw`update packs set expires_at = now() where org_id = ${orgId} and id = ${uuidOf(pack)}`,
    )
    const refused = await limits.ask('POST', voidPath(pack))
    expect([refused.status, refused.json.error]).toMatchObject([409, { code: 'conflict', details: {} }])
    expect(await packsOf('expired-first')).toMatchObject([{ status: 'expired', voided_at: null }])
  })

  test('is voided once, however often that is asked', async () => {
    const pack = await give('voided')
    await limits.book(uuidOf(pack), { spent: 1_000_000_000n, held: 2n })
    const { status, json } = await limits.ask('POST', voidPath(pack))
    expect(status).toBe(200)
    expect(json).toMatchObject({
      status: 'voided',
      voided_at: json['updated_at'],
      spent_usd: '1',
      held_usd: '0.000000002',
      remaining_usd: '0',
    })
    const again = await limits.ask('POST', voidPath(pack))
    expect([again.status, again.json]).toEqual([200, json])
    expect(await limits.recorded('credit_pack.voided')).toMatchObject([{ target: { id: pack['id'] }, after: json }])
  })

  test('names every fault of what is asked', async () => {
    const faults = async (body: object) => faultsOf(await limits.ask('POST', pathOf('c3'), body))
    const good = { amount_usd: '1' }
    expect(await faults({})).toEqual(['amount_usd: required'])
    expect(await faults({ amount_usd: '0' })).toEqual(['amount_usd: out_of_range'])
    expect(await faults({ amount_usd: '0.000000000' })).toEqual(['amount_usd: out_of_range'])
    expect(await faults({ amount_usd: null })).toEqual(['amount_usd: invalid_type'])
    expect(await faults({ amount_usd: '-1' })).toEqual(['amount_usd: out_of_range'])
    expect(await faults({ ...good, name: '' })).toEqual(['name: empty'])
    expect(await faults({ ...good, priority: -1 })).toEqual(['priority: out_of_range'])
    expect(await faults({ ...good, priority: 1_001 })).toEqual(['priority: out_of_range'])
    expect(await faults({ ...good, expires_at: 'soon' })).toEqual(['expires_at: invalid_format'])
    expect(await faults({ ...good, expires_at: '2100-01-01' })).toEqual(['expires_at: invalid_format'])
    expect(await faults({ ...good, expires_at: '2099-12-31T23:59:60Z' })).toEqual(['expires_at: invalid_format'])
    expect(await faults({ ...good, expires_at: '9999-12-31T23:59:59-12:00' })).toEqual(['expires_at: invalid_format'])
    expect(await faults({ ...good, expires_at: '2020-01-01T00:00:00Z' })).toEqual(['expires_at: out_of_range'])
    expect(await packsOf('c3')).toEqual([])
  })

  test('is given and voided by admins of its organization only', async () => {
    const pack = await give('c4')
    expect(await limits.refusals('POST', pathOf('c4'), { amount_usd: '1' })).toEqual(['forbidden', 'not_found'])
    expect(await limits.refusals('POST', voidPath(pack))).toEqual(['forbidden', 'not_found'])
    expect((await limits.ask('GET', pathOf('c4'), undefined, limits.bob.key)).status).toBe(404)
    expect((await limits.ask('POST', voidPath({ id: formatId('creditPack', newUuid()) }))).status).toBe(404)
    expect((await limits.ask('POST', voidPath({ id: 'nonsense' }))).status).toBe(404)
  })

  test('of the organization itself is no credit of a customer', async () => {
    const topUp = (await limits.admin('POST', '/quota/top-ups', { amount_usd: '1' })).json
    const id = formatId('creditPack', requireId('topUp', String(topUp['id'])))
    expect((await limits.ask('POST', voidPath({ id }))).status).toBe(404)
  })

  test('is listed with the customer’s others, page after page', async () => {
    const ids: unknown[] = []
    for (let i = 0; i < 3; i++) ids.push((await give('many'))['id'])
    const { json: first } = await limits.ask('GET', `${pathOf('many')}?sort=-created_at&limit=2`)
    const { json: last } = await limits.ask(
      'GET',
      `${pathOf('many')}?sort=-created_at&limit=2&cursor=${String(first['next_cursor'])}`,
    )
    const seen = [first, last].flatMap((page) => (page['data'] as { id: string }[]).map(({ id }) => id))
    expect(seen).toEqual(ids.toReversed())
    const orgId = requireId('org', limits.acme.id)
    const loaded = await server.platform.sql.asOrgs([orgId], (tx) => loadPacks(tx, orgId, 'many'))
    expect(loaded).toHaveLength(3)
    expect(loaded[0]).toMatchObject({ amount: 25_000_000_000n, priority: 100, expiresAtMs: null, voidedAtMs: null })
  })
})

describe('as a limit', () => {
  const nowMs = Date.parse('2026-11-15T12:00:00Z')
  const org: OrgLimits = { version: 1n, limits: [], customerDefault: null, topUps: [] }
  const charge = { usd: 1n, tokens: 1n, runs: 1n, customerId: 'c1' }
  const pack = (more: Partial<Pack> = {}): Pack => ({
    id: newUuid(),
    owner: 'c1',
    amount: 250_000_000n,
    priority: 100,
    expiresAtMs: null,
    voidedAtMs: null,
    createdAtMs: nowMs - 1_000,
    ...more,
  })
  const bound = (packs: Pack[], more: object = {}) =>
    creditsKind.bind({ ...charge, ...more }, org, { own: null, packs }, nowMs)

  test('draws on what is in force: by priority, then what ends first, then what is oldest', () => {
    const packs = [
      pack({ priority: 200 }),
      pack({ createdAtMs: nowMs }),
      pack({}),
      pack({ expiresAtMs: nowMs + 2 }),
      pack({ expiresAtMs: nowMs + 1 }),
      pack({ expiresAtMs: nowMs }),
      pack({ voidedAtMs: nowMs - 1 }),
      pack({ priority: 0 }),
    ]
    const [claim, ...more] = bound(packs)
    expect(more).toEqual([])
    expect(claim).toMatchObject({ unit: 'usd', mode: 'draw' })
    expect(claim!.allowances.map(({ key }) => key)).toEqual([7, 4, 3, 2, 1, 0].map((i) => packs[i]!.id))
    expect(claim!.allowances[0]).toMatchObject({ kind: 'credits', subject: 'c1', period: null, limit: 250_000_000n })
    expect(creditsKind.surfaces.includes('edge')).toBe(false)
  })

  test('binds nobody without a pack in force', () => {
    expect(bound([])).toEqual([])
    expect(bound([pack({ voidedAtMs: 1 }), pack({ expiresAtMs: nowMs })])).toEqual([])
    expect(bound([pack()], { customerId: undefined })).toEqual([])
    expect(creditsKind.bind(charge, org, undefined, nowMs)).toEqual([])
  })

  test('is refused with what is there and what was asked', () => {
    const refusal = refusalOf(bound([pack()])[0]!, {}, { available: 250_000_000n, attempted: 400_000_001n })
    expect(creditsKind.refuse(refusal)).toMatchObject({
      code: 'credits_exhausted',
      status: 402,
      details: { available_usd: '0.25', attempted_usd: '0.400000001' },
    })
  })
})

describe('the packs of one customer', () => {
  const insert = (customer: string, count: number, more = raw`null`) =>
    limits.query(
      (orgId) => raw`
        insert into packs (org_id, owner, id, name, amount, expires_at)
        select ${orgId}, ${customer}, gen_random_uuid(), '', 1, ${more} from generate_series(1, ${count}::integer)`,
    )

  test('are at most 100 in force: voiding one that is used up makes room', async () => {
    await insert('rich', 99)
    const pack = await give('rich')
    expect(pack['id']).toBeDefined()
    expect((await limits.ask('POST', pathOf('rich'), { amount_usd: '1' })).json.error).toEqual({
      code: 'conflict',
      message: 'A customer has at most 100 credit packs in force, used-up ones included. Void those that are used up.',
      details: {},
    })
    expect((await limits.ask('POST', voidPath(pack))).status).toBe(200)
    expect((await give('rich'))['id']).toBeDefined()
    expect((await give('somebody else'))['id']).toBeDefined()
  })

  test('that have expired leave room, up to a thousand altogether', async () => {
    await insert('old', 998, raw`clock_timestamp() - interval '1 day'`)
    expect((await give('old'))['id']).toBeDefined()
    expect((await give('old'))['id']).toBeDefined()
    expect((await limits.ask('POST', pathOf('old'), { amount_usd: '1' })).status).toBe(409)
  })
})
