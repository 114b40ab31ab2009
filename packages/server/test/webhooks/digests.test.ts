import { sql as raw } from 'kysely'
import pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { emit } from '../../src/access/events/events.ts'
import { requireId } from '../../src/values/id.ts'
import { pagerdutyFaults, slackFaults } from '../support/message-validators.ts'
import { eventually } from '../support/processes.ts'
import { useDeliveringServer, useReceiver } from '../support/receiver.ts'
import { call, operatorOf, tenantOf } from '../support/tenants.ts'

/** Floods of events, told as messages with counts. */

const receiver = useReceiver()
const server = useDeliveringServer({ SVC_WEBHOOK_TIMEOUT_SECONDS: '30' })
let operator: string
beforeAll(async () => {
  operator = (await operatorOf(server)).key
})

let count = 0

async function organization() {
  const { id: orgId, key } = await tenantOf(server, operator)
  const orgUuid = requireId('org', orgId)
  const inOrg = <T>(work: Parameters<typeof server.platform.sql.asOrgs<T>>[1]) =>
    server.platform.sql.asOrgs<T>([orgUuid], work)
  return {
    orgUuid,
    subscribe: async (destinationAt: (url: string) => object) => {
      const path = `/to-${++count}`
      const { json } = await call(server.url, 'POST', `/v1/orgs/${orgId}/webhooks`, {
        key,
        body: destinationAt(receiver.url + path),
      })
      const counts = async () => {
        const answer = await call(server.url, 'GET', `/v1/orgs/${orgId}/webhooks/${String(json['id'])}/deliveries`, {
          key,
        })
        return (answer.json['data'] as { event_count: number }[]).map(({ event_count }) => event_count).toReversed()
      }
      const redeliverLast = async () => {
        const deliveries = `/v1/orgs/${orgId}/webhooks/${String(json['id'])}/deliveries`
        const listed = await call(server.url, 'GET', deliveries, { key })
        const [last] = listed.json['data'] as { id: string }[]
        return call(server.url, 'POST', `${deliveries}/${last?.id}/redeliver`, { key })
      }
      return { path, counts, redeliverLast, got: () => receiver.at(path).map(({ body }) => JSON.parse(body) as Sent) }
    },
    happen: (times: number) =>
      inOrg((tx) =>
        emit(
          tx,
          orgUuid,
          Array.from({ length: times }, () => ({
            kind: 'key.created' as const,
            subject: 'a key',
            data: { key_id: 'key_0', name: 'a key', role: 'service', expires_at: null },
          })),
        ),
      ),
    /** Ends the open intervals, as time would. */
    passInterval: () => inOrg((tx) => raw`update webhook_digests set closes_at = clock_timestamp()`.execute(tx)),
    /** Leaves the open intervals open for days, as an incident stays open whose matter lasts. */
    stayOpen: () =>
      inOrg((tx) =>
        raw`update webhook_digests set closes_at = clock_timestamp() + interval '20 days',
              lasts_until = clock_timestamp() + interval '20 days'`.execute(tx),
      ),
    closingToday: async () =>
      (
        await inOrg((tx) =>
          raw`select from webhook_digests where closes_at < clock_timestamp() + interval '1 day'`.execute(tx),
        )
      ).rows.length,
    drained: () =>
      eventually(async () => (await inOrg((tx) => raw`select from outbox limit 1`.execute(tx))).rows.length === 0),
    openIntervals: async () => (await inOrg((tx) => raw`select from webhook_digests`.execute(tx))).rows.length,
  }
}

interface Sent {
  readonly text: string
  readonly event_action: string
  readonly dedup_key: string
  readonly payload?: { readonly summary: string }
}

const slack = (url: string) => ({ destination: { kind: 'slack', webhook_url: url }, events: ['key.created'] })
const pager = (url: string) => ({
  destination: { kind: 'pagerduty', routing_key: 'e93facc04764012d7bfb002500d5d1a6', events_url: url },
  events: ['key.created'],
})

