import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { appLogin, masterKeys, services } from '../../scripts/private-services.ts'
import { readConfig } from '../../src/config.ts'
import type { DecisionInput } from '../../src/decisions/schema.ts'
import { insertCustomerLimit } from '../../src/money/customers/queries.ts'
import { ensureLedgerPartitions, insertLedger, insertLimit } from '../../src/money/ledger/ledger.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { migrate } from '../../src/platform/infra/migrate.ts'
import { openPlatform, type Platform } from '../../src/platform/infra/platform.ts'
import { mint } from '../../src/tenants/keys/keys.ts'
import { insertOrg } from '../../src/tenants/orgs/queries.ts'
import { newUuid } from '../../src/values/id.ts'
import { secret } from '../../src/values/secret.ts'
import { cpuMicrosOf, cpuMicrosOfFamily } from './cpu.ts'
import type { BenchPostgres } from './postgres.ts'
import { percentiles, type Round } from './report.ts'

export interface BenchOrg {
  readonly id: string
  readonly key: string
}

/** What a part of the benchmark is given. */
export interface Bench {
  readonly postgres: BenchPostgres
  readonly orgs: readonly BenchOrg[]
  readonly smoke: boolean
}

/** A call that five limits bind, none of which is ever reached. */
export const call: DecisionInput = {
  model: 'gpt-4o',
  input_tokens: 1_200,
  max_output_tokens: 500,
  workflow_id: 'triage',
  department_id: 'support',
  customer_id: 'customer-1',
}
const plenty = 10n ** 17n
const schedule = { period: 'month', anchor: null, timezone: 'UTC' }

/** A limit that is never reached. */
export const benchLimit = {
  ...schedule,
  amount: plenty,
  enforcement: 'block' as const,
  unit: 'usd' as const,
  thresholds: [50, 80, 100],
}

export const environmentOf = (postgres: BenchPostgres, port?: number) => ({
  SVC_DATABASE_URL: postgres.url(appLogin, port),
  SVC_REDIS_URL: services().redis.url,
  SVC_MASTER_KEYS: masterKeys(),
  SVC_PORT: '0',
  SVC_DRAIN_SECONDS: '0',
  SVC_LOG_LEVEL: 'warn',
})

export const openBenchPlatform = (postgres: BenchPostgres): Promise<Platform> =>
  openPlatform(readConfig(environmentOf(postgres)).config, 'bench', createLog({ level: 'warn', role: 'bench' }))

/** Brings the schema in, and makes organizations, each with a spend cap, three budgets and a customer's limit. */
export async function prepare(postgres: BenchPostgres, count: number): Promise<BenchOrg[]> {
  const log = createLog({ level: 'warn', role: 'bench' })
  await migrate({ ownerUrl: secret(postgres.url()), appUrl: secret(postgres.url(appLogin)), log })
  const platform = await openBenchPlatform(postgres)
  try {
    await ensureLedgerPartitions(platform.sql, new Date())
  } finally {
    await platform.close()
  }
  return makeOrgs(postgres, count)
}

/** Makes organizations in a database that has the schema. */
export async function makeOrgs(postgres: BenchPostgres, count: number): Promise<BenchOrg[]> {
  const platform = await openBenchPlatform(postgres)
  try {
    const orgs: BenchOrg[] = []
    const makers = Array.from({ length: 8 }, async () => {
      while (orgs.length < count) {
        const place = orgs.push(undefined as unknown as BenchOrg) - 1
        orgs[place] = await makeOrg(platform)
      }
    })
    await Promise.all(makers)
    return orgs
  } finally {
    await platform.close()
  }
}

const makeOrg = (platform: Platform): Promise<BenchOrg> => {
  const id = newUuid()
  return platform.sql.asOrgs([id], async (tx) => {
    await insertOrg(tx, id, 'Bench')
    await insertLedger(tx, id)
    for (const [kind, scope_kind, scope_id] of [
      ['spend_cap', 'org', ''],
      ['budget', 'org', ''],
      ['budget', 'department', call.department_id!],
      ['budget', 'workflow', call.workflow_id!],
    ] as const)
      await insertLimit(tx, id, { ...benchLimit, id: newUuid(), kind, name: kind, scope_kind, scope_id })
    const unplanned = { next_period: null, next_anchor: null, next_timezone: null, next_from: null }
    await insertCustomerLimit(tx, id, {
      ...schedule,
      ...unplanned,
      id: newUuid(),
      customer_id: call.customer_id!,
      amount: plenty,
      thresholds: [],
      max_new_customers_per_day: null,
    })
    const { secret: key } = await mint(platform, tx, id, {
      name: 'bench',
      role: 'service',
      scopes: ['edge:decide', 'runs:write'],
    })
    return { id, key }
  })
}

