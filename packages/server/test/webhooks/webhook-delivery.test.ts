import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { emit } from '../../src/access/events/events.ts'
import { requireId } from '../../src/values/id.ts'
import { eventually } from '../support/processes.ts'
import { useDeliveringServer, useReceiver } from '../support/receiver.ts'
import { call, operatorOf, tenantOf } from '../support/tenants.ts'

const receiver = useReceiver()
const server = useDeliveringServer({ SVC_WEBHOOK_RETRY_SECONDS: '1,1', SVC_WEBHOOK_TIMEOUT_SECONDS: '2' })

let count = 0

/** An organization with a subscription at a path of its own. */
async function subscribed(more: object = {}) {
  const { id: orgId, key } = await tenantOf(server, (await operatorOf(server)).key)
  const path = `/hook-${++count}`
  const ask = (method: string, below: string, body?: object) =>
    call(server.url, method, `/v1/orgs/${orgId}/webhooks${below}`, { key, ...(body && { body }) })
  const made = await ask('POST', '', { url: receiver.url + path, ...more })
  expect(made.status).toBe(201)
  const subId = made.json['id'] as string
  return {
    orgId,
    key,
    path,
    subId,
    ask,
    got: () => receiver.at(path),
    /** As something that happened would: in a transaction of its own. */
    happen: (subject: string) =>
      server.platform.sql.asOrgs([requireId('org', orgId)], (tx) =>
        emit(tx, requireId('org', orgId), [
          { kind: 'key.created', subject, data: { key_id: 'key_0', name: subject, role: 'service', expires_at: null } },
        ]),
      ),
    deliveries: async (query = '') => (await ask('GET', `/${subId}/deliveries${query}`)).json['data'] as Delivery[],
  }
}

interface Delivery {
  readonly id: string
  readonly event_id: string
  readonly status: string
  readonly attempts: { readonly status: number | null; readonly error: string | null }[]
}

const hex = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')

test('an event arrives signed with the organization’s secret, which says that it is deprecated', async () => {
  const { orgId, key, got, happen } = await subscribed()
  await happen('a')
  await eventually(() => got().length === 1)
  const { headers, body } = got()[0]!
  const { json } = await call(server.url, 'GET', `/v1/admin/orgs/${orgId}/webhook-secret`, { key })
  expect(headers['x-svc-signature']).toBe(`v1=${hex(json['secret'] as string, body)}`)
  expect(headers['x-svc-event-version']).toBe('1')
  expect(headers['deprecation']).toBe('@1784678400')
  expect(headers['sunset']).toBe('Fri, 31 Dec 2027 23:59:59 GMT')
  expect(headers['link']).toMatch(/^<http.*\/docs>; rel="deprecation"$/)
  expect(headers['webhook-id']).toBeUndefined()
  expect(JSON.parse(body)).toEqual({
    id: expect.stringMatching(/^evt_/),
    type: 'key.created',
    created_at: expect.stringMatching(/\+00:00$/),
    org_id: orgId,
    data: { key_id: 'key_0', name: 'a', role: 'service', expires_at: null },
  })
})

test('after rotate it is signed with the subscription’s own, as off-the-shelf verifiers want it', async () => {
  const { subId, ask, got, happen } = await subscribed()
  const first = (await ask('POST', `/${subId}/signing/rotate`)).json['secret'] as string
  await happen('a')
  await eventually(() => got().length === 1)
  const { headers, body } = got()[0]!
  const [t, signature] = headers['x-svc-signature']!.split(',')
  expect(signature).toBe(`v1=${hex(first, `${t!.slice(2)}.${body}`)}`)
  expect(headers['x-svc-event-version']).toBe('2')
  expect(headers['deprecation'] ?? headers['sunset'] ?? headers['link']).toBeUndefined()
  expect(new Webhook(first).verify(body, headers)).toEqual(JSON.parse(body))

  const second = (await ask('POST', `/${subId}/signing/rotate`, { overlap_seconds: 600 })).json['secret'] as string
  await happen('b')
  await eventually(() => got().length === 2)
  const later = got()[1]!
  for (const secret of [first, second]) expect(new Webhook(secret).verify(later.body, later.headers)).toBeTruthy()
  expect(later.headers['x-svc-signature']!.match(/v1=/g)).toHaveLength(2)
})

