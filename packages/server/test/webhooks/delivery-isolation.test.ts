import { sql as raw } from 'kysely'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { emit } from '../../src/access/events/events.ts'
import { failureOf, HandshakeFailed } from '../../src/platform/infra/outbound-failure.ts'
import { newUuid, newUuidAt, requireId } from '../../src/values/id.ts'
import { eventually } from '../support/processes.ts'
import { useDeliveringServer, useReceiver } from '../support/receiver.ts'
import { call, operatorOf, tenantOf } from '../support/tenants.ts'

/**
 * What the engine, its rows and its routes promise each other at their edges. Retries are an hour apart, so that whatever is
 * told twice, too early or all the time shows itself.
 */

const receiver = useReceiver()
const concurrency = 8
const server = useDeliveringServer({
  SVC_WEBHOOK_RETRY_SECONDS: '3600,3600',
  SVC_WEBHOOK_TIMEOUT_SECONDS: '10',
  SVC_WEBHOOK_CONCURRENCY: String(concurrency),
})

const dayMs = 86_400_000
let count = 0

async function tenant() {
  const { id: orgId, key } = await tenantOf(server, (await operatorOf(server)).key)
  const orgUuid = requireId('org', orgId)
  return { orgId, key, orgUuid }
}

/** A subscription of an organization at a path of its own. */
async function subscribed(more: object = {}, of?: Awaited<ReturnType<typeof tenant>>) {
  const { orgId, key, orgUuid } = of ?? (await tenant())
  const path = `/hook-${++count}`
  const ask = (method: string, below: string, body?: object) =>
    call(server.url, method, `/v1/orgs/${orgId}/webhooks${below}`, { key, ...(body && { body }) })
  const made = await ask('POST', '', { url: receiver.url + path, ...more })
  expect(made.status).toBe(201)
  const subId = made.json['id'] as string
  const subUuid = requireId('subscription', subId)
  const inOrg = <T>(work: Parameters<typeof server.platform.sql.asOrgs<T>>[1]) =>
    server.platform.sql.asOrgs<T>([orgUuid], work)
  return {
    orgId,
    orgUuid,
    key,
    path,
    subId,
    subUuid,
    ask,
    inOrg,
    got: () => receiver.at(path),
    names: () => receiver.at(path).map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name),
    happen: (...names: string[]) =>
      inOrg((tx) =>
        emit(
          tx,
          orgUuid,
          names.map((name) => ({
            kind: 'key.created',
            subject: name.split(' ')[0]!,
            data: { key_id: 'key_0', name, role: 'service', expires_at: null },
          })),
        ),
      ),
    queue: () =>
      inOrg((tx) =>
        tx.selectFrom('webhook_queues').selectAll().where('subscription_id', '=', subUuid).executeTakeFirst(),
      ),
    /** A delivery that was put into the queue at some time before, by default of an event that is no longer kept. */
    waitsSince: (at: Date, eventId = newUuidAt(at.getTime())) =>
      inOrg(async (tx) => {
        await tx
          .insertInto('webhook_pending')
          .values({
            org_id: orgUuid,
            subscription_id: subUuid,
            id: newUuidAt(at.getTime()),
            event_id: eventId,
            kind: 'key.created',
            subject: 'old',
            trigger: 'event',
            ordered: false,
            next_attempt_at: at,
            created_at: at,
          })
          .execute()
      }),
    deliveries: async (query = '') =>
      (await ask('GET', `/${subId}/deliveries${query}`)).json['data'] as { id: string; status: string }[],
  }
}

const daysAgo = (days: number) => new Date(server.platform.clock.now().getTime() - days * dayMs)

describe('a queue', () => {
  test('with nothing in it is due to nobody', async () => {
    const { happen, got, queue } = await subscribed()
    await happen('a')
    await eventually(() => got().length === 1)
    await eventually(async () => (await queue())?.leased_by === null)
    expect((await queue())!.due_at).toBeNull()
  })

  test('whose deliveries all wait for an earlier one of their subject is due when that is, not all the time', async () => {
    const { happen, names, queue, path } = await subscribed({ ordered: true })
    receiver.behave(path, ({ body }) => (body.includes('stuck 1') ? 500 : 204))
    await happen('stuck 1')
    await eventually(() => names().includes('stuck 1'))
    await eventually(async () => (await queue())!.leased_by === null)
    await happen('stuck 2', 'other 1')
    await eventually(() => names().includes('other 1'))
    const inAMinute = () => server.platform.clock.now().getTime() + 60_000
    await eventually(async () => {
      const { leased_by, due_at } = (await queue())!
      return leased_by === null && due_at !== null && due_at.getTime() > inAMinute()
    })
    expect(names()).toEqual(['stuck 1', 'other 1'])
  })

  test('that is enabled again tells at once what had failed before, whenever its next try would be', async () => {
    const { happen, got, queue, ask, subId, path } = await subscribed()
    receiver.behave(path, (_, nth) => (nth === 1 ? 500 : 204))
    await happen('a')
    await eventually(() => got().length === 1)
    await eventually(async () => (await queue())!.leased_by === null)
    await ask('PATCH', `/${subId}`, { enabled: false })
    await ask('PATCH', `/${subId}`, { enabled: true })
    await eventually(() => got().length === 2)
    expect(got()[1]!.body).toBe(got()[0]!.body)
  })
})

