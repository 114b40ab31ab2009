import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatUsd, parseUsd } from '../../src/values/money.ts'
import { type Answer, call } from '../../test/support/call.ts'
import { eventually } from '../../test/support/programs.ts'
import { isUncertain, post, randomFrom } from '../storm/clients.ts'
import { customerLimitUsd, type DrillTenant } from './installation.ts'

/**
 * Callers that start a run, have a provider do the work and finish the run, and write down what they were told before they act on it. The
 * provider keeps books of its own: it bills whatever was admitted.
 */

/** One call as its caller knows it. Times are of this machine's clock. */
export interface CallRecord {
  readonly name: string
  readonly customer: string
  readonly sentMs: number
  started?: { readonly atMs: number; readonly runId: string }
  /** The provider's bill for it. */
  billedNano?: bigint
  finishSentMs?: number
  finished?: { readonly atMs: number; readonly costNano: bigint }
}

/** The start of a call, from the first attempt to the answer that says what happened. */
interface Sample {
  readonly endedMs: number
  readonly tookMs: number
}

export interface Calls {
  readonly records: readonly CallRecord[]
  readonly samples: readonly Sample[]
  /** Answers that no caller should ever get. */
  readonly surprises: readonly string[]
  /** Resolves when so many more calls have been started and finished. */
  readonly goOn: (count?: number) => Promise<void>
  readonly end: () => Promise<void>
}

const holdNano = 50_000_000n
/** So many calls of each customer ask for more than its limit. */
const callsPerCustomer = 120

export function startCalls(
  tenant: DrillTenant,
  ports: readonly number[],
  options: { callers: number; pauseMs: number; seed: number },
): Calls {
  const records: CallRecord[] = []
  const samples: Sample[] = []
  const surprises: string[] = []
  let finished = 0
  const state = { isOver: false }

  const caller = async (index: number) => {
    const random = randomFrom(options.seed * 1_000 + index)
    const agent = new Agent({ keepAlive: true })
    /** Asks under one idempotency key until an answer says what happened; undefined when the drill ends first. */
    const ask = async (path: string, body: object, idempotencyKey: string) => {
      for (let attempt = index; !state.isOver; attempt++) {
        const port = ports[attempt % ports.length]!
        const reply = await post(agent, port, path, { key: tenant.key, body, idempotencyKey })
        if (!isUncertain(reply)) return reply
        await sleep(50 + random() * 100)
      }
      return undefined
    }
    while (!state.isOver) {
      const number = records.length
      const name = `call-${number}`
      const customer = `customer-${Math.floor(number / callsPerCustomer)}`
      const record: CallRecord = { name, customer, sentMs: Date.now() }
      records.push(record)
      const body = { model: 'drill', customer_id: customer, external_id: name, estimated_cost_usd: formatUsd(holdNano) }
      const began = performance.now()
      const started = await ask('/v1/runs', { ...body, lease_seconds: 3_600 }, name)
      samples.push({ endedMs: performance.now(), tookMs: performance.now() - began })
      if (started?.status === 201) {
        const runId = (JSON.parse(started.text) as { id: string }).id
        record.started = { atMs: Date.now(), runId }
        const costNano = BigInt(1 + Math.floor(random() * Number(holdNano)))
        record.billedNano = costNano
        await sleep(random() * options.pauseMs)
        record.finishSentMs = Date.now()
        const ending = { status: 'succeeded', cost_usd: formatUsd(costNano) }
        const ended = await ask(`/v1/runs/${runId}/finish`, ending, `${name}-end`)
        if (ended?.status === 200) {
          record.finished = { atMs: Date.now(), costNano }
          finished++
        } else if (ended) surprises.push(`the finish of ${name} was answered ${ended.status}: ${ended.text}`)
      } else if (started && started.status !== 402)
        surprises.push(`the start of ${name} was answered ${started.status}: ${started.text}`)
      await sleep(random() * options.pauseMs)
    }
    agent.destroy()
  }
  const callers = Promise.all(Array.from({ length: options.callers }, (_, i) => caller(i)))
  return {
    records,
    samples,
    surprises,
    goOn: async (count = 20) => {
      const before = finished
      await eventually(() => finished >= before + count)
    },
    end: async () => {
      state.isOver = true
      await callers
    },
  }
}

type Fields = Readonly<Record<string, unknown>>

