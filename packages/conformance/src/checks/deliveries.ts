import { createHmac, randomUUID } from 'node:crypto'
import type { Check } from '../check.ts'
import {
  expectMatch,
  expectSame,
  expectStatus,
  expectThat,
  objectIn,
  summaryOf,
  textIn,
  Unseen,
} from '../expectations.ts'
import type { Received } from '../receiver.ts'
import type { World } from '../world.ts'
import { announcedOn } from './listing.ts'

const signature = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')

/** A header of a delivery, which the server must have sent. */
const headerOf = ({ headers }: Received, name: string): string => {
  const value = headers[name]
  expectThat(typeof value === 'string', `the delivery has no header ${name}`)
  return value
}

/** One delivery under the secret of the organization, then one under the secret of the subscription itself. */
const deliveries = (world: World) =>
  world.once('deliveries', async () => {
    const receiver = await world.receiver()
    const org = await world.makeOrg()
    const path = `/${randomUUID()}`
    const made = await org.ask('POST', '/webhooks', { url: receiver.url + path })
    if (made.status === 422) throw new Unseen(`the server sends nothing to ${receiver.url}: ${summaryOf(made)}`)
    const sub = textIn(objectIn(expectStatus(made, 201)), 'id')
    world.atEnd(() => org.ask('DELETE', `/webhooks/${sub}`))
    const delivered = async (version: string) => {
      expectStatus(await org.ask('POST', `/webhooks/${sub}/test`), 200, 202)
      const message = await receiver.delivery(path, ({ headers }) => headers['x-svc-event-version'] === version)
      if (message) return message
      const other = await receiver.delivery(path, () => true, 0)
      expectThat(
        other === undefined || version === '2',
        `the delivery is stamped ${String(other?.headers['x-svc-event-version'])}, not 1`,
      )
      throw new Unseen('no delivery arrived within 30 seconds; is a worker running?')
    }
    const secret = textIn(objectIn(expectStatus(await org.admin('GET', '/webhook-secret'), 200)), 'secret')
    const v1 = await delivered('1')
    const rotated = await org.ask('POST', `/webhooks/${sub}/signing/rotate`, {})
    const own = textIn(objectIn(expectStatus(rotated, 200)), 'secret')
    return { v1, secret, v2: await delivered('2'), own }
  })

const combined = /^t=(\d+),v1=([0-9a-f]{64})$/

const sunset = 'Fri, 31 Dec 2027 23:59:59 GMT'

export const deliveryChecks: Record<number, Check> = {
  62: async (world) => {
    const { v1, v2 } = await deliveries(world)
    for (const delivery of [v1, v2])
      expectMatch(headerOf(delivery, 'x-svc-signature'), /v1=[0-9a-f]{64}/, 'the signature')
  },
  63: async (world) => {
    const { v1, v2 } = await deliveries(world)
    for (const delivery of [v1, v2]) headerOf(delivery, 'x-svc-signature')
  },
  64: async (world) => {
    const { v1, secret } = await deliveries(world)
    expectSame(headerOf(v1, 'x-svc-signature'), `v1=${signature(secret, v1.body)}`, 'X-Svc-Signature of a v1 delivery')
  },
  65: async (world) => {
    const { v1 } = await deliveries(world)
    expectSame(headerOf(v1, 'deprecation'), `@${Date.parse(announcedOn) / 1_000}`, 'Deprecation of a v1 delivery')
    expectSame(headerOf(v1, 'sunset'), sunset, 'Sunset of a v1 delivery')
    expectMatch(headerOf(v1, 'link'), /^<[^>]+>; rel="deprecation"/, 'Link of a v1 delivery')
  },
  66: async (world) => {
    const { v2 } = await deliveries(world)
    expectMatch(headerOf(v2, 'x-svc-signature'), combined, 'X-Svc-Signature of a v2 delivery')
  },
  67: async (world) => {
    const { v2 } = await deliveries(world)
    for (const name of ['deprecation', 'sunset', 'link'])
      expectThat(v2.headers[name] === undefined, `a v2 delivery carries ${name}: ${String(v2.headers[name])}`)
  },
  68: async (world) => {
    const { v1, v2 } = await deliveries(world)
    expectSame(headerOf(v1, 'x-svc-event-version'), '1', 'the stamp of a v1 delivery')
    expectSame(headerOf(v2, 'x-svc-event-version'), '2', 'the stamp of a v2 delivery')
  },
  69: async (world) => {
    const { v1 } = await deliveries(world)
    expectSame(headerOf(v1, 'sunset'), sunset, 'Sunset of a v1 delivery')
  },
  71: async (world) => {
    const { v2, own } = await deliveries(world)
    const [, time, given] = combined.exec(headerOf(v2, 'x-svc-signature')) ?? []
    expectSame(given, signature(own, `${time}.${v2.body}`), 'the signature of a v2 delivery')
    expectThat(Math.abs(Number(time) - Date.now() / 1_000) < 300, `the delivery is signed for the time ${time}`)
  },
  159: async (world) => {
    const { v1 } = await deliveries(world)
    for (const name of ['deprecation', 'sunset', 'link']) headerOf(v1, name)
    expectSame(headerOf(v1, 'sunset'), sunset, 'Sunset of a v1 delivery')
  },
}
