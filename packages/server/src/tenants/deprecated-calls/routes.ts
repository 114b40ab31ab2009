import type { Deprecation } from '../../contract/deprecations/deprecations.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { listDeprecatedCalls } from './deprecated-calls.ts'
import { DeprecatedCallsList, DeprecatedCallsQuery } from './schema.ts'

export function deprecatedCalls(app: App, platform: Platform, registry: readonly Deprecation[]) {
  app.get(
    '/v1/orgs/:id/deprecated-calls',
    {
      config: { role: 'admin', scope: 'keys:read', pinned: 'filtered' },
      schema: {
        operationId: 'listDeprecatedCalls',
        tags: ['keys'],
        summary: 'List who still calls deprecated routes',
        description:
          'One entry per deprecated route and caller, with the calls of the last 30 days unless `from` and `to` say otherwise; the window is of whole days in UTC, and counts are kept for 90. Every call that was let in counts, `HEAD` as `GET`, whatever its answer; it is listed within a second. Calls of operators are not.',
        params: OrgPath,
        querystring: DeprecatedCallsQuery,
        response: { 200: DeprecatedCallsList },
      },
    },
    ({ caller, query }) => listDeprecatedCalls(platform, registry, caller, query),
  )
}
