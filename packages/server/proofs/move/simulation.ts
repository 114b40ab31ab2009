import { carryOut, type MoveSource, type MoveTarget } from '../../src/regions/moves/mover.ts'
import {
  afterClaim,
  afterStep,
  isOpenAtSource,
  isOpenAtTarget,
  judge,
  type MoveMessage,
  type SourceRecord,
  type SourceStep,
  type TargetRecord,
} from '../../src/regions/moves/protocol.ts'
import { Random } from '../../test/support/random.ts'

/**
 * Lives of one organization that is moved between two cells, under everything that may go wrong: movers that die or are paused at any call,
 * messages that are lost, late or come twice, writers that are paused in the middle, an operator who cancels. The rules and the mover are those
 * of the program; databases, link and time are made up. What happens when is decided by the seed alone.
 */

/** Faults planted in the rules, each of which some seed must find. */
export const moveFaults = [
  'terms ignored by the target',
  'terms ignored by the source',
  'batches in any order',
  'freeze without waiting',
  'changes forgotten early',
  'changes noticed late',
  'activation before the flip',
  'cancelled after the flip',
  'writes to a closed organization',
] as const
export type MoveFault = (typeof moveFaults)[number]

/** Rows as the simulation moves them: the version of each key. */
interface Batch {
  readonly rows: readonly (readonly [key: number, version: number])[]
}

/** Thrown into a mover whose call has failed. */
class CallFailed extends Error {}

const keys = 6
const pageSize = 3
const org = 'org'

class World {
  readonly random: Random
  readonly fault: MoveFault | undefined
  /** Calls and messages that are on their way, and the tick before which they do not arrive. */
  private events: { readonly fromTick: number; readonly run: () => void }[] = []
  private ticks = 0
  isCalm = false
  faults: string[] = []

  source: SourceRecord | undefined
  readonly sourceRows = new Map<number, number>()
  log: { readonly id: number; readonly key: number }[] = []
  private logged = 0
  private captures = false
  private cursor = 0
  private writing = 0
  private attempts = 0n

  target: TargetRecord | undefined
  readonly targetRows = new Map<number, number>()

  private version = 0
  /** Newest acknowledged version of each key. */
  readonly acknowledged = new Map<number, number>()
  writes = 0
  finished = 0

  constructor(seed: number, fault: MoveFault | undefined) {
    this.random = new Random(seed)
    this.fault = fault
    for (let key = 0; key < keys; key += 2) this.sourceRows.set(key, 0)
  }

  /** Lets something happen at some later time: much later where whoever does it is paused. */
  later(run: () => void, pauseTicks = 0) {
    this.events.push({ fromTick: this.ticks + this.random.int(pauseTicks + 1), run })
  }

  get isIdle() {
    return this.events.length === 0
  }

  /** A pause now and then, as of a process that was stopped. */
  private pause() {
    return !this.isCalm && this.random.chance(0.03) ? 120 : 0
  }

  async tick() {
    this.ticks++
    const due = this.events.filter(({ fromTick }) => fromTick <= this.ticks)
    if (due.length === 0) return
    const event = this.random.pick(due)
    this.events = this.events.filter((each) => each !== event)
    event.run()
    this.check()
    // Whoever was answered goes on before anything else happens.
    await new Promise(setImmediate)
  }

  private get isOpenHere() {
    return !this.source || isOpenAtSource(this.source.state)
  }
  private get isOpenThere() {
    return this.target !== undefined && isOpenAtTarget(this.target.state)
  }

  check() {
    if (this.isOpenHere && this.isOpenThere) this.faults.push('two cells are active')
    const home = this.isOpenThere ? this.targetRows : this.sourceRows
    if (this.isOpenHere || this.isOpenThere)
      for (const [key, version] of this.acknowledged)
        if ((home.get(key) ?? -1) < version) this.faults.push(`the write ${version} of ${key} is lost`)
  }

  /** A writer: looks whether the organization is open, and commits at some later time, which is much later where it is paused. */
  write() {
    const key = this.random.int(keys)
    const atTarget = this.random.chance(0.4)
    const isOpen = atTarget ? this.isOpenThere : this.isOpenHere
    if (!isOpen && this.fault !== 'writes to a closed organization') return
    const commit = () => {
      if (!atTarget) this.writing--
      const version = ++this.version
      const rows = atTarget ? this.targetRows : this.sourceRows
      rows.set(key, version)
      if (!atTarget && this.captures) this.log.push({ id: ++this.logged, key })
      this.acknowledged.set(key, version)
      this.writes++
    }
    if (!atTarget) this.writing++
    this.later(commit, this.random.chance(0.2) ? 80 : 0)
  }

