import { expect, test } from 'vitest'
import { compileExpression, createExpressionEnvironment, ExpressionFailed } from './expressions.ts'

class Thing {
  readonly name: string
  readonly count: bigint
  readonly words: readonly string[]
  readonly notes: ReadonlyMap<string, string | number | boolean>

  constructor(given: {
    name?: string
    count?: bigint
    words?: string[]
    notes?: Record<string, string | number | boolean>
  }) {
    this.name = given.name ?? ''
    this.count = given.count ?? 0n
    this.words = given.words ?? []
    this.notes = new Map(Object.entries(given.notes ?? {}))
  }
}

const environment = createExpressionEnvironment({
  thing: {
    type: Thing,
    fields: {
      name: { kind: 'string', maxLength: 100 },
      count: { kind: 'int' },
      words: { kind: 'strings', maxItems: 10, maxLength: 100 },
      notes: { kind: 'values', maxEntries: 10, maxKeyLength: 20, maxLength: 100 },
    },
  },
  other: { type: Map, fields: { id: { kind: 'string', maxLength: 10 } } },
})

function expressionOf(text: string) {
  const compiled = compileExpression(environment, text)
  if (!compiled.ok) throw new Error(`${text}: ${compiled.fault.message}`)
  return compiled.expression
}
const answer = (text: string, given: ConstructorParameters<typeof Thing>[0]) =>
  expressionOf(text).evaluate({ thing: new Thing(given) })
function faultOf(text: string) {
  const compiled = compileExpression(environment, text)
  if (compiled.ok) throw new Error(`${text} is accepted`)
  return compiled.fault
}

test('a fault says where it is, counting lines and columns from 1', () => {
  expect(faultOf('thing.name == "a" &&\n  thing.nope > 1')).toEqual({
    message: 'thing has no field nope. It has: name, count, words, notes.',
    offset: 29,
    line: 2,
    column: 9,
  })
  expect(faultOf('thing.name == "a" &&\n')).toMatchObject({ line: 2, column: 1 })
  expect(faultOf('thing.count + thing.name == 1')).toMatchObject({
    line: 1,
    column: 1,
    message: expect.stringContaining('int + string') as string,
  })
  expect(faultOf('true &&\n\n thing.name.re2("a(")')).toMatchObject({
    line: 3,
    column: 17,
    message: 'Invalid pattern: missing closing ): `a(`.',
  })
})

test('an expression is true or false and nothing else', () => {
  expect(faultOf('thing.count').message).toContain("this is 'int'")
  expect(faultOf('thing.notes.a').message).toContain('== true')
  expect(answer('thing.notes.a == true', { notes: { a: true } })).toBe(true)
})

test('matches() is refused by naming what to write instead', () => {
  expect(faultOf('thing.name.matches("a")')).toMatchObject({
    message: expect.stringContaining('re2(') as string,
    column: 12,
  })
})

test('re2 finds its pattern anywhere in a text, as a function and as a method', () => {
  expect(answer('re2(thing.name, "b+")', { name: 'abc' })).toBe(true)
  expect(answer('thing.name.re2("^b+$")', { name: 'abc' })).toBe(false)
  expect(answer('thing.name.re2("^b+$")', { name: 'bb' })).toBe(true)
  expect(answer('thing.name.re2("(?i)^straße$")', { name: 'STRAßE' })).toBe(true)
})

test('what fails while it is asked throws, with a message of bounded length', () => {
  expect(() => answer('1 / thing.count == 1', {})).toThrow(ExpressionFailed)
  expect(() => answer('thing.notes[thing.name] == 1', { name: 'x'.repeat(5_000) })).toThrow(/^No such key: x{286}…$/)
  expect(() => answer('thing.notes.a && true', { notes: { a: 'yes' } })).toThrow('requires bool')
  expect(Error.stackTraceLimit).toBeGreaterThan(0)
})

test('one side that settles it is enough, whatever the other fails with', () => {
  for (const text of ['1 / 0 == 1 || true', 'true || 1 / 0 == 1', '!(1 / 0 == 1 && false)', '!(false && 1 / 0 == 1)'])
    expect(answer(text, {}), text).toBe(true)
  expect(() => answer('1 / 0 == 1 || false', {})).toThrow('division by zero')
})

test('numbers mix: an int and a double give a double', () => {
  const notes = { n: 4, half: 0.5 }
  for (const text of [
    'thing.notes.n > 3',
    'thing.notes.n == 4',
    '4 == thing.notes.n',
    'thing.notes.n + 1 == 5',
    '10 - thing.notes.n > 5',
  ])
    expect(answer(text, { notes }), text).toBe(true)
  for (const text of [
    'thing.notes.n % 3 == 1',
    'thing.notes.n in [1, 4]',
    'thing.count * 1.5 == 3.0',
    'thing.notes.half * 2 == 1',
  ])
    expect(answer(text, { notes, count: 2n }), text).toBe(true)
  expect(faultOf('1.5 == thing.count').message).toContain('Write 1.0 instead of 1')
})

test('an expression knows which variables it speaks of', () => {
  expect([...expressionOf('thing.words.exists(w, w == other.id) || has(thing.notes.x)').names].sort()).toEqual([
    'other',
    'thing',
  ])
  expect([...expressionOf('true').names]).toEqual([])
})

test('an expression knows what has to hold for it to be true', () => {
  const requirements = (text: string) => expressionOf(text).requirements
  const name = (...values: string[]) => ({ variable: 'thing', field: 'name', values })
  expect(requirements('thing.name == "a"')).toEqual([name('a')])
  expect(requirements('thing.count > 1 && ("a" == thing.name && other.id in ["x", "y"])')).toEqual([
    name('a'),
    { variable: 'other', field: 'id', values: ['x', 'y'] },
  ])
  expect(requirements('thing.name == "a" || thing.name in ["b"]')).toEqual([name('a', 'b')])
  for (const text of [
    'thing.name == "a" || true',
    'thing.name != "a"',
    '!(thing.name == "a")',
    'thing.name == "a" ? true : false',
    'thing.notes.x == "a"',
  ])
    expect(requirements(text), text).toEqual([])
})

test('the part that is false is named', () => {
  const part = (text: string, given: ConstructorParameters<typeof Thing>[0]) =>
    expressionOf(text).falsePart({ thing: new Thing(given) })
  expect(part('thing.name == "a" && (thing.count > 1 || thing.count < -1) && 1 / 0 == 1', { name: 'a' })).toBe(
    'thing.count > 1 || thing.count < -1',
  )
  expect(part('thing.name == "a"', {})).toBeNull()
})

test('what an expression may cost follows from what its variables can hold', () => {
  const cost = (text: string) => expressionOf(text).cost
  expect(cost('thing.words.exists(w, w == "a")')).toBeGreaterThan(5 * cost('thing.name == "a"'))
  expect(cost('thing.words.exists(w, thing.words.exists(v, v == w))')).toBeGreaterThan(
    5 * cost('thing.words.exists(w, w == "a")'),
  )
  expect(cost('thing.words.map(w, w + w).exists(w, w == "")')).toBeGreaterThan(
    cost('thing.words.map(w, w).exists(w, w == "")'),
  )
  expect(cost('thing.name.re2("a{9}")')).toBeGreaterThan(cost('thing.name.re2("a{2}")'))
})
