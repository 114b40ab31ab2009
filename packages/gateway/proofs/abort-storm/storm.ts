import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from 'undici'
import { eventually } from '../../../server/test/support/programs.ts'
import type { Entry } from '../../src/practice/books.ts'
import type { Script } from '../../src/practice/script.ts'
import {
  allRuns,
  billOf,
  type Kind,
  kinds,
  maximum,
  nameHeader,
  paceMs,
  streamFor,
  teach,
} from '../support/kinds-of-streams.ts'
import { Random } from '../support/random.ts'
import type { Site } from '../support/site.ts'
import { quantile, sumOf } from '../support/statistics.ts'

/** A storm of callers that hang up: before the first byte, in the middle, at any time. The provider's books tell what each had cost by then. */

/** One call, through the gateway or through a bare pipe: when its caller hung up, by the clock of this process. */
interface Dropped {
  readonly name: string
  readonly kind: Kind
  goneAtMs: number | undefined
}

interface Times {
  readonly p50: number
  readonly p99: number
}

export interface AbortReport {
  readonly dropped: number
  /** Calls that were charged less than the provider billed. */
  readonly short: readonly { readonly what: string; readonly hides: boolean; readonly heardMs: number }[]
  readonly visibleRatio: number
  readonly hiddenRatio: number
  /** The time until the provider heard that the caller was gone; through a bare pipe it is what the machine takes for it. */
  readonly hearMs: Times
  readonly pipedHearMs: Times
  /** Calls whose provider was to be stopped and was not, and those whose provider was stopped and should not have been. */
  readonly unheard: number
  readonly wronglyStopped: number
}

/** One call of so many goes through the pipe. */
const pipedOneOf = 4

export async function runAbortStorm(
  site: Site,
  options: { readonly streams: number; readonly atOnce: number; readonly seed: number; readonly pipe?: string },
): Promise<AbortReport> {
  const { provider } = site
  const agent = new Agent({ connections: options.atOnce * 2 })
  const random = new Random(options.seed)
  const calls: Dropped[] = []
  const piped: Dropped[] = []
  await teach(site, agent, random)
  const one = async (i: number) => {
    const isPiped = options.pipe !== undefined && i % pipedOneOf === 0
    const kind = isPiped ? kinds['chat']! : kinds[random.pick(Object.keys(kinds))]!
    const call: Dropped = { name: `abort-${options.seed}-${i}`, kind, goneAtMs: undefined }
    const all = isPiped ? piped : calls
    all.push(call)
    const script: Script = {
      output: kind.drains ? 300 : maximum,
      chunkMs: kind.drains ? 2 : random.between(...paceMs),
      firstMs: random.pick([0, 0, 200]),
      ...(kind.drains && { billsToTheEnd: true }),
      ...(kind.hides && { reasoning: random.between(0, 400) }),
    }
    const stop = new AbortController()
    const read = streamFor(site, call, script, agent, stop.signal, isPiped ? options.pipe : undefined)
      .then(async ({ body }) => void (await body.text()))
      .catch(() => undefined)
    await pause(random.chance(0.1) ? random.between(0, 50) : random.between(300, 3_000))
    call.goneAtMs = performance.now()
    stop.abort()
    await read
  }
  let next = 0
  const worker = async () => {
    while (next < options.streams) {
      next += 1
      await one(next)
    }
  }
  await Promise.all(Array.from({ length: options.atOnce }, worker))
  await agent.destroy()

  const runningRuns = async () => (await site.ask('GET', '/v1/runs?status=running&limit=1'))['data'] as unknown[]
  await eventually(async () => (await runningRuns()).length === 0)
  await eventually(() => provider.books.entries.every(({ state }) => state !== 'running'))
  const runs = await allRuns(site)
  const entries = new Map<string, Entry>(
    provider.books.entries.map((entry) => [String(entry.headers[nameHeader]), entry]),
  )
  const judged = calls.flatMap((call) => {
    const entry = entries.get(call.name)
    // Gone before its call was sent: nothing was billed.
    if (entry === undefined) return []
    return [{ call, entry, billed: billOf(call.kind, entry), charged: runs.get(call.name) ?? 0 }]
  })
  const ratioOf = (hides: boolean) => {
    const own = judged.filter(
      ({ call: { kind }, entry }) => kind.hides === hides && !kind.drains && entry.state === 'aborted',
    )
    return sumOf(own.map(({ charged }) => charged)) / sumOf(own.map(({ billed }) => billed))
  }
  const stopped = judged.filter(({ call: { kind } }) => !kind.drains)
  const heard = hearTimes(
    stopped.map(({ call }) => call),
    entries,
  )
  return {
    dropped: judged.length,
    short: judged
      .filter(({ billed, charged }) => charged < billed)
      .map(({ call, entry, billed, charged }) => ({
        what: `${call.name} ${call.kind.path}: ${charged} of ${billed} nano-dollars, ${entry.input} tokens and ${entry.output} with ${entry.reasoning} hidden`,
        hides: call.kind.hides,
        heardMs: Math.round((entry.goneAtMs ?? Number.POSITIVE_INFINITY) - call.goneAtMs!),
      })),
    visibleRatio: ratioOf(false),
    hiddenRatio: ratioOf(true),
    hearMs: timesOf(heard),
    pipedHearMs: timesOf(hearTimes(piped, entries)),
    unheard:
      stopped.length -
      heard.length -
      stopped.filter(({ entry }) => entry.goneAtMs === undefined && entry.state === 'complete').length,
    wronglyStopped: judged.filter(({ call: { kind }, entry }) => kind.drains && entry.state !== 'complete').length,
  }
}

/** The times until the provider heard of callers that were gone; calls that it had answered by then are left out. */
const hearTimes = (calls: readonly Dropped[], entries: ReadonlyMap<string, Entry>): number[] =>
  calls.flatMap(({ name, goneAtMs }) => {
    const heardMs = entries.get(name)?.goneAtMs
    return heardMs === undefined || goneAtMs === undefined ? [] : [Math.max(0, heardMs - goneAtMs)]
  })

const timesOf = (values: readonly number[]): Times => ({ p50: quantile(values, 0.5), p99: quantile(values, 0.99) })