test('every attempt, redelivery and replay has the same id and bytes, and a time of its own', async () => {
  const { subId, ask, got, happen, deliveries, path } = await subscribed()
  await ask('POST', `/${subId}/signing/rotate`)
  receiver.behave(path, (_request, nth) => (nth === 1 ? 500 : 200))
  await happen('a')
  await eventually(() => got().length === 2)
  await eventually(async () => (await deliveries())[0]?.status === 'delivered')
  const [first] = await deliveries()
  expect(first!.attempts.map(({ status }) => status)).toEqual([500, 200])

  const again = await ask('POST', `/${subId}/deliveries/${first!.id}/redeliver`)
  expect(again.status).toBe(200)
  await eventually(() => got().length === 3)
  const replayed = await ask('POST', `/${subId}/replay`, { from: '2020-01-01T00:00:00Z' })
  expect(replayed.status).toBe(422)
  const today = new Date(server.platform.clock.now().getTime() - 3_600_000).toISOString()
  expect((await ask('POST', `/${subId}/replay`, { from: today })).json).toMatchObject({ event_count: 1 })
  await eventually(() => got().length === 4)
  expect(new Set(got().map(({ body }) => body)).size).toBe(1)
  expect(new Set(got().map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  const times = got().map(({ headers }) => Number(headers['webhook-timestamp']))
  expect(times[1]).toBeGreaterThan(times[0]!)
})

test('a delivery that fails to its last attempt is given up, and shown so', async () => {
  const { path, happen, deliveries } = await subscribed()
  receiver.behave(path, () => 503)
  await happen('a')
  await eventually(async () => (await deliveries('?status=failed')).length === 1)
  expect((await deliveries())[0]!.attempts.map(({ status }) => status)).toEqual([503, 503, 503])
})

test('410 disables the subscription, and the organization is told', async () => {
  const { path, subId, ask, happen, orgId, key } = await subscribed()
  const other = `/other-${subId}`
  await call(server.url, 'POST', `/v1/orgs/${orgId}/webhooks`, { key, body: { url: receiver.url + other } })
  receiver.behave(path, () => 410)
  await happen('a')
  await eventually(async () => (await ask('GET', `/${subId}`)).json['enabled'] === false)
  expect((await ask('GET', `/${subId}`)).json).toMatchObject({ disabled_reason: 'gone' })
  await eventually(() => receiver.at(other).some(({ body }) => body.includes('subscription.disabled')))
  const told = receiver.at(other).find(({ body }) => body.includes('subscription.disabled'))!
  expect(JSON.parse(told.body)).toMatchObject({
    data: { subscription_id: subId, origin: receiver.url, reason: 'gone' },
  })
  const entries = await call(server.url, 'GET', `/v1/orgs/${orgId}/audit-log?action=webhook.disabled`, { key })
  expect(entries.json['data']).toMatchObject([{ actor: { kind: 'system' }, target: { id: subId } }])
  await happen('b')
  await eventually(() => receiver.at(other).length === 3)
  expect(receiver.at(path)).toHaveLength(1)
})

test('in order: nothing about a subject is told before what came earlier, and other subjects go on', async () => {
  const { path, happen, got } = await subscribed({ ordered: true })
  const nameOf = (body: string) => (JSON.parse(body) as { data: { name: string } }).data.name
  receiver.behave(path, ({ body }, nth) => (nameOf(body) === 'slow' && nth <= 2 ? 500 : 200))
  for (let i = 0; i < 5; i++) await happen('slow')
  await happen('other')
  await eventually(() => got().filter(({ body }) => nameOf(body) === 'slow').length === 6)
  const slow = got().filter(({ body }) => nameOf(body) === 'slow')
  const ids = slow.map(({ body }) => (JSON.parse(body) as { id: string }).id)
  expect(ids[0]).toBe(ids[1])
  expect(ids.slice(1)).toEqual(ids.slice(1).toSorted())
  const names = got().map(({ body }) => nameOf(body))
  expect(names.indexOf('other')).toBeLessThan(names.length - 4)
})

test('an endpoint that never answers delays no other', async () => {
  const dead = await subscribed()
  receiver.behave(dead.path, () => new Promise<number>(() => undefined))
  const well = await subscribed()
  for (let i = 0; i < 50; i++) await dead.happen(`d${i}`)
  for (let i = 0; i < 50; i++) await well.happen(`w${i}`)
  await eventually(() => well.got().length === 50)
  expect((await dead.deliveries('?status=pending')).length).toBeGreaterThan(40)
})
