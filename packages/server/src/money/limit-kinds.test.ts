import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { eventKinds } from '../access/events/events.ts'
import { catalog } from '../contract/errors.ts'
import { guides } from '../tenants/docs/pages.ts'
import { formatId, newUuid } from '../values/id.ts'
import { kindOf, limitErrors, limitIdOf, limitKinds, parseLimitId } from './limit-kinds.ts'

const readDoc = (file: string) => readFileSync(new URL(`../../../../docs/${file}.md`, import.meta.url), 'utf8')

describe.each(limitKinds.map((kind) => [kind.kind, kind] as const))('the kind of limit %s', (name, kind) => {
  test('has a guide that names its errors', () => {
    expect(guides.map(({ slug }) => slug)).toContain(kind.guide)
    const guide = readDoc(kind.guide)
    for (const error of kind.errors) expect(guide).toContain(`\`${typeof error === 'string' ? error : error.code}\``)
  })

  test('refuses with errors of the catalog, on some surface', () => {
    expect(kind.errors).not.toEqual([])
    expect(kind.surfaces).not.toEqual([])
    for (const error of kind.errors) expect(catalog).toHaveProperty(typeof error === 'string' ? error : error.code)
    for (const surface of kind.surfaces) expect(limitErrors(surface)).toEqual(expect.arrayContaining([...kind.errors]))
  })

  test('emits events of the catalog', () => {
    expect(kind.events).not.toEqual([])
    for (const event of kind.events) expect(eventKinds).toHaveProperty([event])
  })

  test('has names in the journal that no other kind has, and an id that is found again', () => {
    expect(kind.journalNames).toContain(name)
    const limitId = newUuid()
    for (const journalName of kind.journalNames) {
      expect(kindOf(journalName)).toBe(kind)
      expect(limitKinds.filter(({ journalNames }) => journalNames.includes(journalName))).toEqual([kind])
      expect(limitIdOf({ kind: journalName, limitId })).toBe(formatId(kind.idKind, limitId))
    }
    expect(parseLimitId(formatId(kind.idKind, limitId))).toEqual({ kind, id: limitId })
  })
})

test('an allowance of no kind is refused', () => {
  expect(() => kindOf('any')).toThrow('no kind of limit has allowances called any')
})