  /** An operator who begins a move, unless one is underway. */
  begin() {
    if (this.source && this.source.state !== 'cancelled') return
    const attempt = ++this.attempts
    this.source = {
      org,
      move: `move ${attempt}`,
      attempt,
      state: 'copying',
      cell: 'b',
      epoch: 2n,
      term: this.source?.term ?? 0n,
    }
    this.log = []
    this.captures = this.fault !== 'changes noticed late'
    this.cursor = 0
  }

  /** An operator who cancels, and tells the target if nothing happens to the message. */
  cancel() {
    if (!this.source) return
    const record = afterClaim(this.source)
    const cancelled =
      this.fault === 'cancelled after the flip' && (record.state === 'moved' || record.state === 'done')
        ? { ...record, state: 'cancelled' as const }
        : afterStep(record, 'cancel', record.term)
    if (!cancelled) return
    this.source = cancelled
    this.captures = false
    const { move, attempt } = cancelled
    this.later(() => this.receive({ type: 'discard', org, move, attempt }))
  }

  /** Work in the database of the source, for a process that may die or be paused before and after. */
  private atSource<T>(isAlive: () => boolean, work: () => T, isReady: () => boolean = () => true): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = () => {
        if (!isReady()) return this.later(run)
        let result: T
        try {
          result = work()
        } catch (error) {
          return this.later(() => isAlive() && reject(error))
        }
        // The connection may break after the commit.
        const isLost = !this.isCalm && this.random.chance(0.02)
        this.later(() => isAlive() && (isLost ? reject(new CallFailed('lost')) : resolve(result)), this.pause())
      }
      this.later(run, this.pause())
    })
  }

  /** A message over the link: it may be lost, come twice or late, and so may its answer. */
  private send(isAlive: () => boolean, message: MoveMessage, batch?: Batch): Promise<void> {
    return new Promise((resolve, reject) => {
      const fate = this.isCalm ? 1 : this.random.next()
      const deliver = () => this.receive(message, batch)
      if (fate < 0.03) return this.later(() => isAlive() && reject(new CallFailed('lost')))
      if (fate < 0.2) this.later(deliver, 120)
      this.later(() => {
        const refusal = deliver()
        if (fate < 0.06) return this.later(() => isAlive() && reject(new CallFailed('unanswered')))
        this.later(() => isAlive() && (refusal === undefined ? resolve() : reject(new CallFailed(refusal))))
      })
    })
  }

  private receive(sent: MoveMessage, batch?: Batch): string | undefined {
    const { target, fault } = this
    let message = sent
    if (fault === 'terms ignored by the target' && target && 'term' in sent) message = { ...sent, term: target.term }
    if (fault === 'batches in any order' && target && message.type === 'apply')
      message = { ...message, batch: target.applied + 1n }
    const verdict = judge(target, this.targetRows.size === 0, 'a', message)
    if (verdict.type === 'refused') return verdict.because
    if (verdict.effect === 'replace' || verdict.effect === 'discard') this.targetRows.clear()
    if (verdict.effect === 'write') for (const [key, version] of batch?.rows ?? []) this.targetRows.set(key, version)
    this.target = verdict.record
    return undefined
  }

  private step(step: SourceStep, term: bigint): SourceRecord {
    const used = this.fault === 'terms ignored by the source' && this.source ? this.source.term : term
    const after = this.source && afterStep(this.source, step, used)
    if (!after) throw new CallFailed(`${step} refused`)
    this.source = after
    return after
  }

  private own(term: bigint) {
    if (this.fault === 'terms ignored by the source') return
    if (this.source?.term !== term) throw new CallFailed('another process carries the move out')
  }

  /** A process that carries the move out; it dies at any call. */
  mover() {
    if (!this.source) return
    let isDead = false
    const isAlive = () => {
      if (!isDead && !this.isCalm && this.random.chance(0.006)) isDead = true
      return !isDead
    }
    const { fault } = this
    const source: MoveSource<Batch> = {
      claim: () =>
        this.atSource(isAlive, () => {
          if (!this.source || this.source.state === 'cancelled') throw new CallFailed('no move')
          return (this.source = afterClaim(this.source))
        }),
      nextPage: (term) =>
        this.atSource(isAlive, () => {
          this.own(term)
          const from = this.cursor
          if (from >= keys) return undefined
          const rows = [...this.sourceRows].filter(([key]) => key >= from && key < from + pageSize)
          const keep = () =>
            this.atSource(isAlive, () => {
              this.own(term)
              this.cursor = from + pageSize
              if (this.cursor >= keys) this.captures = true
            })
          return { batch: { rows }, keep }
        }),
      nextChanges: (term) =>
        this.atSource(isAlive, () => {
          this.own(term)
          const taken = this.log.slice(0, 4)
          if (taken.length === 0) return undefined
          const ids = new Set(taken.map(({ id }) => id))
          const forgetNow = () => {
            this.log = this.log.filter(({ id }) => !ids.has(id))
          }
          if (fault === 'changes forgotten early') forgetNow()
          const rows = [...new Set(taken.map(({ key }) => key))].map((key) => [key, this.sourceRows.get(key)!] as const)
          const forget = () =>
            this.atSource(isAlive, () => {
              this.own(term)
              forgetNow()
            })
          return { batches: [{ rows }], count: taken.length, forget }
        }),
      rest: () => this.atSource(isAlive, () => []),
      count: () => this.atSource(isAlive, () => undefined),
      // The digest is left out: what it would find must not come about in the first place.
      sums: () => this.atSource(isAlive, () => ({})),
      // Closed first; then whoever has found it open is waited for.
      freeze: async (term) => {
        const record = await this.atSource(isAlive, () => this.step('freeze', term))
        await this.atSource(
          isAlive,
          () => undefined,
          () => this.writing === 0 || fault === 'freeze without waiting',
        )
        return record
      },
      thaw: (term) => this.atSource(isAlive, () => this.step('thaw', term)),
      flip: (term) => this.atSource(isAlive, () => this.step('flip', term)),
      finish: (term) => this.atSource(isAlive, () => this.step('finish', term)),
    }
    const name = ({ move, attempt }: SourceRecord) => ({ org, move, attempt })
    const target: MoveTarget<Batch> = {
      open: (record) => this.send(isAlive, { ...name(record), type: 'open', term: record.term, epoch: record.epoch }),
      apply: async (record, batch, rows) => {
        const message = { ...name(record), type: 'apply', term: record.term, batch } as const
        for (let tries = 1; ; tries++) {
          try {
            return await this.send(isAlive, message, rows)
          } catch (error) {
            if (tries === 3) throw error
          }
        }
      },
      count: () => Promise.resolve(),
      sums: () => Promise.resolve({}),
      seal: async (record) => {
        if (fault === 'activation before the flip') {
          await this.send(isAlive, { ...name(record), type: 'seal', term: record.term })
          await this.send(isAlive, { ...name(record), type: 'activate' })
        } else await this.send(isAlive, { ...name(record), type: 'seal', term: record.term })
      },
      activate: (record) => this.send(isAlive, { ...name(record), type: 'activate' }),
    }
    void carryOut(source, target, { mostLeft: 1, mostRounds: 4 }).then(
      () => this.finished++,
      () => undefined,
    )
  }
}