/** Every run of an organization, as its customers read them, by the name of the call. */
export async function readRuns(url: string, { key }: DrillTenant): Promise<Map<string, Fields>> {
  const runs = new Map<string, Fields>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/v1/runs?limit=200${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    let page: Answer | undefined
    await eventually(async () => {
      page = await call(url, 'GET', path, { key }).catch(() => undefined)
      return page?.status === 200
    })
    for (const run of page!.json['data'] as Fields[]) runs.set(String(run['external_id']), run)
    cursor = (page!.json['next_cursor'] as string | null | undefined) ?? null
  }
  return runs
}

/**
 * What callers were told against what is on the books: nothing that was acknowledged is lost or said otherwise. With a moment to which the
 * books went back, what was acknowledged before it is there, and what was sent after it is not.
 */
export function faultsOfCalls(
  records: readonly CallRecord[],
  runs: ReadonlyMap<string, Fields>,
  momentMs = Number.POSITIVE_INFINITY,
): string[] {
  const faults: string[] = []
  for (const record of records) {
    const { name, started, finished, sentMs, finishSentMs = 0 } = record
    const run = runs.get(name)
    if (run && sentMs > momentMs) faults.push(`${name} was sent after the moment, and is there`)
    if (!started || started.atMs >= momentMs) continue
    if (!run) faults.push(`${name} was admitted, and is not there`)
    else if (run['id'] !== started.runId) faults.push(`${name} was admitted as ${started.runId}, and is ${text(run)}`)
    else if (finished && finished.atMs < momentMs) {
      if (run['status'] !== 'succeeded' || parseUsd(String(run['cost_usd'])) !== finished.costNano)
        faults.push(`${name} was finished at ${finished.costNano}, and says ${text(run)}`)
    } else if (finishSentMs > momentMs && run['status'] !== 'running')
      faults.push(`${name} was finished after the moment, and says ${text(run)}`)
  }
  for (const name of runs.keys())
    if (name.startsWith('call-') && !records.some((record) => record.name === name))
      faults.push(`${name} is there, and nobody sent it`)
  return faults
}

const text = (value: unknown) => JSON.stringify(value)

/** Customers whom the provider has billed more than their limit, with the sum of what is above. */
export function overspentNano(records: readonly CallRecord[]): { readonly customers: number; readonly nano: bigint } {
  const bills = new Map<string, bigint>()
  for (const { customer, billedNano = 0n } of records) bills.set(customer, (bills.get(customer) ?? 0n) + billedNano)
  const above = [...bills.values()].map((sum) => sum - parseUsd(customerLimitUsd)).filter((excess) => excess > 0n)
  return { customers: above.length, nano: above.reduce((sum, excess) => sum + excess, 0n) }
}

const percentile = (values: readonly number[], share: number) => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.POSITIVE_INFINITY
}

/**
 * How callers felt a disaster: their p99 before it, and how long it took until every second that followed was as good again, within a
 * factor of two or 100 ms.
 */
export function recoveryOf(samples: readonly Sample[], disasterMs: number) {
  const p99BeforeMs = percentile(
    samples.filter(({ endedMs }) => endedMs < disasterMs).map(({ tookMs }) => tookMs),
    0.99,
  )
  const good = Math.max(p99BeforeMs * 2, p99BeforeMs + 100)
  const after = samples.filter(({ endedMs }) => endedMs >= disasterMs)
  const seconds = Map.groupBy(after, ({ endedMs }) => Math.floor((endedMs - disasterMs) / 1_000))
  const last = Math.max(0, ...seconds.keys())
  let backAfterS = 0
  // The last second is cut short by the end of the drill.
  for (let second = 0; second < last; second++) {
    const p99 = percentile(
      (seconds.get(second) ?? []).map(({ tookMs }) => tookMs),
      0.99,
    )
    if (p99 > good) backAfterS = second + 1
  }
  const lastSeconds = after.filter(({ endedMs }) => endedMs >= disasterMs + backAfterS * 1_000)
  return {
    p99BeforeMs,
    backAfterS,
    /** How many whole seconds were as good as before, until the drill ended. */
    goodForS: last - backAfterS,
    p99AfterMs: percentile(
      lastSeconds.map(({ tookMs }) => tookMs),
      0.99,
    ),
  }
}

/** The longest time in which no start of a call was answered. */
export function longestSilenceMs(samples: readonly Sample[], sinceMs = 0): number {
  const times = samples.map(({ endedMs }) => endedMs).filter((endedMs) => endedMs >= sinceMs)
  return times.reduce((longest, ms, i) => Math.max(longest, ms - (times[i - 1] ?? ms)), 0)
}