describe('what is old', () => {
  test('an event from before the days that stand ready, as when no worker ran for long, stops no other', async () => {
    const late = await subscribed()
    const well = await subscribed()
    await late.inOrg((tx) =>
      tx
        .insertInto('outbox')
        .values({
          org_id: late.orgUuid,
          id: newUuidAt(daysAgo(12).getTime()),
          kind: 'key.created',
          subject: 'late',
          body: JSON.stringify({ key_id: 'key_0', name: 'late', role: 'service', expires_at: null }),
          created_at: daysAgo(12),
        })
        .execute(),
    )
    await well.happen('a')
    await eventually(() => well.got().length === 1)
    await eventually(() => late.got().length === 1)
    expect(late.names()).toEqual(['late'])
  })

  test('an event that waited for longer than events are kept is dropped, and stops no other', async () => {
    const late = await subscribed()
    await late.inOrg((tx) =>
      tx
        .insertInto('outbox')
        .values({
          org_id: late.orgUuid,
          id: newUuidAt(daysAgo(60).getTime()),
          kind: 'key.created',
          subject: 'late',
          body: JSON.stringify({ key_id: 'key_0', name: 'late', role: 'service', expires_at: null }),
          created_at: daysAgo(60),
        })
        .execute(),
    )
    await late.happen('fresh')
    await eventually(() => late.got().length === 1)
    expect(late.names()).toEqual(['fresh'])
  })

  test('a delivery from a day that is dropped, as of a subscription that was disabled for long, ends and stops no other', async () => {
    const old = await subscribed()
    const well = await subscribed()
    await old.waitsSince(daysAgo(45))
    await old.happen('a')
    await eventually(() => old.got().length === 1)
    await well.happen('b')
    await eventually(() => well.got().length === 1)
    await eventually(async () => (await well.deliveries('?status=delivered')).length === 1)
    await eventually(async () => (await old.deliveries('?status=pending')).length === 0)
    expect((await old.deliveries()).map(({ status }) => status)).toEqual(['delivered'])
  })

  test('a delivery from a day that was never made ready ends too', async () => {
    const old = await subscribed()
    await old.waitsSince(daysAgo(12))
    await old.happen('a')
    await eventually(async () => (await old.deliveries('?status=pending')).length === 0)
    expect((await old.deliveries()).length).toBeGreaterThanOrEqual(1)
  })

  test('deliveries of events that are no longer kept say nothing against their endpoint', async () => {
    const { waitsSince, happen, got, ask, subId, deliveries } = await subscribed()
    for (let i = 0; i < 8; i++) await waitsSince(daysAgo(0), newUuid())
    await happen('a')
    await eventually(() => got().length === 1)
    await eventually(async () => (await deliveries('?status=failed')).length === 8)
    expect((await ask('GET', `/${subId}`)).json['health']).toMatchObject({ status: 'healthy', consecutive_failures: 0 })
  })
})

describe('who comes later', () => {
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

  test('is served beside queues that never run dry and could use every slot', async () => {
    const owner = await tenant()
    const flooded = await Promise.all(Array.from({ length: 3 }, () => subscribed({}, owner)))
    const perQueue = 600
    for (const { path } of flooded)
      receiver.behave(path, async () => {
        await pause(100)
        return 204
      })
    const late = await subscribed()
    await flooded[0]!.happen(...Array.from({ length: perQueue }, (_, i) => `f${i}`))
    await eventually(() => flooded.some(({ got }) => got().length >= 100))
    await late.happen('a', 'b', 'c')
    await eventually(() => late.got().length === 3)
    const told = flooded.map(({ got }) => got().length)
    expect(Math.max(...told)).toBeLessThan(perQueue)
    expect(Math.min(...told)).toBeGreaterThan(Math.max(...told) / 3)
    for (const { ask, subId } of flooded) await ask('DELETE', `/${subId}`)
  })

  test('finds free slots although slow endpoints that never run dry were well when they were taken', async () => {
    const owner = await tenant()
    const slow = await Promise.all(Array.from({ length: concurrency }, () => subscribed({}, owner)))
    let underWay = 0
    let most = 0
    for (const { path } of slow)
      receiver.behave(path, async () => {
        underWay++
        most = Math.max(most, underWay)
        await pause(2_500)
        underWay--
        return 204
      })
    await slow[0]!.happen(...Array.from({ length: 30 }, (_, i) => `s${i}`))
    await eventually(() => underWay === concurrency)
    const troubledShare = Math.floor(concurrency / 4)
    await eventually(async () => {
      most = underWay
      const before = slow.flatMap(({ got }) => got()).length
      await eventually(() => slow.flatMap(({ got }) => got()).length >= before + 2 * troubledShare)
      return most <= troubledShare
    })
    expect(slow.some(({ got }) => got().length < 15)).toBe(true)
    for (const { ask, subId } of slow) await ask('DELETE', `/${subId}`)
  })
})

