import { formatUsd } from '../../src/values/money.ts'
import type { Tenant } from '../storm/installation.ts'

/** What the clients of an ingest storm send. */

export interface StormOrg extends Tenant {
  readonly name: string
  /** How many of all runs are its own. */
  readonly share: number
  readonly clients: number
  /** Whether its budget is used up on the way. */
  readonly isTight: boolean
  readonly budgetId: string
}

export interface SentRun {
  readonly external_id: string
  readonly model: string
  readonly cost_usd: string
  readonly workflow_id?: string
  readonly customer_id?: string
  readonly input_tokens: number
  readonly output_tokens: number
  readonly status: string
  readonly started_at?: string
  readonly ended_at?: string
  readonly reservation_id?: string
  readonly run_id?: string
}

export type Mode = 'atomic' | 'partial'

export interface Batch {
  readonly org: StormOrg
  readonly number: number
  readonly mode: Mode
  readonly runs: readonly SentRun[]
  /** Which of the runs settle something that is held before. */
  readonly held: ReadonlyMap<number, 'reservation' | 'started'>
}

/** Runs cost up to $0.002, to the nano-dollar. */
const mostNano = 2_000_000
export const meanNano = mostNano / 2
export const maxRunsOfBatch = 1_000
const dayMs = 86_400_000

export function makeBatch(org: StormOrg, number: number, most: number, random: () => number): Batch {
  const runs = Array.from({ length: Math.min(most, sizeOf(random)) }, (_, i) => makeRun(`${number}-${i}`, random))
  const held = new Map<number, 'reservation' | 'started'>()
  if (random() < 0.3)
    for (let i = 0; i < 3; i++) held.set(Math.floor(random() * runs.length), random() < 0.5 ? 'reservation' : 'started')
  return { org, number, mode: random() < 0.5 ? 'partial' : 'atomic', runs, held }
}

/** From 1 to 1,000, small ones as likely as large ones; a quarter is large, or a million runs would never be sent. */
const sizeOf = (random: () => number) =>
  random() < 0.75 ? Math.round(maxRunsOfBatch ** random()) : Math.round(maxRunsOfBatch * (0.3 + 0.7 * random()))

export function makeRun(externalId: string, random: () => number): SentRun {
  const one = (share: number, count: number, prefix: string) =>
    random() < share ? `${prefix}-${Math.floor(random() * count)}` : undefined
  const workflow = one(0.7, 4, 'workflow')
  const customer = one(0.6, 25, 'customer')
  const startedAtMs = Date.now() - random() * 3 * dayMs
  return {
    external_id: externalId,
    model: 'storm',
    cost_usd: formatUsd(BigInt(1 + Math.floor(random() * mostNano))),
    ...(workflow !== undefined && { workflow_id: workflow }),
    ...(customer !== undefined && { customer_id: customer }),
    input_tokens: Math.floor(random() * 2_000),
    output_tokens: Math.floor(random() * 500),
    status: random() < 0.1 ? 'failed' : 'succeeded',
    ...(random() < 0.5 && {
      started_at: new Date(startedAtMs).toISOString(),
      ended_at: new Date(startedAtMs + 1_500).toISOString(),
    }),
  }
}

/** The same name with other content. */
export const rivalOf = (run: SentRun): SentRun => ({ ...run, input_tokens: run.input_tokens + 1, cost_usd: '0.003' })

export function shuffled<T>(all: readonly T[], random: () => number): T[] {
  const order = all.map((one) => ({ one, at: random() }))
  return order.sort((a, b) => a.at - b.at).map(({ one }) => one)
}
