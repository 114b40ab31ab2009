import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { deprecations } from '../../packages/server/src/contract/deprecations/registry.ts'
import { surfaceOf } from './announcements.ts'
import { releaseFaults } from './check.ts'
import { cut } from './cut.ts'
import { sampleDocument } from './sample-document.ts'
import { readTree } from './tree.ts'

const project = join(import.meta.dirname, '../..')
const date = '2026-11-15'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'weir-cut-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
})

/** The tree as it is when the last of these versions is being prepared; the first announces all that is deprecated. */
function prepare(...versions: string[]) {
  writeAt('openapi.json', JSON.stringify(sampleDocument))
  const announced = deprecations.flatMap((entry) =>
    entry.kind === 'setting' ? [{ variable: entry.variable, announced: entry.since, replacement: 'another' }] : [],
  )
  const ledger = versions.map((version, position) => ({
    version,
    date,
    configuration: { deprecated: position === 0 ? announced : [], removed: [] },
    operator_actions: ['Set limits per organization instead of SVC_READ_LIMIT_PER_MINUTE.'],
  }))
  writeAt('releases.json', JSON.stringify(ledger))
  const sections = versions.map(
    (version) => `## [${version}] - ${date}\n\n### Deprecated\n\n${deprecations.map(surfaceOf).join('\n')}\n`,
  )
  writeAt('CHANGELOG.md', sections.join('\n'))
}

function prepareWithPackage(...versions: string[]) {
  prepare(...versions)
  mkdirSync(join(root, 'packages/server'), { recursive: true })
  writeAt(
    'packages/server/package.json',
    JSON.stringify({ name: 'server', version: versions.at(-1), private: true }, undefined, 2),
  )
}

const writeAt = (path: string, text: string) => writeFileSync(join(root, path), text)

test('before the first release the check fails and says so', async () => {
  prepareWithPackage('0.1.0')
  expect(await releaseFaults(readTree(root))).toEqual(['releases/ has no release yet'])
})

test('a cut freezes the whole surface, and the check passes from then on', async () => {
  prepareWithPackage('0.1.0')
  expect(await cut(root, '0.1.0')).toEqual([])
  expect(readdirSync(join(root, 'releases/0.1.0')).sort()).toEqual([
    'deprecations.json',
    'errors.json',
    'openapi.json',
    'settings.json',
  ])
  expect(await releaseFaults(readTree(root))).toEqual([])

  const [release] = readTree(root).releases
  expect(release?.openapi).toEqual(sampleDocument)
  expect(release?.errors).toContainEqual(expect.objectContaining({ code: 'quota_exhausted', statuses: [402, 429] }))
  expect(release?.deprecations).toContainEqual(expect.objectContaining({ route: '/v1/forecast' }))
  expect(release?.settings).toContain('SVC_DATABASE_URL')
})

test('a second release is compared with the first', async () => {
  prepareWithPackage('0.1.0')
  await cut(root, '0.1.0')
  prepareWithPackage('0.1.0', '0.2.0')
  expect(await cut(root, '0.2.0')).toEqual([])
  expect(readTree(root).releases.map(({ version }) => version)).toEqual(['0.1.0', '0.2.0'])
})

test('a version that is not in the ledger is not cut', async () => {
  prepareWithPackage('0.1.0')
  expect(await cut(root, '0.9.0')).toEqual(['0.9.0 is not in releases.json'])
})

test('a release is not cut again', async () => {
  prepareWithPackage('0.1.0')
  await cut(root, '0.1.0')
  expect(await cut(root, '0.1.0')).toEqual(['releases/0.1.0 exists; a release is never cut again'])
})

test('a tree that breaks the newest release is not cut', async () => {
  prepareWithPackage('0.1.0')
  await cut(root, '0.1.0')
  prepareWithPackage('0.1.0', '0.2.0')
  writeAt('openapi.json', JSON.stringify({ ...sampleDocument, paths: {} }))
  expect(await cut(root, '0.2.0')).not.toEqual([])
  expect(readdirSync(join(root, 'releases'))).toEqual(['0.1.0'])
})

