import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startWeir, useDesk } from './support/weir.ts'

const desk = useDesk()
const run = promisify(execFile)
const source = fileURLToPath(new URL('..', import.meta.url))

test('packed by npm and installed in an empty folder without a network, it works', async () => {
  const [packed, empty] = [join(desk.folder, 'packed'), join(desk.folder, 'empty')]
  for (const folder of [packed, empty]) mkdirSync(folder)
  // Nothing of this machine's npm but its path: an empty cache, and a registry that nobody serves.
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: desk.folder,
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_audit: 'false',
  }
  await run('npm', ['pack', source, '--silent', '--pack-destination', packed], { env, cwd: packed })
  const [archive = ''] = readdirSync(packed)
  await run('npm', ['install', '--silent', '--offline', join(packed, archive)], { env, cwd: empty })
  const installed = join(empty, 'node_modules/@weir/cli')
  expect(readdirSync(join(empty, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@weir'])
  expect(readdirSync(installed, { recursive: true }).map(String).toSorted()).toEqual([
    'dist',
    'dist/LICENSE',
    'dist/THIRD-PARTY-NOTICES.txt',
    'dist/weir.js',
    'dist/weir.schema.json',
    'package.json',
  ])
  expect(statSync(join(empty, 'node_modules/.bin/weir')).mode & 0o111).not.toBe(0)
  const notices = readFileSync(join(installed, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8')
  for (const name of ['ajv', 'commander', 'yaml'])
    expect(notices).toMatch(new RegExp(`^${name} [0-9.]+ \\((MIT|ISC)\\)$`, 'm'))
  const program = join(empty, 'node_modules/.bin/weir')
  const file = desk.write('packed.yaml', 'version: 1\nspend_cap: {cap_usd: "5"}\n')
  const weir = (...args: string[]) => startWeir(args, { env: desk.env, cwd: empty, program }).ended
  const apply = (...more: string[]) => weir('apply', '-f', file, ...more)
  expect(await apply('--yes')).toMatchObject({ code: 0 })
  expect(await apply('--check')).toMatchObject({
    code: 0,
    out: 'Plan: 0 to make, 0 to change, 0 to remove, 1 as they should be.\n',
  })
  expect(await weir('doctor')).toMatchObject({ code: 0 })
})
