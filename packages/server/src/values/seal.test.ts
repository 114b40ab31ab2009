import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { deriveKeyring, parseMasterKeys } from './keyring.ts'
import { seal, unseal } from './seal.ts'

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`

test('master keys are read, the first being the current one', () => {
  const keys = parseMasterKeys(`${key('b')},${key('a')}`)!
  const ring = deriveKeyring(keys, 'test')
  expect(ring.current.id).toBe('b')
  expect(ring.find('a')?.bytes).toHaveLength(32)
  expect(ring.find('c')).toBeUndefined()
})

test.each(['', 'a', 'a:', 'a:c2hvcnQ=', `a b:${randomBytes(32).toString('base64')}`])('%j is no master key', (text) => {
  expect(parseMasterKeys(text)).toBeUndefined()
})

test('two keys of one name are refused', () => {
  expect(parseMasterKeys(`${key('a')},${key('a')}`)).toBeUndefined()
})

test('each purpose has a key of its own', () => {
  const keys = parseMasterKeys(key('a'))!
  expect(deriveKeyring(keys, 'one').current.bytes).not.toEqual(deriveKeyring(keys, 'two').current.bytes)
})

test('what was sealed opens after a rotation, in its own context only, and unchanged only', () => {
  const [old, fresh] = [key('old'), key('new')]
  const before = deriveKeyring(parseMasterKeys(old)!, 'seal')
  const after = deriveKeyring(parseMasterKeys(`${fresh},${old}`)!, 'seal')
  const sealed = seal(before, 'hunter2', 'org 1')
  expect(sealed.includes('hunter2')).toBe(false)
  expect(unseal(after, sealed, 'org 1')).toBe('hunter2')
  expect(() => unseal(after, sealed, 'org 2')).toThrow('unable to authenticate')
  const changed = Buffer.from(sealed)
  changed[changed.length - 1]! ^= 1
  expect(() => unseal(after, changed, 'org 1')).toThrow('unable to authenticate')
  expect(() => unseal(deriveKeyring(parseMasterKeys(fresh)!, 'seal'), sealed, 'org 1')).toThrow('no longer configured')
})