describe('a master key that is gone', () => {
  /** The id of the key that closed it becomes one that nobody has. */
  const unopenable = "overlay(sealed placing '\\x58'::bytea from 2)"
  const broken = async (table: string, column: string, { orgUuid, inOrg }: Awaited<ReturnType<typeof subscribed>>) => {
    await inOrg((tx) =>
      raw`update ${raw.table(table)} set ${raw.ref(column)} = ${raw.raw(unopenable.replace('sealed', column))} where org_id = ${orgUuid}`.execute(
        tx,
      ),
    )
  }

  test('does not keep an organization from getting a new secret', async () => {
    const one = await subscribed()
    await broken('webhook_org_secrets', 'sealed', one)
    const rotated = await call(server.url, 'POST', `/v1/admin/orgs/${one.orgId}/webhook-secret/rotate`, {
      key: one.key,
    })
    expect(rotated).toMatchObject({ status: 200, json: { rotated: true, secret: expect.stringMatching(/^whorg_/) } })
    await one.happen('a')
    await eventually(() => one.got().length === 1)
  })

  test('that closed only the secret before costs its signature, and not the deliveries of the overlap', async () => {
    const one = await subscribed()
    await one.ask('POST', `/${one.subId}/signing/rotate`)
    await one.ask('POST', `/${one.subId}/signing/rotate`, { overlap_seconds: 600 })
    await broken('webhook_subscriptions', 'sealed_previous', one)
    await one.happen('a')
    await eventually(() => one.got().length === 1)
    expect(one.got()[0]!.headers['x-svc-signature']!.match(/v1=/g)).toHaveLength(1)
  })

  test('is not the subscriber’s fault: the subscription stays enabled, and an operator is told', async () => {
    const one = await subscribed()
    await one.happen('a')
    await eventually(() => one.got().length === 1)
    await eventually(async () => (await one.queue())!.leased_by === null)
    await broken('webhook_org_secrets', 'sealed', one)
    await one.inOrg((tx) =>
      tx
        .updateTable('webhook_queues')
        .set({ failures: 9, failing_since: daysAgo(6) })
        .execute(),
    )
    await one.happen('b')
    await eventually(() =>
      server.logs.some(
        (line) => line['subscription_id'] === one.subUuid && line.message?.includes('cannot be unsealed') === true,
      ),
    )
    await eventually(async () => (await one.queue())!.leased_by === null)
    expect((await one.ask('GET', `/${one.subId}`)).json).toMatchObject({ enabled: true })
    expect(one.got()).toHaveLength(1)
  })
})

test('a URL that becomes too long to be sent to when it is written out is refused when it is saved', async () => {
  const { ask, subId } = await subscribed()
  const url = `https://hooks.example.com/${'水'.repeat(1_000)}`
  for (const [method, below] of [
    ['POST', ''],
    ['PATCH', `/${subId}`],
  ] as const)
    expect(await ask(method, below, { url })).toMatchObject({
      status: 422,
      json: { error: { details: { fields: [{ field: 'url', code: 'too_long' }] } } },
    })
})

test('whatever an endpoint makes a failure say can be stored', () => {
  for (let length = 280; length < 300; length++) {
    const { message } = failureOf(new HandshakeFailed(`${'x'.repeat(length)}${'😀'.repeat(20)}`))
    expect(message.isWellFormed()).toBe(true)
  }
})

