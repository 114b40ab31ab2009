import type { Change } from '../changes/changes.ts'
import { describeTag } from '../contract/openapi.ts'
import type { App } from '../contract/routes.ts'
import { type Deciding, decideRoute } from './deciding.ts'
import { RoutingDecision, RoutingInput } from './decision-schema.ts'
import { evalRoutes } from './eval-routes.ts'
import { modelRoutes } from './model-routes.ts'
import { routeRoutes } from './route-routes.ts'

export function routing(app: App, change: Change, deciding: Deciding) {
  const { platform } = deciding
  describeTag(app, 'routing', 'Which model a run is sent to: models, how they did in evals, and routes among them.')

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
        keepsOwnAnswers: true,
        errors: [
          'no_model_passes_eval',
          'policy_blocked',
          'policy_approval_required',
          'policy_expression_error',
          'budget_exceeded',
          'spend_cap_exceeded',
          'plan_limit_exceeded',
          'credits_exhausted',
          { code: 'quota_exhausted', status: 402 },
          'service_unavailable',
        ],
      },
      schema: {
        operationId: 'decideRoute',
        tags: ['routing'],
        summary: 'Choose a model',
        description:
          'The first model by the strategy of the route among those that pass its bar, its constraints and the organization’s rules; never one that does not. Every limit is asked whether it has room for the call, and nothing is held: start the run with what was chosen. A refusal for money names in `details.fits` a cheaper model of the route that fits.',
        body: RoutingInput,
        response: { 200: RoutingDecision },
      },
    },
    (request, reply) => decideRoute(deciding, request, reply),
  )
}
