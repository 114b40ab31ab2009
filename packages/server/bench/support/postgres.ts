import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { services } from '../../scripts/private-services.ts'

/** A PostgreSQL of the benchmark's own: its settings are known, and its disk can be made slower. */
export interface BenchPostgres {
  readonly bin: string
  readonly folder: string
  readonly url: (login?: { name: string; password: string }, port?: number) => string
  readonly port: () => number
  readonly pid: () => number
  readonly start: (options?: { fsyncMicros?: number; settings?: Readonly<Record<string, string>> }) => Promise<void>
  readonly stop: () => Promise<void>
  /** Ends it as a machine that loses its power does. */
  readonly kill: () => Promise<void>
  /** Stops it and removes its files. */
  readonly remove: () => Promise<void>
}

const isRoot = process.getuid?.() === 0

/** What differs from PostgreSQL's own defaults: room for 200 clients, and no checkpoint in the middle of a round. */
const settings = { max_connections: '400', shared_buffers: '512MB', max_wal_size: '8GB', checkpoint_timeout: '1h' }

/** Database `postgres`, locale C, every commit synced. */
export function makePostgres(): BenchPostgres {
  // The program that the private services run, with the tools that lie beside it.
  const { pid } = services().postgres as unknown as { pid: number }
  const bin = join(readlinkSync(`/proc/${pid}/exe`), '..')
  // Not /tmp, which may be memory: there a sync costs nothing.
  const folder = mkdtempSync('/var/tmp/weir-bench-')
  const data = join(folder, 'data')
  const password = randomBytes(18).toString('hex')
  writeFileSync(join(folder, 'password'), password)
  if (isRoot) {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })))
    for (const path of [folder, join(folder, 'password')]) chownSync(path, uid!, gid!)
  }
  // With SCRAM the 200 connections of pgbench would cost more than what it measures.
  const initdb = ['-D', data, '-U', 'postgres', `--pwfile=${join(folder, 'password')}`, '--auth=md5']
  execFileSync(...asPostgres(join(bin, 'initdb'), [...initdb, '--locale=C.UTF-8', '--encoding=UTF8', '--no-sync']), {
    stdio: 'ignore',
  })

  let server: ChildProcess | undefined
  let port = 0
  const url: BenchPostgres['url'] = (login = { name: 'postgres', password }, at = port) =>
    `postgres://${login.name}:${login.password}@127.0.0.1:${at}/postgres`

  async function stop() {
    if (!server) return
    const ended = once(server, 'exit')
    if (server.exitCode === null) {
      server.kill('SIGINT')
      await ended
    }
    server = undefined
  }

  return {
    bin,
    folder,
    url,
    port: () => port,
    pid: () => server!.pid!,
    stop,
    kill: async () => {
      const ended = once(server!, 'exit')
      server!.kill('SIGKILL')
      await ended
      server = undefined
    },
    start: async ({ fsyncMicros, settings: more = {} } = {}) => {
      await stop()
      port = await freePort()
      const all = {
        ...settings,
        listen_addresses: '127.0.0.1',
        port: String(port),
        unix_socket_directories: '',
        ...more,
      }
      const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      const env = fsyncMicros === undefined ? {} : slowDisk(folder, fsyncMicros)
      const log = join(folder, 'log')
      writeFileSync(log, '')
      const started = spawn(...asPostgres(join(bin, 'postgres'), ['-D', data, ...options]), {
        env: { PATH: '/usr/bin:/bin', TZ: 'UTC', ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      server = started
      started.stderr.on('data', (text: Buffer) => appendFileSync(log, text))
      process.once('exit', () => started.kill('SIGQUIT'))
      while (!(await answers(url()))) {
        if (started.exitCode !== null) throw new Error(`PostgreSQL did not start: ${readFileSync(log, 'utf8')}`)
        await sleep(50)
      }
    },
    remove: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL refuses to run as root. */
export const asPostgres = (program: string, words: string[]): [string, string[]] =>
  isRoot ? ['setpriv', ['--reuid=postgres', '--regid=postgres', '--init-groups', program, ...words]] : [program, words]

export async function answers(connectionString: string) {
  const client = new pg.Client({ connectionString })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

export async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  return port
}

const compiler = process.env['CC'] ?? 'gcc'
export const hasCompiler = () => spawnSync(compiler, ['--version'], { stdio: 'ignore' }).status === 0

function compile(source: string, target: string, ...flags: string[]) {
  const path = fileURLToPath(new URL(source, import.meta.url))
  if (!existsSync(target)) execFileSync(compiler, ['-O2', '-o', target, path, ...flags], { stdio: 'inherit' })
  return target
}

function slowDisk(folder: string, micros: number) {
  const library = compile('./slow-fsync.c', join(folder, 'slow-fsync.so'), '-shared', '-fPIC', '-ldl')
  return { LD_PRELOAD: library, SLOW_FSYNC_MICROS: String(micros) }
}

/** A way to the server on which every round trip takes so much longer. */
export async function openSlowNetwork({ folder, port }: BenchPostgres, roundTripMicros: number) {
  const program = compile('./slow-network.c', join(folder, 'slow-network'), '-pthread')
  const child = spawn(program, [String(port()), String(roundTripMicros / 2)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return {
    port: Number(line),
    close: async () => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
