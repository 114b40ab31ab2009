import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { checks } from '../src/checks.ts'
import { clauses } from '../src/clauses.ts'
import { plants } from './deviations.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Whether a test, or a row of its table, has this title in that file. */
const hasTest = (file: string, name: string) => {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return existsSync(join(root, file)) && new RegExp(`[([]\\s*(['"\`])${escaped}\\1`).test(read(file))
}

test('there are 163 clauses, numbered without a gap, each said once', () => {
  expect(clauses.map(({ number }) => number)).toEqual(Array.from({ length: 163 }, (_, i) => i + 1))
  expect(new Set(clauses.map(({ promise }) => promise)).size).toBe(163)
})

test('the program has a check for each clause that it is to show, and no other', () => {
  const shown = clauses.filter(({ shown }) => shown.by === 'program').map(({ number }) => number)
  expect(Object.keys(checks).map(Number)).toEqual(shown)
})

test('every test that a clause names is there', () => {
  const named = clauses.flatMap(({ number, tests }) => tests.map((test) => ({ number, ...test })))
  expect(named.filter(({ file, name }) => !hasTest(file, name))).toEqual([])
})

test('a test that is not there would be noticed', () => {
  const file = 'packages/conformance/test/clauses.test.ts'
  expect(hasTest(file, 'a test that is not there would be noticed')).toBe(true)
  expect(hasTest(file, 'a test that is not there')).toBe(false)
  expect(hasTest('packages/conformance/test/nothing.test.ts', 'x')).toBe(false)
})

test('what is planted is at least twenty deviations of as many clauses, which the program checks', () => {
  const planted = new Set(plants.map(({ clause }) => clause))
  expect(planted.size).toBeGreaterThanOrEqual(20)
  expect([...planted].filter((number) => !(number in checks))).toEqual([])
})

test('the program knows the server by HTTP alone: it imports nothing but itself and Node', () => {
  const imports = globSync('packages/conformance/src/**/*.ts', { cwd: root }).flatMap((path) =>
    Array.from(read(path).matchAll(/from '([^']+)'/g), ([, target]) => target!),
  )
  expect(
    imports.filter((target) => !/^(node:|\.\.?\/[a-z./-]+\.ts$)/.test(target) || target.includes('server/')),
  ).toEqual([])
})
