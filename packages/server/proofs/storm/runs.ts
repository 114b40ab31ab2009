import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { formatUsd, parseUsd } from '../../src/values/money.ts'
import { eventually } from '../../test/support/programs.ts'
import { type Answer, call } from '../../test/support/tenants.ts'
import { isUncertain, post } from './clients.ts'
import type { Reply } from './exchange.ts'
import { createTenant, type Installation, type Tenant } from './installation.ts'

/** Agents that start runs, extend them while they work and finish them; and their own record against what the runs say. */

type Fields = Readonly<Record<string, unknown>>

/** One run as its agent knows it. */
interface RunLife {
  readonly id: string
  /** What the start said of the run, as far as the run shows it. */
  readonly labels: Fields
  /** Every way in which the run was finished, whatever came of it. */
  readonly endings: Fields[]
  /** Runs as acknowledged finishes answered them. */
  readonly finished: Fields[]
  /** The most that an acknowledged extension said is reserved. */
  reservedNano: bigint
}

export interface RunTraffic {
  readonly key: string
  readonly ports: () => readonly number[]
  readonly isOver: () => boolean
  /** Runs that were started, and faults that agents saw themselves. */
  readonly lives: RunLife[]
  readonly faults: string[]
}

const leaseSeconds = 86_400

/** One agent: a run after the other, each extended all the time, as the guides say. */
export class StormAgent {
  private readonly traffic: RunTraffic
  private readonly random: () => number
  private readonly agent = new Agent({ keepAlive: true })

  constructor(traffic: RunTraffic, random: () => number) {
    this.traffic = traffic
    this.random = random
  }

  async run() {
    while (!this.traffic.isOver()) await this.live()
    this.agent.destroy()
  }

  private async live() {
    const labels = {
      workflow_id: this.name('workflow', 3),
      deployment_id: this.name('deployment', 2),
      department_id: this.name('department', 2),
      customer_id: this.name('customer', 5),
      external_id: `run-${this.number(1e12)}`,
    }
    const { random, traffic } = this
    const body = { ...labels, model: 'storm', estimated_cost_usd: formatUsd(BigInt(this.number(1e7))) }
    const started = await this.answer('/v1/runs', { ...body, lease_seconds: leaseSeconds })
    if (started.status !== 201) {
      traffic.faults.push(`a start was answered ${started.status}: ${started.text}`)
      return
    }
    const { id } = JSON.parse(started.text) as { id: string }
    const life: RunLife = { id, labels, endings: [], finished: [], reservedNano: 0n }
    traffic.lives.push(life)
    let isFinished = false
    const beating = this.beat(life, () => isFinished)
    await sleep(random() * 20)
    // Some are finished by two at once, who do not agree: an agent and whatever watches over it.
    await Promise.all(Array.from({ length: random() < 0.2 ? 2 : 1 }, () => this.finish(life)))
    isFinished = true
    await beating
  }

  private async finish(life: RunLife) {
    const ending = {
      status: ['succeeded', 'failed', 'cancelled'][this.number(3)]!,
      input_tokens: this.number(1_000),
      output_tokens: this.number(1_000),
      value_usd: formatUsd(BigInt(this.number(1e9))),
      ...(this.random() < 0.5 && { cost_usd: formatUsd(BigInt(this.number(2e7))) }),
    }
    life.endings.push(ending)
    const { status, text } = await this.answer(`/v1/runs/${life.id}/finish`, ending)
    if (status === 200) life.finished.push(JSON.parse(text) as Fields)
    else if (status !== 409 || life.endings.length === 1)
      this.traffic.faults.push(`the finish of ${life.id} was answered ${status}: ${text}`)
  }

  /** Extends a run all the time, and raises it now and then. */
  private async beat(life: RunLife, isFinished: () => boolean) {
    while (!isFinished()) {
      const more = this.random() < 0.5 && { estimated_cost_usd: formatUsd(BigInt(this.number(4e7))) }
      const { status, text } = await this.send(`/v1/runs/${life.id}/extend`, { lease_seconds: leaseSeconds, ...more })
      if (status === 200) {
        const reservedNano = parseUsd((JSON.parse(text) as { reserved_usd: string }).reserved_usd)
        if (reservedNano > life.reservedNano) life.reservedNano = reservedNano
      }
      await sleep(this.random() * 5)
    }
  }

