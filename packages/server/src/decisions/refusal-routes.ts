import { ApiError } from '../contract/errors.ts'
import type { App } from '../contract/routes.ts'
import { OrgPath } from '../contract/wire.ts'
import type { Platform } from '../platform/infra/platform.ts'
import { requireId } from '../values/id.ts'
import {
  DailyRefusalQuery,
  DailyRefusals,
  Refusal,
  RefusalPath,
  RefusalQuery,
  RefusalsAnswer,
} from './refusal-schema.ts'
import { findRefusal, listRefusals, refusalsByDay } from './refusals.ts'

export function refusals(app: App, { sql, clock }: Platform) {
  const tags = ['decisions']
  const config = { role: 'viewer', scope: 'limits:read', pinned: 'filtered' } as const

  app.get(
    '/v1/orgs/:id/refusals',
    {
      config: { ...config, expensive: true },
      schema: {
        operationId: 'listRefusals',
        tags,
        summary: 'List refused calls',
        description:
          'Calls that limits, rates, rules, detectors or routes have refused, and those of models without a price; except dry runs. Equal ones of a minute are one entry with a count. Kept for 30 days; of one day at most 10,000 entries, beyond which they are only counted. A refusal is listed within a second.',
        params: OrgPath,
        querystring: RefusalQuery,
        response: { 200: RefusalsAnswer },
      },
    },
    ({ caller, query }) => listRefusals(sql, caller, query, clock.now()),
  )

  app.get(
    '/v1/orgs/:id/refusals/daily',
    {
      config,
      schema: {
        operationId: 'countRefusals',
        tags,
        summary: 'Count refused calls by day and reason',
        description:
          'Every refusal counts, listed or not; of what a pinned key may see, those that are listed. By default of the last 30 days; counts are kept for 400.',
        params: OrgPath,
        querystring: DailyRefusalQuery,
        response: { 200: DailyRefusals },
      },
    },
    ({ caller, query }) => refusalsByDay(sql, caller, query, clock.now()),
  )

  app.get(
    '/v1/orgs/:id/refusals/:refusal_id',
    {
      config,
      schema: {
        operationId: 'getRefusal',
        tags,
        summary: 'Get a refused call',
        description: 'One entry of the list, with its explanation.',
        params: RefusalPath,
        response: { 200: Refusal },
      },
    },
    async ({ caller, params }) => {
      const found = await findRefusal(sql, caller, requireId('refusal', params.refusal_id))
      if (!found) throw new ApiError('not_found')
      return found
    },
  )
}
