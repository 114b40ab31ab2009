import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  appLogin,
  asAdmin,
  createDatabase,
  databaseUrl,
  dropDatabase,
  masterKeys,
  services,
  servicesUp,
} from '../../server/scripts/private-services.ts'

/**
 * Weir for a test in another language: an API process on a database of its own. It prints one line of JSON once it serves; on standard input
 * `kill` ends the process as a crash does, and `start` starts it again on the same port. The end of standard input ends everything. The database is a
 * copy of WEIR_TEMPLATE_DATABASE, where that names one that is migrated.
 */
const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))
const database = `weir_sdk_python_${process.pid}`

const template = process.env['WEIR_TEMPLATE_DATABASE']

servicesUp()
if (template === undefined) await createDatabase(database, { fresh: true })
else await asAdmin((admin) => admin.query(`create database ${database} template ${template}`))
const environment = {
  SVC_DATABASE_URL: databaseUrl(database, appLogin),
  SVC_MIGRATE_DATABASE_URL: databaseUrl(database),
  SVC_REDIS_URL: services().redis.url,
  SVC_MASTER_KEYS: masterKeys(),
  SVC_DRAIN_SECONDS: '0',
  SVC_LOG_LEVEL: 'info',
  SVC_AUTH_BACKOFF_PER_MINUTE: '1000000',
  SVC_MAX_EVENT_LOOP_DELAY_MS: '60000',
  SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
  SVC_WEBHOOK_ALLOWED_PORTS: '1024-65535',
}
const env = { ...process.env, ...environment }
let api: ChildProcess | undefined
let worker: ChildProcess | undefined
let port = 0

/** Starts a role; returns the port that it serves on once it says so. What it says afterwards is read and dropped: a full pipe would stop it. */
async function start(role: 'api' | 'worker', wanted: number): Promise<[ChildProcess, number]> {
  const child = spawn(process.execPath, [main, role], {
    env: { ...env, SVC_PORT: String(wanted) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let last = ''
  child.once('exit', (code) => {
    if (!ended.has(child)) console.error(`the ${role} ended by itself with ${code}: ${last}`)
  })
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the ${role} ended before it served: ${last}`)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      last = line
      const { message, url } = JSON.parse(line) as { message?: string; url?: string }
      if (message === (role === 'api' ? 'serving' : 'working'))
        resolve([child, Number(new URL(url ?? 'http://localhost:0').port)])
    })
  })
}

/** Processes that were ended on purpose. */
const ended = new WeakSet<ChildProcess>()

async function end(child: ChildProcess | undefined) {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  ended.add(child)
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const command = async (...parameters: string[]) =>
  (await promisify(execFile)(process.execPath, [main, ...parameters], { env })).stdout

try {
  if (template === undefined) await command('migrate')
  const starting = [command('create-operator-key', 'sdk'), start('api', 0), start('worker', 0)] as const
  // All of them, also where one fails: whatever has started is ended below.
  await Promise.allSettled(starting)
  ;[api, port] = await starting[1]
  ;[worker] = await starting[2]
  const { key: operator } = JSON.parse(await starting[0]) as { key: string }
  const say = () =>
    console.log(JSON.stringify({ base_url: `http://127.0.0.1:${port}`, pid: api?.pid, operator_key: operator }))
  say()
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'kill') await end(api)
    if (line === 'start') [api] = await start('api', port)
    if (line === 'verify') console.log(JSON.stringify({ verified: await command('verify') }))
    else say()
  }
} finally {
  await end(api)
  await end(worker)
  await dropDatabase(database)
}
