import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { type AccessLease, type Cache, createOrgCache } from '../../platform/nodes/nodes.ts'
import { present } from '../../values/present.ts'
import { latestResults } from './eval-queries.ts'
import { evalOf } from './evals.ts'
import { modelOf } from './models.ts'
import { allModels, allRoutes, findResidency } from './queries.ts'
import { type EvalScore, modelKey, type RoutableModel, type RouteDefinition } from './route.ts'
import { routeOf } from './route-definitions.ts'

/** The routing configuration of an organization. */
export interface OrgRouting {
  readonly models: readonly RoutableModel[]
  readonly routes: readonly RouteDefinition[]
  /** Returns the latest result of a model in a suite that a route uses. */
  readonly latestEval: (suite: string, model: RoutableModel) => EvalScore | undefined
  /** The region that models must be in; null means any. */
  readonly residency: string | null
}

const evalKeyOf = (suite: string, name: Parameters<typeof modelKey>[0]) => `${suite}\0${modelKey(name)}`

export async function loadRouting(tx: Tx, orgId: string): Promise<OrgRouting> {
  const models = (await allModels(tx, orgId)).map(modelOf)
  const routes = (await allRoutes(tx, orgId)).map(routeOf)
  const measured = new Map(
    routes.flatMap(({ bar, candidates }) =>
      (bar ? (candidates ?? models) : []).map(({ model, provider }) => {
        const { suite } = present(bar)
        return [evalKeyOf(suite, { model, provider }), { suite, model, provider }] as const
      }),
    ),
  )
  const results = (await latestResults(tx, orgId, [...measured.values()])).map(evalOf)
  const latest = new Map(results.map((result) => [evalKeyOf(result.suite, result), result]))
  return {
    models,
    routes,
    latestEval: (suite, model) => latest.get(evalKeyOf(suite, model)),
    residency: await findResidency(tx, orgId),
  }
}

/** Caches the routing of each organization under the access lease: changes apply from the next choice on, in every process. */
export const createRoutingCache = ({ sql }: Pick<Platform, 'sql'>, lease: AccessLease): Cache<OrgRouting> =>
  createOrgCache(lease, (orgId) => sql.asOrgs([orgId], (tx) => loadRouting(tx, orgId), { isSnapshot: true }))
