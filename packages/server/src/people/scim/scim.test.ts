import { describe, expect, test } from 'vitest'
import { resourceTypes, schemas, serviceProviderConfig } from './discovery.ts'
import { groupView } from './group-document.ts'
import { listResponse, readPage, readProjection } from './list-response.ts'
import { errorBody, ScimError } from './refusals.ts'
import { readUser, userView } from './user-document.ts'

const base = 'https://weir.example/scim/v2'

describe('pages', () => {
  test.each([
    [{}, { startIndex: 1, count: 100 }],
    [
      { startIndex: '3', count: '2' },
      { startIndex: 3, count: 2 },
    ],
    [
      { startIndex: '0', count: '0' },
      { startIndex: 1, count: 0 },
    ],
    [
      { startIndex: '-5', count: '-1' },
      { startIndex: 1, count: 0 },
    ],
    [
      { startIndex: '999999999999999', count: '999999' },
      { startIndex: 2_147_483_647, count: 200 },
    ],
  ])('%j asks for %j', (query, page) => {
    expect(readPage(query)).toEqual(page)
  })

  test('must be asked for with whole numbers', () => {
    for (const query of [{ count: 'ten' }, { startIndex: '1.5' }, { count: ['1', '2'] }, { count: '1e3' }])
      expect(() => readPage(query)).toThrow(ScimError)
  })

  test('say how many there are, also when none is shown', () => {
    expect(listResponse([], 7, 1)).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 7,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    })
  })
})

test('attributes are shown or left out as asked, never the id', () => {
  const group = { schemas: ['s'], id: 'g', displayName: 'A', members: [], meta: {} }
  const shown = (query: unknown) => Object.keys(readProjection(query).apply(group))
  expect(shown({})).toEqual(['schemas', 'id', 'displayName', 'members', 'meta'])
  expect(shown({ excludedAttributes: 'members' })).toEqual(['schemas', 'id', 'displayName', 'meta'])
  expect(shown({ attributes: 'id,displayName' })).toEqual(['schemas', 'id', 'displayName'])
  expect(shown({ attributes: 'urn:ietf:params:scim:schemas:core:2.0:Group:Members.value' })).toEqual([
    'schemas',
    'id',
    'members',
  ])
  expect(shown({ excludedAttributes: 'id,schemas,meta' })).toEqual(['schemas', 'id', 'displayName', 'members'])
})

test('an error has its status as text', () => {
  expect(errorBody(409, 'Taken.', 'uniqueness')).toEqual({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: '409',
    scimType: 'uniqueness',
    detail: 'Taken.',
  })
  expect(errorBody(404, 'None.')).not.toHaveProperty('scimType')
})

describe('discovery', () => {
  test('says what is supported and what is not', () => {
    expect(serviceProviderConfig(base)).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      etag: { supported: false },
      meta: { location: `${base}/ServiceProviderConfig` },
    })
  })

  test('names users and groups, and every attribute with its characteristics', () => {
    expect(resourceTypes(base).map(({ endpoint }) => endpoint)).toEqual(['/Users', '/Groups'])
    const [users] = schemas(base)
    expect(users).toMatchObject({ id: 'urn:ietf:params:scim:schemas:core:2.0:User' })
    expect(users?.attributes[0]).toEqual({
      name: 'userName',
      type: 'string',
      multiValued: false,
      description: 'Name of the user, unique in the organization.',
      required: true,
      caseExact: false,
      mutability: 'readWrite',
      returned: 'default',
      uniqueness: 'server',
    })
  })
})

describe('on the wire', () => {
  const facts = { id: 'x_1', created: '2026-01-01', lastModified: '2026-01-02', location: `${base}/Users/x_1` }
  const { id, ...meta } = facts

  test('a user has what the directory sent, and what is kept of it', () => {
    const emails = [{ value: 'ada@example.com', type: 'work', primary: true }]
    const sent = {
      userName: 'ada',
      externalId: 'e1',
      displayName: 'Ada',
      name: { givenName: 'Ada' },
      emails,
      active: false,
    }
    expect(userView(readUser({ ...sent, password: 'p', title: 't' }), facts)).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      id,
      ...sent,
      meta: { resourceType: 'User', ...meta },
    })
  })

  test('a group has its members, unless they were not asked for', () => {
    const group = { displayName: 'A', externalId: undefined }
    const shown = groupView(group, [{ value: 'mbr_1', display: 'ada' }], facts)
    expect(shown.members).toEqual([{ value: 'mbr_1', display: 'ada', type: 'User' }])
    expect(groupView(group, undefined, facts)).not.toHaveProperty('members')
  })
})