test('1,200 events about one thing are a message at once and one with the exact count after the interval, then silence', async () => {
  const { subscribe, happen, passInterval, openIntervals, drained } = await organization()
  const { got, counts } = await subscribe(slack)
  await happen(1)
  await eventually(() => got().length === 1)
  expect(got()[0]?.text).toBe('🔵 A key was created: a key')
  await happen(1_199)
  await drained()
  expect(got()).toHaveLength(1)
  await passInterval()
  await eventually(() => got().length === 2)
  expect(got()[1]?.text).toBe('🔵 1,199 × A key was created: a key')
  expect(slackFaults(got()[1])).toEqual([])
  await eventually(async () => JSON.stringify(await counts()) === '[1,1199]')
  await passInterval()
  await eventually(async () => (await openIntervals()) === 0)
  expect(got()).toHaveLength(2)
})

test('a storm is one incident, which resolves when an interval was quiet', async () => {
  const { subscribe, happen, passInterval, drained } = await organization()
  const { got, redeliverLast } = await subscribe(pager)
  await happen(40)
  await eventually(() => got().length === 1)
  await drained()
  await passInterval()
  await eventually(() => got().length === 2)
  await passInterval()
  await eventually(() => got().length === 3)
  expect(got().map(({ event_action }) => event_action)).toEqual(['trigger', 'trigger', 'resolve'])
  expect(got()[1]?.payload?.summary).toMatch(/^39 × /)
  // What is delivered again says the same: an incident that is over is not opened anew.
  expect((await redeliverLast()).status).toBe(200)
  await eventually(() => got().length === 4)
  expect(got()[3]?.event_action).toBe('resolve')
  expect(new Set(got().map(({ dedup_key }) => dedup_key)).size).toBe(1)
  expect(got().flatMap(pagerdutyFaults)).toEqual([])
})

test('what happens while an incident stays open is told after an interval, not when the period is over', async () => {
  const { subscribe, happen, stayOpen, closingToday, passInterval, drained } = await organization()
  const { got } = await subscribe(pager)
  await happen(1)
  await eventually(() => got().length === 1)
  await stayOpen()
  expect(await closingToday()).toBe(0)
  await happen(1)
  await drained()
  expect(await closingToday()).toBe(1)
  await passInterval()
  await eventually(() => got().length === 2)
})

test('a Slack that never answers holds up no other subscription', async () => {
  const { subscribe, happen } = await organization()
  const dead = await subscribe(slack)
  const living = await subscribe(pager)
  const waiting = Promise.withResolvers<number>()
  receiver.behave(dead.path, () => waiting.promise)
  await happen(1)
  await eventually(() => dead.got().length === 1 && living.got().length === 1)
  expect(await dead.counts()).toEqual([1])
  waiting.resolve(204)
})

test('of an organization where they cannot be closed keep nobody else’s waiting, however many they are', async () => {
  const failing = await organization()
  await failing.subscribe(slack)
  await failing.happen(2)
  await failing.drained()
  const owner = new pg.Client({ connectionString: server.database.ownerUrl })
  await owner.connect()
  try {
    await owner.query(`
      create function break_digest() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
      create trigger broken before update of event_count or delete on webhook_digests
        for each row when (old.org_id = '${failing.orgUuid}') execute function break_digest();
      insert into webhook_digests (org_id, subscription_id, topic, event_id, kind, event_count, since, closes_at)
      select org_id, subscription_id, topic || i, event_id, kind, 1, since, clock_timestamp() - interval '1 hour'
        from webhook_digests, generate_series(1, 150) as i where org_id = '${failing.orgUuid}'`)
    const { subscribe, happen, drained, passInterval } = await organization()
    const { got } = await subscribe(slack)
    await happen(3)
    await drained()
    await passInterval()
    await eventually(() => got().length === 2)
    expect(got()[1]?.text).toBe('🔵 2 × A key was created: a key')
  } finally {
    await owner.query('drop trigger broken on webhook_digests')
    await owner.end()
  }
})
