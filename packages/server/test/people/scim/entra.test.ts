import { beforeAll, describe, expect, test } from 'vitest'
import { useServer } from '../../support/harness.ts'
import { directoryOf, type TestDirectory } from '../../support/scim/directory.ts'
import {
  addMember,
  createGroup,
  createUser,
  disable,
  disableInOldForm,
  enable,
  groupLookUp,
  lookUp,
  lookUpByMail,
  membership,
  probe,
  readGroup,
  removeMember,
  removeMemberByFilter,
  rename,
  renameGroup,
  updateUser,
  updateWithoutPath,
} from '../../support/scim/entra.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../../support/tenants.ts'

const server = useServer()
let acme: Tenant
let entra: TestDirectory
beforeAll(async () => {
  acme = await tenantOf(server, (await operatorOf(server)).key)
  entra = await directoryOf(server.url, acme)
})

const member = async (id: string) =>
  (await call(server.url, 'GET', `/v1/orgs/${acme.id}/members/${id}`, { key: acme.key })).json
let users = 0
const created = async () => {
  const userName = `user${users++}@contoso.example`
  const answer = await entra.ask('POST', '/Users', createUser(userName, `oid-${userName}`))
  expect(answer.status).toBe(201)
  return answer.json
}

describe('Entra', () => {
  test('tests the connection with a user who does not exist', async () => {
    const { status, json } = await entra.ask('GET', probe)
    expect([status, json]).toEqual([
      200,
      {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
        totalResults: 0,
        startIndex: 1,
        itemsPerPage: 0,
        Resources: [],
      },
    ])
  })

  test('creates a user and finds them by name and by address', async () => {
    const user = await created()
    for (const path of [
      lookUp(user.userName!),
      lookUpByMail(user.userName!),
      '/Users?filter=externalId+eq+%22oid-user0@contoso.example%22',
    ])
      expect((await entra.ask('GET', path)).json.Resources.map(({ id }) => id)).toEqual([user.id])
    expect(user).toMatchObject({ name: { formatted: 'givenName familyName' }, active: true })
    expect(user).not.toHaveProperty('roles')
    expect(await member(user.id)).toMatchObject({ name: 'givenName familyName', external_id: user.externalId })
  })

  test('changes attributes one by one, or without a path; what is not kept is ignored', async () => {
    const user = await created()
    const first = await entra.ask('PATCH', `/Users/${user.id}`, updateUser('other@contoso.example', 'Lovelace'))
    expect([first.status, first.json]).toMatchObject([
      200,
      {
        displayName: 'Given Lovelace',
        name: { familyName: 'Lovelace', givenName: 'givenName' },
        emails: [{ value: 'other@contoso.example', type: 'work', primary: true }],
      },
    ])
    expect(await member(user.id)).toMatchObject({ email: 'other@contoso.example', name: 'Given Lovelace' })
    const second = await entra.ask('PATCH', `/Users/${user.id}`, updateWithoutPath('third@contoso.example', 'Ada'))
    expect(second.json).toMatchObject({
      userName: 'third@contoso.example',
      name: { givenName: 'Ada' },
      emails: [{ value: 'third@contoso.example' }],
    })
    expect((await entra.ask('GET', lookUp('third@contoso.example'))).json.totalResults).toBe(1)
    expect((await entra.ask('GET', lookUp(user.userName!))).json.totalResults).toBe(0)
  })

  test('renames a user; a name that another has is a conflict', async () => {
    const [one, two] = [await created(), await created()]
    const taken = await entra.ask('PATCH', `/Users/${one.id}`, rename(two.userName!.toUpperCase()))
    expect(taken.json).toMatchObject({ status: '409', scimType: 'uniqueness' })
    expect((await entra.ask('GET', `/Users/${one.id}`)).json.userName).toBe(one.userName)
    const free = await entra.ask('PATCH', `/Users/${one.id}`, rename('renamed@contoso.example'))
    expect([free.status, free.json.userName]).toEqual([200, 'renamed@contoso.example'])
  })

  test.each([
    ['text', disable],
    ['a list', disableInOldForm],
  ])('disables and enables a user, with false as %s', async (_name, off) => {
    const user = await created()
    expect((await entra.ask('PATCH', `/Users/${user.id}`, off)).json.active).toBe(false)
    expect((await member(user.id))['status']).toBe('deactivated')
    expect((await entra.ask('PATCH', `/Users/${user.id}`, enable)).json.active).toBe(true)
    expect((await member(user.id))['status']).toBe('active')
  })

  test('a patch that says what is so changes nothing, and leaves no entry', async () => {
    const user = await created()
    const entries = async () => {
      const log = await call(server.url, 'GET', `/v1/orgs/${acme.id}/audit-log?target_id=${user.id}`, { key: acme.key })
      return log.json['data'] as { action: string; actor: object }[]
    }
    const first = await entra.ask('PATCH', `/Users/${user.id}`, updateUser('same@contoso.example', 'Same'))
    const before = await entries()
    expect(before.map(({ action }) => action)).toEqual(['member.added', 'member.changed'])
    expect(before[0]?.actor).toEqual({ kind: 'directory', id: entra.tokenId, role: 'directory' })
    const again = await entra.ask('PATCH', `/Users/${user.id}`, updateUser('same@contoso.example', 'Same'))
    expect([again.status, again.json]).toEqual([200, first.json])
    expect(await entries()).toEqual(before)
  })

  test('deletes a user, who is then gone and can be created again', async () => {
    const user = await created()
    expect((await entra.ask('DELETE', `/Users/${user.id}`)).status).toBe(204)
    for (const [method, body] of [
      ['GET'],
      ['DELETE'],
      ['PATCH', enable],
      ['PUT', createUser(user.userName!, 'x')],
    ] as const)
      expect((await entra.ask(method, `/Users/${user.id}`, body)).json).toMatchObject({ status: '404' })
    expect((await entra.ask('GET', lookUp(user.userName!))).json.totalResults).toBe(0)
    const again = await entra.ask('POST', '/Users', createUser(user.userName!, user.externalId!))
    expect(again.status).toBe(201)
    expect(again.json.id).not.toBe(user.id)
  })

  test('creates a group, reads it without members, adds and removes members in its ways', async () => {
    const [one, two] = [await created(), await created()]
    const { json: group, status } = await entra.ask('POST', '/Groups', createGroup('All staff', 'gid-1'))
    expect([status, group.externalId]).toEqual([201, 'gid-1'])
    const path = `/Groups/${group.id}`
    expect((await entra.ask('GET', groupLookUp('All staff'))).json.Resources).toMatchObject([{ id: group.id }])
    await entra.ask('PATCH', path, addMember(one.id))
    await entra.ask('PATCH', path, addMember(two.id))
    const without = await entra.ask('GET', readGroup(group.id))
    expect([without.json.displayName, 'members' in without.json]).toEqual(['All staff', false])
    const isIn = async (id: string) => (await entra.ask('GET', membership(group.id, id))).json.Resources
    expect(await isIn(one.id)).toEqual([{ schemas: group['schemas'], id: group.id }])
    await entra.ask('PATCH', path, removeMember(one.id))
    expect(await isIn(one.id)).toEqual([])
    await entra.ask('PATCH', path, removeMemberByFilter(two.id))
    expect((await entra.ask('PATCH', path, removeMemberByFilter(two.id))).status).toBe(204)
    expect((await entra.ask('PATCH', path, renameGroup('Everybody'))).status).toBe(204)
    expect((await entra.ask('GET', path)).json).toMatchObject({ displayName: 'Everybody', members: [] })
    expect((await entra.ask('POST', '/Groups', createGroup('EVERYBODY', 'gid-2'))).json).toMatchObject({
      status: '409',
      scimType: 'uniqueness',
    })
  })
})