  /** Asks until there is an answer that says what happened. */
  private async answer(path: string, body: object): Promise<Reply> {
    for (;;) {
      const reply = await this.send(path, body)
      if (!isUncertain(reply)) return reply
      await sleep(this.random() * 150)
    }
  }

  private async send(path: string, body: object): Promise<Reply> {
    const ports = this.traffic.ports()
    const port = ports[this.number(ports.length)]
    if (port !== undefined) return post(this.agent, port, path, { key: this.traffic.key, body })
    await sleep(50)
    return { status: 0, text: '' }
  }

  private number(below: number) {
    return Math.floor(this.random() * below)
  }

  private name(prefix: string, count: number) {
    return `${prefix}-${this.number(count)}`
  }
}

/** An organization whose agents are refused nothing, with a budget that counts what they spend. */
export async function tenantOfAgents(installation: Installation): Promise<Tenant> {
  const tenant = await createTenant(installation)
  const set = async (method: string, path: string, body: object) => {
    const url = `http://127.0.0.1:${installation.apis[0]!.port}`
    const { status, text: told } = await call(url, method, `/v1/orgs/${tenant.id}${path}`, { key: tenant.key, body })
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${told}`)
  }
  const price = { model: 'storm', input_usd_per_million: '0', output_usd_per_million: '1', max_output_tokens: 1 }
  await set('PUT', '/prices', { prices: [price], min_hold_usd: '0.0001' })
  await set('POST', '/budgets', { name: 'agents', scope_kind: 'org', limit_usd: '100000', period: 'year' })
  return tenant
}

const perPage = 200

/** Reads as soon as some process serves again: right after a storm each may still be on its way back. */
async function readAfterStorm(port: () => number | undefined, path: string, key: string): Promise<Answer['json']> {
  let read: Answer | undefined
  await eventually(async () => {
    read = await call(`http://127.0.0.1:${port()}`, 'GET', path, { key }).catch(() => undefined)
    return read?.status === 200
  })
  return read!.json
}

/** Every run of an organization, as `/v1` shows it, against what its agents know: nothing that was acknowledged is said otherwise. */
export async function faultsOfRunLives({ apis }: Installation, { key }: Tenant, lives: readonly RunLife[]) {
  const faults: string[] = []
  const runs = new Map<unknown, Fields>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/v1/runs?limit=${perPage}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const json = await readAfterStorm(() => apis.find(({ port }) => port !== undefined)?.port, path, key)
    for (const run of json['data'] as Fields[]) runs.set(run['id'], run)
    cursor = (json['next_cursor'] as string | null | undefined) ?? null
  }
  for (const { id, labels, endings, finished, reservedNano } of lives) {
    const run = runs.get(id)
    runs.delete(id)
    if (!run) faults.push(`run ${id} was started, and is not there`)
    else if (!says(run, labels)) faults.push(`run ${id} started as ${text(labels)} says ${text(run)}`)
    else if (parseUsd(run['reserved_usd'] as string) < reservedNano)
      faults.push(`run ${id} was raised to ${reservedNano} and says ${text(run)}`)
    else if (!endings.some((ending) => says(run, ending)))
      faults.push(`run ${id} was finished as ${text(endings)} and says ${text(run)}`)
    else
      for (const told of finished)
        if (!isDeepStrictEqual(told, run))
          faults.push(`run ${id} was acknowledged as ${text(told)} and says ${text(run)}`)
  }
  for (const id of runs.keys()) faults.push(`run ${String(id)} was started by nobody`)
  return faults
}

const says = (run: Fields, fields: Fields) => Object.entries(fields).every(([name, value]) => run[name] === value)
const text = (value: unknown) => JSON.stringify(value)
