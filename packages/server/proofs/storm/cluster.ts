import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { appLogin } from '../../scripts/private-services.ts'
import { int8AsBigInt } from '../../src/platform/infra/sql.ts'
import { eventually } from '../../test/support/programs.ts'

/** A PostgreSQL of a storm's own, to be crashed at will; it writes to disk as in earnest. */
export interface Cluster {
  readonly port: number
  readonly ownerUrl: string
  /** The application's login, through another port. */
  readonly appUrl: (port: number, applicationName: string) => string
  /** What the server has logged since the beginning. */
  readonly log: readonly string[]
  /** All processes end at once and nothing is written back, as when the machine fails; then it recovers from its log. */
  readonly crash: () => Promise<void>
  readonly connect: () => Promise<pg.Client>
  readonly close: () => Promise<void>
}

/** Ends with whoever started it, also when that one is killed. PostgreSQL refuses to run as root. */
export const leashed = (
  signal: 'KILL' | 'QUIT',
  command: readonly string[],
  asService = false,
): [string, ...string[]] => [
  'setpriv',
  '--pdeathsig',
  signal,
  ...(asService && isRoot ? ['--reuid=postgres', '--regid=postgres', '--init-groups'] : []),
  ...command,
]
const isRoot = userInfo().uid === 0
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '150',
  shared_buffers: '64MB',
  fsync: 'on',
  full_page_writes: 'on',
  log_min_error_statement: 'panic',
  log_line_prefix: '%m [%p] %e %a ',
  lc_messages: 'C.UTF-8',
  timezone: 'UTC',
}

export async function startCluster(more: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  const bin = binaries()
  const folder = mkdtempSync(join(tmpdir(), 'weir-storm-'))
  const password = randomBytes(18).toString('hex')
  writeFileSync(join(folder, 'password'), password)
  if (isRoot) execFileSync('chown', ['-R', 'postgres:', folder])
  const data = join(folder, 'data')
  const port = await freePort()
  const log: string[] = []
  let server: ChildProcess | undefined

  const ownerUrl = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  const connect = async () => {
    const client = new pg.Client({ connectionString: ownerUrl, types: int8AsBigInt, connectionTimeoutMillis: 5_000 })
    client.on('error', () => undefined)
    await client.connect()
    return client
  }
  const start = async () => {
    const options = Object.entries({ ...settings, ...more, port: String(port) }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ])
    const [command, ...parameters] = leashed('QUIT', [join(bin, 'postgres'), '-D', data, ...options], true)
    server = spawn(command, parameters, { cwd: '/', env: { LC_ALL: 'C.UTF-8' }, stdio: ['ignore', 'ignore', 'pipe'] })
    createInterface({ input: server.stderr! }).on('line', (line) => log.push(line))
    await eventually(async () => {
      if (hasEnded(server!)) throw new Error(`PostgreSQL ended: ${log.slice(-10).join('\n')}`)
      return connect().then(
        (client) => client.end().then(() => true),
        () => false,
      )
    })
  }
  const stop = async () => {
    if (!server || hasEnded(server)) return
    const ended = once(server, 'exit')
    server.kill('SIGQUIT')
    await ended
  }
  const close = async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }

  try {
    const initdb = [
      '-D',
      data,
      '-U',
      'postgres',
      '--auth=scram-sha-256',
      `--pwfile=${join(folder, 'password')}`,
      '--no-sync',
    ]
    const [command, ...parameters] = leashed('KILL', [join(bin, 'initdb'), ...initdb, '--locale=C.UTF-8'], true)
    execFileSync(command, parameters, { cwd: '/', env: { LC_ALL: 'C.UTF-8' }, stdio: 'pipe' })
    await start()
  } catch (error) {
    await close()
    throw error
  }
  return {
    port,
    ownerUrl,
    appUrl: (through, applicationName) =>
      `postgres://${appLogin.name}:${appLogin.password}@127.0.0.1:${through}/postgres?application_name=${applicationName}`,
    log,
    crash: async () => {
      await stop()
      await start()
    },
    connect,
    close,
  }
}

export const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

/** The newest installed. */
export function binaries(): string {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root)
    ? readdirSync(root)
        .map(Number)
        .filter((version) => version >= 15)
    : []
  const folders = versions.toSorted((a, b) => b - a).map((version) => join(root, String(version), 'bin'))
  const onPath = (process.env['PATH'] ?? '').split(':')
  const found = [...folders, ...onPath].find((folder) => existsSync(join(folder, 'initdb')))
  if (found === undefined) throw new Error('PostgreSQL 15 or newer is needed')
  return found
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
