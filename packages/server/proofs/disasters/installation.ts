import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { requireId } from '../../src/values/id.ts'
import { call } from '../../test/support/call.ts'
import { environmentFor } from '../../test/support/environment.ts'
import { eventually, programEnvironment, type RunningRole, startProgram } from '../../test/support/programs.ts'
import { openTcpProxy } from '../../test/support/tcp-proxy.ts'
import { appUrlOf, freePort, leashed, type PostgresServer } from '../support/postgres-server.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** One address for whichever server is the primary, as a virtual address or a proxy gives it. */
export interface Switch {
  readonly port: number
  /** Leads new connections to a server; those that are open stay where they are. */
  readonly leadTo: (server: PostgresServer) => void
  /** Ends all open connections. */
  readonly drop: () => void
  readonly close: () => void
}

export async function openSwitch(first: PostgresServer): Promise<Switch> {
  let target = first
  const proxy = await openTcpProxy(() => ({ host: '127.0.0.1', port: target.port }))
  return {
    port: proxy.port,
    leadTo: (server) => {
      target = server
    },
    drop: () => {
      proxy.cut()
      proxy.mend()
    },
    close: proxy.close,
  }
}

/** A Redis of a drill's own, empty when it starts. */
export interface EmptyRedis {
  readonly url: string
  readonly kill: () => Promise<void>
  /** Starts it again on its port, as empty as it was the first time. */
  readonly revive: () => Promise<void>
  readonly close: () => Promise<void>
}

export async function startEmptyRedis(): Promise<EmptyRedis> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'weir-redis-'))
  const answers = () =>
    spawnSync('redis-cli', ['-h', '127.0.0.1', '-p', String(port), 'ping'], { encoding: 'utf8' }).stdout.trim() ===
    'PONG'
  let running: RunningRole | undefined
  const revive = async () => {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']
    const log = ['--logfile', join(folder, 'redis.log')]
    running = startProgram('redis', leashed('KILL', ['redis-server', ...options, ...log]), {})
    await eventually(answers)
  }
  const kill = async () => {
    running?.process.kill('SIGKILL')
    await running?.exit
  }
  await revive()
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    revive,
    close: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Processes of Weir on one database, reached through a port that may lead elsewhere later. */
export interface Site {
  readonly apis: readonly (RunningRole & { readonly port: number })[]
  readonly worker: RunningRole
  readonly urls: readonly string[]
  /** The environment of its processes, for commands. */
  readonly environment: Readonly<Record<string, string>>
  /** Runs a command of an operator; returns what it prints and what it ends with. */
  readonly command: (...parameters: string[]) => Promise<{ readonly code: number; readonly output: string }>
  /** Processes that have ended although nobody asked them to. */
  readonly losses: () => string[]
  readonly close: () => Promise<void>
}

export interface SiteOptions {
  readonly server: PostgresServer
  /** Port through which the processes reach PostgreSQL. */
  readonly through: number
  readonly redisUrl: string
  readonly apis: number
  readonly environment?: Readonly<Record<string, string>>
  /** What a process is started under, such as a library that shifts its clock. */
  readonly apiEnvironment?: ((index: number) => Readonly<Record<string, string>>) | undefined
}

export const siteEnvironment = ({ server, through, redisUrl, environment }: Omit<SiteOptions, 'apis'>) => ({
  ...environmentFor({ ownerUrl: server.ownerUrl, appUrl: appUrlOf(through, 'drill') }),
  SVC_REDIS_URL: redisUrl,
  SVC_DATABASE_POOL_SIZE: '6',
  SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
  SVC_WEBHOOK_ALLOWED_PORTS: '1-65535',
  SVC_WEBHOOK_RETRY_SECONDS: Array.from({ length: 20 }, () => '2').join(','),
  ...environment,
})

/** Brings the database of a server to this version's schema. */
export const migrateServer = (options: Omit<SiteOptions, 'apis'>) =>
  promisify(execFile)(process.execPath, [main, 'migrate'], {
    env: { ...programEnvironment, ...siteEnvironment(options) },
  })

