import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { requireId } from '../../src/values/id.ts'
import { formatUsd } from '../../src/values/money.ts'
import { exchange, type Reply } from './exchange.ts'

/** A fixed sequence of numbers from 0 to 1 for a seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** What a client sent, and what it was answered, written down before it acts on it. A status of 0: no answer came. */
export type Entry =
  | { readonly type: 'decide'; readonly call: number; readonly key?: string }
  | {
      readonly type: 'decided'
      readonly call: number
      readonly status: number
      readonly text: string
      readonly ms: number
    }
  | { readonly type: 'end'; readonly op: EndOp; readonly holdId: string; readonly costNano: bigint }
  | {
      readonly type: 'ended'
      readonly op: EndOp
      readonly holdId: string
      readonly costNano: bigint
      readonly status: number
      readonly text: string
    }
export type EndOp = 'settle' | 'release' | 'extend' | 'raise'

export interface Traffic {
  readonly key: string
  /** The ports that serve now. */
  readonly ports: () => readonly number[]
  readonly log: Entry[]
  readonly isOver: () => boolean
  /** Whether more has been spent than is good for a storm that should stay near its limits to the end. */
  readonly isAhead: () => boolean
  readonly nextCall: () => number
  readonly settled: (costNano: bigint) => void
}

export function post(
  agent: Agent,
  port: number,
  path: string,
  options: { key: string; body?: object; idempotencyKey?: string | undefined; timeoutMs?: number },
): Promise<Reply> {
  const { body, timeoutMs = 10_000, ...rest } = options
  const text = body === undefined ? '' : JSON.stringify(body)
  return exchange(agent, { ...rest, port, method: 'POST', path, body: text, timeoutMs })
}

/** To be asked again: nothing is known, or the same call is still on its way elsewhere. */
export const isUncertain = ({ status, text }: Reply) =>
  status === 0 || status === 503 || (status === 409 && text.includes('"idempotency_key_processing"'))

