import { ApiError } from '../../contract/errors.ts'
import { FairSlots, NoSlot } from '../../platform/infra/fair-slots.ts'
import type { Platform } from '../../platform/infra/platform.ts'

/** Transactions of changes that one organization may have at a time; all of them end at its audit chain, one after another. */
const perOrg = 2
const maxWaitingPerOrg = 1_000
const maxWaitMs = 20_000

/**
 * The slots of changes. Those of one organization wait for each other here and not on connections: otherwise a burst of them takes the
 * whole pool, and with it the lease under which the process answers from its caches.
 */
export interface ChangeSlots {
  /** Does work as soon as its organization has a slot; throws where too many wait. */
  readonly within: <T>(orgId: string, work: () => Promise<T>) => Promise<T>
}

export function createChangeSlots({ config }: Pick<Platform, 'config'>): ChangeSlots {
  const total = Math.max(1, Math.floor(config.databasePoolSize * 0.6))
  const slots = new FairSlots({ total, perOrg: () => perOrg, maxWaitingPerOrg, maxWaitMs })
  return {
    within: async (orgId, work) => {
      await slots.enter(orgId).catch((error: unknown) => {
        if (!(error instanceof NoSlot)) throw error
        throw new ApiError(
          'service_unavailable',
          {},
          { message: 'The organization has too many concurrent changes. Retry with backoff.' },
        )
      })
      try {
        return await work()
      } finally {
        slots.leave(orgId)
      }
    },
  }
}
