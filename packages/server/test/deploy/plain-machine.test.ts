import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { shippedFiles } from '../../proofs/install/shipped-files.ts'
import { readConfig } from '../../src/config.ts'
import { environmentFor, useDatabase } from '../support/harness.ts'
import { startApi, startRole } from '../support/processes.ts'

/** The archive for machines without a registry, and the units that run it. */
const root = fileURLToPath(new URL('../../../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'weir-bundle-'))
const database = useDatabase()
let tree = ''
beforeAll(() => {
  execFileSync(join(root, 'scripts/release/bundle'), [folder], { stdio: ['ignore', 'ignore', 'inherit'] })
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: folder })
  const archive = readdirSync(folder).find((name) => name.endsWith('.tar.gz'))!
  execFileSync('tar', ['-xzf', archive], { cwd: folder })
  tree = join(folder, archive.slice(0, -'.tar.gz'.length))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the archive runs from an empty folder, with what is in it', async () => {
  const program = join(tree, 'packages/server/src/main.ts')
  const environment = environmentFor(database, { SVC_MIGRATE_DATABASE_URL: database.ownerUrl, NODE_ENV: 'production' })
  expect(await startRole('migrate', environment, program).exit).toBe(0)
  const { url, process, exit } = await startApi(environment, program)
  for (const path of ['/readyz', '/docs', '/console/signin'])
    expect((await fetch(`${url}${path}`)).status, path).toBe(200)
  process.kill()
  expect(await exit).toBe(0)
})

test('it has nothing in it that only builds or tests', () => {
  const names = readdirSync(join(tree, 'node_modules/.pnpm'))
  expect(names.some((name) => name.startsWith('fastify@'))).toBe(true)
  expect(names.filter((name) => /^(vitest|typescript|playwright-core|knip)@/.test(name))).toEqual([])
  const files = readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(tree, join(entry.parentPath, entry.name)))
    .filter((name) => !name.includes('node_modules'))
  expect(files.filter((name) => name.includes('.test.') || name.includes('/test/'))).toEqual([])
  // The image is made of the same list.
  expect(files.filter((name) => !name.startsWith('deploy/')).toSorted()).toEqual(shippedFiles().toSorted())
})

test('no package in it would run code when it is installed, and none has any that is not JavaScript or WebAssembly', () => {
  const store = join(tree, 'node_modules/.pnpm')
  const manifests = globSync('*/node_modules/{*,@*/*}/package.json', { cwd: store })
  expect(manifests.length).toBeGreaterThan(200)
  const scripts = manifests.flatMap((path) => {
    const { name, scripts = {} } = JSON.parse(readFileSync(join(store, path), 'utf8')) as {
      name: string
      scripts?: Record<string, string>
    }
    return ['preinstall', 'install', 'postinstall'].filter((hook) => hook in scripts).map((hook) => `${name} ${hook}`)
  })
  expect(scripts).toEqual([])
  expect(globSync('**/{*.node,*.so,*.so.*,*.dll,*.dylib,*.exe,binding.gyp}', { cwd: store })).toEqual([])
})

test('in a network that has nothing but itself every role serves, the third call is refused, and nothing is sent anywhere else', () => {
  const program = join(root, 'packages/server/proofs/install/sealed-network.ts')
  const { stdout, stderr } = spawnSync('unshare', ['--net', '--mount', process.execPath, program, tree], {
    encoding: 'utf8',
  })
  expect(stdout, stderr).not.toBe('')
  const { attempts, ...made } = JSON.parse(stdout) as Record<string, unknown>
  expect(made).toMatchObject({
    // What was sent elsewhere on purpose was counted; the last of them by the program itself.
    seen: { connection: true, connection6: true, datagram: true, name: true, trace: true },
    statuses: [200, 200, 402],
    exits: { api: 0, worker: 0, gateway: 0 },
    pages: { '/docs': 200, '/docs/reference/': 200, '/console/signin': 200, '/metrics': 200 },
  })
  expect(attempts).toBe(0)
})

describe('the units', () => {
  const units = join(root, 'deploy/systemd')
  const names = readdirSync(units).filter((name) => name.endsWith('.service'))
  const given = Object.fromEntries(
    names.map((name) => [
      name,
      readFileSync(join(units, name), 'utf8')
        .split('\n')
        .flatMap((line) => {
          const [, key = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
          return key === '' ? [] : [[key, value] as const]
        }),
    ]),
  )
  const settings = (name: string) =>
    [
      ...readFileSync(join(units, 'weir.env'), 'utf8').split('\n'),
      ...given[name]!.flatMap(([key, value]) => (key === 'Environment' ? [value] : [])),
    ].flatMap((line) =>
      /^[A-Z]/.test(line) ? [[line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]] : [],
    )

  test.each(names)('%s runs a role of the program with settings that it knows', (name) => {
    const [, start] = given[name]!.find(([key]) => key === 'ExecStart')!
    const [, program, role] = start.split(' ') as [string, string, string]
    expect(existsSync(join(tree, program.replace('/opt/weir/current/', '')))).toBe(true)
    expect(`weir-${role}.service`).toBe(name)

    // Each secret is a credential, which stands in a file of the folder that `%d` names.
    const own = settings(name)
    const secrets = own
      .filter(([, value]) => value!.startsWith('%d/'))
      .map(([variable, value]) => [variable!, value!.slice('%d/'.length)])
    const credentials = given[name]!.flatMap(([key, value]) => (key === 'LoadCredential' ? [value.split(':')[0]!] : []))
    expect(secrets.map(([, credential]) => String(credential)).toSorted()).toEqual(credentials.toSorted())
    const examples: Record<string, string> = environmentFor({
      appUrl: 'postgres://weir:x@db/weir',
      ownerUrl: 'postgres://owner:x@db/weir',
    })
    const environment = Object.fromEntries([
      ...own.filter(([, value]) => !value!.startsWith('%d/')),
      ...secrets
        .map(([variable]) => variable!.slice(0, -'_FILE'.length))
        .map((variable) => [variable, examples[variable]]),
    ]) as Record<string, string>
    const { config, warnings } = readConfig(environment)
    expect(warnings).toEqual([])
    const stop = Number(given[name]!.find(([key]) => key === 'TimeoutStopSec')?.[1] ?? Number.POSITIVE_INFINITY)
    expect(stop).toBeGreaterThan(config.drainSeconds + config.stopTimeoutSeconds)
  })

  test('are understood by systemd, and leave a service few rights', () => {
    const copies = mkdtempSync(join(tmpdir(), 'weir-units-'))
    try {
      const paths = names.map((name) => join(copies, name))
      for (const [i, name] of names.entries())
        writeFileSync(paths[i]!, readFileSync(join(units, name), 'utf8').replace('/usr/bin/node', process.execPath))
      const verified = execFileSync('systemd-analyze', ['verify', '--man=no', ...paths], {
        encoding: 'utf8',
        stdio: 'pipe',
      })
      expect(verified).toBe('')
      execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', ...paths], { stdio: 'pipe' })
    } finally {
      rmSync(copies, { recursive: true })
    }
  })
})
