import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createTenant, type Installation, openInstallation } from '../../../server/proofs/storm/installation.ts'
import { leashed } from '../../../server/proofs/support/postgres-server.ts'
import { eventually, type RunningRole, startProgram } from '../../../server/test/support/programs.ts'
import { Random } from '../../../server/test/support/random.ts'
import { Weir } from '../../src/sdk.ts'
import { type Provider, startProvider } from '../../test/support/provider.ts'
import type { AgentSettings, Bug } from './agent-settings.ts'
import { type Books, booksOf } from './books.ts'
import { type FaultProxy, openFaultProxy } from './fault-proxy.ts'

const program = fileURLToPath(new URL('agent-process.ts', import.meta.url))

export interface StormOptions {
  readonly calls: number
  readonly atOnce: number
  readonly seed: number
  /** The shortest and the longest time between two faults of a kind. */
  readonly everyMs: readonly [number, number]
  readonly leaseSeconds?: number
  /** The most times that each agent is killed: 10 where it is left out. */
  readonly agentKills?: number
  readonly bug?: Bug
}

export interface StormReport extends Books {
  readonly answered: number
  readonly denied: number
  readonly failed: number
  readonly lost: number
  readonly faults: Readonly<Record<string, number>>
  readonly held: readonly string[]
  readonly verified: string
}

/** Lines that agents have said, of all their lives. */
interface Said {
  readonly answered: string[]
  /** Answers of the agent whose spool has room: none of them may be an estimate in the end. */
  readonly kept: Set<string>
  readonly failed: string[]
  denied: number
  lost: number
}

interface Field {
  readonly installation: Installation
  readonly provider: Provider
  readonly proxy: FaultProxy
  readonly random: Random
  readonly said: Said
  readonly kills: Record<'agents' | 'servers' | 'pauses' | 'outages', number>
  isOver: boolean
}

/**
 * Two agents make calls with the SDK while everything around them fails: Weir is killed, paused, slow, cut off and heard to say 503 of what it
 * has committed; the agents themselves are killed in mid-call and started again; one of them has a spool for four entries.
 */
