import type { App } from '../contract/routes.ts'
import type { Platform } from '../infra/platform.ts'
import { projectReturns } from './linear.ts'
import { LinearForecast, LinearQuery } from './linear-schema.ts'

/** The dry-run that scenarios replace; that it is deprecated is said by the registry, not here. */
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
          'The return of each deployment (what its runs of the last 30 days in UTC were worth, as reported, less what they cost), divided by the departments that the runs named and multiplied by a number of teams: a straight line, without diminishing returns. A deployment without runs has no row. Each amount is computed exactly and rounded once, to the nearest nano-dollar.',
        querystring: LinearQuery,
        response: { 200: LinearForecast },
      },
    },
    ({ principal, query }) => projectReturns(platform, principal!.orgId, query),
  )
}
