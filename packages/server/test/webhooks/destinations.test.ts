import { Webhook } from 'standardwebhooks'
import { beforeAll, describe, expect, test } from 'vitest'
import { emit, type NewEvent } from '../../src/access/events/events.ts'
import { requireId } from '../../src/values/id.ts'
import { cardFaults, pagerdutyFaults, slackFaults } from '../support/message-validators.ts'
import { eventually } from '../support/processes.ts'
import { useDeliveringServer, useReceiver } from '../support/receiver.ts'
import { call, operatorOf, tenantOf } from '../support/tenants.ts'

/** Subscriptions whose events arrive as messages: in Slack, in Teams, at PagerDuty. Each of them is a real HTTP server that keeps books. */

const receiver = useReceiver()
const server = useDeliveringServer({
  SVC_WEBHOOK_RETRY_SECONDS: '1,1',
  SVC_WEBHOOK_TIMEOUT_SECONDS: '5',
  SVC_PUBLIC_URL: 'http://localhost:18080',
})
let operator: string
beforeAll(async () => {
  // Slack's API is where the receiver is, which is known only now.
  Object.assign(server.platform.config, { slackApiUrl: `${receiver.url}/slack-api` })
  receiver.behave('/slack-api/chat.postMessage', (_, nth) =>
    nth < 3 ? { status: 200, body: '{"ok":false,"error":"channel_not_found"}' } : { status: 200, body: '{"ok":true}' },
  )
  operator = (await operatorOf(server)).key
})

let count = 0
const routingKey = 'e93facc04764012d7bfb002500d5d1a6'

async function organization() {
  const { id: orgId, key } = await tenantOf(server, operator)
  const orgUuid = requireId('org', orgId)
  const ask = (method: string, below: string, body?: object) =>
    call(server.url, method, `/v1/orgs/${orgId}/webhooks${below}`, { key, ...(body && { body }) })
  return {
    orgId,
    key,
    ask,
    happen: (...events: NewEvent[]) => server.platform.sql.asOrgs([orgUuid], (tx) => emit(tx, orgUuid, events)),
  }
}

/** An organization with a subscription to a destination at a path of its own. */
async function subscribed(destinationAt: (url: string) => object, more: object = {}) {
  const org = await organization()
  const path = `/to-${++count}`
  const made = await org.ask('POST', '', { destination: destinationAt(receiver.url + path), ...more })
  expect(made.text).toContain('sub_')
  const subId = String(made.json['id'])
  return {
    ...org,
    path,
    subId,
    made,
    got: () => receiver.at(path).map(({ body }) => JSON.parse(body) as never),
    deliveries: async () => (await org.ask('GET', `/${subId}/deliveries`)).json['data'] as Delivery[],
  }
}

interface Delivery {
  readonly status: string
  readonly attempts: { readonly status: number | null; readonly error_message: string | null }[]
}

const hostile =
  '<!channel> @everyone *x* [a](https://evil.test) <https://evil.test|y> {{DATE(2017-02-14T06:08:39Z)}} \u202e\r\nBcc: z@evil.test'

const stopped = (name: string): NewEvent => ({
  kind: 'approval.requested',
  subject: 'apr_01jbsteb4peb5vskx602h9mw4q',
  data: {
    approval_id: 'apr_01jbsteb4peb5vskx602h9mw4q',
    rule_id: 'rul_01jbstfsr0fdkrxk00dq0wn3e5',
    rule_name: name,
    reason: name,
    attempted: 'refund',
    requested_by: 'key_01jbsteb4peb5vskx602h9mw4q',
    estimated_cost_usd: '1234.5',
    expires_at: '2026-11-22T08:30:00.000+00:00',
  },
})

const kinds = [
  ['slack', (url: string) => ({ kind: 'slack', webhook_url: url }), slackFaults],
  ['teams', (url: string) => ({ kind: 'teams', webhook_url: url }), cardFaults],
  ['pagerduty', (url: string) => ({ kind: 'pagerduty', routing_key: routingKey, events_url: url }), pagerdutyFaults],
] as const