/** One fault for each check, to see that the check of the whole tree asks them all. */
test.each([
  ['openapi.json', () => rmSync(join(root, 'openapi.json')), 'openapi.json is missing'],
  ['the freeze', () => writeAt('openapi.json', JSON.stringify({ ...sampleDocument, paths: {} })), 'GET /v1/runs'],
  [
    'the catalog',
    () => writeAt('releases/0.1.0/errors.json', '[{ "code": "lost", "statuses": [], "details": {} }]'),
    'lost',
  ],
  [
    'withdrawn deprecations',
    () =>
      writeAt('releases/0.1.0/deprecations.json', JSON.stringify([...deprecations, { kind: 'delivery', id: 'lost' }])),
    'the deprecation lost disappeared',
  ],
  ['lost settings', () => writeAt('releases/0.1.0/settings.json', '["SVC_LOST"]'), 'SVC_LOST was a setting'],
  ['the history', () => prepareWithPackage('0.1.0', '0.2.0', '0.3.0'), 'releases/0.2.0 is missing'],
  ['the sequence', () => prepareWithPackage('0.1.0', '0.0.9'), '0.0.9 does not come after 0.1.0'],
  ['the version', () => prepare('0.1.0', '0.2.0'), 'packages/server/package.json is of 0.1.0'],
  ['the changelog', () => writeAt('CHANGELOG.md', ''), 'CHANGELOG.md has no section for 0.1.0'],
  ['the shape of the ledger', () => writeAt('releases.json', '[{ "version": "0.1.0" }]'), 'entry 1 of releases.json'],
])('the check of the tree includes %s', async (_, spoil, fault) => {
  prepareWithPackage('0.1.0')
  await cut(root, '0.1.0')
  spoil()
  expect(await releaseFaults(readTree(root))).toContainEqual(expect.stringContaining(fault))
})

test('the check of the tree includes the notice of each deprecation', async () => {
  prepareWithPackage('0.1.0')
  await cut(root, '0.1.0')
  const tree = readTree(root)
  const spoiled = tree.deprecations.map((entry) => (entry.id === 'forecast' ? { ...entry, sunset: 'never' } : entry))
  expect(await releaseFaults({ ...tree, deprecations: spoiled })).toContainEqual(
    expect.stringContaining('sunset is no UTC instant'),
  )
})

test('a first release with a stability level is not cut', async () => {
  prepareWithPackage('0.1.0')
  writeAt('openapi.json', JSON.stringify({ ...sampleDocument, 'x-stability-level': 'beta' }))
  expect(await cut(root, '0.1.0')).toEqual([expect.stringContaining('x-stability-level')])
})

test('a stray folder among the releases is refused', () => {
  prepareWithPackage('0.1.0')
  mkdirSync(join(root, 'releases/next'), { recursive: true })
  expect(() => readTree(root)).toThrow('releases/next is not named by a version')
})

test('the commands say what is wrong and fail, or say nothing and succeed', () => {
  const { version } = JSON.parse(readFileSync(join(project, 'packages/server/package.json'), 'utf8')) as {
    version: string
  }
  prepare(version)
  for (const name of ['packages', 'node_modules']) symlinkSync(join(project, name), join(root, name))
  cpSync(import.meta.dirname, join(root, 'scripts/release'), { recursive: true })
  const run = (script: string, ...values: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts/release', script), ...values], {
      encoding: 'utf8',
    })
    return { status, said: stdout + stderr }
  }
  expect(run('check.ts')).toEqual({ status: 1, said: 'releases/ has no release yet\n' })
  expect(run('cut.ts')).toEqual({ status: 1, said: 'usage: node scripts/release/cut.ts <version>\n' })
  expect(run('cut.ts', version)).toEqual({ status: 0, said: '' })
  expect(run('check.ts')).toEqual({ status: 0, said: '' })
})

test('the project passes its own release checks', async () => {
  expect(await releaseFaults(readTree(project))).toEqual([])
})
