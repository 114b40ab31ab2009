import { asSvg } from '../../contract/content-policy.ts'
import { describeTag } from '../../contract/openapi.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { deprecatedRoutes } from './deprecated-routes.ts'
import { ForecastThread } from './forecast-thread.ts'
import { forecast } from './forecasts.ts'
import { ResponseCache } from './response-cache.ts'
import { ForecastAnswer, ForecastQuery } from './schema.ts'

const maxCacheBytes = 32 * 1024 * 1024

export function forecasts(app: App, platform: Platform) {
  describeTag(app, 'forecasts', 'Forecasts of usage with confidence intervals, limit exhaustion dates and scenarios.')
  const thread = new ForecastThread()
  const responseCache = new ResponseCache(maxCacheBytes)
  app.addHook('onClose', () => thread.close())

  app.get(
    '/v1/capacity/forecasts',
    {
      config: { role: 'viewer', scope: 'forecasts:read', expensive: true },
      schema: {
        operationId: 'getForecasts',
        tags: ['forecasts'],
        summary: 'Forecast usage',
        description:
          'Forecasts the usage and cost of the organization from its own history, with the method that performed best in a back-test on it. Includes back-tested intervals, the dates on which limits would be reached, and the effect of scenarios. With little history, the forecast has `confidence` `low` and states the reasons. Responses are cached until usage, limits or prices change.',
        querystring: ForecastQuery,
        response: { 200: ForecastAnswer },
      },
    },
    async ({ caller, query }, reply) => {
      const answer = await forecast({ platform, thread, cache: responseCache }, caller.orgId, query)
      return (query.format === 'svg' ? asSvg(reply) : reply.type('application/json; charset=utf-8')).send(answer)
    },
  )

  deprecatedRoutes(app, platform)
}
