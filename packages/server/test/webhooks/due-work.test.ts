import { sql as raw } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { emit } from '../../src/access/events/events.ts'
import { requireId } from '../../src/values/id.ts'
import { present } from '../../src/values/present.ts'
import { lockClosing } from '../../src/webhooks/delivery/digest-queries.ts'
import { readDueWork } from '../../src/webhooks/delivery/due-work.ts'
import { drainEvents } from '../../src/webhooks/delivery/event-drain.ts'
import { LeasedQueue } from '../../src/webhooks/delivery/leased-queue.ts'
import { PayloadCache } from '../../src/webhooks/delivery/payload-cache.ts'
import { createWays } from '../../src/webhooks/delivery/ways.ts'
import { deleteSubscription } from '../../src/webhooks/subscriptions/queries.ts'
import { enqueue } from '../../src/webhooks/subscriptions/queue-queries.ts'
import { ensureRetainedPartitions } from '../../src/webhooks/webhooks.ts'
import { useServer } from '../support/harness.ts'
import { eventually } from '../support/processes.ts'
import { recordWork } from '../support/recorded-statements.ts'
import { call, keyOf, operatorOf, tenantOf } from '../support/tenants.ts'

/** What a worker reads before it sends, for several organizations at once. No worker runs beside. */

const statementsOf = recordWork()
const server = useServer({
  environment: {
    SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32',
    SVC_WEBHOOK_ALLOWED_PORTS: '1-65535',
    SVC_SMTP_URL: 'smtp://127.0.0.1:1',
    SVC_MAIL_FROM: 'weir@weir.test',
  },
})
let operator: string
beforeAll(async () => {
  operator = (await operatorOf(server)).key
  await ensureRetainedPartitions(server.platform.sql, server.platform.clock.now())
})

const slack = { kind: 'slack', webhook_url: 'http://127.0.0.1:9/hook' }

async function organization() {
  const { id: orgId, key } = await tenantOf(server, operator)
  const orgUuid = requireId('org', orgId)
  const inOrg = <T>(work: Parameters<typeof server.platform.sql.asOrgs<T>>[1]) =>
    server.platform.sql.asOrgs<T>([orgUuid], work)
  const ask = (method: string, below: string, body?: object) =>
    call(server.url, method, `/v1/orgs/${orgId}${below}`, { key, ...(body && { body }) })
  return {
    orgId,
    orgUuid,
    inOrg,
    ask,
    subscribe: async (destination: object) => {
      const { json } = await ask('POST', '/webhooks', { destination, events: ['key.revoked'] })
      return requireId('subscription', String(json['id']))
    },
    /** Makes active members, and says that they have confirmed their addresses. */
    readers: async (count: number) => {
      const emails = Array.from({ length: count }, (_, i) => `reader-${i}@${orgId.replace('_', '-')}.test`)
      for (const email of emails) await ask('POST', '/members', { email, role: 'viewer' })
      await inOrg(async (tx) => {
        await tx.updateTable('memberships').set({ accepted_at: new Date() }).where('email', 'in', emails).execute()
        await raw`insert into mail_addresses (org_id, address, confirmed_at)
                  select ${orgUuid}::uuid, address, now() from unnest(${emails}::text[]) as a (address)`.execute(tx)
      })
      return emails
    },
    happen: (subject: string, ...keyIds: string[]) =>
      inOrg((tx) =>
        emit(
          tx,
          orgUuid,
          keyIds.map((key_id) => ({
            kind: 'key.revoked' as const,
            subject,
            data: { key_id, name: 'a key', role: 'service' as const, reason: null },
          })) as unknown as Parameters<typeof emit>[2],
        ),
      ),
  }
}

const queueOf = (orgId: string, subscriptionId: string) =>
  new LeasedQueue(
    { orgId, subscriptionId, lease: subscriptionId, width: 8, failures: 0, latencyMs: null },
    { isInDegradedPool: false, leasedAtMs: performance.now(), leaseSeconds: 60 },
  )
