import type { Deprecation } from '../../packages/server/src/contract/deprecations/registry.ts'
import { addMonths, readDate, readInstant } from './calendar.ts'
import { type LedgerEntry, removedSettings } from './ledger.ts'

const minimumNoticeMonths = 12

/** The name by which people know what is deprecated. */
export function surfaceOf(entry: Deprecation): string {
  if (entry.kind === 'route') return `${entry.method} ${entry.route}`
  return entry.kind === 'setting' ? entry.variable : entry.id
}

/** Each announcement by itself: its dates exist, and they leave the notice that the contract promises. */
export function noticeFaults(registry: readonly Deprecation[]): string[] {
  return registry.flatMap((entry) => {
    const name = surfaceOf(entry)
    const since = readDate(entry.since)
    if (!since) return [`${name}: since is no date: ${entry.since}`]
    if (entry.kind === 'setting') return []
    const sunset = readInstant(entry.sunset)
    if (!sunset) return [`${name}: sunset is no UTC instant such as 2027-12-31T23:59:59Z: ${entry.sunset}`]
    const months = entry.kind === 'route' && entry.noticeClass === 'v1_api' ? minimumNoticeMonths : 0
    if (sunset >= addMonths(since, months)) return []
    return [`${name}: the sunset ${entry.sunset} is less than ${months} months after ${entry.since}`]
  })
}

/** What was published stays published: nothing is withdrawn, renamed or brought forward. */
export function withdrawalFaults(
  released: readonly Deprecation[],
  current: readonly Deprecation[],
  ledger: readonly LedgerEntry[],
): string[] {
  const removed = removedSettings(ledger)
  return released.flatMap((entry) => {
    const name = surfaceOf(entry)
    const now = current.find((other) => other.id === entry.id)
    if (!now) {
      if (entry.kind === 'setting' && removed.includes(entry.variable)) return []
      return [`${name}: the deprecation ${entry.id} disappeared`]
    }
    if (now.kind !== entry.kind || surfaceOf(now) !== name)
      return [`${name}: the deprecation ${entry.id} now names ${surfaceOf(now)}`]
    return [
      ...(now.since === entry.since ? [] : [`${name}: since moved from ${entry.since} to ${now.since}`]),
      ...(now.kind !== 'setting' && entry.kind !== 'setting' && Date.parse(now.sunset) < Date.parse(entry.sunset)
        ? [`${name}: the published sunset moved earlier, from ${entry.sunset} to ${now.sunset}`]
        : []),
      ...(now.kind === 'route' && entry.kind === 'route' && now.noticeClass !== entry.noticeClass
        ? [`${name}: its notice class changed from ${entry.noticeClass} to ${now.noticeClass}`]
        : []),
    ]
  })
}
