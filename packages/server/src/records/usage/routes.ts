import { Readable } from 'node:stream'
import { asSvg } from '../../contract/content-policy.ts'
import { readWindow } from '../../contract/lists.ts'
import { describeTag } from '../../contract/openapi.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { dayMs } from '../../values/time.ts'
import { exportFocus } from './focus.ts'
import { defaultWindow, wholeSteps } from './granules.ts'
import { ownUsage, pinnedExport, pinnedUsage } from './pinned-usage.ts'
import { OwnUsageQuery, UsageAnswer, UsageExport, UsageExportQuery, UsageQuery } from './schema.ts'
import { drawUsage, readUsage } from './usage.ts'

export function usage(app: App, platform: Platform) {
  const tags = ['usage']
  describeTag(app, 'usage', 'What runs used and cost, added up.')

  app.get(
    '/v1/orgs/:id/usage',
    {
      config: { role: 'viewer', scope: 'usage:read', expensive: true, pinned: 'filtered' },
      schema: {
        operationId: 'getUsage',
        tags,
        summary: 'Get usage',
        description:
          'Runs, tokens and cost by hour, day, week or month of a time zone, and by up to four dimensions, as JSON or as a picture; a run counts when it has ended, in the period in which it started. A window of at most 90 days, by default the last 30. Usage of more than 90 days ago counts at the beginning of its UTC day. With three or four dimensions a window has at most 100 periods.',
        params: OrgPath,
        querystring: UsageQuery,
        response: { 200: UsageAnswer },
      },
    },
    async ({ caller, query }, reply) => {
      const asked = pinnedUsage(query, caller)
      if (query.format === 'svg') return asSvg(reply).send(await drawUsage(platform, caller.orgId, asked))
      return readUsage(platform, caller.orgId, asked)
    },
  )

  app.get(
    '/v1/me/usage',
    {
      config: { anyKey: true, expensive: true },
      schema: {
        operationId: 'getMyUsage',
        tags,
        summary: 'Get the usage of the caller',
        description:
          'Usage as `GET /v1/orgs/{id}/usage` shows it: of your user, if your key is pinned to one, else of your key. It needs no scope.',
        querystring: OwnUsageQuery,
        response: { 200: UsageAnswer },
      },
    },
    async ({ caller, query }, reply) => {
      const asked = ownUsage(query, caller)
      if (query.format === 'svg') return asSvg(reply).send(await drawUsage(platform, caller.orgId, asked))
      return readUsage(platform, caller.orgId, asked)
    },
  )

  app.get(
    '/v1/orgs/:id/usage/export',
    {
      config: { role: 'viewer', scope: 'usage:read', urgency: 'export', expensive: true, pinned: 'filtered' },
      schema: {
        operationId: 'exportUsage',
        tags,
        summary: 'Export usage',
        description:
          'Streams the cost of whole UTC days in the columns of FOCUS 1.2 or 1.4, the FinOps Open Cost and Usage Specification. A window of at most 90 days, by default the last 30.',
        params: OrgPath,
        querystring: UsageExportQuery,
        response: { 200: UsageExport },
      },
    },
    ({ caller, query, method }, reply) => {
      const filters = pinnedExport(caller)
      const version = query.format === 'focus-1.4-csv' ? '1.4' : '1.2'
      const cut = { granularity: 'day', timezone: 'UTC' } as const
      const window = wholeSteps(readWindow(query, defaultWindow(query, cut, platform.clock.now())), dayMs)
      reply.type('text/csv; charset=utf-8; header=present')
      // The framework would read the whole stream only to discard it; of an empty text it would send the length.
      return Readable.from(method === 'HEAD' ? [] : exportFocus(platform.sql, caller.orgId, window, version, filters))
    },
  )
}
