import { expect, test } from 'vitest'
import { type PersonRole, type RoleRule, roleOf } from './role-rules.ts'

const admins: RoleRule = { claim: 'groups', values: ['eng-admins'], role: 'admin' }
const everyone: RoleRule = { claim: 'groups', values: ['eng', 'ops'], role: 'member' }
const keycloak: RoleRule = { claim: 'realm_access.roles', values: ['weir-owner'], role: 'owner' }
const namespaced: RoleRule = { claim: 'https://acme.example/roles', values: ['boss'], role: 'owner' }
const deep: RoleRule = { claim: 'a.b.c.d.e.f', values: ['x'], role: 'owner' }
const verified: RoleRule = { claim: 'email_verified', values: ['true'], role: 'viewer' }

const cases: [string, RoleRule[], PersonRole | null, Record<string, unknown>, PersonRole | null][] = [
  ['a string', [admins], null, { groups: 'eng-admins' }, 'admin'],
  ['an array of strings', [admins], null, { groups: ['sales', 'eng-admins'] }, 'admin'],
  ['one of several values', [everyone], null, { groups: ['ops'] }, 'member'],
  ['the first rule that holds, stronger first', [admins, everyone], null, { groups: ['eng', 'eng-admins'] }, 'admin'],
  ['the first rule that holds, weaker first', [everyone, admins], null, { groups: ['eng-admins', 'eng'] }, 'member'],
  ['a nested path', [keycloak], null, { realm_access: { roles: ['weir-owner'] } }, 'owner'],
  ['a claim whose name is a URL', [namespaced], null, { 'https://acme.example/roles': ['boss'] }, 'owner'],
  ['a name with dots that is a claim as it stands', [keycloak], null, { 'realm_access.roles': 'weir-owner' }, 'owner'],
  [
    'a claim as it stands before a path',
    [keycloak],
    'viewer',
    { 'realm_access.roles': 'none', realm_access: { roles: ['weir-owner'] } },
    'viewer',
  ],
  ['a truth value as text', [verified], null, { email_verified: true }, 'viewer'],
  ['a number as text', [{ claim: 'level', values: ['3'], role: 'admin' }], null, { level: 3 }, 'admin'],
  ['nothing that holds: the default', [admins], 'viewer', { groups: ['sales'] }, 'viewer'],
  ['nothing that holds and no default: nobody', [admins], null, { groups: ['sales'] }, null],
  ['no rules: the default', [], 'member', {}, 'member'],
  ['no rules and no default: nobody', [], null, { groups: ['eng-admins'] }, null],
  ['a claim that is missing', [admins], null, {}, null],
  ['another case of the value', [admins], null, { groups: ['ENG-ADMINS'] }, null],
  ['a value within a longer one', [admins], null, { groups: ['not-eng-admins', 'eng-admins-2'] }, null],
  ['a list in one string', [admins], null, { groups: 'sales,eng-admins' }, null],
  ['an object where a list should be', [admins], null, { groups: { 'eng-admins': true } }, null],
  ['lists within lists', [admins], null, { groups: [['eng-admins']] }, null],
  ['null', [admins], null, { groups: null }, null],
  ['a path through a list', [keycloak], null, { realm_access: [{ roles: ['weir-owner'] }] }, null],
  ['a path that is too deep', [deep], null, { a: { b: { c: { d: { e: { f: 'x' } } } } } }, null],
  ['what every object has', [{ claim: 'constructor.name', values: ['Object'], role: 'owner' }], null, {}, null],
  ['a prototype', [{ claim: '__proto__.x', values: ['y'], role: 'owner' }], null, {}, null],
]

test.each(cases)('the role by rules: %s', (_, rules, defaultRole, claims, role) => {
  expect(roleOf(rules, defaultRole, claims)).toBe(role)
})
