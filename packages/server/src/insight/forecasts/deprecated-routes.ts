import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { projectReturns } from './linear.ts'
import { LinearForecast, LinearQuery } from './linear-schema.ts'

/** The deprecated dry run, which scenarios replace. Its deprecation is declared in the registry, not here. */
export function deprecatedRoutes(app: App, platform: Platform) {
  app.get(
    '/v1/forecast',
    {
      config: { role: 'viewer', scope: 'forecasts:read', expensive: true },
      schema: {
        operationId: 'projectReturns',
        tags: ['forecasts'],
        summary: 'Project returns by team count',
        description:
          'Projects the return of each deployment linearly, without diminishing returns: the reported value of its runs of the last 30 days in UTC minus their cost, divided by the number of departments that the runs named, multiplied by a number of teams. A deployment without runs has no row. Each amount is computed exactly and rounded once, to the nearest nano-dollar.',
        querystring: LinearQuery,
        response: { 200: LinearForecast },
      },
    },
    ({ caller, query }) => projectReturns(platform, caller.orgId, query),
  )
}
