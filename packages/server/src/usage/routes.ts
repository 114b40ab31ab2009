import { Readable } from 'node:stream'
import { readWindow } from '../contract/lists.ts'
import { describeTag } from '../contract/openapi.ts'
import type { App } from '../contract/routes.ts'
import { OrgPath } from '../contract/wire.ts'
import type { Platform } from '../infra/platform.ts'
import { exportFocus } from './focus.ts'
import { defaultWindow, wholeSteps } from './granules.ts'
import { Usage, UsageExport, UsageExportQuery, UsageQuery } from './schema.ts'
import { readUsage } from './usage.ts'

const dayMs = 86_400_000

export function usage(app: App, platform: Platform) {
  const tags = ['usage']
  describeTag(app, 'usage', 'What runs used and cost, added up.')

  app.get(
    '/v1/orgs/:id/usage',
    {
      config: { role: 'viewer', scope: 'usage:read' },
      schema: {
        operationId: 'getUsage',
        tags,
        summary: 'Get usage',
        description:
          'Runs, tokens and cost by hour, day or month of a time zone, and by up to two dimensions; a run counts when it has ended, in the period in which it started. A window of at most 90 days, by default the last 30. Usage of more than 90 days ago counts at the beginning of its UTC day.',
        params: OrgPath,
        querystring: UsageQuery,
        response: { 200: Usage },
      },
    },
    ({ principal, query }) => readUsage(platform, principal!.orgId, query),
  )

  app.get(
    '/v1/orgs/:id/usage/export',
    {
      config: { role: 'viewer', scope: 'usage:read', urgency: 'export' },
      schema: {
        operationId: 'exportUsage',
        tags,
        summary: 'Export usage',
        description:
          'Streams the cost of whole UTC days in the columns of FOCUS 1.2, the FinOps Open Cost and Usage Specification. A window of at most 90 days, by default the last 30.',
        params: OrgPath,
        querystring: UsageExportQuery,
        response: { 200: UsageExport },
      },
    },
    ({ principal, query, method }, reply) => {
      const cut = { granularity: 'day', timezone: 'UTC' } as const
      const window = wholeSteps(readWindow(query, defaultWindow(query, cut, platform.clock.now())), dayMs)
      reply.type('text/csv; charset=utf-8; header=present')
      // The framework would read a stream to its end to throw it away.
      return method === 'HEAD' ? '' : Readable.from(exportFocus(platform.sql, principal!.orgId, window))
    },
  )
}
