import { beforeAll, describe, expect, test } from 'vitest'
import { formatId, newUuid } from '../../../src/values/id.ts'
import { useServer } from '../../support/harness.ts'
import { askScim, directoryOf, forgedToken, type ScimAnswer, type TestDirectory } from '../../support/scim/directory.ts'
import { addMembers, createGroup, createUser, removeMember, setActive } from '../../support/scim/okta.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../../support/tenants.ts'

const server = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '30' } })
let alice: Tenant
let bob: Tenant
let mine: TestDirectory
let theirs: TestDirectory
beforeAll(async () => {
  const operator = (await operatorOf(server)).key
  alice = await tenantOf(server, operator)
  bob = await tenantOf(server, operator)
  mine = await directoryOf(server.url, alice)
  theirs = await directoryOf(server.url, bob)
})

const brief = ({ status, json }: ScimAnswer) => [status, json.scimType]

describe('a directory', () => {
  test('neither sees nor touches users and groups of another organization', async () => {
    const { json: user } = await theirs.ask('POST', '/Users', createUser('bob@bob.example', 'bob'))
    const { json: group } = await theirs.ask('POST', '/Groups', createGroup('Staff'))
    await theirs.ask('PATCH', `/Groups/${group.id}`, addMembers({ id: user.id, userName: 'bob' }))
    const { json: own } = await mine.ask('POST', '/Groups', createGroup('Staff'))
    const unknown = formatId('member', newUuid())
    for (const [method, body] of [
      ['GET'],
      ['PUT', createUser('bob@bob.example', 'bob')],
      ['PATCH', setActive(false)],
      ['DELETE'],
    ] as const) {
      const foreign = await mine.ask(method, `/Users/${user.id}`, body)
      expect([foreign.status, foreign.text]).toEqual([404, (await mine.ask(method, `/Users/${unknown}`, body)).text])
      expect(
        (await mine.ask(method, `/Groups/${group.id}`, body && { ...createGroup('x'), Operations: [] })).status,
      ).not.toBe(200)
    }
    expect(brief(await mine.ask('PATCH', `/Groups/${group.id}`, removeMember(user.id)))).toEqual([404, undefined])
    const added = await mine.ask('PATCH', `/Groups/${own.id}`, addMembers({ id: user.id, userName: 'bob' }))
    expect(brief(added)).toEqual([400, 'invalidValue'])
    for (const filter of [`id eq "${user.id}"`, 'userName eq "bob@bob.example"', 'externalId eq "bob"', 'userName pr'])
      expect((await mine.ask('GET', `/Users?filter=${encodeURIComponent(filter)}`)).text).not.toContain(user.id)
    const members = `members eq "${user.id}"`
    expect((await mine.ask('GET', `/Groups?filter=${encodeURIComponent(members)}`)).json.totalResults).toBe(0)
    expect((await theirs.ask('GET', `/Users/${user.id}`)).json.active).toBe(true)
    expect((await theirs.ask('GET', `/Groups/${group.id}`)).json.members).toHaveLength(1)
    // The same name and address are free here.
    expect((await mine.ask('POST', '/Users', createUser('bob@bob.example', 'bob'))).status).toBe(201)
  })

  test('is refused bodies and filters that are too large or too deep, in the words of the protocol', async () => {
    const filter = (text: string) => mine.ask('GET', `/Users?filter=${encodeURIComponent(text)}`)
    expect(brief(await filter(`${'('.repeat(400)}active pr${')'.repeat(400)}`))).toEqual([400, 'invalidFilter'])
    expect(brief(await filter('not ('.repeat(50)))).toEqual([400, 'invalidFilter'])
    expect(brief(await filter(`userName eq "${'a'.repeat(2_000)}"`))).toEqual([400, 'invalidFilter'])
    expect(brief(await filter('password sw "a"'))).toEqual([400, 'invalidFilter'])
    expect(brief(await mine.ask('GET', '/Users?filter=active+pr&filter=active+pr'))).toEqual([400, 'invalidFilter'])
    expect(brief(await mine.ask('GET', '/Users?count=many'))).toEqual([400, 'invalidValue'])
    for (const text of ['userName eq "(a+)+$"', 'userName sw ".*"', 'userName co "%"', 'userName eq "\' or 1=1 --"'])
      expect([text, (await filter(text)).json.totalResults]).toEqual([text, 0])
    const deep = `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`
    expect(brief(await mine.ask('POST', '/Users', deep))).toEqual([400, 'invalidSyntax'])
    expect(brief(await mine.ask('POST', '/Users', '{"userName":"a@b.example","__proto__":{"x":1}}'))).toEqual([
      400,
      'invalidSyntax',
    ])
    for (const body of ['', '[]', '"x"', 'null', '{', '{"userName":'])
      expect((await mine.ask('POST', '/Users', body)).status, body).toBe(400)
    const huge = await mine.ask('POST', '/Users', { ...createUser('h@x.example', 'h'), title: 'x'.repeat(9_000_000) })
    expect([huge.status, huge.json['status']]).toEqual([413, '413'])
    const type = await mine.ask('POST', '/Users', createUser('t@x.example', 't'), { 'content-type': 'text/xml' })
    expect(brief(type)).toEqual([400, 'invalidSyntax'])
    const plain = await mine.ask('POST', '/Users', createUser('t@x.example', 't'), {
      'content-type': 'application/json',
    })
    expect(plain.status).toBe(201)
  })

  test('names a bounded number of members', async () => {
    const { id } = (await mine.ask('POST', '/Groups', createGroup('Mass'))).json
    const many = Array.from({ length: 5_001 }, () => ({ id: formatId('member', newUuid()), userName: 'x' }))
    expect(brief(await mine.ask('PATCH', `/Groups/${id}`, addMembers(...many)))).toEqual([400, 'invalidValue'])
    expect(brief(await mine.ask('PATCH', `/Groups/${id}`, addMembers(...many.slice(1))))).toEqual([400, 'invalidValue'])
    expect(brief(await mine.ask('PATCH', `/Groups/${id}`, addMembers({ id: "' or 1=1", userName: 'x' })))).toEqual([
      400,
      'invalidValue',
    ])
    expect((await mine.ask('GET', `/Groups/${id}`)).json.members).toEqual([])
  })

  test('cannot have what is not there by another method or path', async () => {
    const { json: user } = await mine.ask('POST', '/Users', createUser('m@x.example', 'm'))
    for (const [method, path] of [
      ['POST', `/Users/${user.id}`],
      ['PUT', '/Users'],
      ['DELETE', '/Users'],
      ['PATCH', '/Users'],
      ['DELETE', '/Schemas'],
      ['GET', '/Bulk'],
      ['GET', '/Me'],
      ['GET', '/users'],
      ['GET', '//Users'],
      ['GET', '/Schemas/nonsense'],
    ] as const)
      expect((await mine.ask(method, path)).status, `${method} ${path}`).toBe(404)
    for (const method of ['POST', 'GET'])
      for (const header of ['x-http-method-override', 'x-http-method', 'x-method-override'])
        await mine.ask(method, '/Users?count=0', method === 'POST' ? {} : undefined, { [header]: 'DELETE' })
    const still = await mine.ask('GET', `/Users/${user.id}`)
    expect([still.status, still.json.active]).toEqual([200, true])
    const unknown = await mine.ask('GET', '/Nothing')
    expect(unknown.json).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '404',
      detail: expect.any(String),
    })
  })

  test('learns what is supported, and no answer announces an end', async () => {
    const paths = [
      '/ServiceProviderConfig',
      '/ResourceTypes',
      '/ResourceTypes/User',
      '/Schemas',
      '/Users',
      '/Groups',
      '/Nothing',
    ]
    const answers = await Promise.all(paths.map((path) => mine.ask('GET', path)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 404])
    for (const { headers } of [...answers, await askScim(server.url, undefined, 'GET', '/Users')]) {
      expect([headers.get('deprecation'), headers.get('sunset')]).toEqual([null, null])
      expect(headers.get('content-type')).toContain('application/scim+json')
      expect(headers.get('cache-control')).toBe('no-store')
    }
    const schema = await mine.ask('GET', '/Schemas/urn:ietf:params:scim:schemas:core:2.0:User')
    expect([schema.status, schema.json['name']]).toEqual([200, 'User'])
  })

  test('guesses tokens only so often, while a valid token from the same address goes on', async () => {
    const guesses = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        askScim(server.url, forgedToken(theirs.token, { secret: String(i).padStart(43, '0') }), 'GET', '/Users'),
      ),
    )
    const statuses = new Set(guesses.map(({ status }) => status))
    expect([...statuses].toSorted((a, b) => a - b)).toEqual([401, 429])
    expect((await theirs.ask('GET', '/Users')).status).toBe(200)
    expect((await call(server.url, 'GET', '/v1/me', { key: bob.key })).status).toBe(200)
  })
})
