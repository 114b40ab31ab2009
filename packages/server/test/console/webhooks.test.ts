import { beforeAll, describe, expect, test } from 'vitest'
import { useConsole, visitAsMember } from '../support/console.ts'
import { call, type Tenant, tenantOf } from '../support/tenants.ts'

const { server, operator, tenant, owner } = useConsole()
let other: Tenant
beforeAll(async () => {
  other = await tenantOf(server, operator.key, 'Other')
})

const path = '/console/webhooks'
const ask = (method: string, rest: string, body?: unknown, org = tenant) =>
  call(server.url, method, `/v1/orgs/${org.id}${rest}`, { key: org.key, ...(body !== undefined && { body }) })
const webhookOf = async (more: Record<string, unknown> = {}, org = tenant) =>
  (await ask('POST', '/webhooks', { url: 'https://hooks.example.com/weir', signing: 'subscription', ...more }, org))
    .json['id'] as string
const stored = async (id: string) => (await ask('GET', `/webhooks/${id}`)).json

describe('webhooks', () => {
  test('are listed with their health, and descriptions as text', async () => {
    await webhookOf({ description: 'pages <b>on-call</b>', events: ['budget.*'] })
    const { text, html } = await owner.openConsole(path)
    expect(text).toContain('https://hooks.example.com/weir pages <b>on-call</b>')
    expect(text).toContain('Nothing sent yet')
    expect(html).not.toContain('<b>on-call</b>')
  })

  test('are created with a secret of their own, which is shown once', async () => {
    const made = await owner.postForm(`${path}/new`, {
      url: 'https://hooks.example.com/new',
      events: 'budget.*\r\napproval.requested',
      ordered: 'true',
    })
    expect(made.status).toBe(200)
    const [secret = ''] = /whsec_[\w+/=-]+/.exec(made.text) ?? []
    expect(secret).not.toBe('')
    const id = /sub_\w+/.exec(made.html)?.[0] ?? ''
    expect(await stored(id)).toMatchObject({
      events: ['budget.*', 'approval.requested'],
      ordered: true,
      signing_version: 2,
    })
    for (const page of [path, `${path}/${id}`, `${path}/${id}/edit`])
      expect((await owner.openConsole(page)).html).not.toContain(secret)
  })

  test('come back from a refused form with the message at the field', async () => {
    const refused = await owner.postForm(`${path}/new`, { url: 'https://hooks.example.com/x', events: 'bugdet.*' })
    expect(refused.status).toBe(422)
    expect(refused.html).toMatch(/id="f-events"[^>]*aria-invalid="true"/)
    expect(refused.forms.find(({ action }) => action === path)?.fields).toMatchObject({ events: 'bugdet.*' })
  })

  test('are changed, switched off and on, and deleted after a question', async () => {
    const id = await webhookOf({ events: ['budget.*'] })
    await owner.postForm(`${path}/${id}/edit`, { events: 'key.revoked', description: 'ops' })
    expect(await stored(id)).toMatchObject({ events: ['key.revoked'], description: 'ops' })
    await owner.postForm(`${path}/${id}`, {}, /state$/)
    expect(await stored(id)).toMatchObject({ enabled: false })
    await owner.postForm(`${path}/${id}`, {}, /state$/)
    expect(await stored(id)).toMatchObject({ enabled: true })
    expect((await owner.postForm(`${path}/${id}/delete`)).location).toBe(path)
    expect((await ask('GET', `/webhooks/${id}`)).status).toBe(404)
  })

  test('keep what a form does not ask for: how long messages about the same wait for each other', async () => {
    const destination = { kind: 'slack', webhook_url: 'https://hooks.example.com/slack', digest_seconds: 3_600 }
    const id = await webhookOf({ url: undefined, signing: undefined, destination })
    await owner.postForm(`${path}/${id}/edit`, { description: 'ops' })
    expect(await stored(id)).toMatchObject({ description: 'ops', destination: { digest_seconds: 3_600 } })
  })

  test('get another secret, with the old one beside it for a while', async () => {
    const id = await webhookOf()
    const rotated = await owner.postForm(`${path}/${id}/rotate`, { overlap_seconds: '3600' })
    expect(rotated.text).toMatch(/whsec_/)
    const { json } = await ask('GET', `/webhooks/${id}/signing`)
    expect(json).toMatchObject({ generation: 2, previous_expires_at: expect.any(String) })
    expect((await owner.openConsole(`${path}/${id}`)).text).toContain('also with the one before until')
  })
})

