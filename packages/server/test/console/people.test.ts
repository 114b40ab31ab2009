import { expect, test } from 'vitest'
import { useConsole, visitAsMember } from '../support/console.ts'
import { endedSummary, meWith, signInByLink, summaryOf } from '../support/sessions.ts'
import { call, tenantOf } from '../support/tenants.ts'

const { server, operator, tenant, owner, ask } = useConsole()

const members = '/console/members'
const read = async (path: string) => (await ask('GET', path)).json

test('somebody is invited by a link that is shown once and signs them in', async () => {
  const shown = await owner.postForm(
    `${members}/invite`,
    { email: 'ada@example.com', name: 'Ada <i>L</i>', role: 'admin' },
    members,
  )
  expect(shown.status).toBe(200)
  const link = /http\S+code=\S+/.exec(shown.text)![0]
  const { cookie } = await signInByLink(server.url, link)
  expect((await meWith(server.url, cookie)).json).toMatchObject({ role: 'admin', person: { email: 'ada@example.com' } })
  const list = await owner.openConsole(members)
  expect(list.text).toContain('Ada <i>L</i> ada@example.com admin Active')
  expect(list.html).not.toContain('<i>L')
})

test('an invitation that is refused comes back with the message at its field', async () => {
  const refused = await owner.postForm(`${members}/invite`, { email: 'nobody', name: 'Kept' }, members)
  expect([refused.status, refused.forms[0]?.fields['name']]).toEqual([422, 'Kept'])
  expect(refused.html).toMatch(/id="f-email"[^>]*aria-invalid="true"/)
})

test('a new link takes the place of the old one', async () => {
  const shown = await owner.postForm(`${members}/invite`, { email: 'bo@example.com', role: 'viewer' }, members)
  const old = /http\S+code=\S+/.exec(shown.text)![0]
  const [id] = /mbr_\w+/.exec(shown.html)!
  const renewed = await owner.postForm(`${members}/${id}`, {}, /invitation$/)
  await expect(signInByLink(server.url, old)).rejects.toThrow('sign-in')
  await signInByLink(server.url, /http\S+code=\S+/.exec(renewed.text)![0])
})

test('a role is changed, and binds the next request', async () => {
  const member = await visitAsMember(server.url, tenant, 'admin')
  await owner.postForm(`${members}/${member.memberId}/edit`, { role: 'viewer' })
  expect((await meWith(server.url, member.session.cookie)).json['role']).toBe('viewer')
})

test('the removal says what ends, and ends it', async () => {
  const member = await visitAsMember(server.url, tenant, 'member', 'leaver@example.com')
  const { json } = await call(server.url, 'POST', `/v1/orgs/${tenant.id}/keys`, {
    key: tenant.key,
    body: { name: 'agent of a leaver', role: 'service', scopes: ['edge:decide'], owner_id: member.memberId },
  })
  const path = `${members}/${member.memberId}/remove`
  const question = await owner.openConsole(path)
  expect(question.text).toMatch(/1 session .*agent of a leaver/)
  expect((await owner.postForm(path)).location).toBe(`${members}?done=removed`)
  expect(summaryOf(await meWith(server.url, member.session.cookie))).toEqual(endedSummary)
  expect((await call(server.url, 'GET', '/v1/me', { key: String(json['secret']) })).status).toBe(410)
  expect((await owner.openConsole(members)).text).not.toContain('leaver@example.com')
})

test('a session is listed with its owner and ended', async () => {
  const member = await visitAsMember(server.url, tenant, 'member', 'signed-in@example.com')
  expect((await owner.openConsole('/console/sessions')).text).toContain('signed-in@example.com')
  const action = `/console/sessions/${member.session.id}/end`
  expect((await owner.postForm('/console/sessions', {}, action)).status).toBe(303)
  expect(summaryOf(await meWith(server.url, member.session.cookie))).toEqual(endedSummary)
})

test('an admin is offered no owner, and may neither make nor remove one', async () => {
  const admin = await visitAsMember(server.url, tenant, 'admin')
  const other = await visitAsMember(server.url, tenant, 'owner')
  expect((await admin.openConsole(`${members}/invite`)).html).not.toContain('value="owner"')
  const invited = await admin.postUnseen(members, { email: 'x@example.com', role: 'owner' })
  const removed = await admin.postUnseen(`${members}/${other.memberId}/remove`)
  expect([invited.status, removed.status]).toEqual([403, 403])
  expect(await read(`/members/${other.memberId}`)).toMatchObject({ status: 'active' })
})

test('a viewer sees no members and changes none; members of others are not there', async () => {
  const viewer = await visitAsMember(server.url, tenant, 'viewer')
  for (const path of [members, '/console/sessions', `${members}/${viewer.memberId}`])
    expect((await viewer.openConsole(path)).status).toBe(403)
  for (const path of [members, `${members}/${viewer.memberId}/edit`, `${members}/${viewer.memberId}/remove`])
    expect((await viewer.postUnseen(path, { email: 'x@example.com', role: 'viewer' })).status).toBe(403)
  const other = await tenantOf(server, operator.key, 'Other')
  const stranger = await visitAsMember(server.url, other, 'member')
  for (const part of ['', '/edit', '/remove'])
    expect((await owner.openConsole(`${members}/${stranger.memberId}${part}`)).status).toBe(404)
  expect((await owner.postUnseen(`${members}/${stranger.memberId}/remove`)).status).toBe(404)
  expect((await owner.postUnseen(`/console/sessions/${stranger.session.id}/end`)).status).toBe(404)
})
