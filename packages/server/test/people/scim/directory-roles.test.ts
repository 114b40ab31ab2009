import { beforeEach, describe, expect, test } from 'vitest'
import { requireId } from '../../../src/values/id.ts'
import { useServer } from '../../support/harness.ts'
import { directoryOf, type TestDirectory } from '../../support/scim/directory.ts'
import { addMembers, createGroup, createUser, removeMember, renameGroup, setActive } from '../../support/scim/okta.ts'
import { asDatabaseOwner, callIn, meWith, signInAsMember } from '../../support/sessions.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../../support/tenants.ts'

const server = useServer()
let acme: Tenant
let okta: TestDirectory
beforeEach(async () => {
  acme = await tenantOf(server, (await operatorOf(server)).key)
  okta = await directoryOf(server.url, acme)
})

const roles = (method: string, body?: object, key = acme.key) =>
  call(server.url, method, `/v1/orgs/${acme.id}/directory-roles`, { key, ...(body && { body }) })
const rules = (...list: readonly (readonly [string, string])[]) => ({
  rules: list.map(([group, role]) => ({ group, role })),
})
const member = async (id: string) =>
  (await call(server.url, 'GET', `/v1/orgs/${acme.id}/members/${id}`, { key: acme.key })).json
const roleOf = async (id: string) => (await member(id))['role']
let count = 0
const user = async () => {
  const { json } = await okta.ask('POST', '/Users', createUser(`u${count++}@acme.example`, `u${count}`))
  return { id: json.id, userName: String(json.userName) }
}
const group = async (name: string, ...members: readonly { id: string; userName: string }[]) => {
  const { id } = (await okta.ask('POST', '/Groups', createGroup(name))).json
  if (members.length > 0) await okta.ask('PATCH', `/Groups/${id}`, addMembers(...members))
  return id
}

describe('roles by groups', () => {
  test('are those of the first rule whose group somebody is in, now and when groups or rules change', async () => {
    const ada = await user()
    expect(await roleOf(ada.id)).toBe('viewer')
    const staff = await group('Staff', ada)
    const admins = await group('Weir admins', ada)
    expect(await roleOf(ada.id)).toBe('viewer')
    await roles('PUT', rules(['WEIR  Admins', 'admin'], ['staff', 'member']))
    expect(await roleOf(ada.id)).toBe('admin')
    await okta.ask('PATCH', `/Groups/${admins}`, removeMember(ada.id))
    expect(await roleOf(ada.id)).toBe('member')
    await okta.ask('PATCH', `/Groups/${staff}`, renameGroup(staff, 'Former staff'))
    expect(await roleOf(ada.id)).toBe('viewer')
    await okta.ask('PATCH', `/Groups/${staff}`, renameGroup(staff, 'Staff'))
    expect(await roleOf(ada.id)).toBe('member')
    await okta.ask('DELETE', `/Groups/${staff}`)
    expect(await roleOf(ada.id)).toBe('viewer')
    await roles('PATCH', { default_role: 'member' })
    expect(await roleOf(ada.id)).toBe('member')
    expect(await roleOf((await user()).id)).toBe('member')
    const log = await call(server.url, 'GET', `/v1/orgs/${acme.id}/audit-log?target_id=${ada.id}`, { key: acme.key })
    const actions = (log.json['data'] as { action: string; actor: { kind: string } }[]).map(
      ({ action, actor }) => `${actor.kind} ${action}`,
    )
    expect(actions).toEqual([
      'directory member.added',
      'key member.changed',
      ...Array.from({ length: 4 }, () => 'directory member.changed'),
      'key member.changed',
    ])
  })

  test('bind sessions at their next request', async () => {
    const session = await signInAsMember(
      server.url,
      { orgId: acme.id, key: acme.key },
      { email: 'ada@acme.example', role: 'member' },
    )
    await roles('PUT', rules(['Admins', 'admin']))
    const read = (await okta.ask('GET', `/Users/${session.memberId}`)).json
    const admins = await group('Admins', { id: session.memberId, userName: 'ada' })
    // In a group, and still as invited: the directory has not taken them over.
    expect((await meWith(server.url, session.cookie)).json['role']).toBe('member')
    await okta.ask('PUT', `/Users/${session.memberId}`, { ...read, externalId: 'ada' })
    expect((await meWith(server.url, session.cookie)).json['role']).toBe('admin')
    expect((await callIn(server.url, session, 'GET', `/v1/orgs/${acme.id}/members`)).status).toBe(200)
    await okta.ask('PATCH', `/Groups/${admins}`, removeMember(session.memberId))
    expect((await callIn(server.url, session, 'GET', `/v1/orgs/${acme.id}/members`)).json.error?.code).toBe('forbidden')
  })

  test('are set by owners only, so no directory and no admin makes an owner that no owner has provided for', async () => {
    const admin = (await keyOf(server, acme.id, { role: 'admin' })).key
    expect((await roles('PUT', rules(['Owners', 'owner']), admin)).json.error?.code).toBe('forbidden')
    const ada = await user()
    await group('owner', ada)
    await group('Owners', ada)
    expect(await roleOf(ada.id)).toBe('viewer')
    await roles('PUT', rules(['Staff', 'member']))
    expect(await roleOf(ada.id)).toBe('viewer')
    for (const fields of [
      { role: 'owner' },
      { roles: [{ value: 'owner', primary: true }] },
      { groups: [{ value: 'owner' }] },
    ]) {
      await okta.ask('PUT', `/Users/${ada.id}`, { ...createUser(ada.userName, 'x'), ...fields })
      await okta.ask('PATCH', `/Users/${ada.id}`, { Operations: [{ op: 'replace', value: fields }] })
    }
    expect(await roleOf(ada.id)).toBe('viewer')
    await roles('PUT', rules(['Owners', 'owner']))
    expect(await roleOf(ada.id)).toBe('owner')
  })

  test('leave the last owner one, and a second one not', async () => {
    const [ada, bob] = [await user(), await user()]
    const owners = await group('Owners', ada, bob)
    await roles('PUT', rules(['Owners', 'owner']))
    await okta.ask('PATCH', `/Groups/${owners}`, removeMember(ada.id))
    await okta.ask('PATCH', `/Groups/${owners}`, removeMember(bob.id))
    expect([await roleOf(ada.id), await roleOf(bob.id)]).toEqual(['viewer', 'owner'])
    // Deactivation is obeyed, whoever it is.
    await okta.ask('PATCH', `/Users/${bob.id}`, setActive(false))
    expect((await member(bob.id))['status']).toBe('deactivated')
  })
})

test('one request changes a bounded number of roles, and none where there are more', async () => {
  const org = requireId('org', acme.id)
  await asDatabaseOwner(
    server.database.ownerUrl,
    `with made as (
       insert into memberships (org_id, id, person_id, email, email_key, name, role, accepted_at)
       select '${org}', gen_random_uuid(), gen_random_uuid(), 'm' || i || '@x.example', 'm' || i || '@x.example', '', 'viewer', now()
         from generate_series(1, 5001) i returning org_id, id, email_key)
     insert into directory_users (org_id, member_id, user_name_key, attributes) select org_id, id, email_key, '{}' from made`,
  )
  const refused = await roles('PUT', { rules: [{ group: 'x', role: 'member' }], default_role: 'member' })
  expect([refused.status, refused.json.error?.code]).toEqual([409, 'conflict'])
  expect((await roles('GET')).json['rules']).toEqual([])
  expect((await okta.ask('GET', '/Users?count=0')).json.totalResults).toBe(5_001)
})
