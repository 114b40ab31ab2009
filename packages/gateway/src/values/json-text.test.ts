import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyEdits, countKeys, editedBytes, structureOf } from './json-text.ts'

const spaces = fc.constantFrom('', ' ', '\n  ', '\t')

/** A JSON text with spaces where they may be, and some characters escaped. */
const written = (value: unknown, space: string): string => {
  if (Array.isArray(value))
    return `[${space}${value.map((inner) => written(inner, space)).join(`${space},${space}`)}${space}]`
  if (value !== null && typeof value === 'object')
    return `{${space}${Object.entries(value)
      .map(([key, inner]) => `${JSON.stringify(key)}${space}:${space}${written(inner, space)}`)
      .join(`${space},${space}`)}${space}}`
  return JSON.stringify(value).replaceAll('e', typeof value === 'string' ? '\\u0065' : 'e')
}

const objects = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 4 }), { noNullPrototype: true })

test('members are found where they stand, whatever the text looks like', () => {
  fc.assert(
    fc.property(objects, spaces, (value, space) => {
      const text = space + written(value, space) + space
      const parsed = JSON.parse(text) as Record<string, unknown>
      const { members, keys } = structureOf(text)
      expect(members.map(({ key }) => key).toSorted()).toEqual(Object.keys(parsed).toSorted())
      for (const { key, start, end } of members) expect(JSON.parse(text.slice(start, end))).toEqual(parsed[key])
      expect(keys).toBe(countKeys(parsed))
    }),
    { numRuns: 1_000 },
  )
})

test('an edit changes what it names and no other byte', () => {
  fc.assert(
    fc.property(objects, spaces, fc.string(), fc.integer(), (value, space, key, replacement) => {
      const text = written(value, space)
      const edited = applyEdits(text, [{ path: [key], value: replacement }])
      const expected = Object.fromEntries([...Object.entries(JSON.parse(text) as object), [key, replacement]])
      expect(JSON.parse(edited)).toEqual(expected)
      const { members, inside } = structureOf(text)
      const member = members.find((one) => one.key === key) ?? { start: inside, end: inside }
      expect(edited.startsWith(text.slice(0, member.start))).toBe(true)
      expect(edited.endsWith(text.slice(member.end))).toBe(true)
    }),
    { numRuns: 1_000 },
  )
})

test('an edit reaches into an object, and makes one that is missing', () => {
  const edit = { path: ['stream_options', 'include_usage'], value: true } as const
  expect(applyEdits('{"a": 1}', [edit])).toBe('{"stream_options":{"include_usage":true},"a": 1}')
  expect(applyEdits('{"stream_options": { "x": [1, 2] }}', [edit])).toBe(
    '{"stream_options": {"include_usage":true, "x": [1, 2] }}',
  )
  expect(applyEdits('{"stream_options":null}', [edit])).toBe('{"stream_options":{"include_usage":true}}')
  expect(applyEdits('{"tools": [ {"a":[1,{}]}, {} ,3]}', [{ path: ['tools', '1', 'max_uses'], value: 2 }])).toBe(
    '{"tools": [ {"a":[1,{}]}, {"max_uses":2} ,3]}',
  )
  expect(applyEdits('{}', [edit, { path: ['n'], value: 1 }])).toBe('{"stream_options":{"include_usage":true},"n":1}')
})

test('a removed member is gone, and all others are as they were written', () => {
  fc.assert(
    fc.property(objects, spaces, fc.nat(), fc.nat(), (value, space, a, b) => {
      const text = written(value, space)
      const keys = Object.keys(value)
      const gone = [keys[a % Math.max(1, keys.length)] ?? 'a', keys[b % Math.max(1, keys.length)] ?? 'b']
      const edited = applyEdits(
        text,
        gone.map((key) => ({ path: [key] as const, value: undefined })),
      )
      const left = Object.entries(JSON.parse(text) as object).filter(([key]) => !gone.includes(key))
      expect(JSON.parse(edited)).toEqual(Object.fromEntries(left))
      const kept = structureOf(text).members.filter(({ key }) => !gone.includes(key))
      for (const { from, end } of kept) expect(edited).toContain(text.slice(from, end))
    }),
    { numRuns: 1_000 },
  )
  const edits = [
    { path: ['model'], value: undefined },
    { path: ['stream'], value: undefined },
    { path: ['max_tokens'], value: 5 },
  ] as const
  expect(applyEdits('{"model":"a", "x": 1 ,"stream":true}', edits)).toBe('{"max_tokens":5,"x": 1}')
})

test('the bytes of an edited text are those of the text, plain or not', () => {
  fc.assert(
    fc.property(objects, spaces, fc.string({ unit: 'binary' }), fc.string(), (value, space, key, replacement) => {
      const text = written(value, space)
      const edits = [
        { path: [key], value: replacement },
        { path: ['gone'], value: undefined },
      ] as const
      const bytes = editedBytes({ text, size: Buffer.byteLength(text), structure: structureOf(text) }, edits)
      expect(bytes.equals(Buffer.from(applyEdits(text, edits)))).toBe(true)
    }),
    { numRuns: 1_000 },
  )
})

test.each([
  ['at the top', '{"max_tokens":1,"max_tokens":2}'],
  ['in depth', '{"tools":[{"type":"function","type":"web_search"}]}'],
  ['spelled with an escape', '{"max_tokens":1,"max\\u005ftokens":2}'],
])('a key that is written twice %s shows in the counts', (_, text) => {
  expect(structureOf(text).keys).not.toBe(countKeys(JSON.parse(text)))
})