describe.each(kinds)('a destination of the kind %s', (kind, destinationAt, faultsIn) => {
  test('gets a message with amounts and a link into the console, as its published schema wants it', async () => {
    const { happen, got, made, ask, subId } = await subscribed(destinationAt)
    await happen(stopped('Refunds'))
    await eventually(() => got().length === 1)
    const text = JSON.stringify(got()[0])
    expect(faultsIn(got()[0])).toEqual([])
    expect(text).toContain('An approval is wanted: Refunds')
    expect(text).toContain('$1,234.50')
    expect(text).toContain('http://localhost:18080/console/approvals/apr_01jbsteb4peb5vskx602h9mw4q')
    // Its secret was taken and is never shown again.
    const shown = [made.text, (await ask('GET', `/${subId}`)).text, (await ask('GET', '')).text].join()
    expect(made.json['url']).toBe(`${kind}:${new URL(receiver.url).host}`)
    expect(shown).not.toMatch(/\/to-\d+"[^}]*webhook_url|e93facc0|whsec/)
    // Of PagerDuty the address is no secret.
    expect(shown.replaceAll(/"events_url":"[^"]*"/g, '')).not.toContain('/to-')
  })

  const treacherous = kind === 'teams' ? /\u202e|\\r|\\n|\{\{DATE/ : /\u202e|\\r|\\n/

  test('shows hostile names as text: no mention, no link, no format, no direction', async () => {
    const { happen, got } = await subscribed(destinationAt)
    await happen(stopped(hostile))
    await eventually(() => got().length === 1)
    const text = JSON.stringify(got()[0])
    expect(faultsIn(got()[0])).toEqual([])
    expect(text).not.toContain('https://evil')
    expect(text).not.toMatch(/evil\.test/)
    expect(text).not.toContain('@everyone')
    expect(text).not.toMatch(treacherous)
    expect(markupIn(got()[0])).not.toMatch(/<!channel>|evil/)
  })
})

/** Every text in a message that its reader takes for markup. */
function markupIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(markupIn).join('\n')
  if (typeof value !== 'object' || value === null) return ''
  const record = value as Record<string, unknown>
  const own = record['type'] === 'mrkdwn' || record['type'] === 'TextBlock' ? String(record['text']) : ''
  const notification = typeof record['blocks'] === 'object' ? String(record['text']).replace(/&lt;.*/s, '') : ''
  return [own, notification, ...Object.values(record).map(markupIn)].join('\n')
}

test('what ends a matter resolves the incident that began it', async () => {
  const { happen, got } = await subscribed((url) => ({ kind: 'pagerduty', routing_key: routingKey, events_url: url }))
  const asked = stopped('Refunds')
  await happen(asked)
  await eventually(() => got().length === 1)
  await happen({ ...asked, kind: 'approval.expired' } as NewEvent)
  await eventually(() => got().length === 2)
  const [first, second] = got() as unknown as { event_action: string; dedup_key: string }[]
  expect([first?.event_action, second?.event_action]).toEqual(['trigger', 'resolve'])
  expect(second?.dedup_key).toBe(first?.dedup_key)
})

test('a kind of its own is posted as a CloudEvent, signed over the bytes that are sent', async () => {
  const org = await organization()
  const path = `/to-${++count}`
  const made = await org.ask('POST', '', {
    url: receiver.url + path,
    destination: { kind: 'https', format: 'cloudevents' },
    signing: 'subscription',
  })
  await org.happen(stopped('Refunds'))
  await eventually(() => receiver.at(path).length === 1)
  const { headers, body } = receiver.at(path)[0]!
  expect(new Webhook(String(made.json['secret'])).verify(body, headers)).toBeTruthy()
  expect(headers['content-type']).toBe('application/cloudevents+json; charset=utf-8')
  expect(JSON.parse(body)).toEqual({
    specversion: '1.0',
    id: expect.stringMatching(/^evt_/),
    source: `http://localhost:18080/v1/orgs/${org.orgId}`,
    type: 'weir.approval.requested',
    time: expect.stringMatching(/^\d{4}-.*\+00:00$/),
    datacontenttype: 'application/json',
    data: stopped('Refunds').data,
  })
})

describe('a stored secret', () => {
  const fieldsOf = ({ json }: Awaited<ReturnType<typeof call>>) =>
    (json.error?.details['fields'] as { field: string; code: string }[] | undefined)?.map(({ field, code }) => [
      field,
      code,
    ])

  test('stays where the destination stays, and is asked for again where it would go elsewhere', async () => {
    const { ask, subId, happen, path } = await subscribed((url) => ({
      kind: 'pagerduty',
      routing_key: routingKey,
      events_url: url,
    }))
    const shown = (await ask('GET', `/${subId}`)).json
    // What GET returns can be sent back: nothing changes, and the secret is not needed.
    expect((await ask('PUT', `/${subId}`, { url: shown['url'], destination: shown['destination'] })).json).toEqual(
      shown,
    )
    expect((await ask('PATCH', `/${subId}`, { description: 'x' })).status).toBe(200)
    await happen(stopped('Refunds'))
    await eventually(() => receiver.at(path).length === 1)
    // An admin who has never seen the key cannot have it sent to themselves.
    const taken = await ask('PATCH', `/${subId}`, {
      destination: { kind: 'pagerduty', events_url: `${receiver.url}/thief` },
    })
    expect([taken.status, fieldsOf(taken)]).toEqual([422, [['destination.routing_key', 'required']]])
    const turned = await ask('PATCH', `/${subId}`, { destination: { kind: 'slack' } })
    expect(fieldsOf(turned)).toEqual([['destination.webhook_url', 'required']])
    const plain = await ask('PATCH', `/${subId}`, { destination: { kind: 'https' } })
    expect(fieldsOf(plain)).toEqual([['url', 'invalid_format']])
    expect(receiver.at('/thief')).toEqual([])
  })

  test('is asked for with fields that belong to it, at an address that is allowed', async () => {
    const { ask } = await organization()
    const faults = async (body: object) => fieldsOf(await ask('POST', '', body))
    expect(await faults({})).toEqual([['url', 'required']])
    expect(await faults({ destination: { kind: 'slack' } })).toEqual([['destination.webhook_url', 'required']])
    expect(await faults({ destination: { kind: 'slack', channel: 'C1' } })).toEqual([
      ['destination.bot_token', 'required'],
    ])
    expect(await faults({ destination: { kind: 'slack', webhook_url: 'http://10.0.0.1/x' } })).toEqual([
      ['destination.webhook_url', 'invalid_value'],
    ])
    expect(
      await faults({ destination: { kind: 'teams', webhook_url: receiver.url, routing_key: routingKey } }),
    ).toEqual([['destination.routing_key', 'invalid_value']])
    expect(await faults({ url: receiver.url, destination: { kind: 'teams', webhook_url: receiver.url } })).toEqual([
      ['url', 'invalid_value'],
    ])
  })

  test('is in no audit entry, and its change is seen there', async () => {
    const { ask, subId, orgId, key } = await subscribed((url) => ({ kind: 'slack', webhook_url: url }))
    await ask('PATCH', `/${subId}`, { destination: { kind: 'slack', webhook_url: `${receiver.url}/another-secret` } })
    const { json, text } = await call(server.url, 'GET', `/v1/orgs/${orgId}/audit-log?action=webhook.updated`, { key })
    expect(text).not.toMatch(/another-secret|\/to-/)
    const [entry] = json['data'] as { before: { destination_digest: string }; after: { destination_digest: string } }[]
    expect(entry?.before.destination_digest).toMatch(/^[0-9a-f]{16}$/)
    expect(entry?.after.destination_digest).not.toBe(entry?.before.destination_digest)
  })
})

test('a refusal that Slack’s API answers with 200 is a failed attempt, and a bot writes to its channel', async () => {
  const { ask, happen } = await organization()
  const made = await ask('POST', '', { destination: { kind: 'slack', bot_token: 'xoxb-1-a', channel: 'C0123' } })
  expect(made.json['url']).toBe('slack:C0123')
  expect(made.text).not.toContain('xoxb')
  await happen(stopped('Refunds'))
  const deliveries = async () => (await ask('GET', `/${String(made.json['id'])}/deliveries`)).json['data'] as Delivery[]
  await eventually(async () => (await deliveries())[0]?.attempts.length === 2)
  const calls = receiver.at('/slack-api/chat.postMessage')
  expect(calls[0]?.headers['authorization']).toBe('Bearer xoxb-1-a')
  expect(slackFaults(JSON.parse(calls[0]?.body ?? ''))).toEqual([])
  expect(JSON.parse(calls[0]?.body ?? '')).toMatchObject({ channel: 'C0123' })
  const [delivery] = await deliveries()
  expect(delivery?.attempts[0]?.error_message).toBe('Slack answered channel_not_found.')
  await eventually(async () => (await deliveries())[0]?.status === 'delivered')
})