const drain = () => drainEvents(server.platform, new PayloadCache())
const read = (...queues: readonly (readonly [string, string])[]) =>
  readDueWork(
    server.platform.sql,
    new PayloadCache(),
    queues.map(([orgId, id]) => ({ queue: queueOf(orgId, id), room: 10 })),
  )

test('recipients of all mail are found with one query, and with none where there is no mail', async () => {
  const [one, many, none] = [await organization(), await organization(), await organization()]
  const mails = await Promise.all(
    [one, many].map(async (org, i) => {
      const recipients = await org.readers(i === 0 ? 1 : 15)
      return { org, recipients, id: await org.subscribe({ kind: 'email', recipients }) }
    }),
  )
  const other = await none.subscribe(slack)
  const asked = async (...queues: (readonly [string, string])[]) =>
    (await statementsOf(() => read(...queues))).filter(({ text }) => text.includes('mail_addresses')).length
  const queues = mails.map(({ org, id }) => [org.orgUuid, id] as const)
  expect(await asked(...queues, [none.orgUuid, other])).toBe(1)
  expect(await asked([none.orgUuid, other])).toBe(0)
  const { endpoints } = await read(...queues)
  for (const { id, recipients } of mails) expect(endpoints.get(id)?.recipients).toEqual(recipients)
})

test('names in messages are those of their own organization, also where another one’s ids stand in an event', async () => {
  const [first, second] = [await organization(), await organization()]
  const orgs = await Promise.all(
    [first, second].map(async (org, i) => ({
      org,
      key: (await keyOf(server, org.orgId, { name: `name ${i}` } as object)).id,
      id: await org.subscribe(slack),
    })),
  )
  const keys = orgs.map(({ key }) => key)
  for (const { org } of orgs) for (const key of keys) await org.happen(key, key)
  await eventually(async () => (await drain()) === 0)
  const work = await read(...orgs.map(({ org, id }) => [org.orgUuid, id] as const))
  const seen = new Map<string, ReadonlyMap<string, string>>()
  const ways = createWays(server.platform, {
    outbound: {} as never,
    deprecationHeaders: {} as never,
    sendMessage: ({ owner }, { names }) => {
      seen.set(owner.subscriptionId, names)
      return Promise.resolve({ error: 'connection', message: '', latencyMs: 0 })
    },
  })
  for (const [id, rows] of work.due) {
    const [row] = rows
    const payload = present(work.payloads.get(present(row).event_id)).payload
    await ways.to(present(work.endpoints.get(id)), work).attempt(present(row), new Date(), payload)
  }
  for (const { id, key } of orgs) expect([...present(seen.get(id)).keys()]).toEqual([key])
})

test('whoever deletes a subscription and whoever closes its digests do not wait for each other', async () => {
  const { orgUuid, inOrg, subscribe, happen } = await organization()
  const id = await subscribe(slack)
  await happen('a key', 'key_0', 'key_1')
  await eventually(async () => (await drain()) === 0)
  await inOrg((tx) => raw`update webhook_digests set closes_at = clock_timestamp()`.execute(tx))
  const [locked, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const closing = inOrg(async (tx) => {
    const rows = await lockClosing(tx, orgUuid, 10)
    locked.resolve()
    await mayGoOn.promise
    const { event_id: eventId, kind } = present(rows[0])
    const delivery = { orgId: orgUuid, subscriptionId: id, eventId, kind, subject: 'a key', trigger: 'event' as const }
    return enqueue(tx, [{ ...delivery, ordered: true }])
  })
  await locked.promise
  // Without the API, which would try again.
  const deleting = inOrg((tx) => deleteSubscription(tx, orgUuid, id)).then(
    () => 'deleted',
    (error: unknown) => error,
  )
  await eventually(async () => {
    const { rows } = await raw`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
      server.platform.sql.db,
    )
    return rows.length > 0
  })
  mayGoOn.resolve()
  expect(await closing).toHaveLength(1)
  expect(await deleting).toBe('deleted')
})
