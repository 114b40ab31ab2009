import { deepEqual, equal, match } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { differencesFromSources, labelsOf, tryImage, writesOfAnyUser } from '../proofs/install/image.ts'
import { root } from '../proofs/install/shipped-files.ts'
import { environmentFor } from '../test/support/harness.ts'
import { appLogin, createDatabase, databaseUrl, dropDatabase, servicesUp } from './private-services.ts'

/**
 * Builds the image twice, runs it as a cluster would, and looks at what is in it: `node scripts/image-drill.ts [--base IMAGE] [--once]`. Needs root
 * and podman; without a base one is made of Debian's packages. It ends with 1 where anything is not as the guide says.
 */
const { values } = parseArgs({ options: { base: { type: 'string' }, once: { type: 'boolean', default: false } } })

const folder = mkdtempSync(join(tmpdir(), 'weir-image-'))
const database = `weir_image_${process.pid}`
const step = async <T>(name: string, work: () => T | Promise<T>): Promise<T> => {
  const started = Date.now()
  const result = await work()
  console.log(`${name}: ${((Date.now() - started) / 1_000).toFixed(0)} s`)
  return result
}
const release = (script: string, ...parameters: string[]) =>
  execFileSync(join(root, 'scripts/release', script), parameters, { encoding: 'utf8' }).trim()

servicesUp()
await createDatabase(database, { fresh: true })
try {
  const base = values.base ?? 'localhost/weir-base:drill'
  if (values.base === undefined) await step('the base is made', () => release('base', base))
  const [first, second] = [join(folder, '1'), join(folder, '2')]
  await step('the image is made', () => release('image', first, base))
  if (!values.once) {
    await step('and again', () => release('image', second, base))
    equal(readFileSync(join(second, 'SHA256SUMS.image'), 'utf8'), readFileSync(join(first, 'SHA256SUMS.image'), 'utf8'))
  }
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS.image'], { cwd: first })

  const version = (JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8')) as { version: string })
    .version
  // As a machine without a registry would take it.
  const archive = readdirSync(first).find((name) => name.endsWith('.oci.tar'))!
  execFileSync('podman', ['load', '--quiet', '--input', join(first, archive)], { stdio: 'ignore' })
  const image = `localhost/weir:${version}`

  const revision = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  const labels = labelsOf(image)
  const label = (name: string) => labels[`org.opencontainers.image.${name}`]
  deepEqual(
    [label('title'), label('licenses'), label('version'), label('revision'), label('base.name')],
    ['Weir', 'Apache-2.0', version, revision, base],
  )
  match(label('base.digest')!, /^sha256:[0-9a-f]{64}$/)
  match(label('created')!, /^\d{4}-\d\d-\d\dT[\d:]+Z$/)

  deepEqual(differencesFromSources(image), [])
  equal(writesOfAnyUser(image), 'EACCES EACCES EACCES')
  const sbom = JSON.parse(readFileSync(join(first, `weir-${version}.image-sbom.json`), 'utf8')) as {
    components: { name: string }[]
  }
  const names = new Set(sbom.components.map(({ name }) => name))
  for (const name of ['fastify', 'pg', 'libc6', 'node'])
    equal(names.has(name), true, `${name} is in the bill of materials`)

  chmodSync(folder, 0o755)
  const environment = environmentFor({ ownerUrl: databaseUrl(database), appUrl: databaseUrl(database, appLogin) })
  const made = await step('it serves, as a user that it does not know', () => tryImage(image, folder, environment))
  deepEqual(made.statuses, [200, 200, 402])
  deepEqual(made.exits, { gateway: 0, worker: 0, api: 0 })
  deepEqual(made.confinement, {
    user: '1000660000',
    capabilities: '0000000000000000',
    canGainPrivileges: false,
    hasSystemCallFilter: true,
    writes: {
      '/app/x': 'EROFS',
      '/app/packages/server/src/main.ts': 'EROFS',
      '/etc/x': 'EROFS',
      '/usr/local/bin/node': 'EROFS',
      '/tmp/x': 'written',
    },
  })
  const size = podmanSize(image)
  console.log(`${image} is ${(size / 1e6).toFixed(0)} MB; ${names.size} parts in its bill of materials`)
} finally {
  await dropDatabase(database)
  rmSync(folder, { recursive: true, force: true })
}

function podmanSize(image: string): number {
  return Number(execFileSync('podman', ['image', 'inspect', '--format', '{{.Size}}', image], { encoding: 'utf8' }))
}
