import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../../test/support/random.ts'
import { codesIn } from '../storm/storm.ts'
import {
  Arrivals,
  duplicatesOf,
  expectedOf,
  faultsOfArrivals,
  lagsOf,
  longestWaitMs,
  missingCount,
} from './arrivals.ts'
import { faultsOfBooks, isSettled, retire } from './books.ts'
import type { WebhookInstallation } from './installation.ts'
import { lookUp, prepareNotes, produce, type Transaction } from './producers.ts'
import { isReachable, rotate, type StormSubscription, subscribe } from './subscriptions.ts'
import { type Pace, type WeatherReport, weatherOver } from './weather.ts'

/**
 * A storm on webhooks: events of several organizations are written in real transactions while the workers that deliver them are
 * killed and stopped and PostgreSQL crashes. Afterwards every event that was committed has reached every subscription that can be
 * reached, and nothing else has.
 */

export interface WebhookStormOptions {
  readonly orgs: number
  readonly subscriptions: number
  /** Whether some of them are slow, dead or gone. */
  readonly withTroubled: boolean
  /** The share of subscriptions that ask for order; by default it depends on their nature. */
  readonly orderedShare?: number
  readonly events: number
  /** How many are written in a second. */
  readonly rate: number
  readonly seed: number
  readonly pace?: Pace
  /** How long both secrets count where one is rotated. */
  readonly overlapSeconds?: number
  /** How long it may take after the last event, and after the last fault, until everything has arrived. */
  readonly patienceSeconds: number
  readonly pastTransaction?: boolean
}

export interface WebhookStormReport {
  readonly faults: readonly string[]
  readonly figures: Record<string, string | number>
  readonly duplicatePercent: number
  readonly lag: { readonly p50: number; readonly p99: number }
}

export async function runWebhookStorm(
  installation: WebhookInstallation,
  options: WebhookStormOptions,
): Promise<WebhookStormReport> {
  const { cluster, workers, api, calm } = installation
  const random = new Random(options.seed)
  const startedMs = performance.now()
  const seenLog = cluster.log.length
  const preparing = await cluster.connect()
  await prepareNotes(preparing)
  await preparing.end()
  const { orgs, subscriptions } = await subscribe(installation, options, random)
  const setUpMs = performance.now() - startedMs
  const log: Transaction[] = []
  const arrivals = new Arrivals()
  installation.arrived()

  let isProducing = true
  const share = options.pace ? 1 - lastShare : 1
  const producing = produce(cluster, { ...options, events: Math.round(options.events * share), orgs }, log).finally(
    () => {
      isProducing = false
    },
  )
  const rotating = rotateSome(installation, subscriptions, options, random, () => !isProducing)
  // It is waited for below; before that nobody would hear.
  rotating.catch(() => undefined)
  let weather: WeatherReport | undefined
  let lastKillMs: number | undefined
  calm.value = false
  try {
    if (options.pace) {
      weather = await weatherOver(installation, options.pace, random, () => !isProducing)
      await producing
      // The last fault of all, while events are written: what this worker has taken is delivered by the others.
      const events = Math.round(options.events * lastShare)
      const last = produce(cluster, { ...options, events, orgs }, log)
      await sleep(random.int((events / options.rate) * 1_000))
      lastKillMs = Date.now()
      await random.pick(workers).kill()
      weather.faults.push({ what: 'kill', atMs: lastKillMs })
      await last
    }
    await producing
    await rotating
    await Promise.all(workers.map((worker) => worker.settled()))
  } finally {
    calm.value = true
  }
  const producedMs = performance.now() - startedMs - setUpMs

  const client = await cluster.connect()
  try {
    const unknown = await lookUp(client, log)
    const expected = expectedOf(subscriptions, log)
    const fates = Object.groupBy(log, ({ fate }) => fate)
    const deadlineMs = performance.now() + options.patienceSeconds * 1_000
    let isDone = false
    while (!isDone && performance.now() < deadlineMs) {
      await sleep(100)
      arrivals.add(installation.arrived())
      isDone = missingCount(expected, arrivals) === 0 && (await isSettled(client, subscriptions))
    }
    // What is on its way twice may still arrive.
    await sleep(500)
    arrivals.add(installation.arrived())
    const recoverySeconds = lastKillMs === undefined ? 0 : longestWaitMs(expected, arrivals, lastKillMs) / 1_000
    const serverLog = cluster.log.slice(seenLog)
    const faults = [
      ...faultsOfArrivals(expected, log, arrivals, weather?.resumedMs ?? []),
      ...(await faultsOfBooks(client, expected, arrivals, eventsOf(fates.committed))),
      ...(recoverySeconds > maxRecoverySeconds
        ? [`it took ${recoverySeconds} s to deliver what a killed worker had taken`]
        : []),
      ...serverLog.filter((line) => / (40P01|XX\d{3}) |PANIC/.test(line)),
      ...[api, ...workers].flatMap(({ surprises, complaints }) => [...surprises, ...complaints]),
    ]
    await retire(client, subscriptions)
    const { distinct, duplicates, percent, causes } = duplicatesOf(expected, arrivals, weather?.faults ?? [])
    const lag = lagsOf(expected, arrivals)
    const figures = {
      seed: options.seed,
      subscriptions: subscriptions.length,
      'rotated under load': subscriptions.filter(({ rotation }) => rotation).length,
      'events committed': eventsOf(fates.committed),
      'events rolled back': eventsOf(fates['rolled back']),
      'transactions that had to be looked up': unknown,
      'deliveries to those that can be told': distinct,
      'arrivals of all kinds': [...arrivals.byPath.values()].reduce((sum, { length }) => sum + length, 0),
      duplicates,
      'duplicates in %': Number(percent.toFixed(2)),
      'lag p50 in ms': lag.p50,
      'lag p99 in ms': lag.p99,
      'most lag in ms': lag.most,
      'duplicates by the fault that came next': JSON.stringify(causes),
      faults: JSON.stringify(countBy(weather?.faults ?? [])),
      'longest wait after the last kill in s': recoverySeconds,
      'refused by PostgreSQL': JSON.stringify(codesIn(serverLog)),
      'set up in s': Math.round(setUpMs / 1_000),
      'written in s': Math.round(producedMs / 1_000),
      'all in s': Math.round((performance.now() - startedMs) / 1_000),
    }
    return { faults, figures, duplicatePercent: percent, lag }
  } finally {
    await client.end()
  }
}

