import type { Platform } from '../infra/platform.ts'
import type { Tx } from '../infra/sql.ts'
import { type AccessLease, type Remembered, rememberByOrg } from '../nodes/nodes.ts'
import { latestResults } from './eval-queries.ts'
import { evalOf } from './evals.ts'
import { modelOf } from './models.ts'
import { allModels, allRoutes, findResidency } from './queries.ts'
import { type EvalResult, keyOf, type Route, type RoutingModel } from './route.ts'
import { routeOf } from './route-definitions.ts'

/** The routing configuration of an organization. */
export interface OrgRouting {
  readonly models: readonly RoutingModel[]
  readonly routes: readonly Route[]
  /** Returns the latest result of a model in a suite that a route uses. */
  readonly latestEval: (suite: string, model: RoutingModel) => EvalResult | undefined
  /** The region that models must be in; null means any. */
  readonly residency: string | null
}

const keyIn = (suite: string, of: Parameters<typeof keyOf>[0]) => `${suite}\0${keyOf(of)}`

export async function loadRouting(tx: Tx, orgId: string): Promise<OrgRouting> {
  const models = (await allModels(tx, orgId)).map(modelOf)
  const routes = (await allRoutes(tx, orgId)).map(routeOf)
  const measured = new Map(
    routes.flatMap(({ bar, candidates }) =>
      (bar ? (candidates ?? models) : []).map(({ model, provider }) => {
        const { suite } = bar!
        return [keyIn(suite, { model, provider }), { suite, model, provider }] as const
      }),
    ),
  )
  const results = (await latestResults(tx, orgId, [...measured.values()])).map(evalOf)
  const latest = new Map(results.map((result) => [keyIn(result.suite, result), result]))
  return {
    models,
    routes,
    latestEval: (suite, model) => latest.get(keyIn(suite, model)),
    residency: await findResidency(tx, orgId),
  }
}

/** Caches the routing of each organization under the access lease: changes apply from the next choice on, in every process. */
export const rememberRouting = ({ sql }: Pick<Platform, 'sql'>, lease: AccessLease): Remembered<OrgRouting> =>
  rememberByOrg(lease, (orgId) => sql.asOrgs([orgId], (tx) => loadRouting(tx, orgId), { isSnapshot: true }))
