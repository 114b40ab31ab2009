import { expect, test } from 'vitest'
import { parseReason } from './reasons.ts'

test.each([
  ['Agreed with Ada.', 'Agreed with Ada.'],
  ['  blanks around it  ', 'blanks around it'],
  ['100%25 used', '100% used'],
  ['f%C3%BCr K%C3%B6ln %F0%9F%8C%8A', 'für Köln 🌊'],
  [encodeURIComponent('🌊'.repeat(500)), '🌊'.repeat(500)],
])('%j gives a reason', (text, reason) => {
  expect(parseReason(text)).toBe(reason)
})

test.each([
  ['nothing', ''],
  ['blanks alone', '%20 %20'],
  ['too many characters', 'x'.repeat(501)],
  ['a lone percent sign', '100% used'],
  ['bytes that are no UTF-8', 'f%FCr'],
  ['a byte beyond ASCII', 'f\u00fcr'],
  ['an encoded line end', 'one%0Atwo'],
  ['an encoded NUL', 'one%00two'],
  ['an encoded line separator', 'one%E2%80%A8two'],
  ['a change of direction', 'one%E2%80%AEtwo'],
])('%s gives none', (_what, text) => {
  expect(parseReason(text)).toMatchObject({ field: 'X-Svc-Reason', code: 'invalid_format' })
})
