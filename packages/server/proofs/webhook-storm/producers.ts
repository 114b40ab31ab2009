import { setTimeout as sleep } from 'node:timers/promises'
import { sql as raw } from 'kysely'
import type pg from 'pg'
import { emit, eventKinds, type NewEvent } from '../../src/access/events/events.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { openSql, type Sql } from '../../src/platform/infra/sql.ts'
import { secret } from '../../src/values/secret.ts'
import { Random } from '../../test/support/random.ts'
import type { Cluster } from '../storm/cluster.ts'
import { type StormKind, type StormOrg, stormKinds } from './subscriptions.ts'

/** What happens in a storm of webhooks: events in real transactions, of which their writers know what became. */

export type Fate = 'committed' | 'rolled back' | 'unknown'

export interface Written {
  readonly name: string
  readonly org: StormOrg
  readonly kind: StormKind
  readonly subject: string
  /** In the order of writing, among those of its subject. */
  readonly number: number
}

export interface Transaction {
  readonly id: string
  readonly events: readonly Written[]
  fate: Fate
  /** When its writer knew. */
  knownMs: number
}

export interface ProducingOptions {
  readonly orgs: readonly StormOrg[]
  readonly events: number
  /** All writers together, in a second. */
  readonly rate: number
  readonly seed: number
  /** Writes what it reports past its transaction: a fault that the checks must see. */
  readonly pastTransaction?: boolean
}

const writers = 6
const maxEvents = 12
const rollbackShare = 0.05

/** Where writers note in the same transaction that it was: whoever does not know whether it committed looks there. */
export async function prepareNotes(client: pg.Client) {
  await client.query('create schema if not exists storm')
  await client.query('create table if not exists storm.notes (id text primary key)')
  await client.query('grant usage on schema storm to weir_app')
  await client.query('grant insert on storm.notes to weir_app')
}

/** Writes until there are enough; the log grows meanwhile. */
export async function produce(cluster: Cluster, options: ProducingOptions, log: Transaction[]) {
  const sql = openSql({
    url: secret(cluster.appUrl(cluster.port, 'writers')),
    maxConnections: writers,
    applicationName: 'writers',
    log: createLog({ level: 'silent', role: 'storm' }),
  })
  const startedMs = performance.now()
  const budget = { left: options.events, written: 0 }
  const isAhead = () => budget.written > ((performance.now() - startedMs) / 1_000) * options.rate
  try {
    const write = async (number: number) => {
      const writer = new Writer(sql, options, number, log.length)
      while (budget.left > 0) {
        if (isAhead()) {
          await sleep(10)
          continue
        }
        const transaction = writer.next(budget.left)
        budget.left -= transaction.events.length
        budget.written += transaction.events.length
        log.push(transaction)
        await writer.commit(transaction)
        // Others are written in place of what was not.
        if (transaction.fate === 'unknown') budget.left += transaction.events.length
      }
    }
    await Promise.all(Array.from({ length: writers }, (_, i) => write(i)))
  } finally {
    await sql.close()
  }
}

class GivenUp extends Error {}

class Writer {
  private readonly random: Random
  private readonly numbers = new Map<string, number>()
  private readonly sql: Sql
  private readonly options: ProducingOptions
  private readonly number: number
  private count = 0
  private readonly before: number

  constructor(sql: Sql, options: ProducingOptions, number: number, before: number) {
    this.sql = sql
    this.options = options
    this.number = number
    this.random = new Random(options.seed * 100 + number)
    this.before = before
  }

  /** Subjects are this writer's own, so what it writes one after the other is in that order. */
  next(most: number): Transaction {
    const { random } = this
    const org = random.pick(this.options.orgs)
    const id = `${this.options.orgs[0]!.id}-${this.before}-${this.number}-${++this.count}`
    const events = Array.from({ length: Math.min(most, random.between(1, maxEvents)) }, (_, i) => {
      const subject = `${org.id}-${this.before}-${this.number}-${random.int(2)}`
      const number = (this.numbers.get(subject) ?? 0) + 1
      this.numbers.set(subject, number)
      return { name: `${id}-${i}`, org, kind: random.pick(stormKinds), subject, number }
    })
    return { id, events, fate: 'unknown', knownMs: 0 }
  }

  async commit(transaction: Transaction) {
    const { id, events } = transaction
    const { uuid } = events[0]!.org
    const isGivenUp = this.random.chance(rollbackShare)
    if (this.options.pastTransaction === true)
      await this.sql.asOrgs([uuid], (tx) => emit(tx, uuid, events.map(toEvent)))
    try {
      await this.sql.asOrgs([uuid], async (tx) => {
        await raw`insert into storm.notes values (${id})`.execute(tx)
        if (this.options.pastTransaction !== true) await emit(tx, uuid, events.map(toEvent))
        if (isGivenUp) throw new GivenUp()
      })
      transaction.fate = 'committed'
    } catch (error) {
      if (error instanceof GivenUp) transaction.fate = 'rolled back'
      else await sleep(250)
    }
    transaction.knownMs = Date.now()
  }
}

/** As its kind has it in the documentation, and with a name. */
const toEvent = ({ kind, subject, name }: Written) =>
  ({ kind, subject, data: { ...eventKinds[kind].example, storm: name } }) as unknown as NewEvent

/** Looks up what became of transactions of which nobody knows; says how many there were. */
export async function lookUp(client: pg.Client, log: readonly Transaction[]): Promise<number> {
  const unknown = log.filter(({ fate }) => fate === 'unknown')
  const { rows } = await client.query<{ id: string }>('select id from storm.notes where id = any($1)', [
    unknown.map(({ id }) => id),
  ])
  const noted = new Set(rows.map(({ id }) => id))
  for (const transaction of unknown) transaction.fate = noted.has(transaction.id) ? 'committed' : 'rolled back'
  return unknown.length
}
