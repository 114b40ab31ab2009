import { emit, type NewEvent } from '../../access/events/events.ts'
import type { Job } from '../../platform/infra/jobs.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { formatId } from '../../values/id.ts'
import { elementAt, lastOf, present } from '../../values/present.ts'
import { timestamp } from '../../values/timestamp.ts'
import { barReasons } from './bar.ts'
import { orgsWithRoutes, recordExpiries } from './eval-queries.ts'
import { loadRouting, type OrgRouting } from './org-routing.ts'
import { type EvalScore, modelKey, type RouteDefinition } from './route.ts'

const pageSize = 500
const beforeAll = '00000000-0000-0000-0000-000000000000'

interface ExpiredEval {
  readonly route: RouteDefinition
  readonly result: EvalScore
}

/** Returns the results that have become too old for a route and would pass its bar otherwise. */
export function expiredEvals({ models, routes, latestEval }: OrgRouting, nowMs: number): ExpiredEval[] {
  return routes.flatMap((route) => {
    const { bar, candidates } = route
    if (!bar) return []
    const named = candidates && new Set(candidates.map(modelKey))
    return models
      .filter((model) => model.enabled && (named === null || named.has(modelKey(model))))
      .flatMap((model) => {
        const result = latestEval(bar.suite, model)
        const reasons = barReasons(bar, result, nowMs)
        return result && reasons.length > 0 && reasons.every(({ code }) => code === 'eval_expired')
          ? [{ route, result }]
          : []
      })
  })
}

const eventOf = ({ route, result }: ExpiredEval): NewEvent => {
  const evalId = formatId('evalResult', result.id)
  return {
    kind: 'eval.expired',
    subject: evalId,
    data: {
      route_id: formatId('modelRoute', route.id),
      route: route.name,
      eval_id: evalId,
      suite: result.suite,
      model: result.model,
      provider: result.provider,
      measured_at: timestamp(new Date(result.measuredAtMs)),
      max_age_seconds: present(route.bar).maxAgeSeconds,
    },
  }
}

/** Emits the new expiries of one organization, in the transaction that records them. */
const publishOrgExpiries = ({ sql, clock }: Pick<Platform, 'sql' | 'clock'>, orgId: string) =>
  sql.asOrgs([orgId], async (tx) => {
    const expired = expiredEvals(await loadRouting(tx, orgId), clock.now().getTime())
    if (expired.length === 0) return
    const pairs = expired.map(({ route, result }) => ({ route_id: route.id, eval_id: result.id }))
    const newKeys = new Set((await recordExpiries(tx, orgId, pairs)).map(keyOfExpiry))
    const newlyExpired = expired.filter((_each, i) => newKeys.has(keyOfExpiry(elementAt(pairs, i))))
    await emit(tx, orgId, newlyExpired.map(eventOf))
  })

/**
 * Announces each expiry of a result for a route once. Choices depend on the time alone and do not wait for this. A failure in one
 * organization does not affect the others.
 */
export async function publishExpired(platform: Pick<Platform, 'sql' | 'clock'>, signal?: AbortSignal) {
  const failures: unknown[] = []
  let after = beforeAll
  for (;;) {
    const orgIds = await platform.sql.asOrgs([], (tx) => orgsWithRoutes(tx, after, pageSize))
    for (const orgId of orgIds) {
      signal?.throwIfAborted()
      await publishOrgExpiries(platform, orgId).catch((error: unknown) => failures.push(error))
    }
    if (orgIds.length < pageSize) break
    after = lastOf(orgIds)
  }
  if (failures.length > 0) throw failures[0]
}

const keyOfExpiry = ({ route_id, eval_id }: { route_id: string; eval_id: string }) => `${route_id} ${eval_id}`

export const expiredEvalsJob = (platform: Platform): Job => ({
  name: 'tell-expired-evals',
  schedule: '* * * * *',
  run: (_payload, signal) => publishExpired(platform, signal),
})
