import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs, styleText } from 'node:util'
import { startDevGateway } from './dev-gateway.ts'
import {
  appLogin,
  createDatabase,
  databaseUrl,
  masterKeys,
  services,
  servicesDown,
  servicesUp,
} from './private-services.ts'

const usage = `Usage: pnpm dev [--port N] [--fresh] [--detach] [--json] [--stop]

Starts PostgreSQL, Redis, the API, a worker, and a gateway before a provider for practice, all private to this checkout; Ctrl-C stops what it started.

  --port N   the API's port (default $WEIR_PORT, else 8080, or a free one where that is taken)
  --fresh    begin with an empty database
  --detach   return once it is ready and go on in the background
  --json     print one JSON line instead of text
  --stop     end the one in the background

While it runs, \`. .weir/dev.env\` puts addresses, organization and keys into $WEIR, $GATEWAY, $ORG, $KEY and $OPERATOR_KEY.`

const root = fileURLToPath(new URL('../../..', import.meta.url))
const stateFolder = `${root}.weir`
const stateFile = `${stateFolder}/dev.json`
const shellFile = `${stateFolder}/dev.env`
const logFile = `${stateFolder}/dev.log`
const database = 'weir_dev'
/** A machine that is busy with other work takes its time. */
const readyWithinMs = 180_000

interface State {
  readonly base_url: string
  readonly docs_url: string
  readonly gateway_url: string
  readonly pid: number
  readonly operator_key: string
  readonly org_id: string
  readonly admin_key: string
}

interface Options {
  readonly port: number | undefined
  readonly fresh: boolean
  readonly detach: boolean
  readonly json: boolean
  readonly stop: boolean
}

function readOptions(): Options {
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    options: { port: { type: 'string' }, fresh: flag, detach: flag, json: flag, stop: flag, help: flag },
  })
  if (values.help) {
    console.log(usage)
    process.exit(0)
  }
  const wanted = values.port ?? process.env['WEIR_PORT']
  const port = wanted === undefined ? undefined : Number(wanted)
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw new Error('a port is a number from 0 to 65535')
  return { port, fresh: values.fresh, detach: values.detach, json: values.json, stop: values.stop }
}

const readState = (): State | undefined =>
  existsSync(stateFile) ? (JSON.parse(readFileSync(stateFile, 'utf8')) as State) : undefined

/** The state file can outlive its process, and a process id can be given to another program. */
const isDev = (pid: number) =>
  spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes('scripts/dev.ts')

const runningState = () => {
  const state = readState()
  return state && isDev(state.pid) ? state : undefined
}

async function stop() {
  const state = runningState()
  if (state) {
    process.kill(state.pid, 'SIGTERM')
    while (isDev(state.pid)) await sleep(50)
  }
  forgetState()
}

function forgetState() {
  rmSync(stateFile, { force: true })
  rmSync(shellFile, { force: true })
}

const ownerOnly = 0o600

/** A file that is written anew and that nobody else can read: what is announced in it has keys. */
function openPrivately(path: string): number {
  const file = openSync(path, 'w', ownerOnly)
  // One that was there before keeps the mode that it had.
  fchmodSync(file, ownerOnly)
  return file
}

/** For shells and scripts; complete before anybody is told that it is ready. */
function writeState(state: State) {
  const mode = ownerOnly
  const names = {
    WEIR: state.base_url,
    GATEWAY: state.gateway_url,
    ORG: state.org_id,
    KEY: state.admin_key,
    OPERATOR_KEY: state.operator_key,
  }
  const lines = Object.entries(names).map(([name, value]) => `export ${name}='${value}'\n`)
  writeFileSync(shellFile, lines.join(''), { mode })
  // Renamed into place: a waiting --detach never reads half a file.
  writeFileSync(`${stateFile}.new`, JSON.stringify(state), { mode })
  renameSync(`${stateFile}.new`, stateFile)
}

