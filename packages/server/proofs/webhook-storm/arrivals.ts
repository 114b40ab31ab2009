import type { Transaction, Written } from './producers.ts'
import type { Arrival } from './receiver-process.ts'
import { isReachable, type StormSubscription, wants } from './subscriptions.ts'
import type { Fault } from './weather.ts'

/** What arrived, against what was written. */

/** Many faults of one sort are one, with an example. */
export class Tally {
  private readonly sorts = new Map<string, { count: number; example: string }>()

  add(sort: string, example: string) {
    const known = this.sorts.get(sort)
    if (known) known.count++
    else this.sorts.set(sort, { count: 1, example })
  }

  get faults() {
    return [...this.sorts].map(([sort, { count, example }]) => `${sort}: ${count}, for example ${example}`)
  }
}

export class Arrivals {
  readonly byPath = new Map<string, Arrival[]>()
  /** When an endpoint had accepted an event for the first time. */
  readonly accepted = new Map<string, Map<string, number>>()

  add(arrivals: readonly Arrival[]) {
    for (const arrival of arrivals) {
      const { path, name, isAccepted, atMs } = arrival
      const all = this.byPath.get(path)
      if (all) all.push(arrival)
      else this.byPath.set(path, [arrival])
      if (!isAccepted || name === undefined) continue
      let firsts = this.accepted.get(path)
      if (!firsts) this.accepted.set(path, (firsts = new Map()))
      if (!firsts.has(name)) firsts.set(name, atMs)
    }
  }
}

/** Which committed events each subscription has to be told. */
export function expectedOf(subscriptions: readonly StormSubscription[], log: readonly Transaction[]) {
  const committed = log.flatMap((transaction) =>
    transaction.fate === 'committed'
      ? transaction.events.map((event) => ({ ...event, knownMs: transaction.knownMs }))
      : [],
  )
  const byOrg = Map.groupBy(committed, ({ org }) => org)
  return new Map(
    subscriptions.map((subscription) => [
      subscription,
      (byOrg.get(subscription.org) ?? []).filter(({ kind }) => wants(subscription, kind)),
    ]),
  )
}
export type Expected = ReturnType<typeof expectedOf>

export const missingCount = (expected: Expected, { accepted }: Arrivals) =>
  [...expected].reduce(
    (sum, [subscription, events]) =>
      isReachable(subscription) ? sum + Math.max(0, events.length - (accepted.get(subscription.path)?.size ?? 0)) : sum,
    0,
  )

export function faultsOfArrivals(
  expected: Expected,
  log: readonly Transaction[],
  arrivals: Arrivals,
  resumedMs: readonly number[],
): string[] {
  const tally = new Tally()
  const written = new Map(
    log.flatMap(({ events, fate }) => events.map((event) => [event.name, { event, fate }] as const)),
  )
  const bodies = new Map<string, { eventId: string; digest: string }>()
  const nameOf = new Map<string, string>()
  for (const [subscription, events] of expected) {
    const { path } = subscription
    const accepted = arrivals.accepted.get(path)
    if (isReachable(subscription))
      for (const { name } of events) if (accepted?.has(name) !== true) tally.add('lost', `${name} at ${path}`)
    for (const arrival of arrivals.byPath.get(path) ?? []) {
      const { name = '', eventId, digest } = arrival
      const source = written.get(name)
      if (!source) {
        tally.add('written by nobody', `${arrival.type} ${eventId} at ${path}`)
        continue
      }
      if (source.fate !== 'committed') tally.add('rolled back, and told', `${name} at ${path}`)
      if (
        source.event.org !== subscription.org ||
        !wants(subscription, source.event.kind) ||
        source.event.kind !== arrival.type
      )
        tally.add('not asked for', `${name} (${arrival.type}) at ${path}`)
      const body = bodies.get(name)
      if (!body) bodies.set(name, { eventId, digest })
      else if (body.eventId !== eventId) tally.add('another event id', `${name}: ${eventId} and ${body.eventId}`)
      else if (body.digest !== digest) tally.add('other bytes', `${name} at ${path}`)
      if ((nameOf.get(eventId) ?? name) !== name) tally.add('one id for two events', eventId)
      nameOf.set(eventId, name)
      const fault = signatureFault(subscription, arrival, resumedMs)
      if (fault !== undefined) tally.add(fault, `${name} at ${path}`)
    }
    // After a delivery that was given up the next one goes.
    if (subscription.isOrdered && isReachable(subscription))
      orderFaults(subscription, arrivals.byPath.get(path) ?? [], events, tally)
  }
  return tally.faults
}

