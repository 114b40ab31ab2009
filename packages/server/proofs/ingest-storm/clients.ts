import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatUsd, parseUsd } from '../../src/values/money.ts'
import { isUncertain, post } from '../storm/clients.ts'
import type { Reply } from '../storm/exchange.ts'
import { type Batch, type Mode, makeRun, rivalOf, type SentRun, type StormOrg, shuffled } from './batches.ts'
import type { IngestLog } from './log.ts'

export interface IngestTraffic {
  readonly log: IngestLog
  readonly ports: () => readonly number[]
  /** While it storms, some do not wait for their answers. */
  readonly isCalm: () => boolean
  /** Whether even the calm has lasted too long to go on asking. */
  readonly isHopeless: () => boolean
  /** The next batch of an organization; nothing when enough was sent. */
  readonly nextBatch: (org: StormOrg, random: () => number) => Batch | undefined
  /** A batch that has been answered. */
  readonly done: (batch: Batch) => void
}

const leaseSeconds = 86_400
/** How many batches lie between the first time that one is sent and the last. */
const memory = 6

/** One that sends batches, each at least twice, until each was answered: at once, one after the other, and cut anew. */
export class IngestClient {
  private readonly traffic: IngestTraffic
  private readonly org: StormOrg
  private readonly random: () => number
  private readonly agent = new Agent({ keepAlive: true })
  private readonly earlier: Batch[] = []

  constructor(traffic: IngestTraffic, org: StormOrg, random: () => number) {
    this.traffic = traffic
    this.org = org
    this.random = random
  }

  async run() {
    for (;;) {
      const batch = this.traffic.nextBatch(this.org, this.random)
      if (!batch) break
      await this.live(await this.prepared(batch))
    }
    for (const batch of this.earlier) await this.deliver(batch, 'at last')
    this.agent.destroy()
  }

  /** Sent once more, when all is quiet. */
  async repeat(batch: Batch) {
    await this.deliver(batch, 'in the end')
    this.agent.destroy()
  }

  private async live(batch: Batch) {
    const { org, random } = this
    const way = random()
    const isContested = way < 0.02 && !org.isTight
    if (isContested) await this.rivals(batch)
    else if (way < 0.25) await this.atOnce((port) => this.deliver(batch, `at once to ${port}`, port), 2)
    else {
      await this.deliver(batch, 'first')
      if (way < 0.3) await this.deliver(batch, 'again')
    }
    this.traffic.done(batch)
    if (random() < 0.05 && !isContested) await this.contradict(batch)
    this.earlier.push(batch)
    if (this.earlier.length < memory) return
    const [old, next] = [this.earlier.shift()!, this.earlier[0]!]
    // Where all is recorded in the end, a sender may also cut its runs anew; in a tight organization a batch is judged as one.
    if (random() < 0.3 && !org.isTight) await this.regroup(old, next)
    else await this.deliver(old, 'later')
  }

  private deliver({ number, mode, runs }: Batch, label: string, port?: number) {
    return this.send(`${number} ${label}`, mode, runs, port)
  }

  /** To different processes, as far as there are so many. */
  private async atOnce(send: (port: number | undefined, i: number) => Promise<unknown>, times: number) {
    const ports = shuffled(this.traffic.ports(), this.random)
    await Promise.all(Array.from({ length: times }, (_, i) => send(ports[i % Math.max(1, ports.length)], i)))
  }

  /** Two that say different things of the same runs: of each run one is right, and stays so. */
  private async rivals({ number, runs, held }: Batch) {
    const others = runs.map((run, i) => (held.has(i) ? run : rivalOf(run)))
    const sides = [runs, shuffled(others, this.random)]
    await this.atOnce((port, i) => this.send(`${number} side ${i}`, 'partial', sides[i]!, port), 2)
  }

  /** Runs that are there, with other content, beside some that are new. */
  private async contradict({ number, mode, runs, held, org }: Batch) {
    const { log } = this.traffic
    const known = runs.filter((run, i) => !held.has(i) && log.isAcknowledged(org, run.external_id)).slice(0, 5)
    if (known.length === 0) return
    const fresh = [0, 1].map((i) => makeRun(`${number}-fresh-${i}`, this.random))
    const sent = shuffled([...known.map(rivalOf), ...fresh], this.random)
    const conflicts = await this.send(`${number} other`, mode, sent)
    if (conflicts === 0) log.faults.push(`${org.name} ${number}: other content was no conflict`)
  }

