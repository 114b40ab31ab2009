import { type Caller } from '../../access/identity/identity.ts'
import type { DeprecatedRoute } from '../../contract/deprecations/deprecations.ts'
import { createCounterBuffer } from '../../platform/infra/counter-buffer.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { addCalls, type CallCountRow } from './queries.ts'

/** Counter of calls of deprecated routes by caller and UTC day, buffered on its way into the database. */
export interface CallCounter {
  readonly count: (caller: Caller, route: DeprecatedRoute) => void
  readonly close: () => Promise<void>
}

export function createCallCounter(platform: Pick<Platform, 'sql' | 'metrics' | 'log' | 'clock'>): CallCounter {
  const buffer = createCounterBuffer<CallCountRow>(platform, { name: 'deprecated_calls', write: addCalls })

  return {
    count: ({ kind, id, orgId, role }, { method, route }) => {
      // Operators belong to no organization that could see it.
      if (role === 'operator' || kind === 'directory') return
      const at = platform.clock.now().toISOString()
      const day = at.slice(0, 10)
      buffer.add(`${orgId} ${day} ${method} ${route} ${id}`, {
        org_id: orgId,
        day,
        method,
        route,
        caller_id: id,
        caller_kind: kind,
        count: 1,
        at,
      })
    },
    close: buffer.close,
  }
}
