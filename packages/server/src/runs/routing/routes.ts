import type { Change } from '../../access/changes/changes.ts'
import { describeTag } from '../../contract/openapi.ts'
import type { App } from '../../contract/routes.ts'
import { limitErrors } from '../../money/limit-kinds.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { decideRoute, type RoutingServices } from './decision.ts'
import { RoutingDecision, RoutingInput } from './decision-schema.ts'
import { evalRoutes } from './eval-routes.ts'
import { modelRoutes } from './model-routes.ts'
import { routeRoutes } from './route-routes.ts'

export function routing(app: App, platform: Platform, change: Change, services: RoutingServices) {
  describeTag(app, 'routing', 'Models, their eval results, and the routes that choose among them.')

  modelRoutes(app, platform, change)
  evalRoutes(app, platform, change)
  routeRoutes(app, platform, change)

  app.post(
    '/v1/routing/decision',
    {
      config: {
        pinned: 'filtered',
        role: 'service',
        scope: 'routing:read',
        urgency: 'decision',
        storesOwnResponses: true,
        errors: [
          'no_model_passes_eval',
          'policy_blocked',
          'policy_approval_required',
          'policy_expression_error',
          ...limitErrors('route'),
          'service_unavailable',
        ],
      },
      schema: {
        operationId: 'decideRoute',
        tags: ['routing'],
        summary: 'Choose a model',
        description:
          'Returns the first model by the route’s strategy among those that pass its bar, its constraints and the organization’s rules. Every limit is checked for room, but nothing is held: start the run with the chosen model. When a spending limit refuses the call, `details.fits` names a cheaper model of the route that fits.',
        body: RoutingInput,
        response: { 200: RoutingDecision },
      },
    },
    (request, reply) => decideRoute(platform, services, request, reply),
  )
}
