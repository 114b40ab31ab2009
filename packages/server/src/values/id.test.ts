import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatId, type IdKind, idPattern, newUuid, parseId, prefixes } from './id.ts'

const kinds = Object.keys(prefixes) as IdKind[]

test('every UUID comes back from its identifier', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.constantFrom(...kinds), (uuid, kind) => {
      const id = formatId(kind, uuid)
      expect(parseId(kind, id)).toBe(uuid)
      expect(id).toMatch(new RegExp(idPattern(kind)))
    }),
  )
})

test('the published examples of the TypeID specification hold', () => {
  const nil = '00000000-0000-0000-0000-000000000000'
  expect(formatId('org', nil)).toBe('org_00000000000000000000000000')
  expect(formatId('org', '01890a5d-ac96-774b-bcce-b302099a8057')).toBe('org_01h455vb4pex5vsknk084sn02q')
  expect(formatId('org', 'ffffffff-ffff-ffff-ffff-ffffffffffff')).toBe('org_7zzzzzzzzzzzzzzzzzzzzzzzzz')
})

test('identifiers sort by the time they were made', () => {
  const ids = Array.from({ length: 100 }, () => formatId('org', newUuid()))
  expect(ids.toSorted()).toEqual(ids)
})

describe('no other spelling is an identifier', () => {
  const good = 'org_01h455vb4pex5vsknk084sn02q'
  test.each([
    ['another kind', good.replace('org', 'key')],
    ['upper case', good.toUpperCase()],
    ['a letter outside the alphabet', good.replace('v', 'u')],
    ['a digit too few', good.slice(0, -1)],
    ['a digit too many', `${good}0`],
    ['more than 128 bits', 'org_8zzzzzzzzzzzzzzzzzzzzzzzzz'],
    ['a plain UUID', '01890a5d-ac96-774b-bcce-b302099a8057'],
    ['nothing', ''],
  ])('%s', (_name, id) => {
    expect(parseId('org', id)).toBeUndefined()
    expect(id).not.toMatch(new RegExp(idPattern('org')))
  })
})
