import { expect, test } from 'vitest'
import { type ShownPage, useConsole, visitAsMember, visitWithKey } from '../support/console.ts'
import { call, tenantOf } from '../support/tenants.ts'

const { server, operator, tenant, owner, ask } = useConsole()

async function createKey(fields: Record<string, unknown> = {}) {
  const { json } = await ask('POST', '/keys', { name: 'agent', role: 'service', scopes: ['edge:decide'], ...fields })
  return { id: String(json['id']), secret: String(json['secret']) }
}

const secretOn = ({ text }: ShownPage) => /weir_\S+/.exec(text)?.[0] ?? ''
const stateOf = async (secret: string) => (await call(server.url, 'GET', '/v1/me', { key: secret })).status

test('the list shows owner, role, pins and state of each key, and hostile names as text', async () => {
  const name = '<img src=x onerror=alert(1)>'
  const member = await visitAsMember(server.url, tenant, 'member', 'jonas@example.com')
  await createKey({ name, owner_id: member.memberId, pins: { department_id: 'payments' } })
  const { text, html, status } = await owner.openConsole('/console/keys')
  expect(status).toBe(200)
  expect(text).toContain(name)
  expect(html).not.toContain('<img')
  expect(text).toMatch(/jonas@example\.com service, 1 scope team payments never never Not used yet/)
})

test('the list shows keys that work unless others are asked for', async () => {
  const { id } = await createKey({ name: 'gone-by-now' })
  await ask('POST', `/keys/${id}/revoke`, {})
  expect((await owner.openConsole('/console/keys')).text).not.toContain('gone-by-now')
  expect((await owner.openConsole('/console/keys?status=revoked')).text).toMatch(/gone-by-now.*Revoked/)
})

test('a new key has what the form says, and its secret is shown once', async () => {
  const shown = await owner.postForm(
    '/console/keys/new',
    {
      name: 'notebook',
      job: 'chosen',
      scopes: ['usage:read', 'runs:read'],
      workflow_id: 'evals',
      last_day: '2999-12-31',
    },
    '/console/keys',
  )
  expect(shown.status).toBe(200)
  expect(shown.headers.get('cache-control')).toContain('no-store')
  const { json } = await call(server.url, 'GET', '/v1/me', { key: secretOn(shown) })
  expect(json).toMatchObject({ role: 'service', pins: { workflow_id: 'evals' } })
  expect((json['scopes'] as string[]).toSorted()).toEqual(['runs:read', 'usage:read'])
  expect(json['expires_at']).toMatch(/^3000-01-01T00:00:00/)
  const page = await owner.openConsole(`/console/keys/${String(json['id'])}`)
  expect(page.text).toContain('notebook')
  expect(page.html).not.toContain(secretOn(shown))
})

test('a refused form comes back with what was typed and the message at its field', async () => {
  const refused = await owner.postForm('/console/keys/new', { name: 'kept', last_day: '2001-01-01' }, '/console/keys')
  expect(refused.status).toBe(422)
  expect(refused.forms.find(({ action }) => action === '/console/keys')?.fields).toMatchObject({ name: 'kept' })
  expect(refused.html).toMatch(/id="f-last_day"[^>]*aria-invalid="true"/)
  const noScope = await owner.postForm('/console/keys/new', { name: 'kept', job: 'chosen' }, '/console/keys')
  expect([noScope.status, noScope.html.includes('id="f-scopes-e"')]).toEqual([422, true])
})

test('a rotated key goes on for its overlap, and the new secret works', async () => {
  const { id, secret } = await createKey()
  const shown = await owner.postForm(`/console/keys/${id}/rotate`, { overlap_seconds: '3600' })
  expect(shown.text).toContain('The old key works until')
  expect([await stateOf(secret), await stateOf(secretOn(shown))]).toEqual([200, 200])
  const other = await createKey()
  await owner.postForm(`/console/keys/${other.id}/rotate`, { overlap_seconds: '0' })
  expect(await stateOf(other.secret)).toBe(401)
  const again = await owner.postForm(`/console/keys/${other.id}/rotate`, {})
  expect([again.status, again.text.includes('already rotated')]).toEqual([422, true])
})

test('a key is revoked after a question', async () => {
  const { id, secret } = await createKey()
  const question = await owner.openConsole(`/console/keys/${id}/revoke`)
  expect(question.text).toContain('cannot be undone')
  expect(await stateOf(secret)).toBe(200)
  const { location } = await owner.postForm(`/console/keys/${id}/revoke`)
  expect(location).toBe(`/console/keys/${id}?done=revoked`)
  expect(await stateOf(secret)).toBe(410)
})

