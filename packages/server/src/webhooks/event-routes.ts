import { ApiError } from '../contract/errors.ts'
import type { App } from '../contract/routes.ts'
import { OrgPath } from '../contract/wire.ts'
import type { Platform } from '../platform/infra/platform.ts'
import { requireId } from '../values/id.ts'
import { EventList, EventPath, EventQuery, findEvent, LoggedEvent, listEvents } from './event-log.ts'

export function events(app: App, { sql, clock }: Platform) {
  const tags = ['webhooks']
  const config = { role: 'admin', scope: 'webhooks:read' } as const

  app.get(
    '/v1/orgs/:id/events',
    {
      config: { ...config, expensive: true },
      schema: {
        operationId: 'listEvents',
        tags,
        summary: 'List events',
        description:
          'The events of the organization with the same payloads as webhooks, whether or not there is a subscription. Opt-in types (`decision.refused`, `run.finished` and others) are recorded only while a subscription names them. Kept for 30 days.',
        params: OrgPath,
        querystring: EventQuery,
        response: { 200: EventList },
      },
    },
    ({ caller, query }) => listEvents(sql, caller.orgId, query, clock.now()),
  )

  app.get(
    '/v1/orgs/:id/events/:event_id',
    {
      config,
      schema: {
        operationId: 'getEvent',
        tags,
        summary: 'Get an event',
        description: 'Returns one event, as subscriptions receive it.',
        params: EventPath,
        response: { 200: LoggedEvent },
      },
    },
    async ({ caller, params }) => {
      const found = await findEvent(sql, caller.orgId, requireId('event', params.event_id), clock.now())
      if (!found) throw new ApiError('not_found')
      return found
    },
  )
}