  private async regroup(a: Batch, b: Batch) {
    const runs = shuffled([...a.runs.slice(a.runs.length / 2), ...b.runs.slice(0, b.runs.length / 2)], this.random)
    const label = `${a.number} and ${b.number}`
    const ways = [
      (port?: number) => this.send(`${label} forth`, 'atomic', runs, port),
      (port?: number) => this.send(`${label} back`, 'partial', runs.toReversed(), port),
      (port?: number) => this.deliver(a, 'beside', port),
    ]
    await this.atOnce((port, i) => ways[i]!(port), ways.length)
  }

  /** Makes the reservations, and starts the runs, that the batch settles. */
  private async prepared(batch: Batch): Promise<Batch> {
    const runs = [...batch.runs]
    const held = new Map<number, 'reservation' | 'started'>()
    for (const [i, kind] of batch.held) {
      const run = runs[i]!
      const found = kind === 'reservation' ? await this.reserve(run) : await this.start(run)
      if (!found) continue
      runs[i] = found
      held.set(i, kind)
    }
    return { ...batch, runs, held }
  }

  private async reserve(run: SentRun): Promise<SentRun | undefined> {
    const reply = await this.answer('/v1/edge/decision', this.asked(run), `hold-${run.external_id}`)
    if (!reply || (reply.status === 402 && this.org.isTight)) return undefined
    if (reply.status !== 200) return this.unexpected('a reservation', reply)
    const { reservation_id } = JSON.parse(reply.text) as { reservation_id: string }
    const { started_at: _, ended_at: __, ...said } = run
    return { ...said, reservation_id }
  }

  private async start(run: SentRun): Promise<SentRun | undefined> {
    const { org, traffic } = this
    traffic.log.starts(org, run.external_id)
    const body = { ...this.asked(run), external_id: run.external_id }
    const times = this.random() < 0.3 ? 2 : 1
    const replies = await Promise.all(Array.from({ length: times }, () => this.answer('/v1/runs', body, undefined)))
    // In a tight organization one of two may be refused, and the other not.
    const fitting = replies.find((reply) => reply?.status === 201)
    if (!fitting) {
      for (const reply of replies)
        if (reply && !(reply.status === 402 && org.isTight)) this.unexpected('a start', reply)
      return undefined
    }
    const { id } = JSON.parse(fitting.text) as { id: string }
    traffic.log.started(org, run.external_id, id)
    const { started_at: _, ended_at: __, ...said } = run
    return this.random() < 0.5 ? { ...said, run_id: id } : said
  }

  /** In a tight organization no run costs more than was held for it: what is above a reservation may pass a limit. */
  private asked({ cost_usd, workflow_id, customer_id }: SentRun) {
    const factor = this.org.isTight ? 1 : 0.5 + this.random()
    const estimate = BigInt(Math.ceil(Number(parseUsd(cost_usd)) * factor))
    return {
      model: 'storm',
      estimated_cost_usd: formatUsd(estimate),
      workflow_id,
      customer_id,
      lease_seconds: leaseSeconds,
    }
  }

  private unexpected(what: string, { status, text }: Reply): undefined {
    this.traffic.log.faults.push(`${this.org.name}: ${what} was answered ${status}: ${text}`)
  }

  /** Says how many conflicts it was told of. */
  private async send(label: string, mode: Mode, runs: readonly SentRun[], first?: number): Promise<number> {
    const { org, traffic } = this
    const idempotencyKey = this.random() < 0.2 ? `${label} ${this.random()}`.replaceAll(' ', '-') : undefined
    const sending = (port: number) => traffic.log.sends(org, label, mode, runs, port)
    const reply = await this.answer('/v1/runs/bulk', { runs, mode }, idempotencyKey, { first, sending })
    return reply ? traffic.log.answered(org, label, mode, runs, reply) : 0
  }

  /** Asks one process after another until there is an answer that says what happened. */
  private async answer(
    path: string,
    body: object,
    idempotencyKey: string | undefined,
    options: { first?: number | undefined; sending?: (port: number) => void } = {},
  ): Promise<Reply | undefined> {
    for (let attempt = 0; !this.traffic.isHopeless(); attempt++) {
      const ports = this.traffic.ports()
      const any = ports[Math.floor(this.random() * ports.length)]
      const port = attempt === 0 ? (options.first ?? any) : any
      if (port === undefined) {
        await sleep(50)
        continue
      }
      options.sending?.(port)
      const isHasty = !this.traffic.isCalm() && this.random() < 0.1
      const timeoutMs = isHasty ? this.random() * 500 : 30_000
      const reply = await post(this.agent, port, path, { key: this.org.key, body, idempotencyKey, timeoutMs })
      if (!isUncertain(reply)) return reply
      this.traffic.log.counts.unanswered++
      await sleep(this.random() * 150)
    }
    this.traffic.log.faults.push(`${this.org.name}: nobody answered ${path}, though all was calm`)
    return undefined
  }
}
