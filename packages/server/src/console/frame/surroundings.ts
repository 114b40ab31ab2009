import type { Caller } from '../../access/identity/identity.ts'
import { formatId, operatorsOrgId } from '../../values/id.ts'
import { ApiFault, type PageApi, type Schemas } from '../api/api.ts'
import type { NavCounts } from './navigation.ts'
import type { VisitedOrg } from './visit.ts'

/** Parts that every page shows around itself. */
export interface Surroundings {
  readonly org: VisitedOrg
  /** Approvals that wait for somebody; undefined for a reader who may not see them. */
  readonly waiting: Schemas['ApprovalList'] | undefined
  readonly counts: NavCounts
}

const keptMs = 5_000

/** Creates the reader of surroundings: they are read again after a few seconds, when the caller changes, or has changed something. */
export function createSurroundings() {
  const known = new WeakMap<Caller, { readonly atMs: number; readonly value: Promise<Surroundings> }>()
  return {
    read: (caller: Caller, api: PageApi, nowMs: number): Promise<Surroundings> => {
      const before = known.get(caller)
      if (before && nowMs - before.atMs < keptMs) return before.value
      const value = readSurroundings(caller, api)
      known.set(caller, { atMs: nowMs, value })
      value.catch(() => known.delete(caller))
      return value
    },
    forget: (caller: Caller) => {
      known.delete(caller)
    },
  }
}

async function readSurroundings(caller: Caller, api: PageApi): Promise<Surroundings> {
  const id = formatId('org', caller.orgId)
  if (caller.orgId === operatorsOrgId)
    return { org: { id, name: 'Installation', timezone: 'UTC' }, waiting: undefined, counts: {} }
  const [org, waiting] = await Promise.all([
    api.get('/v1/orgs/{id}').catch(unlessRefused),
    api.get('/v1/orgs/{id}/approvals', { query: { status: 'pending', limit: 100 } }).catch(unlessRefused),
  ])
  const count = waiting?.data.length ?? 0
  return {
    org: { id, name: org?.name ?? id, timezone: org?.timezone ?? 'UTC' },
    waiting,
    counts: count > 0 ? { '/console/approvals': { count, what: 'waiting' } } : {},
  }
}

/** Takes a refusal for nothing to show; a session that has ended, or anything else, is thrown. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof ApiFault) || error.status === 401 || error.status >= 500) throw error
}