describe('deliveries', () => {
  test('of a test are shown with state and body, and delivered again on demand', async () => {
    const id = await webhookOf()
    const sent = await owner.postForm(`${path}/${id}`, {}, /test$/)
    expect(sent.location).toMatch(new RegExp(`^${path}/${id}/deliveries/dlv_`))
    const page = await owner.openConsole(String(sent.location))
    expect(page.text).toContain('webhook.test')
    expect(page.text).toContain('Because of a test')
    const again = await owner.postForm(String(sent.location))
    expect(again.location).not.toBe(sent.location)
    expect((await owner.openConsole(String(again.location))).text).toContain('Because of a redelivery')
    const listed = (await ask('GET', `/webhooks/${id}/deliveries`)).json['data'] as unknown[]
    expect(listed).toHaveLength(2)
    expect((await owner.openConsole(`${path}/${id}?status=failed`)).text).toContain('Nothing was delivered here yet.')
  })

  test('of a time are replayed, and the page says how far that is', async () => {
    const id = await webhookOf()
    const answer = await owner.postForm(`${path}/${id}/replay`, {
      from: new Date(server.platform.clock.now().getTime() - 86_400_000).toISOString().slice(0, 10),
    })
    expect(answer.location).toBe(`${path}/${id}?done=replayed`)
    expect((await owner.openConsole(`${path}/${id}`)).text).toMatch(/\d+ of \d+ events sent/)
    const refused = await owner.postForm(`${path}/${id}/replay`, { from: 'yesterday' })
    expect(refused.status).toBe(422)
    expect(refused.html).toMatch(/id="f-from"[^>]*aria-invalid="true"/)
  })
})

describe('events', () => {
  test('are listed by kind, with their data', async () => {
    const name = 'k <i>x</i>'
    const { status } = await ask('POST', '/keys', { name, role: 'viewer', scopes: ['runs:read'] })
    expect(status).toBe(201)
    const list = await owner.openConsole(`${path}/events?type=key.*`)
    const link = list.links.find(({ text, href }) => text === 'key.created' && href.includes('evt_'))
    const page = await owner.openConsole(link?.href ?? '')
    expect(page.text).toContain('"type": "key.created"')
    expect((await owner.openConsole(`${path}/events?type=budget.*`)).text).toContain('No event')
  })
})

describe('whoever may not', () => {
  test('a viewer is refused the pages and every change', async () => {
    const id = await webhookOf()
    const viewer = await visitAsMember(server.url, tenant, 'viewer')
    expect((await viewer.openConsole(path)).status).toBe(403)
    for (const rest of ['edit', 'state', 'test', 'rotate', 'replay', 'delete'])
      expect((await viewer.postUnseen(`${path}/${id}/${rest}`, { from: '2026-01-01' })).status, rest).toBe(403)
  })

  test('a webhook of another organization is not found', async () => {
    const id = await webhookOf({}, other)
    for (const rest of ['', '/edit', '/rotate', '/replay', '/delete'])
      expect((await owner.openConsole(`${path}/${id}${rest}`)).status, rest).toBe(404)
    for (const rest of ['test', 'rotate', 'delete', 'state'])
      expect((await owner.postUnseen(`${path}/${id}/${rest}`, {})).status, rest).toBe(404)
  })
})