/** One connection after another, and on each one call after another: decide, and then any of the ways in which calls end. */
export class StormClient {
  private readonly traffic: Traffic
  private readonly random: () => number
  private readonly index: number
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 })
  private turns = 0

  constructor(traffic: Traffic, index: number, random: () => number) {
    this.traffic = traffic
    this.index = index
    this.random = random
  }

  async run() {
    while (!this.traffic.isOver()) await this.live()
    this.agent.destroy()
  }

  /** A few large calls, each charged in full. */
  async spend(times: number, costNano: bigint) {
    for (let i = 0; i < times; i++) {
      const call = this.traffic.nextCall()
      const body = { model: 'storm', estimated_cost_usd: formatUsd(costNano), input_tokens: call }
      const key = `storm-${call}`
      let decided: Reply
      do {
        this.traffic.log.push({ type: 'decide', call, key })
        decided = await this.send('/v1/edge/decision', body, key)
        this.traffic.log.push({ type: 'decided', call, ...decided, ms: 0 })
      } while (isUncertain(decided))
      if (decided.status !== 200) throw new Error(`refused before the storm: ${decided.text}`)
      const { reservation_id } = JSON.parse(decided.text) as { reservation_id: string }
      const settlement = { reservation_id, cost_usd: formatUsd(costNano), tokens: 10 }
      await this.finish('settle', requireId('reservation', reservation_id), '/v1/storm/settle', settlement, costNano)
      this.traffic.settled(costNano)
    }
    this.agent.destroy()
  }

  private async live() {
    const { log, nextCall } = this.traffic
    const call = nextCall()
    const holdNano = this.holdNano()
    const key = this.random() < 0.35 ? `storm-${call}` : undefined
    const leaseSeconds = this.random() < 0.5 ? 2 : 3
    const body = {
      ...this.dimensions(),
      model: 'storm',
      estimated_cost_usd: formatUsd(holdNano),
      input_tokens: call,
      lease_seconds: leaseSeconds,
    }
    for (let attempt = 0; attempt < (key === undefined ? 1 : 5); attempt++) {
      log.push({ type: 'decide', call, ...(key !== undefined && { key }) })
      const sentMs = performance.now()
      const reply = await this.send('/v1/edge/decision', body, key)
      log.push({ type: 'decided', call, ...reply, ms: performance.now() - sentMs })
      if (reply.status === 200) {
        const { reservation_id } = JSON.parse(reply.text) as { reservation_id: string }
        return this.end(
          requireId('reservation', reservation_id),
          reservation_id,
          holdNano,
          sentMs + leaseSeconds * 1_000,
        )
      }
      await this.pause(isUncertain(reply) ? 150 : 20)
      if (!isUncertain(reply)) return undefined
    }
    return undefined
  }

  private async end(holdId: string, id: string, holdNano: bigint, untilMs: number) {
    const way = this.random()
    // Large holds that nobody ends keep the limits contested until their leases are over.
    if (way < (holdNano > 100_000_000n ? 0.6 : 0.04)) return
    await this.pause(10)
    if (way > 0.95)
      await this.finish('extend', holdId, `/v1/edge/reservations/${id}/extend`, { lease_seconds: 3 }, 0n, untilMs)
    if (this.random() < 0.2) {
      const raised = { lease_seconds: 3, estimated_cost_usd: formatUsd(holdNano * 2n) }
      await this.finish('raise', holdId, `/v1/edge/reservations/${id}/extend`, raised, holdNano * 2n, untilMs)
    }
    if (way > 0.85 && way < 0.95) {
      await this.finish('release', holdId, `/v1/edge/reservations/${id}/release`, undefined, 0n, untilMs)
      return
    }
    const share = this.traffic.isAhead() ? 0.01 : 1
    const times = this.random() < 0.15 ? 2 : 1
    for (let i = 0; i < times; i++) {
      const costNano = BigInt(Math.floor(Number(holdNano) * share * this.random()))
      const body = { reservation_id: id, cost_usd: formatUsd(costNano), tokens: 10 }
      const reply = await this.finish('settle', holdId, '/v1/storm/settle', body, costNano, untilMs)
      if (reply?.status === 200 && i === 0) this.traffic.settled(costNano)
    }
  }

  /** Until it is answered, or the lease is over: what comes later would be booked as late. */
  private async finish(
    op: EndOp,
    holdId: string,
    path: string,
    body: object | undefined,
    costNano: bigint,
    untilMs = Number.POSITIVE_INFINITY,
  ) {
    for (let attempt = 0; attempt < 8 && performance.now() < untilMs; attempt++) {
      this.traffic.log.push({ type: 'end', op, holdId, costNano })
      const reply = await this.send(path, body, undefined)
      this.traffic.log.push({ type: 'ended', op, holdId, costNano, ...reply })
      if (!isUncertain(reply)) return reply
      await this.pause(150)
    }
    return undefined
  }

  /** To its own process; after a failure to the next one that serves. */
  private async send(path: string, body: object | undefined, idempotencyKey: string | undefined): Promise<Reply> {
    const ports = this.traffic.ports()
    const port = ports[(this.index + this.turns) % Math.max(1, ports.length)]
    if (port === undefined) {
      await this.pause(100)
      return { status: 0, text: '' }
    }
    const timeoutMs = 1_000 + this.random() * 4_000
    const reply = await post(this.agent, port, path, {
      key: this.traffic.key,
      ...(body && { body }),
      idempotencyKey,
      timeoutMs,
    })
    if (isUncertain(reply)) this.turns++
    return reply
  }

  /** From $0.0001 to $0.5, small ones as likely as large ones. */
  private holdNano() {
    return BigInt(Math.round(100_000 * 5_000 ** this.random()))
  }

  private dimensions() {
    const one = (share: number, count: number, prefix: string) =>
      this.random() < share ? `${prefix}-${Math.floor(this.random() * count)}` : undefined
    return {
      workflow_id: one(0.6, 5, 'workflow'),
      department_id: one(0.5, 3, 'department'),
      deployment_id: one(0.5, 3, 'deployment'),
      customer_id: one(0.6, 40, 'customer'),
      provider: one(0.3, 2, 'provider'),
      tags: ['tag-0', 'tag-1'].filter(() => this.random() < 0.3),
    }
  }

  private pause(upToMs: number) {
    return sleep(this.random() * upToMs)
  }
}
