import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningRole, suspend } from '../../test/support/programs.ts'
import { hasEnded } from '../support/postgres-server.ts'
import type { Cluster } from './cluster.ts'

/** A process that is started again whenever it is killed. */
export class Member {
  readonly name: string
  port: number | undefined
  /** Ends that nobody asked for. */
  readonly surprises: string[] = []
  private running: RunningRole | undefined
  private isClosed = false
  private readonly start: () => RunningRole
  private readonly ready: string
  private readonly isCalm: () => boolean
  private revival: Promise<void> = Promise.resolve()

  /** While it is not calm, a process may fail to start: what it needs may be away. */
  constructor(name: string, ready: string, start: () => RunningRole, isCalm: () => boolean) {
    this.name = name
    this.ready = ready
    this.start = start
    this.isCalm = isCalm
  }

  get serves() {
    return this.running !== undefined
  }

  async up(): Promise<void> {
    for (;;) {
      if (this.isClosed) return
      const role = this.start()
      this.latest = role
      try {
        const { port } = await role.line(({ message }) => message === this.ready)
        this.port = port as number | undefined
        this.running = role
        void role.exit.then((code) => this.ended(role, code))
        return
      } catch (error) {
        if (this.isCalm() && !this.isClosed) throw error
        await sleep(200)
      }
    }
  }
  private latest: RunningRole | undefined

  private ended(role: RunningRole, code: number | null) {
    if (this.running !== role) return
    this.running = undefined
    this.surprises.push(
      `${this.name} ended by itself with ${code}: ${role.errors.slice(-5).join(' ')} ${role.lines
        .slice(-3)
        .map((line) => JSON.stringify(line))
        .join(' ')}`,
    )
    this.revival = this.up()
  }

  /** Severe log lines; that something was away for a while is none. */
  get complaints() {
    return [...this.former, ...(this.running ? complaintsOf(this.running) : [])]
  }
  private readonly former: string[] = []

  /** Log lines of the running process about what was away. */
  get outages() {
    return (this.running?.lines ?? [])
      .filter(({ code }) => code === 'service_unavailable')
      .map((line) => JSON.stringify(line))
  }

  async kill() {
    const role = this.running
    if (!role) return
    this.running = undefined
    this.port = undefined
    this.former.push(...complaintsOf(role))
    role.process.kill('SIGKILL')
    await role.exit
    this.revival = this.up()
    await this.revival
  }

  async pause() {
    const role = this.running
    if (role && !hasEnded(role.process)) await suspend(role.process)
    return () => role?.process.kill('SIGCONT')
  }

  settled = () => this.revival

  async close() {
    this.isClosed = true
    this.running = undefined
    if (this.latest && !hasEnded(this.latest.process)) {
      this.latest.process.kill('SIGKILL')
      await this.latest.exit
    }
    await this.revival.catch(() => undefined)
  }
}

const complaintsOf = ({ lines }: RunningRole) =>
  lines
    .filter(
      ({ level, role, code }) =>
        level === 'fatal' || (level === 'error' && role === 'api' && code !== 'service_unavailable'),
    )
    .map((line) => JSON.stringify(line))

export interface Battlefield {
  readonly cluster: Cluster
  readonly apis: readonly Member[]
  readonly worker: Member
  readonly proxies: readonly { cut: () => void; mend: () => void; deafen: () => void; mute: () => void }[]
}

export interface FaultCounts {
  kills: number
  pauses: number
  pausedLockHolders: number
  crashes: number
  cuts: number
  lostAnswers: number
  lostRequests: number
}

export interface Weather {
  /** At the latest it is over after so long. */
  readonly seconds: number
  readonly random: () => number
  /** How long PostgreSQL stands between its crashes, one after the other. */
  readonly crashAfterMs: Iterable<number>
  /** Ends it earlier. */
  readonly isEnough?: () => boolean
  /** How many times rarer than usual processes are stopped and connections cut; they are killed at the same pace. */
  readonly rarer?: number
  /** The shortest and the longest time between two kills, and between two cuts. */
  readonly killsEveryMs?: readonly [number, number]
  readonly cutsEveryMs?: readonly [number, number]
}

