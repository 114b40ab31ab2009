import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatUsd } from '../../src/values/money.ts'
import { isUncertain } from '../storm/clients.ts'
import { exchange, type Reply } from '../storm/exchange.ts'
import type { Ending, Journal, Labels, Life, LimitChange } from './journal.ts'

/** Address at which a process serves. */
export interface Door {
  readonly host: string
  readonly port: number
}

export interface Traffic {
  readonly key: string
  readonly orgId: string
  /** Addresses that serve now. */
  readonly doors: () => readonly Door[]
  /** Told of each answer, and at which address it was given. */
  readonly seen?: (door: Door, reply: Reply) => void
  /** Longest wait for an answer; five seconds by default. */
  readonly timeoutMs?: number
  readonly journal: Journal
  readonly isOver: () => boolean
  /** Budgets whose limits clients change under load. */
  readonly budgetIds: readonly string[]
  readonly next: () => number
}

const heartbeatMs = 50

/** A caller that lives one call after another, and sometimes several ways of ending it at once. */
export class OutsiderClient {
  private readonly traffic: Traffic
  private readonly index: number
  private readonly random: () => number
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 4 })
  private turns = 0

  constructor(traffic: Traffic, index: number, random: () => number) {
    this.traffic = traffic
    this.index = index
    this.random = random
  }

  async run() {
    while (!this.traffic.isOver()) {
      const way = this.random()
      if (this.index < 4 && way > 0.6) await this.changeLimit()
      else if (way < 0.4) await this.liveAtEdge()
      else if (way < 0.75) await this.liveAsRun()
      else if (way < 0.88) await this.reportFacts()
      else await this.resend()
    }
    this.agent.destroy()
  }

  private async liveAtEdge() {
    const life = this.begin('edge')
    const body = { ...this.question(life), lease_seconds: this.chance(0.5) ? 2 : 6 }
    const decided = await this.insist('decide', 'POST', '/v1/edge/decision', body)
    if (decided?.status !== 200) return
    const { reservation_id, reserved_usd } = JSON.parse(decided.text) as Record<string, string>
    Object.assign(life, { reservationId: reservation_id, reservedUsd: reserved_usd })
    if (this.chance(0.05)) return
    await this.pause(20)
    if (this.chance(0.1)) return this.release(life)
    const endings = this.chance(0.15) ? [this.ending(life), this.ending(life)] : [this.ending(life)]
    await Promise.all(endings.map((ending) => this.settle(life, ending)))
  }

  private async liveAsRun() {
    const life = this.begin('run')
    const body = {
      ...this.question(life),
      external_id: life.name,
      tags: life.tags,
      lease_seconds: this.chance(0.3) ? 2 : 6,
    }
    const started = await this.insist('start', 'POST', '/v1/runs', body)
    if (started?.status !== 201) return
    const { id, reserved_usd } = JSON.parse(started.text) as Record<string, string>
    Object.assign(life, { runId: id, reservedUsd: reserved_usd })
    if (this.chance(0.04)) return
    const ended = new AbortController()
    const heartbeat = this.beat(`/v1/runs/${id}/extend`, ended.signal)
    await this.pause(60)
    const endings = this.chance(0.2) ? [this.ending(life), this.ending(life)] : [this.ending(life)]
    await Promise.all(endings.map((ending) => this.finish(life, ending)))
    ended.abort()
    await heartbeat
  }

  /** Extends a lease again and again, also while its run is being finished. */
  private async beat(path: string, ended: AbortSignal) {
    while (!ended.aborted && !this.traffic.isOver()) {
      await this.send('extend', 'POST', path, { lease_seconds: 3 })
      await this.pause(heartbeatMs)
    }
  }

  /** Calls that nobody was asked about, several in one request; some of them again, some with other content. */
  private async reportFacts() {
    const lives = Array.from({ length: 1 + Math.floor(this.random() * 12) }, () => this.begin('fact'))
    const runs = lives.map((life) => {
      const ending = this.ending(life)
      life.endings.push({ ending, replies: [] })
      return { life, body: { ...this.bulkItem(life, ending), ...life.labels, model: life.model } }
    })
    const reply = await this.insist('bulk', 'POST', '/v1/runs/bulk', { runs: runs.map(({ body }) => body) })
    for (const [i, { life }] of runs.entries()) if (reply) life.endings[0]!.replies.push(itemReply(reply, i))
    if (reply?.status !== 200 || !this.chance(0.3)) return
    const [{ life, body }] = runs as [(typeof runs)[number]]
    const other = { ...body, cost_usd: '0.000000001', status: body.status === 'failed' ? 'succeeded' : 'failed' }
    const again = await this.insist('bulk again', 'POST', '/v1/runs/bulk', { runs: [other] })
    if (again && again.status !== 409)
      this.fault(`${life.name} was recorded again with other content: ${again.status} ${again.text}`)
  }

  /** Asks again for an answer that it has: the same bytes must come, whatever has happened since. */
  private async resend() {
    const { receipts } = this.traffic.journal
    const receipt = receipts[Math.floor(this.random() * receipts.length)]
    if (!receipt) return this.pause(50)
    const { method, path, body, key, reply } = receipt
    const again = await this.sendText('resend', method, path, body, key)
    if (isUncertain(again)) return undefined
    if (again.status !== reply.status || again.text !== reply.text)
      this.fault(
        `${method} ${path} with the key ${key}: ${reply.status} ${reply.text}, then ${again.status} ${again.text}`,
      )
    return undefined
  }

  private async changeLimit() {
    const { budgetIds, journal, orgId } = this.traffic
    const budgetId = budgetIds[Math.floor(this.random() * budgetIds.length)]!
    // Near what is spent, so that it binds; no two changes are alike.
    const limitUsd = formatUsd(BigInt(Math.floor(this.random() * 3e9)) * 1_000n + BigInt(this.traffic.next() % 1_000))
    const change: LimitChange = { budgetId, limitUsd, isAcknowledged: false }
    journal.changes.push(change)
    const path = `/v1/orgs/${orgId}/budgets/${budgetId}`
    const reply = await this.insist('change', 'PATCH', path, { limit_usd: limitUsd })
    if (reply?.status === 200) change.isAcknowledged = true
    await this.pause(200)
  }

  private async release(life: Life) {
    life.isReleaseSent = true
    const reply = await this.insist('release', 'POST', `/v1/edge/reservations/${life.reservationId}/release`, undefined)
    if (reply?.status === 200) life.isReleased = true
  }

  private async settle(life: Life, ending: Ending) {
    const sent = { ending, replies: [] as Reply[] }
    life.endings.push(sent)
    const runs = [{ reservation_id: life.reservationId, model: life.model, ...this.bulkItem(life, ending) }]
    const reply = await this.insist('settle', 'POST', '/v1/runs/bulk', { runs })
    if (reply) sent.replies.push(itemReply(reply, 0))
  }

  private async finish(life: Life, ending: Ending) {
    const sent = { ending, replies: [] as Reply[] }
    life.endings.push(sent)
    const { labels: _ignored, model: _other, ...body } = ending
    const reply = await this.insist('finish', 'POST', `/v1/runs/${life.runId}/finish`, body)
    if (reply) sent.replies.push(reply)
    if (reply?.status === 200) {
      const said = JSON.parse(reply.text) as { status: string; output_tokens: number | null }
      if (said.status !== ending.status || said.output_tokens !== (ending.output_tokens ?? null))
        this.fault(`${life.name} was finished as ${JSON.stringify(ending)} and answered ${reply.text}`)
    }
  }

  private begin(kind: Life['kind']): Life {
    const life: Life = {
      name: `${kind}-${this.traffic.next()}`,
      kind,
      model: this.chance(0.8) ? 'storm' : 'storm-dear',
      labels: this.labels(),
      tags: kind === 'run' && this.chance(0.3) ? [`tag-${Math.floor(this.random() * 5)}`] : [],
      isAsked: true,
      isReleaseSent: false,
      isReleased: false,
      endings: [],
    }
    this.traffic.journal.lives.push(life)
    return life
  }

  private question({ model, labels }: Life) {
    const estimated_cost_usd = formatUsd(BigInt(Math.round(100_000 * 5_000 ** this.random())))
    return { model, ...labels, estimated_cost_usd, input_tokens: 10, max_output_tokens: 10 }
  }

  private ending({ kind, labels }: Life): Ending {
    const status = this.one(['succeeded', 'failed', 'cancelled'] as const)
    const tokens = { input_tokens: Math.floor(this.random() * 1_000), output_tokens: Math.floor(this.random() * 1_000) }
    const differs = kind === 'edge' && this.chance(0.15)
    return {
      status,
      ...((kind === 'fact' || this.chance(0.9)) && tokens),
      ...(this.chance(0.6) && { cost_usd: formatUsd(BigInt(Math.floor(this.random() * 3e6))) }),
      ...(this.chance(0.3) && { value_usd: formatUsd(BigInt(Math.floor(this.random() * 1e9))) }),
      ...(this.chance(0.3) && { ended_at: new Date().toISOString().replace('Z', '+00:00') }),
      ...(kind === 'edge' && this.chance(0.15) && { model: 'storm-dear' }),
      ...(differs && { labels: { ...labels, workflow_id: 'workflow-elsewhere', customer_id: 'customer-elsewhere' } }),
    }
  }

  private bulkItem({ name }: Life, { labels = {}, ...ending }: Ending) {
    return { external_id: name, ...ending, ...labels }
  }

  private labels(): Labels {
    const one = (share: number, count: number, prefix: string) =>
      this.chance(share) ? `${prefix}-${Math.floor(this.random() * count)}` : undefined
    const chosen = {
      workflow_id: one(0.6, 4, 'workflow'),
      department_id: one(0.5, 3, 'department'),
      deployment_id: one(0.5, 3, 'deployment'),
      customer_id: one(0.6, 10, 'customer'),
    }
    return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined))
  }

  /** Sends under one key until it is known what became of it, or the storm is over. */
  private async insist(name: string, method: string, path: string, body: object | undefined) {
    const key = `outsider-${this.traffic.next()}`
    const text = body === undefined ? '' : JSON.stringify(body)
    for (let attempt = 0; attempt < 12; attempt++) {
      const reply = await this.sendText(name, method, path, text, key)
      if (!isUncertain(reply)) {
        if (reply.status < 300) this.traffic.journal.receipts.push({ path, method, key, body: text, reply })
        return reply
      }
      await this.pause(300)
    }
    return undefined
  }

  private send(name: string, method: string, path: string, body: object) {
    return this.sendText(name, method, path, JSON.stringify(body), undefined)
  }

  private async sendText(name: string, method: string, path: string, body: string, key: string | undefined) {
    const doors = this.traffic.doors()
    const door = doors[(this.index + this.turns) % Math.max(1, doors.length)]
    const reply =
      door === undefined
        ? await this.pause(100).then(() => ({ status: 0, text: '' }))
        : await exchange(this.agent, {
            ...door,
            method,
            path,
            body,
            key: this.traffic.key,
            idempotencyKey: key,
            timeoutMs: this.traffic.timeoutMs ?? 5_000,
          })
    if (door) this.traffic.seen?.(door, reply)
    if (isUncertain(reply) || this.chance(0.1)) this.turns++
    this.count(name, reply)
    return reply
  }

  private count(name: string, { status, text }: Reply) {
    const { answers } = this.traffic.journal
    const code = status >= 400 ? (JSON.parse(text) as { error: { code: string } }).error.code : ''
    const answer = `${name} ${status || 'no answer'} ${code}`.trim()
    answers[answer] = (answers[answer] ?? 0) + 1
    if (status >= 500 && status !== 503) this.fault(`${name} was answered ${status}: ${text}`)
    if (status >= 400 && ![402, 409, 503].includes(status)) this.fault(`${name} was answered ${status}: ${text}`)
  }

  private fault(text: string) {
    const { faults } = this.traffic.journal
    if (faults.length < 1_000) faults.push(text)
  }

  private chance = (share: number) => this.random() < share
  private one = <T>(values: readonly T[]): T => values[Math.floor(this.random() * values.length)]!
  private pause = (upToMs: number) => sleep(this.random() * upToMs)
}

/** The answer to one item of a bulk request. */
function itemReply({ status, text }: Reply, index: number): Reply {
  if (status !== 200) return { status, text }
  const { error } = (JSON.parse(text) as { results: { error?: object }[] }).results[index]!
  return error === undefined ? { status, text } : { status: 409, text: JSON.stringify({ error }) }
}
