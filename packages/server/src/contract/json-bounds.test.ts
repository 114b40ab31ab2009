import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type JsonBounds, JsonStructure, maxJsonDepth } from './json-bounds.ts'

const bounds: JsonBounds = { maxDepth: maxJsonDepth, maxStructure: 50_000 }
const excessIn = (text: string, within = bounds) => new JsonStructure(within).excessIn(Buffer.from(text))

/** The same count, taken from the parsed value. */
function structureOf(value: unknown): { depth: number; count: number } {
  if (value === null || typeof value !== 'object') return { depth: 0, count: 0 }
  const inner = Object.values(value).map(structureOf)
  const colons = Array.isArray(value) ? 0 : inner.length
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    count: 2 + Math.max(0, inner.length - 1) + colons + inner.reduce((sum, { count }) => sum + count, 0),
  }
}

const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ']', '}', ',', ':', '\\"', '\u2028', 'é', '𝄞') }),
)
const json = fc.oneof(
  fc.jsonValue({ maxDepth: 6 }),
  fc.jsonValue({ stringUnit: 'binary' }),
  fc.array(fc.dictionary(hostileText, hostileText)),
)

describe('the structure of JSON is counted as a parser sees it', () => {
  test('whatever stands in its strings, however it is spaced', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1, '\t', ' [{'.slice(0, 1)), (value, space) => {
        const text = JSON.stringify(value, undefined, space)
        const { depth, count } = structureOf(JSON.parse(text))
        expect(excessIn(text, { maxDepth: depth, maxStructure: count })).toBeUndefined()
        expect(excessIn(text, { maxDepth: depth, maxStructure: count - 1 })).toBe(count > 0 ? 'structure' : undefined)
        expect(excessIn(text, { maxDepth: depth - 1, maxStructure: count })).toBe(depth > 0 ? 'depth' : undefined)
      }),
      { numRuns: 500 },
    )
  })

  test('also where a string is escaped byte by byte', () => {
    const escaped = (text: string) =>
      `"${Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`
    fc.assert(
      fc.property(fc.array(hostileText), (texts) => {
        const text = `[${texts.map(escaped).join(',')}]`
        expect(JSON.parse(text)).toEqual(texts)
        expect(excessIn(text, { maxDepth: 1, maxStructure: 2 + Math.max(0, texts.length - 1) })).toBeUndefined()
      }),
    )
  })

  test('and never refuses bytes that a parser reads within the bounds', () => {
    const soup = fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', '1', 'a', ' ', 'null') })
    fc.assert(
      fc.property(soup, (text) => {
        let value: unknown
        try {
          value = JSON.parse(text)
        } catch {
          return
        }
        const { depth, count } = structureOf(value)
        fc.pre(depth <= bounds.maxDepth && count <= bounds.maxStructure)
        expect(excessIn(text)).toBeUndefined()
      }),
      { numRuns: 2_000 },
    )
  })
})

test('bytes that are no JSON are scanned to their end and left to the parser', () => {
  for (const text of ['"', '"\\', '\\', ']]]]', '"a\\"', '', '{"a":"b', '\u0000'])
    expect(excessIn(text)).toBeUndefined()
})

test('parts of one body have a depth each and a structure in common', () => {
  const bytes = Buffer.from('[[1]]\n[[2]]')
  const structure = new JsonStructure({ maxDepth: 2, maxStructure: 7 })
  expect(structure.excessIn(bytes, 0, 5)).toBeUndefined()
  expect(structure.excessIn(bytes, 6, 11)).toBe('structure')
})
