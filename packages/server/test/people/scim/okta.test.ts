import { beforeAll, describe, expect, test } from 'vitest'
import { useServer } from '../../support/harness.ts'
import { directoryOf, type TestDirectory } from '../../support/scim/directory.ts'
import {
  addMembers,
  createGroup,
  createUser,
  groupLookUp,
  lookUp,
  removeMember,
  renameGroup,
  replaceMembers,
  setActive,
  updateGroup,
  updateUser,
} from '../../support/scim/okta.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../../support/tenants.ts'

const server = useServer()
let acme: Tenant
let okta: TestDirectory
beforeAll(async () => {
  acme = await tenantOf(server, (await operatorOf(server)).key)
  okta = await directoryOf(server.url, acme)
})

const member = async (id: string) =>
  (await call(server.url, 'GET', `/v1/orgs/${acme.id}/members/${id}`, { key: acme.key })).json

describe('Okta', () => {
  test('looks a user up, creates, reads, updates, deactivates and reactivates them', async () => {
    const name = 'test.user@okta.local'
    const none = await okta.ask('GET', lookUp(name))
    expect(none.json).toMatchObject({ totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] })
    const created = await okta.ask('POST', '/Users', createUser(name, '00ujl29u0le5T6Aj10h7'))
    expect([created.status, created.headers.get('location')]).toEqual([
      201,
      created.json['meta'] && (created.json['meta'] as { location: string }).location,
    ])
    expect(created.text).not.toContain('1mz050nq')
    const { id } = created.json
    expect(created.json).toMatchObject({
      userName: name,
      externalId: '00ujl29u0le5T6Aj10h7',
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: name, type: 'work' }],
      active: true,
    })
    expect((await okta.ask('GET', lookUp(name.toUpperCase()))).json.Resources.map((user) => user.id)).toEqual([id])
    expect(await member(id)).toMatchObject({ email: name, name: 'Test User', role: 'viewer', status: 'active' })

    const read = await okta.ask('GET', `/Users/${id}`)
    expect(read.json).toEqual(created.json)
    const updated = await okta.ask(
      'PUT',
      `/Users/${id}`,
      updateUser(read.json, { givenName: 'Ada', familyName: 'King' }),
    )
    expect(updated.json).toMatchObject({
      id,
      displayName: 'Ada King',
      name: { formatted: 'Ada King', givenName: 'Ada' },
    })
    expect((await member(id))['name']).toBe('Ada King')

    const off = await okta.ask('PATCH', `/Users/${id}`, setActive(false))
    expect([off.status, off.json.active, (await member(id))['status']]).toEqual([200, false, 'deactivated'])
    const on = await okta.ask('PATCH', `/Users/${id}`, setActive(true))
    expect([on.status, on.json.active, (await member(id))['status']]).toEqual([200, true, 'active'])
  })

  test('replaces a deactivated user without making them active, unless it says so', async () => {
    const { json: user } = await okta.ask('POST', '/Users', createUser('asleep@okta.local', 'asleep'))
    await okta.ask('PATCH', `/Users/${user.id}`, setActive(false))
    const { active: _, ...silent } = user
    expect((await okta.ask('PUT', `/Users/${user.id}`, silent)).json.active).toBe(false)
    expect((await okta.ask('PUT', `/Users/${user.id}`, user)).json.active).toBe(true)
  })

  test('pages through users by index', async () => {
    for (let i = 0; i < 5; i++) await okta.ask('POST', '/Users', createUser(`page${i}@okta.local`, `page${i}`))
    const all = (await okta.ask('GET', '/Users?startIndex=1&count=100')).json
    const seen: string[] = []
    for (let start = 1; start <= all.totalResults; start += 2) {
      const { json } = await okta.ask('GET', `/Users?startIndex=${start}&count=2`)
      expect([json.totalResults, json.startIndex]).toEqual([all.totalResults, start])
      seen.push(...json.Resources.map(({ id }) => id))
    }
    expect(seen).toEqual(all.Resources.map(({ id }) => id))
    expect((await okta.ask('GET', '/Users?count=0')).json).toMatchObject({
      totalResults: all.totalResults,
      itemsPerPage: 0,
      Resources: [],
    })
    expect((await okta.ask('GET', '/Users?startIndex=1000')).json.Resources).toEqual([])
  })

  test('finds somebody who was invited by hand, and takes them over', async () => {
    const email = 'by.hand@okta.local'
    const invited = await call(server.url, 'POST', `/v1/orgs/${acme.id}/members`, {
      key: acme.key,
      body: { email, name: 'By Hand', role: 'member' },
    })
    const found = await okta.ask('GET', lookUp(email))
    expect(found.json.Resources).toMatchObject([{ id: invited.json['id'], userName: email, displayName: 'By Hand' }])
    const user = { ...createUser(email, 'byhand'), displayName: 'In Okta' }
    const namesake = { ...user, emails: [{ value: 'other@okta.local', primary: true }] }
    expect((await okta.ask('POST', '/Users', namesake)).json).toMatchObject({ status: '409', scimType: 'uniqueness' })
    expect((await okta.ask('POST', '/Users', user)).json).toMatchObject({ status: '409', scimType: 'uniqueness' })
    const put = await okta.ask('PUT', `/Users/${String(invited.json['id'])}`, user)
    expect(put.json).toMatchObject({ externalId: 'byhand', displayName: 'In Okta' })
    expect(await member(put.json.id)).toMatchObject({ role: 'member', name: 'In Okta', external_id: 'byhand' })
  })

  test('pushes a group, changes its members, renames and deletes it', async () => {
    const users = await Promise.all(
      ['one', 'two', 'three'].map(async (name) => {
        const { json } = await okta.ask('POST', '/Users', createUser(`${name}@okta.local`, name))
        return { id: json.id, userName: String(json.userName) }
      }),
    )
    const [one, two, three] = users as [(typeof users)[0], (typeof users)[0], (typeof users)[0]]
    expect((await okta.ask('GET', groupLookUp('Push'))).json.totalResults).toBe(0)
    const created = await okta.ask('POST', '/Groups', createGroup('Push'))
    expect([created.status, created.json.members]).toEqual([201, []])
    const { id } = created.json
    const ids = async () => (await okta.ask('GET', `/Groups/${id}`)).json.members?.map(({ value }) => value).toSorted()
    await okta.ask('PATCH', `/Groups/${id}`, addMembers(one, two))
    await okta.ask('PATCH', `/Groups/${id}`, addMembers(one))
    expect(await ids()).toEqual([one.id, two.id].toSorted())
    await okta.ask('PATCH', `/Groups/${id}`, removeMember(one.id))
    expect(await ids()).toEqual([two.id])
    await okta.ask('PATCH', `/Groups/${id}`, replaceMembers(one.id, three.id))
    expect(await ids()).toEqual([one.id, three.id].toSorted())
    expect((await okta.ask('PATCH', `/Groups/${id}`, renameGroup(id, 'Pushed'))).status).toBe(204)
    expect((await okta.ask('GET', `/Groups/${id}`)).json.displayName).toBe('Pushed')
    const put = await okta.ask('PUT', `/Groups/${id}`, updateGroup(id, 'Pushed again', two.id))
    expect(put.json).toMatchObject({
      displayName: 'Pushed again',
      members: [{ value: two.id, display: two.userName, type: 'User' }],
    })
    expect((await okta.ask('GET', groupLookUp('pushed AGAIN'))).json.Resources[0]?.members).toHaveLength(1)
    const typed = { 'content-type': 'application/scim+json' }
    expect((await okta.ask('DELETE', `/Groups/${id}`, undefined, typed)).status).toBe(204)
    expect((await okta.ask('GET', `/Groups/${id}`)).status).toBe(404)
  })
})
