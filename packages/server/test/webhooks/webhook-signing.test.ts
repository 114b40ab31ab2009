import { Webhook } from 'standardwebhooks'
import { beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/processes.ts'
import { useDeliveringServer, useReceiver } from '../support/receiver.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const receiver = useReceiver()
const server = useDeliveringServer()
let operator: string
let tenant: Tenant

beforeAll(async () => {
  operator = (await operatorOf(server)).key
  tenant = await tenantOf(server, operator)
})

const ask = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  call(server.url, method, `/v1/orgs/${tenant.id}${path}`, { key: tenant.key, headers, ...(body && { body }) })

test('a subscription made with a secret of its own is signed with it from its first delivery', async () => {
  const body = { url: `${receiver.url}/own`, signing: 'subscription', events: ['budget.*'] }
  const made = await ask('POST', '/webhooks', body, { 'idempotency-key': 'own' })
  expect(made.status).toBe(201)
  expect(made.json).toMatchObject({ signing_version: 2, secret: expect.stringMatching(/^whsec_/) })
  const [id, secret] = [String(made.json['id']), String(made.json['secret'])]
  const again = await ask('POST', '/webhooks', body, { 'idempotency-key': 'own' })
  expect(again.text).toBe(made.text)
  expect(again.headers.get('idempotent-replayed')).toBe('true')

  await ask('POST', `/webhooks/${id}/test`)
  await eventually(() => receiver.at('/own').length > 0)
  const [first] = receiver.at('/own')
  expect(first!.headers['x-svc-event-version']).toBe('2')
  expect(first!.headers['deprecation']).toBeUndefined()
  new Webhook(secret).verify(first!.body, first!.headers)

  expect((await ask('GET', `/webhooks/${id}/signing`)).json).toMatchObject({ version: 2, generation: 1 })
  for (const path of [`/webhooks/${id}`, '/webhooks', '/audit-log', `/webhooks/${id}/signing`])
    expect((await ask('GET', path)).text).not.toContain(secret.slice('whsec_'.length))
  // Nothing is signed with the shared secret, so there is nothing to rotate.
  const shared = await call(server.url, 'POST', `/v1/admin/orgs/${tenant.id}/webhook-secret/rotate`, { key: operator })
  expect(shared.json['rotated']).toBe(false)
})

test.each([{}, { signing: 'organization' }])('with %j the organization’s secret signs, as before', async (signing) => {
  const made = await ask('POST', '/webhooks', { url: `${receiver.url}/shared`, ...signing })
  expect(made.json).toMatchObject({ signing_version: 1 })
  expect(made.json).not.toHaveProperty('secret')
})

test('how a subscription is signed is chosen when it is made, and by a word that there is', async () => {
  const other = await ask('POST', '/webhooks', { url: receiver.url, signing: 'own' })
  expect(other.status).toBe(422)
  const made = await ask('POST', '/webhooks', { url: receiver.url })
  const patched = await ask('PATCH', `/webhooks/${String(made.json['id'])}`, { signing: 'subscription' })
  expect(patched.status).toBe(422)
  expect(JSON.stringify(patched.json)).toContain('unknown_field')
})

test('the audit log shows where a subscription posts to and that this changed, never the token in its URL', async () => {
  const tokens = ['T00/B00/first-token', 'T00/B00/second-token', 'T00/B00/third-token']
  const made = await ask('POST', '/webhooks', { url: `${receiver.url}/services/${tokens[0]}` })
  const at = `/webhooks/${String(made.json['id'])}`
  await ask('PATCH', at, { url: `${receiver.url}/services?key=${tokens[1]}#${tokens[2]}` })
  await ask('PATCH', at, { description: 'the same URL' })
  expect((await ask('GET', at)).json['url']).toContain(tokens[1])
  await ask('DELETE', at)

  const { key } = await keyOf(server, tenant.id, { role: 'admin', scopes: ['audit:read'] })
  const log = `/v1/orgs/${tenant.id}/audit-log`
  for (const path of [log, `${log}/export`, `${log}/export?format=cef`]) {
    const { status, text } = await call(server.url, 'GET', path, { key })
    expect(status).toBe(200)
    expect(text).toContain('webhook.updated')
    for (const token of tokens) expect(text).not.toContain(token)
    expect(text).not.toContain('services')
  }
  const { json } = await call(server.url, 'GET', `${log}?sort=created_at`, { key })
  type Told = { url: string; url_digest: string } | null
  const entries = (json['data'] as { target: { id: string }; before: Told; after: Told }[]).filter(
    ({ target }) => target.id === made.json['id'],
  )
  const [created, moved, described, deleted] = entries
  expect(created!.after!.url).toBe(`${receiver.url}/…`)
  expect(moved!.before!.url_digest).toBe(created!.after!.url_digest)
  expect(moved!.after!.url_digest).not.toBe(moved!.before!.url_digest)
  expect(described!.after!.url_digest).toBe(described!.before!.url_digest)
  expect(deleted!.before!.url_digest).toBe(described!.after!.url_digest)
  expect(created!.after!.url_digest).toMatch(/^[0-9a-f]{16}$/)
})

test('no log line has a signing secret, whatever it stands in', () => {
  server.platform.log.error({ error: new Error('signing with whsec_c2VjcmV0+/= and whorg_c2VjcmV0-_ failed') }, 'x')
  const text = JSON.stringify(server.logs.at(-1))
  expect(text).toContain('signing with')
  expect(text).not.toContain('c2VjcmV0')
})