/** Clocks have seconds, and what was read a moment ago is signed with a moment later. */
const toleranceMs = 2_000

function signatureFault(
  { version, rotation }: StormSubscription,
  { version: told, verified, known, signedAt, atMs }: Arrival,
  resumedMs: readonly number[],
): string | undefined {
  if (told !== version) return `signed as version ${told}, not ${version}`
  if (verified.length === 0) return 'verified by no secret'
  if (version === '1') return undefined
  if (signedAt === undefined || Math.abs(atMs - signedAt * 1_000) > 60_000) return 'signed at another time'
  if (!rotation || known < 2) return undefined
  const signedMs = signedAt * 1_000
  const { askedMs, answeredMs, overlapSeconds } = rotation
  const isOverlap = signedMs < askedMs + overlapSeconds * 1_000 - toleranceMs
  const isOver = signedMs > answeredMs + overlapSeconds * 1_000 + toleranceMs
  // A worker that had stopped may have read the secrets long before.
  const isLate = resumedMs.some((ms) => signedMs > ms - toleranceMs && signedMs < ms + toleranceMs)
  if (isOverlap && !verified.includes(0)) return 'not verified by the old secret while both count'
  if (signedMs > answeredMs + toleranceMs && !isLate && !verified.includes(1)) return 'not verified by the new secret'
  if (isOver && verified.includes(0)) return 'verified by the old secret after its time'
  return undefined
}

/** Nothing about a subject comes before what was written earlier of it was accepted. */
function orderFaults({ path }: StormSubscription, all: readonly Arrival[], events: readonly Written[], tally: Tally) {
  const before = new Map<string, Written>()
  for (const ofSubject of Map.groupBy(events, ({ subject }) => subject).values()) {
    const inOrder = ofSubject.toSorted((a, b) => a.number - b.number)
    for (const [i, { name }] of inOrder.entries()) if (i > 0) before.set(name, inOrder[i - 1]!)
  }
  const accepted = new Set<string>()
  for (const { name = '', isAccepted } of all) {
    const earlier = before.get(name)
    if (earlier && !accepted.has(earlier.name)) tally.add('out of order', `${name} before ${earlier.name} at ${path}`)
    if (isAccepted) accepted.add(name)
  }
}

/** Accepted more than once, by those that were told everything; and which fault came after the first time. */
export function duplicatesOf(expected: Expected, arrivals: Arrivals, faults: readonly Fault[]) {
  const causes: Record<string, number> = {}
  let accepted = 0
  let distinct = 0
  for (const [subscription] of expected) {
    if (!isReachable(subscription)) continue
    const firsts = arrivals.accepted.get(subscription.path)
    distinct += firsts?.size ?? 0
    for (const { name, isAccepted, atMs } of arrivals.byPath.get(subscription.path) ?? []) {
      if (!isAccepted) continue
      accepted++
      const firstMs = firsts!.get(name!)!
      if (atMs === firstMs) continue
      const cause = faults.find((fault) => fault.atMs >= firstMs)?.what ?? 'none'
      causes[cause] = (causes[cause] ?? 0) + 1
    }
  }
  return {
    distinct,
    duplicates: accepted - distinct,
    causes,
    percent: (100 * (accepted - distinct)) / Math.max(1, distinct),
  }
}

/** The longest that anything has waited from a moment on, with those that are not slow by themselves. */
export function longestWaitMs(expected: Expected, { accepted }: Arrivals, fromMs: number) {
  let longest = 0
  for (const [subscription, events] of expected) {
    if (!isReachable(subscription) || subscription.nature === 'slow') continue
    const firsts = accepted.get(subscription.path)
    for (const { name, knownMs } of events)
      longest = Math.max(longest, (firsts?.get(name) ?? 0) - Math.max(knownMs, fromMs))
  }
  return longest
}

/** From the moment a writer knew to the moment a healthy endpoint did. */
export function lagsOf(expected: Expected, { accepted }: Arrivals) {
  const lags = [...expected]
    .filter(([{ nature }]) => nature === 'healthy')
    .flatMap(([{ path }, events]) =>
      events.flatMap(({ name, knownMs }) => {
        const atMs = accepted.get(path)?.get(name)
        return atMs === undefined ? [] : [Math.max(0, atMs - knownMs)]
      }),
    )
    .toSorted((a, b) => a - b)
  const at = (share: number) => lags[Math.min(lags.length - 1, Math.floor(lags.length * share))] ?? 0
  return { p50: at(0.5), p99: at(0.99), most: at(1) }
}
