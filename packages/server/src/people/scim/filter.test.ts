import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { refusal } from '../../../test/support/scim/refusal.ts'
import { groupKind, userKind } from './attributes.ts'
import { parseFilter, parsePath, type ScimFilter } from './filter.ts'
import { matchesFilter } from './filter-match.ts'

const ada = {
  id: 'mbr_1',
  userName: 'Ada@Example.com',
  externalId: 'X1',
  active: true,
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  displayName: 'Ada L.',
  emails: [
    { value: 'ada@example.com', type: 'work', primary: true },
    { value: 'home@example.org', type: 'home' },
  ],
  meta: { created: '2026-01-01T00:00:00.000Z' },
}
const holds = (filter: string) => matchesFilter(parseFilter(filter), ada, userKind.attributes)

describe('filters', () => {
  test.each([
    'userName eq "ada@example.com"',
    'username EQ "ADA@EXAMPLE.COM"',
    'externalId eq "X1"',
    'active eq true',
    'active eq "True"',
    'active ne false',
    'name.familyName co "love"',
    'name.givenName sw "a"',
    'userName ew ".com"',
    'displayName pr',
    'emails eq "home@example.org"',
    'emails.value eq "home@example.org"',
    'emails[type eq "work"]',
    'emails[type eq "work"].value eq "ada@example.com"',
    'emails[type eq "work" and primary eq true]',
    'not (userName eq "bob")',
    'not (userName eq "bob") and (externalId eq "X2" or externalId eq "X1")',
    'externalId eq "X2" and active eq true or userName sw "ada"',
    'meta.created gt "2025-12-31T00:00:00Z"',
    'urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada@example.com"',
    'userName eq "\\u0061da@example.com"',
  ])('%s holds for Ada', (filter) => {
    expect(holds(filter)).toBe(true)
  })

  test.each([
    'externalId eq "x1"',
    'userName eq "ada"',
    'emails[type eq "home"].value eq "ada@example.com"',
    'active eq false',
    'active eq "False"',
    'displayName eq null',
    'not (displayName pr)',
    'userName eq ".*"',
    'userName co "%"',
    'externalId eq "X2" and (active eq true or userName sw "ada")',
  ])('%s does not hold for Ada', (filter) => {
    expect(holds(filter)).toBe(false)
  })

  test.each([
    '',
    'userName',
    'userName eq',
    'userName eq ada',
    'userName like "a"',
    '(userName eq "a"',
    'userName eq "a")',
    'userName eq "a" and',
    'and userName eq "a"',
    'not userName eq "a"',
    'emails[type eq "work"',
    'emails.value[type eq "work"]',
    'a.b.c eq "x"',
    'userName eq "a" userName eq "b"',
    'userName eq "\n"',
    "userName eq 'a'",
    'userName eq "a"; drop table users',
    'emails[]',
    'password eq "x"',
    '__proto__ pr',
    'constructor.name eq "Object"',
  ])('%j is refused as a filter', (filter) => {
    expect(refusal(() => holds(filter))).toBe('invalidFilter')
  })

  test('are bounded in length, depth and number of comparisons', () => {
    const nested = (depth: number) => `${'('.repeat(depth)}active pr${')'.repeat(depth)}`
    expect(refusal(() => parseFilter(nested(9)))).toBe('accepted')
    expect(refusal(() => parseFilter(nested(10)))).toBe('invalidFilter')
    expect(refusal(() => parseFilter(`${'not ('.repeat(100)}active pr${')'.repeat(100)}`))).toBe('invalidFilter')
    expect(refusal(() => parseFilter(`userName eq "${'a'.repeat(990)}"`))).toBe('invalidFilter')
    const many = (count: number) => Array.from({ length: count }, () => 'active pr').join(' or ')
    expect(refusal(() => parseFilter(many(50)))).toBe('accepted')
    expect(refusal(() => parseFilter(many(51)))).toBe('invalidFilter')
  })

  test('groups are found by name, id and member', () => {
    const group = { id: 'sgp_1', displayName: 'Engineering', members: [{ value: 'mbr_1', display: 'ada' }] }
    const isGroup = (filter: string) => matchesFilter(parseFilter(filter), group, groupKind.attributes)
    expect(isGroup('displayName eq "engineering"')).toBe(true)
    expect(isGroup('id eq "sgp_1" and members eq "mbr_1"')).toBe(true)
    expect(isGroup('members[value eq "mbr_2"]')).toBe(false)
  })
})

describe('paths', () => {
  test.each([
    ['active', { name: 'active', part: undefined }],
    ['name.givenName', { name: 'name', part: 'givenName' }],
    ['emails[type eq "work"].value', { name: 'emails', part: 'value' }],
    ['members[value eq "mbr_1"]', { name: 'members', part: undefined }],
    [
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager',
      { schema: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User', name: 'manager' },
    ],
    [
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value',
      { schema: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User', name: 'manager', part: 'value' },
    ],
  ])('%s is read', (text, path) => {
    expect(parsePath(text)).toMatchObject(path)
  })

  test.each(['', '[', 'a[', 'a b', '.value', 'emails[type eq "work"]x', 'emails[type eq "work"].a.b', '"a"', 'a..b'])(
    '%j is refused as a path',
    (text) => {
      expect(refusal(() => parsePath(text))).toBe('invalidPath')
    },
  )
})

describe('whatever the text', () => {
  const words = ['userName', 'eq', 'pr', 'and', 'or', 'not', '(', ')', '[', ']', '.value', '"a"', 'emails', '1', 'true']
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((parts) => parts.join(' ')),
  )

  test('a filter or path is read or refused, and nothing else is thrown', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(['accepted', 'invalidFilter']).toContain(refusal(() => holds(text)))
        expect(['accepted', 'invalidPath']).toContain(refusal(() => parsePath(text)))
      }),
      { numRuns: 2_000 },
    )
  })

  const written = (filter: ScimFilter): string => {
    if ('filters' in filter) return filter.filters.map((each) => `(${written(each)})`).join(` ${filter.kind} `)
    if (filter.kind === 'not') return `not (${written(filter.filter)})`
    if (filter.kind === 'has') return `${nameOf(filter.name)}[${written(filter.filter)}]`
    if (filter.kind === 'present') return `${nameOf(filter.name)} pr`
    return `${nameOf(filter.name)} ${filter.operator} ${JSON.stringify(filter.value)}`
  }
  const nameOf = ({ name, part }: { name: string; part: string | undefined }) => (part ? `${name}.${part}` : name)
  const printable = fc.string({ unit: 'grapheme-ascii', maxLength: 10 })
  const name = fc.record({
    schema: fc.constant(undefined),
    name: fc.constantFrom('userName', 'active', 'externalId'),
    part: fc.constant(undefined),
  })
  const { filter } = fc.letrec<{ filter: ScimFilter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3 },
      fc.record({ kind: fc.constant('present' as const), name }),
      fc.record({
        kind: fc.constant('compare' as const),
        name,
        operator: fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'),
        value: fc.oneof(printable, fc.boolean(), fc.integer(), fc.constant(null)),
      }),
      fc.record({ kind: fc.constant('not' as const), filter: tie('filter') }),
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        filters: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }),
      }),
    ),
  }))

  test('a filter that is written down is read as the same filter', () => {
    fc.assert(
      fc.property(filter, (each) => {
        const text = written(each)
        fc.pre(text.length <= 1_000)
        expect(parseFilter(text)).toEqual(each)
      }),
      { numRuns: 500 },
    )
  })
})
