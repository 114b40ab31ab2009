import { expect, test } from 'vitest'
import { normalised, textBound } from './text-bound.ts'

const acute = '\u0301'
const below = '\u0316'

test('no number of marks on one character takes long to bound', () => {
  const marks = `a${`${acute}${below}`.repeat(200_000)}`
  expect(textBound(JSON.stringify(marks), marks, new Set(), true)).toBeGreaterThanOrEqual(marks.length * 2 - 1)
})

test('the bytes of marks are never fewer than a tokenizer would make of them', () => {
  const bases = ['', 'a', '\u00e1', '\u1ea5', '\uac00', '\u1100', '<', '\ufdfa', ' ', '\ud83d\ude00']
  const kinds = [acute, below, '\u0323', '\u0338', '\u0344', '\u3099', '\uff9e', '\uff9f', '\u1161', '\u11a8']
  let turn = 7
  const pick = <T>(all: readonly T[]) => {
    turn = (turn * 1_103_515_245 + 12_345) % 2_147_483_648
    return all[turn % all.length]!
  }
  for (let i = 0; i < 500; i += 1) {
    const text = Array.from({ length: 8 }, () => pick(bases) + pick(kinds).repeat(pick([0, 1, 40])) + pick(kinds)).join(
      '',
    )
    expect(Buffer.byteLength(normalised(text)), JSON.stringify(text)).toBeGreaterThanOrEqual(
      Buffer.byteLength(text.normalize('NFKC')),
    )
  }
  expect(normalised('caf\u00e9 \ufdfa e\u0301')).toBe('caf\u00e9 \ufdfa e\u0301'.normalize('NFKC'))
})

test('a long run of any character is bounded by what a tokenizer would make of it', () => {
  const short = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code).repeat(40)).filter(
    (text) => Buffer.byteLength(normalised(text)) < Buffer.byteLength(text.normalize('NFKC')),
  )
  expect(short).toEqual([])
})
