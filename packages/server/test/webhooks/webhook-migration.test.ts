import { createHmac, timingSafeEqual } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { eventually } from '../support/processes.ts'
import { type Received, useDeliveringServer, useReceiver } from '../support/receiver.ts'
import { call, operatorOf, tenantOf } from '../support/tenants.ts'

/**
 * The contract's way off the organization's secret, step by step as a user goes it: two subscriptions, a receiver that
 * verifies with code of its own, and no call that the documentation does not name.
 */
const receiver = useReceiver()
const server = useDeliveringServer({ SVC_DOCS_URL: 'https://docs.example.com/weir' })

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text, 'utf8').digest('hex')
const equal = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

/** As receivers verified before. */
const verifiesOld = (secret: string, { headers, body }: Received) =>
  equal(String(headers['x-svc-signature']), `v1=${hmac(secret, body)}`)

/** As the guide says to verify now: any of the signatures, over the time and the body. */
function verifiesNew(secret: string, { headers, body }: Received) {
  const parts = String(headers['x-svc-signature'])
    .split(',')
    .map((part) => part.split('=') as [string, string])
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  const isFresh = Math.abs(Date.now() / 1_000 - Number(time)) < 300
  const expected = hmac(secret, `${time}.${body}`)
  return isFresh && parts.some(([name, value]) => name === 'v1' && equal(value, expected))
}

const signals = ({ headers }: Received) => [headers['deprecation'], headers['sunset'], headers['link']]
const v1Signals = ['@1784678400', 'Fri, 31 Dec 2027 23:59:59 GMT', '<https://docs.example.com/weir>; rel="deprecation"']

test('a user moves two subscriptions off the organization’s secret without losing a delivery', async () => {
  const { id, key } = await tenantOf(server, (await operatorOf(server)).key)
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await call(server.url, method, path, { key, ...(body && { body }) })
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
    return answer
  }
  const webhooks = `/v1/orgs/${id}/webhooks`
  const orgSecret = `/v1/admin/orgs/${id}/webhook-secret`
  const subscribe = async (path: string) =>
    String((await ask('POST', webhooks, { url: receiver.url + path })).json['id'])
  const [first, second] = [await subscribe('/first'), await subscribe('/second')]

  /** A test event to a subscription, as its endpoint gets it. */
  const told = async (subscription: string, path: string): Promise<Received> => {
    const { json } = await ask('POST', `${webhooks}/${subscription}/test`)
    const arrived = () => receiver.at(path).find(({ body }) => body.includes(String(json['event_id'])))
    await eventually(() => arrived() !== undefined)
    const message = arrived()!
    expect(JSON.parse(message.body)).toMatchObject({ id: json['event_id'], type: 'webhook.test', org_id: id })
    return message
  }

  // Before: the shared secret, and every delivery and every answer says that it ends.
  const shared = await ask('GET', orgSecret)
  expect(shared.headers.get('deprecation')).toBe('@1784678400')
  expect((await ask('GET', `${webhooks}/${first}/signing`)).json).toMatchObject({ version: 1, generation: 0 })
  for (const [subscription, path] of [
    [first, '/first'],
    [second, '/second'],
  ] as const) {
    const message = await told(subscription, path)
    expect(verifiesOld(String(shared.json['secret']), message)).toBe(true)
    expect(message.headers['x-svc-event-version']).toBe('1')
    expect(signals(message)).toEqual(v1Signals)
    expect(message.headers['webhook-signature']).toBeUndefined()
  }

  // The first gets a secret of its own: its next delivery is signed with it and says nothing of an end.
  const own = (await ask('POST', `${webhooks}/${first}/signing/rotate`)).json
  const moved = await told(first, '/first')
  expect(verifiesNew(String(own['secret']), moved)).toBe(true)
  expect(verifiesOld(String(shared.json['secret']), moved)).toBe(false)
  expect(moved.headers['x-svc-event-version']).toBe('2')
  expect(signals(moved)).toEqual([undefined, undefined, undefined])
  const standard = new Webhook(String(own['secret']))
  expect(standard.verify(moved.body, moved.headers)).toEqual(JSON.parse(moved.body))

  // The second still needs the shared one, so rotating that is not a no-op yet.
  const rotated = (await ask('POST', `${orgSecret}/rotate`)).json
  expect(rotated['rotated']).toBe(true)
  const unmoved = await told(second, '/second')
  expect(verifiesOld(String(rotated['secret']), unmoved)).toBe(true)
  expect(signals(unmoved)).toEqual(v1Signals)

  // With the last one moved the shared secret signs nothing, and rotating it says so.
  const last = (await ask('POST', `${webhooks}/${second}/signing/rotate`)).json
  expect(verifiesNew(String(last['secret']), await told(second, '/second'))).toBe(true)
  const noop = await ask('POST', `${orgSecret}/rotate`)
  expect(noop.json).toMatchObject({ rotated: false, secret: rotated['secret'], rotated_at: rotated['rotated_at'] })
  expect(noop.headers.get('link')).toBe(
    '<https://docs.example.com/weir>; rel="deprecation", </v1/orgs/{id}/webhooks/{sub_id}/signing/rotate>; rel="successor-version"',
  )

  // Later rotations overlap: a receiver with either secret accepts the same delivery.
  const next = (await ask('POST', `${webhooks}/${first}/signing/rotate`, { overlap_seconds: 600 })).json
  const both = await told(first, '/first')
  for (const secret of [own['secret'], next['secret']]) {
    expect(verifiesNew(String(secret), both)).toBe(true)
    expect(new Webhook(String(secret)).verify(both.body, both.headers)).toBeTruthy()
  }
  await ask('POST', `${webhooks}/${first}/signing/rotate`)
  const after = await told(first, '/first')
  expect(verifiesNew(String(next['secret']), after)).toBe(false)

  // A redelivery is signed as of now, over the bytes of then.
  const list = await ask('GET', `${webhooks}/${first}/deliveries?sort=created_at&limit=1`)
  const [oldest] = list.json['data'] as { id: string; event_id: string }[]
  await ask('POST', `${webhooks}/${first}/deliveries/${oldest!.id}/redeliver`)
  const again = () => receiver.at('/first').find(({ headers }) => headers['webhook-id'] === oldest!.event_id)
  await eventually(() => again() !== undefined)
  expect(again()!.body).toBe(receiver.at('/first')[0]!.body)
  expect(again()!.headers['x-svc-event-version']).toBe('2')

  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  expect(metrics).toContain('svc_deprecated_route_calls_total{route="/v1/admin/orgs/{org_id}/webhook-secret"} 1')
  expect(metrics).toContain('svc_deprecated_route_calls_total{route="/v1/admin/orgs/{org_id}/webhook-secret/rotate"} 2')
})
