import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSameForm, namesSomething, normalForm } from './normal-form.ts'

describe('the normal form of a name', () => {
  test.each([
    'demo ',
    ' demo',
    'Demo',
    'DEMO',
    'demo\u200b',
    'demo\u00a0',
    'de\u00admo',
    'de\ufeffmo',
    'demo\u2028',
    'ｄｅｍｏ',
    'demo\ufe0f',
    'demo\u034f',
    'demo\u{e0101}',
    'de\u180emo',
    '\u202edemo',
    'demo\u2800',
    'demo\u3164',
    '𝐝𝐞𝐦𝐨',
    'ⓓⓔⓜⓞ',
  ])('of %j is demo', (spelling) => {
    expect(normalForm(spelling)).toBe('demo')
  })

  test('unites dashes, blanks, and letters with several cases', () => {
    expect(normalForm('team\u20111')).toBe('team-1')
    expect(normalForm('Team  \u2003 One')).toBe('team one')
    expect(normalForm('STRASSE')).toBe(normalForm('straße'))
    expect(normalForm('ΣΑΣ')).toBe(normalForm('σασ'))
    expect(normalForm('cafe\u0301')).toBe(normalForm('CAFÉ'))
  })

  test('keeps letters of other alphabets apart: known values are the answer to them', () => {
    expect(normalForm('dem\u043e')).not.toBe('demo')
    expect(normalForm('demó')).not.toBe('demo')
  })

  test('is its own normal form, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        const form = normalForm(text)
        expect(normalForm(form)).toBe(form)
        expect(isSameForm(text, form)).toBe(true)
        expect(isSameForm(` ${text.toUpperCase()}\u200b`, text.toUpperCase())).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  test('of every character of the basic plane is its own', () => {
    const unstable = Array.from({ length: 0x10000 }, (_, code) => code).filter((code) => {
      if (code >= 0xd800 && code <= 0xdfff) return false
      const form = normalForm(String.fromCodePoint(code))
      return normalForm(form) !== form
    })
    expect(unstable).toEqual([])
  })

  test('names something only with a letter, a digit or a symbol', () => {
    for (const nothing of ['', ' ', '-', '--', '_', '\u200b', '\u2800', '.', '\u0301', '—', '\u3164', '...'])
      expect(namesSomething(nothing)).toBe(false)
    for (const something of ['a', '0', 'Ä', '日', '🚀', '-a']) expect(namesSomething(something)).toBe(true)
  })
})