async function announce(state: State, json: boolean) {
  if (json) return console.log(JSON.stringify(state))
  const answer = await fetch(`${state.base_url}/v1/me/sign-in-links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${state.admin_key}` },
  })
  const { url } = (await answer.json()) as { url?: string }
  const bold = (text: string) => styleText('bold', text)
  console.log(`
  ${bold('Weir is ready')}

  API    ${state.base_url}
  Docs   ${state.docs_url}
  Gateway ${state.gateway_url} (its provider is for practice: made-up answers, no cost)
  Sign in once, within five minutes, as the owner:
         ${url ?? `${state.base_url}/console/signin`}
  Log    .weir/dev.log

  Operator key   ${state.operator_key}
  Organization   ${state.org_id}
  Its owner key  ${state.admin_key}

  Try    . .weir/dev.env; curl -s $WEIR/v1/me -H "authorization: Bearer $KEY"

  Webhooks may be sent to this machine too (SVC_WEBHOOK_ALLOWED_CIDRS is loopback, SVC_WEBHOOK_ALLOWED_PORTS has 1024 and above); elsewhere only public addresses are allowed.
`)
}

/** The given port, or the usual one, or any free one where the usual one is taken. */
async function choosePort(wanted: number | undefined, usual = 8080): Promise<number> {
  for (const port of wanted === undefined ? [usual, 0] : [wanted]) {
    const free = await freePort(port)
    if (free !== undefined) return free
  }
  throw new Error(`port ${wanted} is taken`)
}

const freePort = (port: number) =>
  new Promise<number | undefined>((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(undefined))
    probe.listen(port, '127.0.0.1', () => {
      const { port: chosen } = probe.address() as AddressInfo
      probe.close(() => resolve(chosen))
    })
  })

function startRole(role: string, environment: Record<string, string>, log: number): ChildProcess {
  // A process group of its own: Ctrl-C reaches only this supervisor, which then stops the parts in order.
  const child = spawn(process.execPath, [`${root}packages/server/src/main.ts`, role], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', log, 'pipe'],
    detached: true,
  })
  createInterface({ input: child.stderr! }).on('line', (line) => console.error(`${role}: ${line}`))
  return child
}

async function untilReady(url: string, parts: ChildProcess[]) {
  const deadline = Date.now() + readyWithinMs
  while (Date.now() < deadline) {
    if (parts.some((part) => part.exitCode !== null || part.signalCode !== null))
      throw new Error(`a part ended early; see ${logFile}`)
    const answer = await fetch(`${url}/readyz`).catch(() => undefined)
    await answer?.body?.cancel()
    if (answer?.ok) return
    await sleep(50)
  }
  throw new Error(`not ready within ${readyWithinMs / 1000} s; see ${logFile}`)
}

/** An operator and an organization to try things with: the same ones as long as the database is. */
async function firstKeys(base: string, environment: Record<string, string>) {
  const file = `${stateFolder}/dev-keys.json`
  type Keys = Pick<State, 'operator_key' | 'org_id' | 'admin_key'> & { readonly settlement_key: string }
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Keys) : undefined
  const call = (path: string, key: string, body?: object) =>
    fetch(base + path, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
  // Only a refusal means that the database is another one: a process that has just started may still be too busy to say.
  const isValid = async (key: string) => {
    const deadline = Date.now() + readyWithinMs
    for (;;) {
      const { status } = await call('/v1/me', key)
      if (status < 500 || Date.now() > deadline) return status === 200
      await sleep(100)
    }
  }
  if (known?.settlement_key && (await isValid(known.admin_key)) && (await isValid(known.operator_key))) return known
  const main = `${root}packages/server/src/main.ts`
  const minted = spawnSync(process.execPath, [main, 'create-operator-key', 'dev'], {
    env: { ...process.env, ...environment },
    encoding: 'utf8',
  })
  if (minted.status !== 0) throw new Error(`the operator key was not created: ${minted.stderr}`)
  const { key: operator } = JSON.parse(minted.stdout) as { key: string }
  const org = (await (await call('/v1/admin/orgs', operator, { name: 'Dev' })).json()) as {
    id: string
    owner_key: { secret: string }
  }
  const settlement = (await (
    await call(`/v1/orgs/${org.id}/keys`, org.owner_key.secret, {
      name: 'dev gateway',
      role: 'service',
      scopes: ['runs:write', 'runs:manage'],
    })
  ).json()) as { secret: string }
  const keys = {
    operator_key: operator,
    org_id: org.id,
    admin_key: org.owner_key.secret,
    settlement_key: settlement.secret,
  }
  writeFileSync(file, JSON.stringify(keys), { mode: ownerOnly })
  return keys
}

