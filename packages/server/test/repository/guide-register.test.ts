import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { blocksOf, documents, guideBlocks, isShell, root } from '../support/guide-blocks.ts'
import { otherCommands, ranBy } from '../support/guide-register.ts'

/** Every block of code in a document is run by a test, or says in its own fence why not. */

const where = ({ page, line }: { readonly page: string; readonly line: number }) => `${page}:${line}`
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')

/** Languages that only show something: what a command prints, and lists that tests of their own read. */
const shownOnly = new Set(['text', 'imports'])

test('code is run by a test, or says why not', () => {
  const unplaced = guideBlocks.filter(
    ({ page, language, notRun }) =>
      notRun === undefined &&
      !isShell({ language }) &&
      language !== 'json' &&
      !shownOnly.has(language) &&
      ranBy[page]?.[language] === undefined,
  )
  expect(unplaced.map((block) => `${where(block)} (${block.language})`)).toEqual([])
  expect(guideBlocks.filter(isShell).length).toBeGreaterThan(150)
  expect(Object.values(otherCommands).flat().length).toBeGreaterThan(60)
})

test('what runs it exists, reads the page, and finds something to run', () => {
  const entries = Object.entries(ranBy).flatMap(([page, tests]) =>
    Object.entries(tests).flatMap(([language, paths]) => paths.map((path) => ({ page, language, path }))),
  )
  expect(entries.filter(({ path }) => !existsSync(join(root, path)))).toEqual([])
  expect(entries.filter(({ page, path }) => !textBehind(path).includes(basename(page, '.md')))).toEqual([])
  const has = (page: string, language: string) =>
    guideBlocks.some((block) => block.page === page && block.language === language)
  expect(entries.filter(({ page, language }) => !has(page, language))).toEqual([])
})

/** The text of a test, with that of the support beside it which reads guides. */
function textBehind(path: string): string {
  const [, house = ''] = /^(packages\/[\w-]+)\//.exec(path) ?? []
  const support = join(house, 'test/support/guide.ts')
  return read(path) + (existsSync(join(root, support)) && read(path).includes('support/guide.ts') ? read(support) : '')
}

test('reasons why nobody runs a block say something, and what they name exists', () => {
  const names = new Set(tracked.map((path) => basename(path)))
  const unknown = guideBlocks.flatMap(({ notRun = '', ...block }) =>
    [...notRun.matchAll(/[\w-]+\.(?:test\.ts|py)\b/g)]
      .filter(([name]) => !names.has(name))
      .map(([name]) => `${where(block)}: ${name}`),
  )
  expect(unknown).toEqual([])
  const folders = guideBlocks.flatMap(({ notRun = '' }) =>
    [...notRun.matchAll(/\b(?:packages|test)\/[\w/-]+(?= |$)/g)].map(([folder]) => folder),
  )
  expect(folders.filter((folder) => !tracked.some((path) => `/${path}`.includes(`/${folder}/`)))).toEqual([])
  const short = guideBlocks.filter(({ notRun }) => notRun !== undefined && notRun.split(' ').length < 4)
  expect(short.map(where)).toEqual([])
})

test('JSON can be read, with "…" where something is left out, and its fields exist', () => {
  const gateway = read('packages/gateway/src/config-schema.ts')
  const known = fieldsOf(JSON.parse(read('openapi.json')))
  // Lines of streams, which the document of the API describes in words.
  for (const [, name] of read('openapi.json').matchAll(/`(\w+)`/g)) known.add(name!)
  for (const [, name] of gateway.matchAll(/^\s*(\w+): /gm)) known.add(name!)
  expect(known.size).toBeGreaterThan(500)
  const shown = guideBlocks.filter(({ language, notRun }) => language === 'json' && notRun === undefined)
  const faults = shown.flatMap((block) =>
    valuesIn(block.code).flatMap((value) =>
      value === undefined
        ? `${where(block)} is no JSON`
        : [...fieldsOf(value)]
            .filter((name) => isField(name) && !known.has(name))
            .map((name) => `${where(block)}: ${name}`),
    ),
  )
  expect(faults).toEqual([])
})

test('every test that a document names exists', () => {
  const named = documents.flatMap((page) =>
    [...read(page).matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, path]) => ({ page, path: path! })),
  )
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter(({ path }) => !tracked.some((file) => `/${file}`.endsWith(`/${path}`)))).toEqual([])
})

test('a block that nobody runs is found', () => {
  const text =
    '# A page\n\n- an item:\n\n  ```sql refused=402\n  select 1\n  ```\n\n```sh not-run="it needs a cluster"\nls\n```\n'
  expect(blocksOf('docs/a.md', text)).toEqual([
    { page: 'docs/a.md', line: 5, language: 'sql', code: 'select 1\n', notRun: undefined, refused: 402 },
    { page: 'docs/a.md', line: 9, language: 'sh', code: 'ls\n', notRun: 'it needs a cluster', refused: undefined },
  ])
})

/** Reads JSON as a document shows it: one value, or one in each line; what is left out is `…`. */
function valuesIn(code: string): unknown[] {
  const text = code.replaceAll(/,?\s*…/g, '')
  const parse = (part: string): unknown => {
    try {
      return JSON.parse(part)
    } catch {
      return undefined
    }
  }
  const whole = parse(text)
  return whole === undefined ? text.trim().split('\n').map(parse) : [whole]
}

function fieldsOf(value: unknown, fields = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return fields
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) fields.add(name)
    fieldsOf(inner, fields)
  }
  return fields
}

/** Names of models, providers and environment variables are the reader's own. */
const isField = (name: string) => /^[a-z]+(_[a-z0-9]+)+$/.test(name)
