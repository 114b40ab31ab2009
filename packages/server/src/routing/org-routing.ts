import type { Platform } from '../infra/platform.ts'
import type { Tx } from '../infra/sql.ts'
import { type AccessLease, type Remembered, rememberByOrg } from '../nodes/nodes.ts'
import { latestResults } from './eval-queries.ts'
import { evalOf } from './evals.ts'
import { modelOf } from './models.ts'
import { allModels, allRoutes, findResidency } from './queries.ts'
import { type EvalResult, keyOf, type Route, type RoutingModel } from './route.ts'
import { routeOf } from './route-definitions.ts'

/** What an organization's runs are routed by. */
export interface OrgRouting {
  readonly models: readonly RoutingModel[]
  readonly routes: readonly Route[]
  /** The latest result of every model in every suite that a route goes by. */
  readonly latestEval: (suite: string, model: RoutingModel) => EvalResult | undefined
  /** Where models must be; null: anywhere. */
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

/** Remembered under the access lease: models, routes and results bind the next choice on every process. */
export const rememberRouting = ({ sql }: Pick<Platform, 'sql'>, lease: AccessLease): Remembered<OrgRouting> =>
  rememberByOrg(lease, (orgId) => sql.asOrgs([orgId], (tx) => loadRouting(tx, orgId), { isSnapshot: true }))
