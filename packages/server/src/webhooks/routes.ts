import { Type } from 'typebox'
import type { Change } from '../access/changes/changes.ts'
import { ApiError } from '../contract/errors.ts'
import { pageRequest, pageResponse } from '../contract/lists.ts'
import { describeTag } from '../contract/openapi.ts'
import { replaceable } from '../contract/replaceable.ts'
import type { App } from '../contract/routes.ts'
import { OrgPath } from '../contract/wire.ts'
import type { Platform } from '../platform/infra/platform.ts'
import { requireId } from '../values/id.ts'
import { deliveryRoutes } from './delivery/delivery-routes.ts'
import { openOutbound } from './delivery/outbound.ts'
import { events } from './event-routes.ts'
import { createWebhookSecrets } from './signing/secrets.ts'
import { allowedAddress } from './subscriptions/destinations.ts'
import { mailAddressRoutes } from './subscriptions/mail-address-routes.ts'
import { orgSecretRoutes } from './subscriptions/org-secret-routes.ts'
import { findSubscription, listSubscriptions } from './subscriptions/queries.ts'
import {
  CreatedSubscription,
  Subscription,
  SubscriptionInput,
  SubscriptionList,
  SubscriptionListQuery,
  SubscriptionPath,
  SubscriptionReplacement,
} from './subscriptions/schema.ts'
import { signingRoutes } from './subscriptions/signing-routes.ts'
import {
  createSubscription,
  removeSubscription,
  replaceSubscription,
  subscriptionView,
} from './subscriptions/subscriptions.ts'

export function webhooks(app: App, platform: Platform, change: Change) {
  const { sql, config } = platform
  const tags = ['webhooks']
  const secrets = createWebhookSecrets(config)
  const outbound = openOutbound(config)
  app.addHook('onClose', outbound.close)
  describeTag(app, 'webhooks', 'Events of an organization, delivered to its own endpoints.')
  describeTag(app, 'events', 'The payloads that subscriptions receive.')

  app.post(
    '/v1/orgs/:id/webhooks',
    {
      config: { role: 'admin', scope: 'webhooks:write', errors: ['conflict'] },
      schema: {
        operationId: 'createWebhook',
        tags,
        summary: 'Create a subscription',
        description:
          'Events are posted to its URL from now on. With `signing` `subscription` it has its own secret, which is shown only in this response. Otherwise its deliveries are signed with the organization’s secret, which is deprecated, until it has its own.',
        params: OrgPath,
        body: SubscriptionInput,
        response: { 201: CreatedSubscription },
      },
    },
    async (request, reply) => {
      const { orgId } = request.caller
      const input = await allowedAddress(outbound, request.body)
      return change(request, reply, { orgId, status: 201 }, (tools) =>
        createSubscription(tools, secrets, request.caller, input),
      )
    },
  )

  app.get(
    '/v1/orgs/:id/webhooks',
    {
      config: { role: 'admin', scope: 'webhooks:read' },
      schema: {
        operationId: 'listWebhooks',
        tags,
        summary: 'List subscriptions',
        description: 'The subscriptions of the organization, each with the health of its endpoint.',
        params: OrgPath,
        querystring: SubscriptionListQuery,
        response: { 200: SubscriptionList },
      },
    },
    async ({ caller, query }) => {
      const { orgId } = caller
      const asked = pageRequest(query, 'created_at')
      const rows = await sql.asOrgs([orgId], (tx) => listSubscriptions(tx, orgId, asked, query))
      const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
      return { ...answer, data: answer.data.map(subscriptionView) }
    },
  )

  app.get(
    '/v1/orgs/:id/webhooks/:sub_id',
    {
      config: { role: 'admin', scope: 'webhooks:read' },
      schema: {
        operationId: 'getWebhook',
        tags,
        summary: 'Get a subscription',
        description: 'Returns one subscription, with the health of its endpoint.',
        params: SubscriptionPath,
        response: { 200: Subscription },
      },
    },
    async ({ caller, params }) => {
      const { orgId } = caller
      const id = requireId('subscription', params.sub_id)
      const row = await sql.asOrgs([orgId], (tx) => findSubscription(tx, orgId, id))
      if (!row) throw new ApiError('not_found')
      return subscriptionView(row)
    },
  )

  replaceable(
    app,
    '/v1/orgs/:id/webhooks/:sub_id',
    {
      config: { role: 'admin', scope: 'webhooks:write' },
      tags,
      name: 'Webhook',
      put: {
        summary: 'Replace a subscription',
        description:
          'Fields that are left out return to their defaults; otherwise the same as changing the subscription.',
      },
      patch: {
        summary: 'Change a subscription',
        description:
          'Changes only the given fields. When the subscription is enabled again, pending deliveries are sent immediately; events that happened while it was disabled can be replayed.',
      },
      params: SubscriptionPath,
      body: SubscriptionReplacement,
      view: Subscription,
    },
    async (request, reply, wanted) => {
      const { orgId } = request.caller
      const id = requireId('subscription', request.params.sub_id)
      const sent = request.body as Partial<SubscriptionReplacement>
      Object.assign(sent, await allowedAddress(outbound, sent))
      const asked = { wanted, isEnabling: sent.enabled === true, method: request.method }
      return change(request, reply, { orgId }, (tools) =>
        replaceSubscription(tools, secrets, request.caller, id, asked),
      )
    },
  )

  app.delete(
    '/v1/orgs/:id/webhooks/:sub_id',
    {
      config: { role: 'admin', scope: 'webhooks:write' },
      schema: {
        operationId: 'deleteWebhook',
        tags,
        summary: 'Delete a subscription',
        description: 'Nothing more is delivered, including pending deliveries.',
        params: SubscriptionPath,
        response: { 204: Type.Null({ description: 'Deleted.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('subscription', request.params.sub_id)
      return change(request, reply, { orgId, status: 204 }, (tools) => removeSubscription(tools, secrets, orgId, id))
    },
  )

  mailAddressRoutes(app, change)
  signingRoutes(app, platform, change, secrets)
  deliveryRoutes(app, platform, change)
  orgSecretRoutes(app, platform, change, secrets)

  events(app, platform)
}
