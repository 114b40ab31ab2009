import { hash } from 'node:crypto'
import { Lru } from '../../values/lru.ts'
import type { LiveKind } from '../components/components.ts'
import { type BriefVisit, type ConsoleRoutes, part } from '../frame/frame.ts'

/** Signs by which an open page notices that something has changed. They say that, and never what; none of what the reader may not see. */
type Revisions = Readonly<Record<LiveKind, string | undefined>>

const pollMs = 5_000
const maxOrgs = 10_000

/**
 * The events of open pages. A stream ends after each event, and the browser's `EventSource` opens it again: so the session and the rights
 * of each reader are checked every time, nobody holds a connection, and a session that has ended sees nothing more. What is read is read
 * once for all readers who see the same.
 */
export function livePages({ feed }: ConsoleRoutes) {
  const revisions = createRevisions()
  feed('/console/live', async (visit) => ({
    type: 'text/event-stream; charset=utf-8',
    text: `retry: ${pollMs}\nevent: revisions\ndata: ${JSON.stringify(await revisions(visit))}\n\n`,
  }))
}

function createRevisions() {
  const known = new Lru<string, { readonly atMs: number; readonly value: Promise<Revisions> }>(maxOrgs)
  return async (visit: BriefVisit): Promise<Revisions> => {
    const { caller, now, may } = visit
    const rights = ['limits:read', 'policies:read', 'runs:read'].map((scope) => may(scope))
    const key = JSON.stringify([caller.orgId, caller.pins, rights])
    const nowMs = now.getTime()
    const before = known.get(key)
    if (before && nowMs - before.atMs < pollMs) return before.value
    const forget = () => {
      if (known.get(key)?.value === value) known.delete(key)
    }
    // What one reader may not read now, such as for their own rate, is not what others are told.
    const value = readRevisions(visit, forget)
    known.set(key, { atMs: nowMs, value })
    value.catch(forget)
    return value
  }
}

/** Reads the signs; one that cannot be read is left out, and `missed` is called. */
async function readRevisions({ api, may }: BriefVisit, missed: () => void): Promise<Revisions> {
  const signOf = async (isAllowed: boolean, read: () => Promise<unknown>) => {
    if (!isAllowed) return undefined
    const { value, fault } = await part(read())
    if (fault) missed()
    return fault ? undefined : hash('sha256', JSON.stringify(value), 'base64url').slice(0, 16)
  }
  const [budgets, approvals, refusals, runs] = await Promise.all([
    signOf(may('limits:read'), () => api.get('/v1/orgs/{id}/budgets', { query: { limit: 50 } })),
    signOf(may('policies:read'), () =>
      api.get('/v1/orgs/{id}/approvals', { query: { status: 'pending', limit: 100 } }),
    ),
    signOf(may('limits:read'), () => api.get('/v1/orgs/{id}/refusals', { query: { limit: 5 } })),
    signOf(may('runs:read'), () => api.get('/v1/runs', { query: { limit: 5 } })),
  ])
  return { budgets, approvals, refusals, runs }
}
