import { expect, test } from 'vitest'
import { emit } from '../../src/access/events/events.ts'
import { requireId } from '../../src/values/id.ts'
import { eventually } from '../support/processes.ts'
import { useDeliveringServer, useReceiver } from '../support/receiver.ts'
import { call, operatorOf, tenantOf } from '../support/tenants.ts'

const receiver = useReceiver()
const server = useDeliveringServer({ SVC_WEBHOOK_RETRY_SECONDS: '1,3600' })

let count = 0

/** A subscription whose endpoint answers its first request so, and all others with 200. */
async function subscribed(status: number, retryAfter: string) {
  const { id, key } = await tenantOf(server, (await operatorOf(server)).key)
  const orgId = requireId('org', id)
  const path = `/busy-${++count}`
  receiver.behave(path, (_request, nth) => (nth === 1 ? { status, headers: { 'retry-after': retryAfter } } : 200))
  const ask = (method: string, below: string, body?: object) =>
    call(server.url, method, `/v1/orgs/${id}/webhooks${below}`, { key, ...(body && { body }) })
  const made = await ask('POST', '', { url: receiver.url + path })
  const subId = String(made.json['id'])
  const data = { key_id: 'key_0', name: 'x', role: 'service', expires_at: null }
  return {
    got: () => receiver.at(path),
    happen: () =>
      server.platform.sql.asOrgs([orgId], (tx) => emit(tx, orgId, [{ kind: 'key.created', subject: 'x', data }])),
    deliveries: async () => (await ask('GET', `/${subId}/deliveries?sort=created_at`)).json['data'] as Delivery[],
    /** The time at which the queue is due again; undefined while a worker has it. */
    queueDueAt: () =>
      server.platform.sql.asOrgs([orgId], async (tx) => {
        const rows = tx.selectFrom('webhook_queues').select(['due_at', 'leased_by'])
        const row = await rows.where('subscription_id', '=', requireId('subscription', subId)).executeTakeFirst()
        return row?.leased_by === null ? (row.due_at?.getTime() ?? undefined) : undefined
      }),
  }
}

interface Delivery {
  readonly status: string
  readonly attempts: { readonly at: string; readonly status: number }[]
  readonly next_attempt_at: string | null
}

/** The seconds between the first attempt of a delivery and the next, as planned. */
function plannedPause(delivery: Delivery | undefined) {
  return (Date.parse(delivery?.next_attempt_at ?? '') - Date.parse(delivery?.attempts[0]?.at ?? '')) / 1_000
}

test.each([
  ['429 and a number of seconds', 429, () => '600'],
  ['503 and an HTTP date', 503, () => new Date(server.platform.clock.now().getTime() + 600_000).toUTCString()],
])('an endpoint that answers %s gets none of its deliveries before that time', async (_, status, retryAfter) => {
  const { got, happen, deliveries, queueDueAt } = await subscribed(status, retryAfter())
  await happen()
  await eventually(async () => (await deliveries())[0]?.attempts.length === 1)
  const [first] = await deliveries()
  expect(first).toMatchObject({ status: 'pending', attempts: [{ status }] })
  // An HTTP date has no fractions of a second.
  expect(plannedPause(first)).toBeGreaterThan(590)
  expect(plannedPause(first)).toBeLessThan(700)

  await happen()
  await eventually(async () => (await deliveries()).length === 2 && (await queueDueAt()) !== undefined)
  const dueInSeconds = ((await queueDueAt()) ?? 0) / 1_000 - Date.parse(first?.attempts[0]?.at ?? '') / 1_000
  expect(dueInSeconds).toBeGreaterThan(590)
  expect((await deliveries())[1]?.attempts).toEqual([])
  expect(got()).toHaveLength(1)
})

test('an endpoint that asks for longer than the longest pause gets its delivery after that pause', async () => {
  const { happen, deliveries } = await subscribed(429, '999999')
  await happen()
  await eventually(async () => (await deliveries())[0]?.attempts.length === 1)
  const pause = plannedPause((await deliveries())[0])
  expect(pause).toBeGreaterThanOrEqual(3_600)
  expect(pause).toBeLessThan(3_700)
})

test('an endpoint that asks for a moment gets its delivery again after it, and not before', async () => {
  const { happen, deliveries } = await subscribed(503, '3')
  await happen()
  await eventually(async () => (await deliveries())[0]?.status === 'delivered')
  const [first, second] = (await deliveries())[0]?.attempts ?? []
  expect([first?.status, second?.status]).toEqual([503, 200])
  expect(Date.parse(second?.at ?? '') - Date.parse(first?.at ?? '')).toBeGreaterThanOrEqual(3_000)
})

test.each([
  ['another status', 500, '600'],
  ['a time that has passed', 429, 'Sun, 06 Nov 1994 08:49:37 GMT'],
  ['a time that nobody can read', 503, 'in a while'],
])('an endpoint that answers %s gets its delivery again by the schedule', async (_, status, retryAfter) => {
  const { happen, deliveries } = await subscribed(status, retryAfter)
  await happen()
  await eventually(async () => (await deliveries())[0]?.status === 'delivered')
  expect((await deliveries())[0]?.attempts.map((attempt) => attempt.status)).toEqual([status, 200])
})
