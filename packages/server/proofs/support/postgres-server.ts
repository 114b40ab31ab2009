import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import pg from 'pg'
import { appLogin } from '../../scripts/private-services.ts'
import { int8AsBigInt } from '../../src/platform/infra/sql.ts'
import { eventually } from '../../test/support/programs.ts'

/** Servers of PostgreSQL that a proof owns: made, copied, killed and promoted at will. They write to disk as in earnest. */

type Settings = Readonly<Record<string, string>>

const isRoot = userInfo().uid === 0

/** A command that ends with whoever started it, also when that one is killed. PostgreSQL refuses to run as root. */
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

const commonSettings = {
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

/** A server on a data folder of its own. */
export class PostgresServer {
  readonly folder: string
  readonly data: string
  readonly host: string
  readonly port: number
  readonly password: string
  /** What the server has logged since the beginning. */
  readonly log: string[] = []
  private readonly settings: Settings
  private readonly environment: Settings
  private process: ChildProcess | undefined

  constructor(options: {
    folder: string
    port: number
    password: string
    host?: string | undefined
    settings?: Settings | undefined
    environment?: Settings | undefined
  }) {
    this.folder = options.folder
    this.data = join(options.folder, 'data')
    this.host = options.host ?? '127.0.0.1'
    this.port = options.port
    this.password = options.password
    this.settings = options.settings ?? {}
    this.environment = options.environment ?? {}
  }

  get ownerUrl() {
    return `postgres://postgres:${this.password}@${this.host}:${this.port}/postgres`
  }

  async connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.ownerUrl,
      types: int8AsBigInt,
      connectionTimeoutMillis: 5_000,
    })
    client.on('error', () => undefined)
    await client.connect()
    return client
  }

  /** Runs one statement as the superuser. */
  async ask<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = await this.connect()
    try {
      return (await client.query<Row>(text, [...values])).rows
    } finally {
      await client.end()
    }
  }

  /** Starts the server; resolves when it lets somebody in. */
  async start(more: Settings = {}) {
    const settings = {
      ...commonSettings,
      listen_addresses: this.host,
      ...this.settings,
      ...more,
      port: String(this.port),
    }
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    // Variables are set after the change of the account: what a preloaded library makes must belong to PostgreSQL's.
    const variables = Object.entries(this.environment).map(([name, value]) => `${name}=${value}`)
    const started = ['env', ...variables, program('postgres'), '-D', this.data, ...options]
    const [command, ...parameters] = leashed('QUIT', started, true)
    const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' }
    const server = spawn(command, parameters, { cwd: '/', env, stdio: ['ignore', 'ignore', 'pipe'] })
    this.process = server
    createInterface({ input: server.stderr }).on('line', (line) => this.log.push(line))
    await eventually(async () => {
      if (hasEnded(server)) throw new Error(`PostgreSQL ended: ${this.log.slice(-10).join('\n')}`)
      return this.connect().then(
        (client) => client.end().then(() => true),
        () => false,
      )
    })
  }

  hasEnded() {
    return this.process === undefined || hasEnded(this.process)
  }

  /** Ends all processes at once: nothing is written back, as when the machine fails. */
  async crash() {
    await this.end('SIGQUIT')
  }

  /** Ends the server in good order. */
  async stop() {
    await this.end('SIGINT')
  }

  private async end(signal: NodeJS.Signals) {
    const server = this.process
    if (!server || hasEnded(server)) return
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
  }

  /** Kills every process with -9 and takes the data away, as when a machine is lost with its disk. */
  async lose() {
    const server = this.process!
    const ended = once(server, 'exit')
    // First the parent, which would tell the others to end in good order.
    server.kill('SIGKILL')
    for (const pid of childrenOf(server.pid!)) sendSignal(pid, 'SIGKILL')
    await ended
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }

  /** Stops every process in its tracks, as when a machine hangs; returns what lets them go on. */
  pause(): () => void {
    const pids = [this.process!.pid!, ...childrenOf(this.process!.pid!)]
    for (const pid of pids) sendSignal(pid, 'SIGSTOP')
    return () => {
      for (const pid of pids) sendSignal(pid, 'SIGCONT')
    }
  }

  async promote() {
    await this.ask('select pg_promote(true, 60)')
  }

  async close() {
    await this.end('SIGQUIT')
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended meanwhile.
  }
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

/** Makes a server with an empty data folder; it is not started. `at` is an existing folder on a disk of the caller's choice. */
export async function makeServer(
  options: { settings?: Settings; environment?: Settings; at?: string; host?: string } = {},
): Promise<PostgresServer> {
  const folder = options.at ?? makeFolder()
  const password = randomBytes(18).toString('hex')
  const server = new PostgresServer({ ...options, folder, port: await freePort(options.host), password })
  try {
    const passwordFile = join(folder, 'password')
    writeFileSync(passwordFile, password)
    if (isRoot) execFileSync('chown', ['-R', 'postgres:', folder])
    const parameters = ['-D', server.data, '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
    await runAsService('initdb', [...parameters, '--no-sync', '--locale=C.UTF-8'])
    return server
  } catch (error) {
    await server.close()
    throw error
  }
}

/** A physical copy of a running server with `pg_basebackup`, in a folder of its own; it is not started. */
export async function copyServer(
  source: PostgresServer,
  options: { settings?: Settings; parameters?: readonly string[] } = {},
): Promise<PostgresServer> {
  const folder = makeFolder()
  const { password } = source
  const copy = new PostgresServer({ folder, port: await freePort(), password, settings: options.settings })
  const parameters = ['-D', copy.data, '-d', source.ownerUrl, '--checkpoint=fast', ...(options.parameters ?? [])]
  try {
    await runAsService('pg_basebackup', parameters)
    return copy
  } catch (error) {
    await copy.close()
    throw error
  }
}

/** A folder that belongs to the account under which PostgreSQL runs. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-postgres-'))
  if (isRoot) execFileSync('chown', ['postgres:', folder])
  return folder
}

/** Runs a program of PostgreSQL as the account that owns the data; returns what it prints. */
export async function runAsService(name: string, parameters: readonly string[]): Promise<string> {
  const [command, ...all] = leashed('KILL', [program(name), ...parameters], true)
  const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' }
  return (await promisify(execFile)(command, all, { cwd: '/', env, maxBuffer: 2 ** 26 })).stdout
}

export const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

/** The application's login on a server, through another port. */
export const appUrlOf = (port: number, applicationName: string, host = '127.0.0.1') =>
  `postgres://${appLogin.name}:${appLogin.password}@${host}:${port}/postgres?application_name=${applicationName}`

export const program = (name: string) => join(binaries(), name)

/** The folder of the newest PostgreSQL that is installed. */
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

export async function freePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
