import { describe, expect, test } from 'vitest'
import { idOf, mintKey, parseKey } from './key-format.ts'

test('a minted key is read back, and is what a secret scanner can be told to look for', () => {
  for (let i = 0; i < 200; i++) {
    const { id, secret, text } = mintKey('c1')
    expect(text).toMatch(/^weir_[a-z0-9]{27,34}_[0-9A-Za-z]{49}$/)
    const parsed = parseKey(text)!
    expect(parsed).toMatchObject({ cell: 'c1', secret })
    expect(idOf(parsed)).toBe(id)
  }
})

test('no two keys share an id or a secret', () => {
  const keys = Array.from({ length: 1_000 }, () => mintKey('c1'))
  expect(new Set(keys.map(({ id }) => id)).size).toBe(1_000)
  expect(new Set(keys.map(({ secret }) => secret)).size).toBe(1_000)
})

describe('a forged key', () => {
  const { text } = mintKey('c1')
  test('a forged key fails by its checksum, whichever character is changed', () => {
    for (let i = 0; i < text.length; i++) {
      const changed = `${text.slice(0, i)}${text[i] === '5' ? '6' : '5'}${text.slice(i + 1)}`
      expect(parseKey(changed), `character ${i}`).toBeUndefined()
    }
  })
  test.each(['', 'weir_', text.slice(0, -1), `${text}0`, ` ${text}`, text.toUpperCase(), `Bearer ${text}`, 'weir_a_b'])(
    'a text that is no key is refused: %s',
    (forged) => {
      expect(parseKey(forged)).toBeUndefined()
    },
  )
})
