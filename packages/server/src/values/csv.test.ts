import { expect, test } from 'vitest'
import { escapeCell } from './csv.ts'

test.each([
  ['support-triage', 'support-triage'],
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  // Begins a cell where spreadsheets part cells at semicolons.
  ['x;=1+1', "x;'=1+1"],
  ['x\t+1', "x\t'+1"],
  ['\t=1', "'\t'=1"],
  ['one; two', 'one; two'],
])('%j is text in a spreadsheet: %j', (text, escaped) => {
  expect(escapeCell(text)).toBe(escaped)
})