/** Every fault at its own random pace until it is over; then everything runs again. */
export async function faultsOf(field: Battlefield, weather: Weather): Promise<FaultCounts> {
  const { cluster, apis, worker, proxies } = field
  const { seconds, random, crashAfterMs, isEnough = () => false, rarer = 1 } = weather
  const { killsEveryMs = [700, 1_600], cutsEveryMs = [1_000 * rarer, 3_000 * rarer] } = weather
  const counts: FaultCounts = {
    kills: 0,
    pauses: 0,
    pausedLockHolders: 0,
    crashes: 0,
    cuts: 0,
    lostAnswers: 0,
    lostRequests: 0,
  }
  const endMs = performance.now() + seconds * 1_000
  const isOver = () => performance.now() >= endMs || isEnough()
  const wait = async (ms: number) => {
    const untilMs = Math.min(endMs, performance.now() + ms)
    while (performance.now() < untilMs && !isEnough())
      await sleep(Math.min(100, Math.max(1, untilMs - performance.now())))
  }
  const between = (fromMs: number, toMs: number) => fromMs + random() * (toMs - fromMs)
  const paused = new Set<Member>()
  const revivals = new Set<Promise<void>>()
  const victims = () => apis.filter((api) => api.serves && !paused.has(api))
  const one = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)]

  async function every(fromMs: number, toMs: number, work: () => Promise<void> | void) {
    for (;;) {
      await wait(between(fromMs, toMs))
      if (isOver()) return
      await work()
    }
  }
  const killing = every(...killsEveryMs, () => {
    const all = victims()
    // One is left to take the calls: with none there would be no storm.
    const victim = random() < 0.1 && worker.serves ? worker : all.length > 1 ? one(all) : undefined
    if (!victim) return
    counts.kills++
    const revival = victim.kill().finally(() => revivals.delete(revival))
    revivals.add(revival)
  })
  const pausing = every(2_000 * rarer, 4_000 * rarer, async () => {
    const victim = one(victims())
    if (!victim) return
    paused.add(victim)
    const isHolder = await stopWhileHolding(cluster, victim)
    counts.pauses++
    if (isHolder.holds) counts.pausedLockHolders++
    await sleep(Math.min(3_000, Math.max(500, endMs - performance.now())))
    isHolder.resume()
    paused.delete(victim)
  })
  const cutting = every(...cutsEveryMs, async () => {
    const proxy = one(proxies)!
    // A commit without an answer is the hardest case: it may have arrived or not, and neither can be known.
    const kind = random()
    if (kind < 0.35) {
      counts.lostAnswers++
      proxy.deafen()
      await sleep(between(20, 150))
    } else if (kind < 0.7) {
      counts.lostRequests++
      proxy.mute()
      await sleep(between(20, 150))
    }
    counts.cuts++
    proxy.cut()
    await sleep(random() < 0.5 ? 0 : between(100, 600))
    proxy.mend()
  })
  const crashing = (async () => {
    for (const ms of crashAfterMs) {
      await wait(ms)
      if (isOver()) return
      counts.crashes++
      await cluster.crash()
    }
  })()
  await Promise.all([killing, pausing, cutting, crashing])
  await Promise.all(revivals)
  await Promise.all([...apis, worker].map((member) => member.settled()))
  return counts
}

/** Stops a process, if it can be had, in the middle of a transaction with an organization's lock. */
async function stopWhileHolding(cluster: Cluster, victim: Member) {
  const client = await cluster.connect().catch(() => undefined)
  try {
    for (let attempt = 0; ; attempt++) {
      const resume = await victim.pause()
      const holds = client !== undefined && (await isHolding(client, victim.name).catch(() => false))
      if (holds || attempt === 15) return { resume, holds }
      resume()
      await sleep(7)
    }
  } finally {
    await client?.end().catch(() => undefined)
  }
}

async function isHolding(client: Awaited<ReturnType<Cluster['connect']>>, name: string) {
  // What was on its way when the process stopped is answered by now.
  await sleep(15)
  const { rowCount } = await client.query(
    `select from pg_stat_activity a join pg_locks l using (pid)
      where a.application_name = $1 and a.state = 'idle in transaction' and l.relation = 'org_ledgers'::regclass`,
    [name],
  )
  return rowCount! > 0
}