async function runForeground({ port: wanted, fresh, json }: Options) {
  mkdirSync(stateFolder, { recursive: true })
  const log = openPrivately(logFile)
  const { started: startedServices } = servicesUp()
  const parts: ChildProcess[] = []

  async function end(code: number) {
    const alive = parts.filter((part) => part.exitCode === null && part.signalCode === null)
    for (const part of alive) process.kill(-part.pid!, 'SIGTERM')
    await Promise.all(alive.map((part) => once(part, 'exit')))
    forgetState()
    if (startedServices) servicesDown()
    closeSync(log)
    process.exit(code)
  }
  let ending = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (!ending) void end(0)
      ending = true
    })
  }

  try {
    await createDatabase(database, { fresh })
    const [port, probePort] = [await choosePort(wanted), await choosePort(0)]
    const base = `http://localhost:${port}`
    const environment = {
      SVC_PUBLIC_URL: base,
      SVC_DATABASE_URL: databaseUrl(database, appLogin),
      SVC_MIGRATE_DATABASE_URL: databaseUrl(database),
      SVC_REDIS_URL: services().redis.url,
      SVC_MASTER_KEYS: masterKeys(),
      SVC_DRAIN_SECONDS: '0',
      // Whoever tries webhooks here has the receiver on the same machine.
      SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8,::1',
      SVC_WEBHOOK_ALLOWED_PORTS: '80,443,1024-65535',
    }
    const [code] = await once(startRole('migrate', environment, log), 'exit')
    if (code !== 0) throw new Error(`migrate failed; see ${logFile}`)
    parts.push(startRole('api', { ...environment, SVC_PORT: String(port) }, log))
    parts.push(startRole('worker', { ...environment, SVC_PORT: String(probePort) }, log))
    await Promise.all([
      untilReady(`http://127.0.0.1:${port}`, parts),
      untilReady(`http://127.0.0.1:${probePort}`, parts),
    ])
    const { settlement_key, ...keys } = await firstKeys(`http://127.0.0.1:${port}`, environment)
    const gateway = await startDevGateway({
      root,
      configFile: `${stateFolder}/dev-gateway.json`,
      weirUrl: `http://127.0.0.1:${port}`,
      settlementKey: settlement_key,
      port: await choosePort(wanted === undefined ? undefined : 0, 8090),
      log,
    })
    parts.push(...gateway.parts)
    const state: State = {
      base_url: base,
      docs_url: `${base}/docs`,
      gateway_url: gateway.url,
      pid: process.pid,
      ...keys,
    }
    writeState(state)
    await announce(state, json)
    await Promise.race(parts.map((part) => once(part, 'exit')))
    if (!ending) throw new Error(`a part ended; see ${logFile}`)
  } catch (error) {
    if (ending) return
    ending = true
    console.error(`dev: ${(error as Error).message}`)
    await end(1)
  }
}

async function runDetached({ port, fresh, json }: Options) {
  const flags = [...(port === undefined ? [] : ['--port', String(port)]), ...(fresh ? ['--fresh'] : [])]
  mkdirSync(stateFolder, { recursive: true })
  const output = openPrivately(`${stateFolder}/dev.out`)
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...flags], {
    detached: true,
    stdio: ['ignore', output, output],
  })
  const deadline = Date.now() + readyWithinMs
  while (Date.now() < deadline && child.exitCode === null) {
    const state = readState()
    if (state && state.pid === child.pid) {
      child.unref()
      await announce(state, json)
      return
    }
    await sleep(50)
  }
  if (child.exitCode === null) {
    process.kill(child.pid!, 'SIGTERM')
    console.error(`dev: not ready within ${readyWithinMs / 1000} s; see ${logFile}`)
  }
  console.error(readFileSync(`${stateFolder}/dev.out`, 'utf8'))
  process.exit(1)
}

const options = readOptions()
if (options.stop) await stop()
else {
  const running = runningState()
  if (running) {
    console.error(`dev: it runs already (${running.base_url}); pnpm dev --stop ends it`)
    process.exit(1)
  }
  await (options.detach ? runDetached(options) : runForeground(options))
}