const eventsOf = (transactions: readonly Transaction[] = []) =>
  transactions.reduce((sum, { events }) => sum + events.length, 0)

const countBy = (faults: readonly { what: string }[]) =>
  Object.fromEntries([...Map.groupBy(faults, ({ what }) => what)].map(([what, { length }]) => [what, length]))

const maxRecoverySeconds = 35
/** Of all events, how many are written with nothing going wrong any more but one kill. */
const lastShare = 0.1

/** Some get a new secret at a moment of their own, in the first half. */
async function rotateSome(
  installation: WebhookInstallation,
  subscriptions: readonly StormSubscription[],
  { overlapSeconds, events, rate }: WebhookStormOptions,
  random: Random,
  isOver: () => boolean,
) {
  if (overlapSeconds === undefined) return
  const candidates = subscriptions.filter((subscription) => isReachable(subscription) && subscription.version === '2')
  const chosen = candidates.filter((_, i) => i % 4 === 0)
  const halfMs = (events / rate / 2) * 1_000
  await Promise.all(
    chosen.map(async (subscription) => {
      await sleep(random.int(halfMs))
      if (!isOver()) await rotate(installation, subscription, overlapSeconds)
    }),
  )
}

/** What healthy subscriptions feel of those that are slow or dead: the same events without them, then with them. */
export async function compareLag(
  installation: WebhookInstallation,
  options: Omit<WebhookStormOptions, 'withTroubled' | 'pace'>,
) {
  const without = await runWebhookStorm(installation, { ...options, withTroubled: false })
  const withThem = await runWebhookStorm(installation, { ...options, withTroubled: true })
  return {
    faults: [...without.faults, ...withThem.faults],
    figures: {
      'without them, p50 and p99 in ms': `${without.lag.p50} ${without.lag.p99}`,
      'with them, p50 and p99 in ms': `${withThem.lag.p50} ${withThem.lag.p99}`,
    },
    ratio: withThem.lag.p99 / Math.max(1, without.lag.p99),
  }
}