export async function startSite(options: SiteOptions): Promise<Site> {
  const environment = siteEnvironment(options)
  const start = (role: string, more: Readonly<Record<string, string>> = {}) =>
    startProgram(role, leashed('KILL', [process.execPath, main, role]), { ...environment, ...more })
  const started: RunningRole[] = []
  const close = async () => {
    for (const { process: child } of started) child.kill('SIGKILL')
    await Promise.all(started.map(({ exit }) => exit))
  }
  try {
    const roles = Array.from({ length: options.apis }, (_, i) => start('api', options.apiEnvironment?.(i)))
    const worker = start('worker')
    started.push(...roles, worker)
    const ports = await Promise.all(
      roles.map(async (role) =>
        Number(new URL(String((await role.line(({ message }) => message === 'serving'))['url'])).port),
      ),
    )
    await worker.line(({ message }) => message === 'working')
    const apis = roles.map((role, i) => ({ ...role, port: ports[i]! }))
    return {
      apis,
      worker,
      urls: ports.map((port) => `http://127.0.0.1:${port}`),
      environment,
      command: async (...parameters) => {
        const env = { ...programEnvironment, ...environment }
        // Not synchronously: the switch through which it reaches the database is in this process.
        return promisify(execFile)(process.execPath, [main, ...parameters], { env, maxBuffer: 2 ** 26 }).then(
          ({ stdout }) => ({ code: 0, output: stdout }),
          ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
            code,
            output: stdout === '' ? stderr : stdout,
          }),
        )
      },
      losses: () =>
        started.flatMap(({ process: child, lines }) =>
          child.exitCode === null ? [] : [`a process ended: ${JSON.stringify(lines.at(-1))}`],
        ),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** What `verify` finds: whatever does not balance to the nano-dollar. */
export async function faultsOfBooks(site: Site): Promise<string[]> {
  const { code, output } = await site.command('verify')
  const line = output.trim().split('\n').at(-1) ?? ''
  const { faults, drift_nano_usd } = JSON.parse(line) as { faults: { what: string }[]; drift_nano_usd: string }
  return [
    ...faults.map((fault) => `verify: ${JSON.stringify(fault)}`),
    ...(drift_nano_usd === '0' ? [] : [`verify: drift of ${drift_nano_usd}`]),
    ...(code === 0 || faults.length > 0 ? [] : [`verify ended with ${code}: ${output}`]),
  ]
}

export interface DrillTenant {
  readonly id: string
  readonly uuid: string
  readonly key: string
  readonly operator: string
}

/** What each customer of the drill may spend. */
export const customerLimitUsd = '2'

/** An organization with one budget that counts everything, and a small limit for each customer. */
export async function makeTenant(site: Site): Promise<DrillTenant> {
  const url = site.urls[0]!
  const { key: operator } = JSON.parse((await site.command('create-operator-key', 'drill')).output) as { key: string }
  const ask = async (method: string, path: string, key: string, body: object) => {
    const { status, text, json } = await call(url, method, path, { key, body })
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    return json
  }
  const org = await ask('POST', '/v1/admin/orgs', operator, { name: 'Drill' })
  const id = String(org['id'])
  const key = (org['owner_key'] as { secret: string }).secret
  const at = `/v1/orgs/${id}`
  const price = { model: 'drill', input_usd_per_million: '0', output_usd_per_million: '1', max_output_tokens: 1 }
  await ask('PUT', `${at}/prices`, key, { prices: [price], min_hold_usd: '0.0001' })
  await ask('POST', `${at}/budgets`, key, { name: 'all', scope_kind: 'org', limit_usd: '100000', period: 'year' })
  const perCustomer = { limit_usd: customerLimitUsd, period: 'year', max_new_customers_per_day: 100_000 }
  await ask('PUT', `${at}/customer-limit-default`, key, perCustomer)
  return { id, uuid: requireId('org', id), key, operator }
}