export async function runChaosStorm(options: StormOptions): Promise<StormReport> {
  const { seed, leaseSeconds = 10 } = options
  const random = new Random(seed)
  const closing: (() => Promise<unknown> | void)[] = []
  try {
    const installation = await openInstallation({ apis: 2, environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' } })
    closing.push(installation.close)
    const provider = await startProvider()
    closing.push(provider.stop)
    const serving = () => installation.apis.find(({ serves, port }) => serves && port !== undefined)?.port
    const proxy = await openFaultProxy(serving, random)
    closing.push(proxy.close)
    const folder = mkdtempSync(join(tmpdir(), 'weir-sdk-storm-'))
    closing.push(() => rmSync(folder, { recursive: true, force: true }))
    const tenant = await createTenant(installation)
    const direct = new Weir({ apiKey: tenant.key, baseUrl: `http://127.0.0.1:${serving()}` })
    await direct.request('POST', '/v1/orgs/{id}/budgets', {
      path: { id: tenant.id },
      body: { name: 'all', scope_kind: 'org', period: 'year', limit_usd: '1000' },
    })
    const said: Said = { answered: [], kept: new Set(), failed: [], denied: 0, lost: 0 }
    const kills = { agents: 0, servers: 0, pauses: 0, outages: 0 }
    const field: Field = { installation, provider, proxy, random, said, kills, isOver: false }
    const settingsOf = (index: number): AgentSettings => ({
      weirUrl: proxy.url,
      apiKey: tenant.key,
      providerUrl: provider.url,
      folder: join(folder, `agent-${index}`),
      maxEntries: index === 0 ? 10_000 : 4,
      calls: Math.ceil(options.calls / 2),
      atOnce: Math.ceil(options.atOnce / 2),
      seed: seed + index,
      leaseSeconds,
      ...(options.bug && { bug: options.bug }),
    })
    const weather = weatherOver(field, options.everyMs)
    await Promise.all([0, 1].map((index) => liveOut(field, settingsOf(index), options)))
    field.isOver = true
    await weather
    const owner = new Weir({ apiKey: tenant.key, baseUrl: `http://127.0.0.1:${serving()}` })
    return await reportOf(field, owner, tenant.id)
  } finally {
    for (const end of closing.toReversed()) await end()
  }
}

async function reportOf(field: Field, owner: Weir, orgId: string): Promise<StormReport> {
  const { said, kills, proxy, provider, installation } = field
  let books = await booksOf(owner, await provider.books(), said)
  // What was held for calls that nobody ended is charged when its lease ends.
  await eventually(async () => {
    books = await booksOf(owner, await provider.books(), said)
    return books.running === 0
  })
  const held: string[] = []
  for await (const budget of owner.list('/v1/orgs/{id}/budgets', { path: { id: orgId } }))
    if (budget.held_usd !== '0') held.push(`${budget.name}: ${budget.held_usd}`)
  return {
    ...books,
    answered: said.answered.length,
    denied: said.denied,
    failed: said.failed.length,
    lost: said.lost,
    faults: { ...kills, ...proxy.counts },
    held,
    verified: installation.verify(),
  }
}

/** Lets an agent make its calls, killing it again and again; a new process goes on with what the last one left in its spool. */
async function liveOut(
  field: Field,
  settings: AgentSettings,
  { everyMs: [fromMs, toMs], agentKills = 10 }: StormOptions,
) {
  let left = settings.calls
  for (let life = 0; ; life += 1) {
    const given = JSON.stringify({ ...settings, calls: left, seed: settings.seed + life * 1_000 })
    const role = startProgram('agent', leashed('KILL', [process.execPath, program, '--settings', given]), {})
    const done = role.line(({ message }) => message === 'done').then(() => true)
    // Its time begins with its first call: how long a process takes to start is the machine's affair.
    await role.line(({ answered, failed, denied, message }) => (answered ?? failed ?? denied ?? message) !== undefined)
    const isDone = await Promise.race([done.catch(() => false), pause(field.random.between(fromMs, toMs), false)])
    // The last life of an agent is its own to end: what it says then is all that it could not report.
    if (!isDone && life < agentKills) {
      role.process.kill('SIGKILL')
      field.kills.agents += 1
    } else if (!(await done.catch(() => false))) throw new Error(`an agent ended: ${role.errors.join('\n')}`)
    await role.exit
    left -= note(field.said, role, settings.maxEntries > 4)
    if (left <= 0 || isDone) return
  }
}

/** Notes what an agent said; returns how many calls it has made. */
function note(said: Said, { lines }: RunningRole, hasRoom: boolean): number {
  let made = 0
  for (const { answered, failed, denied, lost } of lines) {
    if (typeof answered === 'string') said.answered.push(answered)
    if (typeof answered === 'string' && hasRoom) said.kept.add(answered)
    if (typeof failed === 'string') said.failed.push(failed)
    if (typeof denied === 'string') said.denied += 1
    if (typeof lost === 'string') said.lost += 1
    if (answered ?? failed ?? denied) made += 1
  }
  return made
}

/** Every fault at its own pace until it is over; then everything runs again. */
async function weatherOver(field: Field, [fromMs, toMs]: readonly [number, number]) {
  const { installation, random, proxy, kills } = field
  const { apis } = installation
  const every = async (work: () => Promise<void>) => {
    for (;;) {
      await pause(random.between(fromMs, toMs))
      if (field.isOver) return
      await work()
    }
  }
  // One at a time is killed or paused, and one is left to take the calls: outages have a turn of their own.
  let isOneDown = false
  const alone = (work: (victim: (typeof apis)[number]) => Promise<void>) => async () => {
    const serving = apis.filter(({ serves }) => serves)
    if (isOneDown || serving.length < 2) return
    isOneDown = true
    await work(random.pick(serving))
    isOneDown = false
  }
  const killing = every(
    alone(async (victim) => {
      kills.servers += 1
      await victim.kill()
    }),
  )
  const pausing = every(
    alone(async (victim) => {
      kills.pauses += 1
      const resume = await victim.pause()
      await pause(1_500)
      resume()
    }),
  )
  const cutting = every(async () => {
    kills.outages += 1
    const mend = proxy.cut()
    await pause(random.between(200, 2_000))
    mend()
  })
  await Promise.all([killing, pausing, cutting])
  proxy.calm()
  await Promise.all(apis.map((api) => api.settled()))
}
