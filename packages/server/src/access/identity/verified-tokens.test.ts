import { expect, test } from 'vitest'
import type { Caller } from './caller.ts'
import { VerifiedTokens } from './verified-tokens.ts'

const caller = (id: string) => ({ id }) as Caller
const [first, second] = [caller('1'), caller('2')]

test('a token is found by the header that presented it, and by no other', () => {
  const tokens = new VerifiedTokens(10)
  tokens.add('Bearer weir_a_secret', 'a', first)
  expect(tokens.find('Bearer weir_a_secret')).toEqual({ publicId: 'a', caller: first })
  expect(tokens.find('Bearer weir_a_Secret')).toBeUndefined()
  expect(tokens.find('weir_a_secret')).toBeUndefined()
})

test('a caller has one entry, however it spells its header', () => {
  const tokens = new VerifiedTokens(10)
  tokens.add('Bearer s', 'a', first)
  tokens.add('bearer s', 'a', first)
  expect(tokens.find('Bearer s')).toBeUndefined()
  expect(tokens.find('bearer s')?.caller).toBe(first)
})

test('a forgotten caller leaves the entry of the one that was read after it', () => {
  const tokens = new VerifiedTokens(10)
  tokens.add('Bearer s', 'a', first)
  tokens.add('Bearer s', 'a', second)
  tokens.forget(first)
  expect(tokens.find('Bearer s')?.caller).toBe(second)
  tokens.forget(second)
  expect(tokens.find('Bearer s')).toBeUndefined()
})

test('a header that is longer than any token takes is not remembered', () => {
  const tokens = new VerifiedTokens(10)
  const authorization = `Bearer ${' '.repeat(300)}s`
  tokens.add(authorization, 'a', first)
  expect(tokens.find(authorization)).toBeUndefined()
})
