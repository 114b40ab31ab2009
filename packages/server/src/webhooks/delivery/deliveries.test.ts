import { sql as raw } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { useServer } from '../../../test/support/harness.ts'
import { type Answer, call, operatorOf, tenantOf } from '../../../test/support/tenants.ts'
import { type EventKind, eventKinds } from '../../access/events/events.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuidAt, requireId } from '../../values/id.ts'
import { insertEvent, listDeliveries } from './delivery-queries.ts'
import type { DeliveryView } from './delivery-schema.ts'

const server = useServer({ environment: { SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32' } })
let operator: string
beforeAll(async () => {
  operator = (await operatorOf(server)).key
})

const minute = 60_000
const nowMs = Date.now()
const iso = (ms: number) => new Date(ms).toISOString()

/** An organization with a subscription, and what happened to it, written as the engine would. */
async function subscribed(more: object = {}) {
  const tenant = await tenantOf(server, operator)
  const orgId = requireId('org', tenant.id)
  const ask = (method: string, below: string, body?: unknown) =>
    call(server.url, method, `/v1/orgs/${tenant.id}/webhooks${below}`, {
      key: tenant.key,
      ...(body !== undefined && { body }),
    })
  const id = String((await ask('POST', '', { url: 'http://127.0.0.1/', ...more })).json['id'])
  const subscriptionId = requireId('subscription', id)
  const inOrg = <T>(work: (tx: Tx) => Promise<T>) => server.platform.sql.asOrgs([orgId], work)
  const event = (kind: EventKind, at: number) => ({ id: newUuidAt(at), kind, subject: 's', created_at: new Date(at) })
  return {
    tenant,
    orgId,
    id,
    ask: (method: string, below: string, body?: unknown) => ask(method, `/${id}${below}`, body),
    inOrg,
    happened: async (kind: EventKind, at: number) => {
      const made = event(kind, at)
      await inOrg((tx) => insertEvent(tx, orgId, { ...made, payload: '{"as":"it was"}' }))
      return made.id
    },
    delivery: async (
      state: 'pending' | 'delivered' | 'failed',
      at: number,
      { kind = 'key.created', eventId = newUuidAt(at) }: { kind?: EventKind; eventId?: string } = {},
    ) => {
      const deliveryId = newUuidAt(at)
      const row = {
        org_id: orgId,
        subscription_id: subscriptionId,
        id: deliveryId,
        event_id: eventId,
        kind,
        subject: 's',
        trigger: 'event',
        created_at: new Date(at),
        attempts: JSON.stringify([
          {
            at: iso(at),
            status: state === 'delivered' ? 204 : 503,
            error: null,
            error_message: null,
            latency_ms: 7,
            response: null,
          },
        ]),
      }
      await inOrg(async (tx) => {
        if (state === 'pending')
          await tx
            .insertInto('webhook_pending')
            .values({ ...row, ordered: false, next_attempt_at: new Date(at + minute) })
            .execute()
        else
          await tx
            .insertInto('webhook_deliveries')
            .values({ ...row, state, ended_at: new Date(at) })
            .execute()
      })
      return formatId('delivery', deliveryId)
    },
    pending: () =>
      inOrg((tx) => tx.selectFrom('webhook_pending').select(['event_id', 'kind', 'trigger', 'ordered']).execute()),
  }
}
const dataOf = ({ json }: Answer) => json['data'] as DeliveryView[]
const idsOf = (answer: Answer) => dataOf(answer).map(({ id }) => id)
const codeOf = ({ status, json }: Answer) => `${status} ${json.error?.code ?? ''}`
const faultsOf = ({ json }: Answer) =>
  (json.error!.details['fields'] as { field: string; code: string; message: string }[]).map(
    ({ field, code }) => `${field} ${code}`,
  )

describe('the list of deliveries', () => {
  test('has what is over and what is not, the newest first, page by page', async () => {
    const { ask, delivery } = await subscribed()
    const made = [
      await delivery('delivered', nowMs - 4 * minute),
      await delivery('pending', nowMs - 3 * minute),
      await delivery('failed', nowMs - 2 * minute),
      await delivery('pending', nowMs - minute),
    ]
    const all = await ask('GET', '/deliveries')
    expect(idsOf(all)).toEqual(made.toReversed())
    expect(idsOf(await ask('GET', '/deliveries?sort=created_at'))).toEqual(made)
    const at = (ms: number) => iso(ms).replace('Z', '+00:00')
    expect(dataOf(all)[3]).toEqual({
      id: made[0],
      event_id: expect.stringMatching(/^evt_/),
      type: 'key.created',
      status: 'delivered',
      trigger: 'event',
      attempts: [
        { at: at(nowMs - 4 * minute), status: 204, error: null, error_message: null, latency_ms: 7, response: null },
      ],
      event_count: 1,
      attempt_count: 1,
      next_attempt_at: null,
      created_at: at(nowMs - 4 * minute),
      ended_at: at(nowMs - 4 * minute),
    })
    expect(dataOf(all)[2]).toMatchObject({ status: 'pending', next_attempt_at: at(nowMs - 2 * minute), ended_at: null })

    for (const sort of ['created_at', '-created_at']) {
      const seen: string[] = []
      let cursor = ''
      do {
        const { json } = await ask('GET', `/deliveries?limit=1&sort=${sort}${cursor && `&cursor=${cursor}`}`)
        seen.push(...(json['data'] as DeliveryView[]).map(({ id }) => id))
        cursor = (json['next_cursor'] as string | null) ?? ''
      } while (cursor !== '')
      expect(seen).toEqual(sort === 'created_at' ? made : made.toReversed())
    }
  })

  test('is cut by state, kind and time', async () => {
    const { ask, delivery } = await subscribed()
    const old = await delivery('delivered', nowMs - 60 * minute)
    const failed = await delivery('failed', nowMs - 2 * minute, { kind: 'key.revoked' })
    const waiting = await delivery('pending', nowMs - minute)
    const list = async (query: string) => idsOf(await ask('GET', `/deliveries?${query}`))
    expect(await list('status=pending')).toEqual([waiting])
    expect(await list('status=delivered')).toEqual([old])
    expect(await list('status=failed')).toEqual([failed])
    expect(await list('type=key.revoked')).toEqual([failed])
    expect(await list('type=key.created')).toEqual([waiting, old])
    expect(await list('type=key.created&status=failed')).toEqual([])
    expect(await list(`from=${iso(nowMs - 2 * minute)}`)).toEqual([waiting, failed])
    expect(await list(`to=${iso(nowMs - 2 * minute)}`)).toEqual([old])
    expect(await list(`from=${iso(nowMs - 60 * minute)}&to=${iso(nowMs - minute)}`)).toEqual([failed, old])
  })

  test('refuses filters that mean nothing', async () => {
    const { ask } = await subscribed()
    const faults = async (query: string) => faultsOf(await ask('GET', `/deliveries?${query}`))
    expect(await faults('status=lost&type=key.creation')).toEqual(['status invalid_filter', 'type invalid_filter'])
    expect(await faults('from=2026-01-01&to=2027-01-02')).toEqual(['to out_of_range'])
    expect(await faults('from=2026-02-30')).toEqual(['from invalid_filter'])
    expect(await faults('cursor=forged')).toEqual(['cursor invalid_value'])
  })

  test('has each by its id, for as long as it waits and after', async () => {
    const { ask, delivery } = await subscribed()
    for (const state of ['pending', 'failed'] as const) {
      const id = await delivery(state, nowMs)
      expect((await ask('GET', `/deliveries/${id}`)).json).toMatchObject({ id, status: state, attempt_count: 1 })
    }
    expect((await ask('GET', `/deliveries/${formatId('delivery', newUuidAt(nowMs))}`)).status).toBe(404)
  })

  test('finds its page by an index on both sides', async () => {
    const { orgId, id, delivery, inOrg } = await subscribed()
    await delivery('pending', nowMs)
    await delivery('failed', nowMs)
    const page = { limit: 1, sort: 'created_at', descending: true, after: undefined }
    const scans = await inOrg(async (tx) => {
      // Small tables are read whole by preference; what matters is that the index can do it.
      await raw`set local enable_seqscan = off`.execute(tx)
      await listDeliveries(tx, orgId, requireId('subscription', id), page, { kind: 'key.created', from: new Date(0) })
      const { rows } = await raw<{ name: string; whole: bigint; indexed: bigint }>`
        select relname as name, seq_scan as whole, idx_scan as indexed from pg_stat_xact_user_tables
         where relname ~ '^webhook_(pending|deliveries)' and seq_scan + idx_scan > 0`.execute(tx)
      return rows
    })
    expect(scans.map(({ name }) => name.replace(/_\d+$/, ''))).toEqual(
      expect.arrayContaining(['webhook_pending', 'webhook_deliveries']),
    )
    expect(scans.filter(({ whole }) => whole > 0n)).toEqual([])
  })
})

describe('redelivery', () => {
  test('is a new delivery of the same event, and waits for no other', async () => {
    const { tenant, ask, delivery, happened, pending } = await subscribed({ ordered: true })
    const eventId = await happened('key.created', nowMs)
    for (const state of ['delivered', 'failed', 'pending'] as const) {
      const first = await delivery(state, nowMs, { eventId })
      const { status, json } = await ask('POST', `/deliveries/${first}/redeliver`)
      expect(status).toBe(200)
      expect(json).toMatchObject({
        event_id: formatId('event', eventId),
        type: 'key.created',
        status: 'pending',
        trigger: 'redelivery',
        attempts: [],
        event_count: 1,
        attempt_count: 0,
        ended_at: null,
      })
      expect(json['id']).not.toBe(first)
    }
    const made = (await pending()).filter(({ trigger }) => trigger === 'redelivery')
    expect(made).toEqual(
      Array.from({ length: 3 }, () => ({
        event_id: eventId,
        kind: 'key.created',
        trigger: 'redelivery',
        ordered: false,
      })),
    )
    const { json } = await call(server.url, 'GET', `/v1/orgs/${tenant.id}/audit-log?action=webhook.redelivered`, {
      key: tenant.key,
    })
    expect(json['data']).toHaveLength(3)
  })

  test('is refused where there is nothing to deliver or nobody to deliver to', async () => {
    const { ask, delivery, happened } = await subscribed()
    const other = await subscribed()
    const eventId = await happened('key.created', nowMs)
    const kept = await delivery('failed', nowMs, { eventId })
    const forgotten = await delivery('failed', nowMs)
    const again = (id: string) => ask('POST', `/deliveries/${id}/redeliver`)
    const refused = await again(forgotten)
    expect(refused.json.error).toMatchObject({ code: 'conflict', message: 'The event is no longer stored.' })
    expect(codeOf(await again(formatId('delivery', newUuidAt(nowMs))))).toBe('404 not_found')
    expect(codeOf(await other.ask('POST', `/deliveries/${kept}/redeliver`))).toBe('404 not_found')
    await ask('PATCH', '', { enabled: false })
    expect(codeOf(await again(kept))).toBe('409 conflict')
    expect(codeOf(await again(formatId('delivery', newUuidAt(nowMs))))).toBe('404 not_found')
  })
})

describe('a test event', () => {
  test('is an event of its own for this subscription, whatever it asks for', async () => {
    const { tenant, orgId, id, ask, inOrg, pending } = await subscribed({ events: ['org.suspended'] })
    const { status, json } = await ask('POST', '/test')
    expect(status).toBe(200)
    expect(json).toMatchObject({ type: 'webhook.test', status: 'pending', trigger: 'test', attempt_count: 0 })
    const eventId = requireId('event', String(json['event_id']))
    expect(await pending()).toEqual([{ event_id: eventId, kind: 'webhook.test', trigger: 'test', ordered: false }])
    const { payload } = await inOrg((tx) =>
      tx.selectFrom('events').select('payload').where('org_id', '=', orgId).executeTakeFirstOrThrow(),
    )
    expect(JSON.parse(payload)).toEqual({
      id: json['event_id'],
      type: 'webhook.test',
      created_at: expect.any(String),
      org_id: tenant.id,
      data: { subscription_id: id },
    })
    expect((await ask('GET', '')).json['health']).toMatchObject({ pending: 1 })
  })

  test('is refused while the subscription is disabled', async () => {
    const { ask, pending } = await subscribed({ enabled: false })
    const refused = await ask('POST', '/test')
    expect(refused.json.error).toMatchObject({
      code: 'conflict',
      message: 'The subscription is disabled. Enable it first.',
    })
    expect(await pending()).toEqual([])
  })
})

describe('a replay', () => {
  const replays = ({ inOrg }: Awaited<ReturnType<typeof subscribed>>) =>
    inOrg((tx) =>
      tx.selectFrom('webhook_replays').select(['id', 'kinds', 'after_id', 'before_id']).orderBy('id').execute(),
    )

  test('counts and leaves to the worker what the subscription asks for in the window', async () => {
    const org = await subscribed({ events: ['key.*'] })
    await org.happened('key.created', nowMs - 10 * minute)
    const inside = await org.happened('key.revoked', nowMs - 5 * minute)
    await org.happened('org.suspended', nowMs - 5 * minute)
    await org.happened('key.created', nowMs - minute)
    const from = iso(nowMs - 5 * minute)
    const to = iso(nowMs - minute)
    const { status, json } = await org.ask('POST', '/replay', { from, to })
    expect(status).toBe(200)
    expect(json).toMatchObject({
      id: expect.stringMatching(/^rpl_/) as string,
      status: 'waiting',
      from: from.replace('Z', '+00:00'),
      to: to.replace('Z', '+00:00'),
      event_count: 1,
      told_count: 0,
      finished_at: null,
    })
    const [row] = await replays(org)
    expect(formatId('replay', row!.id)).toBe(json['id'])
    expect(row!.kinds).toEqual(Object.keys(eventKinds).filter((kind) => kind.startsWith('key.')))
    expect(row!.after_id < inside && inside < row!.before_id).toBe(true)
  })

  test('tells other kinds where they are named, and never the test events of others', async () => {
    const org = await subscribed({ events: ['key.*'] })
    await org.happened('org.suspended', nowMs - minute)
    await org.ask('POST', '/test')
    const replay = async (events: string[]) =>
      (await org.ask('POST', '/replay', { from: iso(nowMs - 5 * minute), events })).json['event_count']
    expect(await replay(['org.*'])).toBe(1)
    expect(await replay(['webhook.*'])).toBe(0)
    expect((await replays(org)).map(({ kinds }) => kinds)).toEqual([
      ['org.suspended', 'org.resumed', 'org.residency_changed'],
      [],
    ])
    await org.ask('PATCH', '', { events: [] })
    const all = await org.ask('POST', '/replay', { from: iso(nowMs - 5 * minute) })
    expect(all.json['event_count']).toBe(1)
    const plain = Object.entries(eventKinds).filter(([kind, of]) => kind !== 'webhook.test' && !('optIn' in of))
    expect((await replays(org)).at(-1)!.kinds).toEqual(plain.map(([kind]) => kind))
  })

  test('ends now where no end is given or the end has not come', async () => {
    const org = await subscribed()
    for (const more of [{}, { to: iso(nowMs + 60 * minute) }]) {
      const { json } = await org.ask('POST', '/replay', { from: iso(nowMs - minute), ...more })
      const to = Date.parse(String(json['to']))
      expect(to).toBeGreaterThanOrEqual(nowMs)
      expect(to).toBeLessThan(nowMs + 60 * minute)
    }
  })

  test('refuses windows that are none', async () => {
    const { ask } = await subscribed()
    const faults = async (body: object) => faultsOf(await ask('POST', '/replay', body))
    expect(await faults({})).toEqual(['from required'])
    expect(await faults({ from: '2026-01-01', to: '2026-04-02' })).toEqual(['to out_of_range'])
    expect(await faults({ from: iso(nowMs - 91 * 1_440 * minute) })).toEqual(['to out_of_range'])
    expect(await faults({ from: iso(nowMs + 60 * minute) })).toEqual(['to out_of_range'])
    const ahead = { from: iso(nowMs + 60 * minute), to: iso(nowMs + 61 * minute) }
    expect(await faults(ahead)).toEqual(['from out_of_range'])
    expect(await faults({ from: '2026-02-30' })).toEqual(['from invalid_format'])
    expect(await faults({ from: 'yesterday', events: [] })).toEqual(['from invalid_format', 'events empty'])
    expect(await faults({ from: '2026-11-01', events: ['key.creation'] })).toEqual(['events.0 invalid_value'])
    await ask('PATCH', '', { enabled: false })
    expect(codeOf(await ask('POST', '/replay', { from: iso(nowMs - minute) }))).toBe('409 conflict')
  })

  test('waits behind at most nine others', async () => {
    const { ask, happened } = await subscribed()
    await happened('key.created', nowMs)
    const replay = async () => (await ask('POST', '/replay', { from: iso(nowMs - minute), to: iso(nowMs + 1) })).status
    for (let i = 0; i < 10; i++) expect(await replay()).toBe(200)
    expect(await replay()).toBe(409)
  })
})