export interface Server {
  readonly port: number
  readonly pid: number
  readonly stop: () => Promise<void>
}

interface LogLine {
  readonly level: string
  readonly message?: string
  readonly url?: string
  readonly error?: { readonly message: string }
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill()
  await ended
}

export interface StartOptions {
  /** The program of another checkout. */
  readonly main?: string
  readonly role?: 'api' | 'worker'
  readonly databasePort?: number
  readonly nodeOptions?: readonly string[]
  readonly settings?: Record<string, string>
}

/** The real program as a process of its own, in the role that serves unless another is asked for. */
export async function startApi(postgres: BenchPostgres, options: StartOptions = {}): Promise<Server> {
  const { role = 'api', main = fileURLToPath(new URL('../../src/main.ts', import.meta.url)) } = options
  const child = spawn(process.execPath, [...(options.nodeOptions ?? []), main, role], {
    env: {
      PATH: process.env['PATH'],
      ...environmentOf(postgres, options.databasePort),
      SVC_LOG_LEVEL: 'info',
      ...options.settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const complaints = new Map<string, number>()
  const count = (complaint: string) => complaints.set(complaint, (complaints.get(complaint) ?? 0) + 1)
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { message, url, level, error } = JSON.parse(line) as LogLine
      if (message === 'serving') resolve(Number(new URL(url!).port))
      else if (message === 'working') resolve(0)
      else if (level !== 'info') count(`${message}: ${error?.message}`)
    })
    child.once('exit', () => reject(new Error(`the ${role} ended instead of starting`)))
  })
  const stop = async () => {
    await end(child)
    for (const [complaint, times] of complaints) console.log(`  the ${role} said ${times} times: ${complaint}`)
  }
  return { port, pid: child.pid!, stop }
}

/** The framework alone: the same body in, the same answer out. */
export async function startBare(): Promise<Server> {
  const child = fork(fileURLToPath(new URL('./bare-server.ts', import.meta.url)), [], {
    env: { PATH: process.env['PATH'] },
  })
  const [port] = (await once(child, 'message')) as [number]
  return { port, pid: child.pid!, stop: () => end(child) }
}

/** Asks for decisions as fast as they are answered, each connection on behalf of its own list of organizations in turn. */
export async function ask(
  server: Server,
  postgres: BenchPostgres,
  options: {
    orgs: readonly BenchOrg[]
    connections: number
    seconds: number
    isWarmUp?: boolean
    /** Requests a second, however soon they are answered; without it, as many as are answered. */
    perSecond?: number
  },
): Promise<Round> {
  const { orgs, connections, seconds, isWarmUp = false, perSecond } = options
  const body = JSON.stringify(call)
  const requestOf = ({ key }: BenchOrg) => ({
    method: 'POST' as const,
    path: '/v1/edge/decision',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body,
  })
  const requests = orgs.map(requestOf)
  const times: number[] = []
  let start = 0
  const setupClient = (client: autocannon.Client) => {
    // Connections begin at different places, or all would ask for one organization at a time.
    const own = Array.from({ length: 50 }, (_, i) => requests[(start * 7 + i * 131) % requests.length]!)
    start++
    ;(client as unknown as { setRequests: (requests: readonly object[]) => void }).setRequests(own)
  }
  const before = { node: cpuMicrosOf(server.pid), postgres: cpuMicrosOfFamily(postgres.pid()) }
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(
      {
        url: `http://127.0.0.1:${server.port}`,
        connections,
        duration: seconds,
        ...(perSecond !== undefined && { overallRate: perSecond }),
        requests: [requests[0]!],
        ...(orgs.length > 1 && { setupClient }),
      },
      (error, found) => (error ? reject(error) : resolve(found)),
    )
    instance.on('response', (_client, _status, _bytes, time) => times.push(time))
  })
  const total = result['2xx']
  const refused = result.statusCodeStats?.['503']?.count ?? 0
  // A machine that is busy with other things may make the program refuse some; anything else is wrong.
  if (!isWarmUp && (result.non2xx > refused || result.errors > 0 || total === 0))
    throw new Error(`${result.errors} errors, answers ${JSON.stringify(result.statusCodeStats)}`)
  return {
    rate: total / result.duration,
    refused: refused / (total + refused),
    ...percentiles(times),
    nodeMicros: (cpuMicrosOf(server.pid) - before.node) / total,
    postgresMicros: (cpuMicrosOfFamily(postgres.pid()) - before.postgres) / total,
  }
}
