import type { Platform } from '../infra/platform.ts'
import type { Tx } from '../infra/sql.ts'
import type { EventKind } from './catalog.ts'
import { orgsWanting } from './queries.ts'
import { emitAll, type NewEvent } from './writing.ts'

/**
 * Emits sampled events for things that may happen thousands of times a second, up to a limit per minute and organization, to
 * organizations that have opted in.
 */
export function sampledEvents<K extends EventKind>({ clock, config }: Pick<Platform, 'clock' | 'config'>, kind: K) {
  let minute = 0
  let counts = new Map<string, number>()

  function mayTell(orgId: string) {
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
    happened: readonly T[],
    eventOf: (of: T) => NewEvent & { readonly kind: K },
  ) => {
    if (happened.length === 0) return
    const wanting = await orgsWanting(tx, [...new Set(happened.map(({ orgId }) => orgId))], kind)
    const told = happened.filter(({ orgId }) => wanting.has(orgId) && mayTell(orgId))
    await emitAll(
      tx,
      told.map((of) => ({ orgId: of.orgId, event: eventOf(of) })),
    )
  }
}