test('a result that the database does not take keeps no other from being written', async () => {
  const odd = await subscribed()
  const well = await subscribed()
  const owner = new pg.Client({ connectionString: server.database.ownerUrl })
  await owner.connect()
  await owner.query(
    `alter table webhook_deliveries add constraint odd check (subscription_id <> '${odd.subUuid}') not valid`,
  )
  try {
    await Promise.all([odd.happen('a'), well.happen('b')])
    await eventually(() => odd.got().length > 0)
    await eventually(async () =>
      (await well.ask('GET', `/${well.subId}/deliveries?status=delivered`)).text.includes('dlv_'),
    )
    await well.happen('c')
    await eventually(() => well.got().length === 2)
  } finally {
    await owner.query('alter table webhook_deliveries drop constraint odd')
    await owner.end()
  }
  const { json } = await odd.ask('GET', `/${odd.subId}`)
  expect(json).toMatchObject({ enabled: true, health: { consecutive_failures: 0, pending: 1 } })
})

describe('replays', () => {
  /** Events of the last hour, as if they had been told already. */
  const past = async ({ inOrg, orgUuid }: Awaited<ReturnType<typeof subscribed>>, events: number) => {
    const hourAgo = server.platform.clock.now().getTime() - 3_600_000
    const rows = Array.from({ length: events }, (_, i) => ({ org_id: orgUuid, id: newUuidAt(hourAgo + i) }))
    await inOrg((tx) =>
      raw`insert into events (org_id, id, kind, subject, payload, created_at)
          select org_id, id, 'key.created', 's', '{"data":{"name":"again"}}', now()
            from json_to_recordset(${JSON.stringify(rows)}) as e (org_id uuid, id uuid)`.execute(tx),
    )
    return { from: new Date(hourAgo - 60_000).toISOString(), to: new Date(hourAgo + 60_000).toISOString() }
  }

  test('fill a queue only so far, and those that cannot go on stop no other', async () => {
    const owner = await tenant()
    const stuck = await Promise.all(Array.from({ length: 2 }, () => subscribed({}, owner)))
    for (const { path } of stuck) receiver.behave(path, () => new Promise<number>(() => undefined))
    const window = await past(stuck[0]!, 6_000)
    for (const { ask, subId } of stuck)
      for (let i = 0; i < 10; i++) expect((await ask('POST', `/${subId}/replay`, window)).status).toBe(200)
    const pending = async ({ ask, subId }: (typeof stuck)[number]) =>
      ((await ask('GET', `/${subId}`)).json['health'] as { pending: number }).pending
    await eventually(async () => (await Promise.all(stuck.map(pending))).every((waiting) => waiting >= 5_000))

    const well = await subscribed()
    await well.ask('POST', `/${well.subId}/replay`, await past(well, 1))
    await eventually(() => well.got().length === 1)
    expect(Math.max(...(await Promise.all(stuck.map(pending))))).toBeLessThan(6_000)
    for (const { ask, subId } of stuck) expect((await ask('DELETE', `/${subId}`)).status).toBe(204)
  })
})

/**
 * Deletes a subscription while a worker locks its deliveries in the other order; returns how the deletion was answered, and whether the
 * database has ended it and not the worker: the one of them that has waited for a second.
 */
async function deleteAcross() {
  const { waitsSince, inOrg, subUuid, subId, ask } = await subscribed({ enabled: false })
  for (let i = 0; i < 2; i++) await waitsSince(daysAgo(0))
  const waiting = await inOrg((tx) =>
    tx.selectFrom('webhook_pending').select('id').where('subscription_id', '=', subUuid).orderBy('id').execute(),
  )
  const [first, second] = waiting.map(({ id }) => id)
  const clients = Array.from({ length: 2 }, () => new pg.Client({ connectionString: server.database.ownerUrl }))
  const [worker, watcher] = clients as [pg.Client, pg.Client]
  try {
    for (const client of clients) await client.connect()
    const take = (id: string) => worker.query('select from webhook_pending where id = $1 for update', [id])
    await worker.query('begin')
    await take(second!)
    const deleted = ask('DELETE', `/${subId}`)
    const waits = "wait_event_type = 'Lock' and query like 'delete from webhook_pending%'"
    await eventually(
      async () =>
        (await watcher.query(`select from pg_stat_activity where datname = current_database() and ${waits}`))
          .rowCount === 1,
    )
    const wasEnded = await take(first!).then(
      () => true,
      () => false,
    )
    await worker.query('commit')
    return { status: (await deleted).status, wasEnded }
  } finally {
    for (const client of clients) await client.end()
  }
}

test('who deletes a subscription while a worker writes down its deliveries does not feel it', async () => {
  const deletions = [await deleteAcross()]
  // On a machine that pauses, the worker may be the one that is ended.
  while (!deletions.some(({ wasEnded }) => wasEnded) && deletions.length < 5) deletions.push(await deleteAcross())
  expect(deletions.filter(({ status }) => status !== 204)).toEqual([])
  expect(deletions.at(-1)).toMatchObject({ wasEnded: true })
})
