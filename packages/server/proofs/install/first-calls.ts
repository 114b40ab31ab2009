import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually, type RunningRole, startProgram } from '../../test/support/programs.ts'
import { call } from '../../test/support/tenants.ts'
import { freePorts } from '../alert-drill/part.ts'

/** Where an installed Weir runs: in a container, in a network of its own, from an archive. */
export interface Place {
  /** A folder that programs there see under the same path. */
  readonly folder: string
  /** The command that runs a program of the installation there, with these variables. */
  readonly command: (
    program: readonly [path: string, ...parameters: string[]],
    environment: Readonly<Record<string, string>>,
  ) => readonly [string, ...string[]]
}

/** What an installation did: how its programs ended, and how it answered three calls of which its budget covers two. */
export interface FirstCalls {
  readonly statuses: readonly number[]
  readonly refusal: string
  readonly exits: Readonly<Record<string, number | null>>
}

const server = 'packages/server/src/main.ts'

/** Goes the way of a newcomer with an installation: the schema, all roles, a key, a budget, three calls through the gateway, and a stop. */
export async function makeFirstCalls(
  place: Place,
  environment: Readonly<Record<string, string>>,
  whileServing: (roles: Readonly<Record<string, RunningRole>>, url: string) => Promise<void> = () => Promise.resolve(),
): Promise<FirstCalls> {
  const running: Record<string, RunningRole> = {}
  const start = (
    name: string,
    program: readonly [string, ...string[]],
    more: Readonly<Record<string, string>> = {},
  ) => {
    const [command, ...parameters] = place.command(program, { ...environment, ...more })
    running[name] = startProgram(name, [command, ...parameters], { ...environment, ...more })
    return running[name]
  }
  /** Runs a command of the server to its end. */
  const run = async (...parameters: string[]) => {
    const role = start(parameters[0]!, [server, ...parameters])
    const code = await role.exit
    if (code !== 0) throw new Error(`${parameters[0]} ended with ${code}: ${describe(role)}`)
    return role
  }
  const urlOf = async (role: RunningRole) => {
    const { url } = await role.line((line) => line['url'] !== undefined)
    return String(url).replace('localhost', '127.0.0.1')
  }
  try {
    await run('migrate')
    const url = await urlOf(start('api', [server, 'api']))
    // A worker says nothing of its port.
    const [port] = await freePorts(1)
    await start('worker', [server, 'worker'], { SVC_PORT: String(port) }).line(({ message }) => message === 'working')
    for (const path of ['/healthz', '/readyz'])
      for (const base of [url, `http://127.0.0.1:${port}`])
        await eventually(async () => (await fetch(base + path)).status === 200)

    const [minted] = (await run('create-operator-key', 'first')).lines
    const as = async (key: unknown, method: string, path: string, body: object) => {
      const { status, json, text } = await call(url, method, path, { key: String(key), body })
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
      return json as unknown as Record<string, unknown>
    }
    const org = await as(minted!['key'], 'POST', '/v1/admin/orgs', { name: 'First' })
    const owner = (org['owner_key'] as { secret: string }).secret
    const ofOrg = `/v1/orgs/${String(org['id'])}`
    const scope = 'scope_kind=workflow&scope_id=chat&period=month'
    await as(owner, 'PUT', `${ofOrg}/scoped-budget?${scope}`, { name: 'Chat', limit_usd: '0.025' })
    const keyWith = async (more: object) =>
      String((await as(owner, 'POST', `${ofOrg}/keys`, { name: 'k', role: 'service', ...more }))['secret'])
    const settlementKey = await keyWith({ scopes: ['runs:write', 'runs:manage'] })
    const agentKey = await keyWith({ scopes: ['runs:write'], pins: { workflow_id: 'chat' } })

    const provider = await urlOf(start('provider', ['packages/gateway/src/practice/main.ts']))
    const configuration = join(place.folder, 'gateway.json')
    writeFileSync(configuration, JSON.stringify(gatewayConfiguration(url, provider)))
    const gateway = await urlOf(
      start('gateway', ['packages/gateway/src/main.ts'], {
        WEIR_GATEWAY_CONFIG: configuration,
        WEIR_SETTLEMENT_KEY: settlementKey,
      }),
    )
    await eventually(async () => (await fetch(`${gateway}/readyz`)).status === 200)
    const answers: { status: number; text: string }[] = []
    for (let i = 0; i < 3; i++) {
      const body = { model: 'gpt-4o', max_tokens: 1000, messages: [{ role: 'user', content: 'Tell me a long story.' }] }
      answers.push(await call(gateway, 'POST', '/v1/chat/completions', { key: agentKey, body }))
    }
    await whileServing(running, url)

    const exits: Record<string, number | null> = {}
    for (const name of ['gateway', 'worker', 'api']) {
      running[name]!.process.kill('SIGTERM')
      exits[name] = await running[name]!.exit
    }
    return { statuses: answers.map(({ status }) => status), refusal: answers[2]!.text, exits }
  } finally {
    for (const { process: child } of Object.values(running))
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  }
}

const describe = ({ errors, lines }: RunningRole) =>
  [...errors, ...lines.slice(-3).map((line) => JSON.stringify(line))].join('\n')

const gatewayConfiguration = (weir: string, provider: string) => ({
  listen: { port: 0, host: '127.0.0.1' },
  weir: { url: weir, settlement_key: { env: 'WEIR_SETTLEMENT_KEY' }, timeout_seconds: 20 },
  providers: { openai: { kind: 'openai', base_url: provider, credential: { none: true } } },
  models: [{ prefix: '', provider: 'openai' }],
})