export interface SimulatedMove {
  readonly faults: readonly string[]
  /** True where the organization has changed its cell in the end. */
  readonly hasMoved: boolean
  readonly writes: number
}

/** Runs one life, and ends the move in calm weather. */
export async function simulateMove(seed: number, fault?: MoveFault): Promise<SimulatedMove> {
  const world = new World(seed, fault)
  const { random } = world
  for (let step = 0; step < 700 && world.faults.length === 0; step++) {
    const chance = random.next()
    if (chance < 0.2) world.write()
    else if (chance < 0.23) world.begin()
    else if (chance < 0.26) world.mover()
    else if (chance < 0.272) world.cancel()
    await world.tick()
  }
  world.isCalm = true
  for (let round = 0; round < 6 && world.faults.length === 0; round++) {
    for (let step = 0; step < 2_000 && !world.isIdle && world.faults.length === 0; step++) await world.tick()
    if (world.source?.state === 'done') break
    world.begin()
    world.mover()
  }
  // An operator who comes too late changes nothing.
  world.cancel()
  while (!world.isIdle && world.faults.length === 0) await world.tick()
  world.check()
  if (world.faults.length === 0 && world.source?.state !== 'done')
    world.faults.push(`the move does not end: ${world.source?.state} and ${world.target?.state}`)
  return { faults: world.faults, hasMoved: world.source?.state === 'done', writes: world.writes }
}