test('a frozen key says so with its reason, also after it was rotated, until it is thawed', async () => {
  const { id } = await createKey()
  const refused = await owner.postForm(`/console/keys/${id}/freeze`, { reason: '' })
  expect([refused.status, refused.html.includes('id="f-reason-e"')]).toEqual([422, true])
  await owner.postForm(`/console/keys/${id}/freeze`, { reason: 'It <b>loops</b>' })
  await owner.postForm(`/console/keys/${id}/rotate`, { overlap_seconds: '3600' })
  const { json } = await ask('GET', `/keys/${id}`)
  const successor = `/console/keys/${String(json['rotated_to'])}`
  expect((await owner.openConsole(successor)).text).toContain('refused: It <b>loops</b>')
  expect((await owner.postForm(successor, {}, /thaw$/)).location).toBe(`${successor}?done=thawed`)
  expect((await owner.openConsole(`/console/keys/${id}`)).text).not.toContain('loops')
})

test('a key is renamed and handed to somebody else', async () => {
  const { id } = await createKey()
  const member = await visitAsMember(server.url, tenant, 'member')
  await owner.postForm(`/console/keys/${id}/edit`, { name: 'renamed', owner_id: member.memberId })
  expect((await ask('GET', `/keys/${id}`)).json).toMatchObject({ name: 'renamed', owner_id: member.memberId })
})

test('an admin is offered no owner’s key, and a viewer neither sees nor ends one', async () => {
  const { id, secret } = await createKey()
  const admin = await visitAsMember(server.url, tenant, 'admin')
  const roles = (await admin.openConsole('/console/keys/new')).html.match(/name="role" value="\w+"/g)
  expect(roles?.map((text) => text.slice(19, -1))).toEqual(['service', 'member', 'viewer', 'admin'])
  const viewer = await visitAsMember(server.url, tenant, 'viewer')
  expect((await viewer.openConsole('/console/keys')).status).toBe(403)
  for (const path of ['', `/${id}/revoke`, `/${id}/rotate`, `/${id}/freeze`, `/${id}/thaw`, `/${id}/edit`])
    expect((await viewer.postUnseen(`/console/keys${path}`, { name: 'x', reason: 'x' })).status).toBe(403)
  expect(await stateOf(secret)).toBe(200)
})

test('a key of another organization is not there', async () => {
  const other = await tenantOf(server, operator.key, 'Other')
  for (const path of ['', '/revoke', '/rotate', '/freeze', '/edit'])
    expect((await owner.openConsole(`/console/keys/${other.keyId}${path}`)).status).toBe(404)
  expect((await owner.postUnseen(`/console/keys/${other.keyId}/revoke`)).status).toBe(404)
  expect(await stateOf(other.key)).toBe(200)
})

test('several keys are revoked after one question, without script', async () => {
  const keys = [await createKey({ name: 'one <b>' }), await createKey({ name: 'two' })]
  const kept = await createKey({ name: 'kept' })
  const list = await owner.openConsole('/console/keys')
  const form = list.forms.find(({ action }) => action === '/console/keys/revoke')
  expect(form?.method).toBe('get')
  expect(list.html).toContain(`name="key_id" value="${keys[0]!.id}"`)
  const question = `/console/keys/revoke?${keys.map(({ id }) => `key_id=${id}`).join('&')}`
  const { text, html } = await owner.openConsole(question)
  expect(text).toMatch(/Revoke 2 keys\?.*one <b>.*two/)
  expect(html).not.toContain('one <b>')
  expect(await stateOf(keys[0]!.secret)).toBe(200)
  expect((await owner.postForm(question)).location).toBe('/console/keys?done=revoked')
  expect(await Promise.all([...keys, kept].map(({ secret }) => stateOf(secret)))).toEqual([410, 410, 200])
})

test('of several keys those are named that cannot be revoked, and nobody else can revoke them', async () => {
  const key = await createKey({ name: 'alive' })
  const absent = 'key_00000000000000000000000000'
  const viewer = await visitAsMember(server.url, tenant, 'viewer')
  expect((await viewer.postUnseen('/console/keys/revoke', { key_id: key.id })).status).toBe(403)
  expect((await owner.postUnseen('/console/keys/revoke', { key_id: absent })).status).toBe(404)
  const other = await visitWithKey(server.url, (await tenantOf(server, operator.key, 'Elsewhere')).key)
  expect((await other.postUnseen('/console/keys/revoke', { key_id: key.id })).status).toBe(404)
  expect(await stateOf(key.secret)).toBe(200)
  const partly = await owner.postUnseen('/console/keys/revoke', { key_id: [absent, key.id] })
  expect([partly.status, partly.text]).toEqual([422, expect.stringContaining('1 key of 2 could not be revoked')])
  expect(await stateOf(key.secret)).toBe(410)
})
