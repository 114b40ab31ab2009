import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { refusal } from '../../../test/support/scim/refusal.ts'
import { groupKind, userKind } from './attributes.ts'
import { readGroup, readGroupChange } from './group-document.ts'
import { readPatch } from './patch.ts'
import { patchUser } from './patched-user.ts'
import { addressOf, readUser, shownNameOf, type UserDocument } from './user-document.ts'

const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp']
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const ada: UserDocument = readUser({
  userName: 'ada@example.com',
  externalId: 'x1',
  name: { givenName: 'Ada', familyName: 'Byron' },
  displayName: 'Ada Byron',
  emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
})
const patched = (...Operations: unknown[]) => patchUser(ada, readPatch({ schemas, Operations }, userKind))

describe('a patch of a user', () => {
  test('of Okta, without a path, deactivates', () => {
    expect(patched({ op: 'replace', value: { active: false } }).active).toBe(false)
  })

  test.each(['False', 'false', 'FALSE', false, [{ value: 'False' }]])('of Entra takes active as %j', (value) => {
    expect(patched({ op: 'Replace', path: 'active', value }).active).toBe(false)
    expect(patched({ op: 'Add', path: 'active', value: 'True' }).active).toBe(true)
  })

  test('of Entra names parts by dots, values by filters and attributes of other schemas, with or without a path', () => {
    const one = patched(
      { op: 'Replace', path: 'name.familyName', value: 'Lovelace' },
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'ada@new.example' },
      { op: 'Add', path: `${enterprise}:department`, value: 'Analysis' },
      { op: 'Add', path: `${enterprise}:manager`, value: 'mbr_2' },
      { op: 'Replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:displayName', value: 'Ada L.' },
      { op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '+44' },
    )
    const other = patched({
      op: 'replace',
      value: {
        'name.familyName': 'Lovelace',
        'emails[type eq "work"].value': 'ada@new.example',
        [`${enterprise}:department`]: 'Analysis',
        [enterprise]: { manager: { value: 'mbr_2' } },
        displayName: 'Ada L.',
        title: 'Countess',
        schemas: ['x'],
        id: 'mbr_other',
      },
    })
    expect(other).toEqual(one)
    expect(one).toMatchObject({
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      displayName: 'Ada L.',
      emails: [{ value: 'ada@new.example', type: 'work', primary: true }],
    })
  })

  test('adds an address where a filter selects none, and a primary one takes the place of another', () => {
    const { emails } = patched(
      { op: 'Replace', path: 'emails[type eq "home"].value', value: 'ada@home.example' },
      { op: 'Add', path: 'emails', value: { value: 'new@example.com', type: 'other', primary: 'True' } },
    )
    expect(emails).toEqual([
      { value: 'ada@example.com', type: 'work' },
      { value: 'ada@home.example', type: 'home' },
      { value: 'new@example.com', type: 'other', primary: true },
    ])
  })

  test('removes attributes, parts and values', () => {
    const user = patched(
      { op: 'remove', path: 'externalId' },
      { op: 'Remove', path: 'name.givenName' },
      { op: 'remove', path: 'emails[type eq "work"]' },
    )
    expect(user).toMatchObject({ externalId: undefined, name: { familyName: 'Byron' }, emails: [] })
    expect(user.name.givenName).toBeUndefined()
  })

  test.each([
    [{ op: 'move', path: 'active', value: true }, 'invalidSyntax'],
    [{ op: 'remove' }, 'noTarget'],
    [{ op: 'replace', value: 'x' }, 'invalidValue'],
    [{ op: 'replace', path: 'active', value: 'maybe' }, 'invalidValue'],
    [{ op: 'replace', path: 'active' }, 'invalidValue'],
    [{ op: 'replace', path: 'id', value: 'mbr_2' }, 'mutability'],
    [{ op: 'remove', path: 'userName' }, 'mutability'],
    [{ op: 'replace', path: 'userName', value: '' }, 'invalidValue'],
    [{ op: 'replace', path: 'userName', value: { a: 1 } }, 'invalidValue'],
    [{ op: 'replace', path: 'emails[type eq "x" or type eq "y"].value', value: 'a@b.example' }, 'noTarget'],
    [{ op: 'replace', path: 'emails[[', value: 'a@b.example' }, 'invalidPath'],
    [{ op: 'replace', path: 'emails', value: [{ value: 'no address' }] }, 'invalidValue'],
    [{ op: 'replace', path: 'displayName', value: 'a'.repeat(256) }, 'invalidValue'],
    [{ op: 'replace', path: 'displayName', value: 'a\u0000b' }, 'invalidValue'],
    [{ op: 'replace', path: 7, value: 'a' }, 'invalidPath'],
    ['x', 'invalidSyntax'],
  ])('%j is refused: %s', (operation, scimType) => {
    expect(refusal(() => patched(operation))).toBe(scimType)
  })

  test('has operations, not too many', () => {
    for (const body of [undefined, null, [], {}, { Operations: {} }, { Operations: [] }])
      expect(refusal(() => readPatch(body, userKind))).toBe('invalidSyntax')
    const many = Array.from({ length: 1_001 }, () => ({ op: 'replace', path: 'active', value: true }))
    expect(refusal(() => patched(...many))).toBe('invalidValue')
  })

  test('of one operation applied twice is the same as applied once, and never adds fields', () => {
    const value = fc.oneof(
      fc.constantFrom('True', 'False', 'a@b.example', 'x', null, true),
      fc.record({ value: fc.constantFrom('a@b.example', 'c@d.example'), primary: fc.boolean() }),
      fc.jsonValue(),
    )
    const path = fc.constantFrom(
      'active',
      'name.givenName',
      'name',
      'emails',
      'emails[type eq "work"].value',
      'emails[primary eq true].type',
      'displayName',
      'externalId',
      'userName',
      'title',
      '__proto__',
      'constructor.prototype',
      undefined,
    )
    const operation = fc.record({ op: fc.constantFrom('Add', 'replace', 'Remove'), path, value })
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 1 }), (Operations) => {
        const apply = (user: UserDocument) => patchUser(user, readPatch({ Operations }, userKind))
        fc.pre(refusal(() => apply(ada)) === 'accepted')
        const once = apply(ada)
        expect(Object.keys(once).toSorted()).toEqual(Object.keys(ada).toSorted())
        expect(apply(once)).toEqual(once)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('a user', () => {
  test('has the primary address, else that of work, else the first, else a user name that is one', () => {
    const address = (emails: unknown[], userName = 'ada') => addressOf(readUser({ userName, emails }))
    expect(address([{ value: 'a@x.example' }, { value: 'b@x.example', primary: true }])).toBe('b@x.example')
    expect(address([{ value: 'a@x.example' }, { value: 'b@x.example', type: 'Work' }])).toBe('b@x.example')
    expect(address([{ value: 'a@x.example' }, { value: 'b@x.example' }])).toBe('a@x.example')
    expect(address([], 'ada@x.example')).toBe('ada@x.example')
    expect(refusal(() => address([]))).toBe('invalidValue')
  })

  test('is shown by display name, whole name, or its parts', () => {
    const shown = (fields: object) => shownNameOf(readUser({ userName: 'ada', ...fields }))
    expect(shown({ displayName: 'A', name: { formatted: 'B' } })).toBe('A')
    expect(shown({ name: { formatted: 'B', givenName: 'C' } })).toBe('B')
    expect(shown({ name: { givenName: 'C', familyName: 'D' } })).toBe('C D')
    expect(shown({})).toBeUndefined()
  })

  test('is read whatever the case of its attributes, without what is not kept', () => {
    const user = readUser({ USERNAME: 'ada', Active: 'False', password: 'secret', roles: [{ value: 'owner' }] })
    expect(user).toEqual({
      userName: 'ada',
      externalId: undefined,
      active: false,
      displayName: undefined,
      name: {},
      emails: [],
    })
  })
})

describe('a patch of a group', () => {
  const change = (...Operations: unknown[]) => readGroupChange(readPatch({ schemas, Operations }, groupKind))
  const none = { replacesMembers: false, added: [], removed: [] }

  test('adds members as a list or as one object', () => {
    const value = [{ value: 'mbr_1' }, { value: 'mbr_2', display: 'b' }]
    expect(change({ op: 'Add', path: 'members', value })).toEqual({ ...none, added: ['mbr_1', 'mbr_2'] })
    expect(change({ op: 'add', path: 'members', value: value[0] })).toEqual({ ...none, added: ['mbr_1'] })
    expect(change({ op: 'add', value: { members: value } })).toEqual({ ...none, added: ['mbr_1', 'mbr_2'] })
  })

  test('removes members by filter, or by a list of values', () => {
    expect(change({ op: 'Remove', path: 'members[value eq "mbr_1"]' })).toEqual({ ...none, removed: ['mbr_1'] })
    expect(change({ op: 'remove', path: 'members[value eq "a" or value eq "b"]' }).removed).toEqual(['a', 'b'])
    const value = [{ value: 'mbr_1' }, { value: 'mbr_2' }]
    expect(change({ op: 'Remove', path: 'members', value })).toEqual({ ...none, removed: ['mbr_1', 'mbr_2'] })
  })

  test('removes or replaces all members where it names none or all', () => {
    expect(change({ op: 'remove', path: 'members' })).toEqual({ ...none, replacesMembers: true })
    expect(change({ op: 'replace', path: 'members', value: [{ value: 'a' }] })).toEqual({
      ...none,
      replacesMembers: true,
      added: ['a'],
    })
  })

  test('renames, by value as Okta does, or by path', () => {
    const value = { id: 'sgp_1', displayName: 'New name' }
    expect(change({ op: 'replace', value })).toEqual({ ...none, displayName: 'New name' })
    expect(change({ op: 'Replace', path: 'displayName', value: 'New name' }).displayName).toBe('New name')
    expect(change({ op: 'remove', path: 'externalId' }).externalId).toBeNull()
  })

  test('takes the last word about each member', () => {
    const on = { op: 'add', path: 'members', value: [{ value: 'a' }] }
    const off = { op: 'remove', path: 'members[value eq "a"]' }
    expect(change(on, off)).toEqual({ ...none, removed: ['a'] })
    expect(change(off, on)).toEqual({ ...none, added: ['a'] })
  })

  test.each([
    [{ op: 'replace', path: 'members[value eq "a"]', value: { value: 'b' } }, 'mutability'],
    [{ op: 'remove', path: 'members[display co "a"]' }, 'invalidFilter'],
    [{ op: 'remove', path: 'members[not (value eq "a")]' }, 'invalidFilter'],
    [{ op: 'add', path: 'members', value: [{ display: 'a' }] }, 'invalidValue'],
    [
      { op: 'add', path: 'members', value: Array.from({ length: 5_001 }, (_, i) => ({ value: `m${i}` })) },
      'invalidValue',
    ],
    [{ op: 'remove', path: 'displayName' }, 'invalidValue'],
    [{ op: 'replace', path: 'id', value: 'x' }, 'mutability'],
  ])('is refused where it asks for what cannot be', (operation, scimType) => {
    expect(refusal(() => change(operation))).toBe(scimType)
  })

  test('is of a group that has a name and members', () => {
    expect(readGroup({ displayName: 'A', members: [{ value: 'a' }, { value: 'a' }] }).members).toEqual(['a'])
    expect(refusal(() => readGroup({ members: [] }))).toBe('invalidValue')
    const many = Array.from({ length: 5_001 }, (_, i) => ({ value: `m${i}` }))
    expect(refusal(() => readGroup({ displayName: 'A', members: many.slice(1) }))).toBe('accepted')
    expect(refusal(() => readGroup({ displayName: 'A', members: many }))).toBe('invalidValue')
  })
})
