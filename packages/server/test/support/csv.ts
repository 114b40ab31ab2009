import { expect } from 'vitest'

/** A reader of CSV that shares nothing with the writers. */
export function csvRows(text: string): string[][] {
  const rows: string[][] = [[]]
  let field = ''
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const letter = text[i]!
    if (quoted) {
      if (letter !== '"') field += letter
      else if (text[i + 1] === '"') field += text[i++]
      else quoted = false
    } else if (letter === '"') quoted = true
    else if (letter === ',' || letter === '\r') {
      rows.at(-1)!.push(field)
      field = ''
    } else if (letter === '\n') rows.push([])
    else field += letter
  }
  expect(rows.pop()).toEqual([])
  return rows
}
