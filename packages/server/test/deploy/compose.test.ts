import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../src/config.ts'
import { checkMasterKeys } from '../../src/values/published-keys.ts'
import { eventually } from '../support/processes.ts'

/** compose.yaml as Docker's own Compose reads it: with secrets that somebody made, or not at all. */
const root = fileURLToPath(new URL('../../../..', import.meta.url))
const project = mkdtempSync(join(tmpdir(), 'weir-compose-'))
const secrets = join(project, 'secrets')
let compose = ''

interface Service {
  readonly image: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly { readonly source: string; readonly target?: string }[]
  readonly ports?: readonly { readonly host_ip?: string }[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly stop_grace_period?: string
}

interface Project {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

/** What Compose makes of the file: `docker compose config` needs no daemon. */
function config(environment: Record<string, string> = {}) {
  const { PATH, HOME } = process.env
  const { status, stdout, stderr } = spawnSync(compose, ['--project-directory', project, 'config'], {
    cwd: project,
    encoding: 'utf8',
    env: { PATH, HOME, ...environment },
  })
  return { status, stderr, project: status === 0 ? (parse(stdout) as Project) : undefined }
}

const makeSecrets = (...folder: string[]) =>
  spawnSync(join(project, 'scripts/compose-secrets'), folder, { encoding: 'utf8' })

const secretOf = (name: string, folder = secrets) => readFileSync(join(folder, name), 'utf8').trim()

beforeAll(() => {
  const unpacked = execFileSync(join(root, 'scripts/unpacked-packages'), ['trixie', 'docker-compose'], {
    encoding: 'utf8',
  }).trim()
  compose = join(unpacked, 'usr/libexec/docker/cli-plugins/docker-compose')
  mkdirSync(join(project, 'scripts'))
  for (const file of ['compose.yaml', 'scripts/compose-secrets']) copyFileSync(join(root, file), join(project, file))
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

describe('without secrets', () => {
  test('Compose refuses, and says what makes them', () => {
    const { status, stderr } = config()
    expect(status).not.toBe(0)
    expect(stderr).toContain('run scripts/compose-secrets first')
    expect(config({ WEIR_SECRETS: '' }).status).not.toBe(0)
  })

  test('no password, and no part of one, is in the file', () => {
    const text = readFileSync(join(root, 'compose.yaml'), 'utf8')
    const defaults = Array.from(text.matchAll(/\$\{(\w+):?-/g), ([, name]) => name!)
    expect(new Set(defaults)).toEqual(
      new Set(['WEIR_IMAGE', 'WEIR_PORT', 'WEIR_PUBLIC_URL', 'WEIR_POSTGRES_IMAGE', 'WEIR_REDIS_IMAGE']),
    )
    expect(text).not.toMatch(/:\/\/\w*:\w+@|requirepass|PASSWORD:|MASTER_KEYS:/)
  })
})

describe('with secrets', () => {
  let made: Project
  beforeAll(() => {
    const { stderr } = makeSecrets()
    if (stderr !== '') throw new Error(stderr)
    made = config().project!
  })

  test('Compose takes the file as it is, and finds every secret', () => {
    expect(Object.keys(made.services).toSorted()).toEqual(['api', 'migrate', 'postgres', 'redis', 'worker'])
    for (const { file } of Object.values(made.secrets)) expect(readFileSync(file, 'utf8')).toMatch(/\S/)
  })

  test('each service is given the secrets that it reads, and no other', () => {
    const read = (service: Service) =>
      Array.from(
        JSON.stringify([service.environment, service.command]).matchAll(/\/run\/secrets\/([\w.-]+)/g),
        ([, name]) => name!,
      ).toSorted()
    for (const [name, service] of Object.entries(made.services)) {
      const given = service.secrets!.map(({ source }) => source).toSorted()
      expect({ name, given }).toEqual({ name, given: read(service) })
    }
    for (const name of ['api', 'worker']) expect(JSON.stringify(made.services[name])).not.toContain('owner')
  })

  test.each(['api', 'worker', 'migrate'])('%s starts with settings that it knows, locked down', (name) => {
    const service = made.services[name]!
    const environment = Object.fromEntries(
      Object.entries(service.environment!).map(([key, value]) => [key, value.replace('/run/secrets', secrets)]),
    )
    const { config: settings, warnings } = readConfig(environment)
    expect(warnings).toEqual([])
    expect(service).toMatchObject({
      command: [name],
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
    expect(Number.parseInt(service.stop_grace_period!, 10)).toBeGreaterThan(
      settings.drainSeconds + settings.stopTimeoutSeconds,
    )
    for (const { host_ip } of service.ports ?? []) expect(host_ip).toBe('127.0.0.1')
  })

  test('the logins fit the servers, and no two are equal', () => {
    const [owner, app, redis] = ['owner-database-url', 'database-url', 'redis-url'].map(
      (name) => new URL(secretOf(name)),
    ) as [URL, URL, URL]
    expect(owner.password).toBe(secretOf('owner-password'))
    expect(secretOf('redis.conf')).toContain(`requirepass ${redis.password}`)
    expect(new Set([owner.password, app.password, redis.password]).size).toBe(3)
    for (const { password } of [owner, app, redis]) expect(password).toMatch(/^[0-9a-f]{48}$/)
    const { postgres } = made.services
    expect(`/${postgres!.environment!['POSTGRES_DB']}`).toBe(owner.pathname)
    const [, key = ''] = secretOf('master-keys').split(':')
    const bytes = Buffer.from(key, 'base64')
    expect(bytes).toHaveLength(32)
    expect(checkMasterKeys([{ id: 'first', bytes }], false)).toEqual({})
  })

  test('a real Redis takes its file, keeps strangers out, and passes the health check', async () => {
    const socket = join(project, 'redis')
    const options = [join(secrets, 'redis.conf'), '--port', '0', '--unixsocket', socket]
    const server = spawn('redis-server', options, { cwd: project, stdio: 'ignore' })
    try {
      const [, command] = (made.services['redis'] as unknown as { healthcheck: { test: [string, string] } }).healthcheck
        .test
      const check = command.replace('redis-cli', `redis-cli -s ${socket}`)
      await eventually(() => spawnSync('sh', ['-c', check]).status === 0)
      const redis = (password: string[], ...words: string[]) =>
        spawnSync('redis-cli', ['-s', socket, ...password, ...words], { encoding: 'utf8' }).stdout.trim()
      expect(redis([], 'get', 'x')).toContain('NOAUTH')
      expect(redis(['--no-auth-warning', '-a', new URL(secretOf('redis-url')).password], 'ping')).toBe('PONG')
    } finally {
      server.kill('SIGKILL')
    }
  })
})

describe('the secrets', () => {
  test('are for their owner alone, and for containers, whatever user they run as', () => {
    expect(statSync(secrets).mode & 0o777).toBe(0o700)
    for (const name of ['master-keys', 'owner-password', 'redis.conf'])
      expect(statSync(join(secrets, name)).mode & 0o777).toBe(0o444)
  })

  test('are never made over others, and never twice the same', () => {
    const before = secretOf('master-keys')
    const again = makeSecrets()
    expect(again.status).toBe(1)
    expect(again.stderr).toContain('stays as it is')
    expect(secretOf('master-keys')).toBe(before)

    const other = join(project, 'elsewhere/secrets')
    expect(makeSecrets(other).status).toBe(0)
    for (const name of ['master-keys', 'owner-password', 'database-url', 'redis-url'])
      expect(secretOf(name, other)).not.toBe(secretOf(name))
    // The folder that Compose was told of first stays the one it reads.
    expect(readFileSync(join(project, '.env'), 'utf8')).toBe(`WEIR_SECRETS=${secrets}\n`)
  })

  test('no part of them is in what Git or an image would take', () => {
    const ignored = spawnSync('git', ['check-ignore', 'secrets/master-keys', '.env'], { cwd: root, encoding: 'utf8' })
    expect(ignored.stdout.trim().split('\n')).toEqual(['secrets/master-keys', '.env'])
    expect(readFileSync(join(root, '.dockerignore'), 'utf8')).not.toMatch(/^!.*(secret|\.env)/m)
  })
})
