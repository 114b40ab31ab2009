import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, expect, test } from 'vitest'
import { TokenCounter } from './token-counter.ts'

const counter = new TokenCounter()
afterAll(() => counter.close())

test.each([
  ['one letter', 'a'],
  ['spaces', ' '],
  ['one sign', '='],
  ['marks', '\u0301\u0316'],
])('a text of nothing but %s holds up no count', async (_, unit) => {
  const counts = await counter.count('chat', unit.repeat(200_000), [])
  expect(counts?.input).toBeGreaterThan(0)
})

test.each(['a', ' ', '=', 'x9_'])('the cuts in a run of %j take no tokens away', async (unit) => {
  const text = unit.repeat(2_000)
  const counts = await counter.count('chat', text, [])
  expect(counts?.input).toBeGreaterThanOrEqual(countTokens(text))
})
