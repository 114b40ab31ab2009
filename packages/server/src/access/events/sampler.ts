import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import type { EventKind } from './catalog.ts'
import { emitAll, type NewEvent } from './outbox.ts'
import { findOptedInOrgs } from './queries.ts'

/**
 * Emits sampled events for things that may happen thousands of times a second, up to a limit per minute and organization, to
 * organizations that have opted in.
 */
export function createEventSampler<K extends EventKind>(
  { clock, config }: Pick<Platform, 'clock' | 'config'>,
  kind: K,
) {
  let minute = 0
  let counts = new Map<string, number>()

  function mayEmit(orgId: string) {
    const now = Math.floor(clock.now().getTime() / 60_000)
    if (now !== minute) {
      minute = now
      counts = new Map()
    }
    const count = counts.get(orgId) ?? 0
    if (count >= config.refusalEventsPerMinute) return false
    counts.set(orgId, count + 1)
    return true
  }

  return async <T extends { readonly orgId: string }>(
    tx: Tx,
    occurrences: readonly T[],
    eventOf: (occurrence: T) => NewEvent & { readonly kind: K },
  ) => {
    if (occurrences.length === 0) return
    const optedIn = await findOptedInOrgs(tx, [...new Set(occurrences.map(({ orgId }) => orgId))], kind)
    const admitted = occurrences.filter(({ orgId }) => optedIn.has(orgId) && mayEmit(orgId))
    await emitAll(
      tx,
      admitted.map((occurrence) => ({ orgId: occurrence.orgId, event: eventOf(occurrence) })),
    )
  }
}
