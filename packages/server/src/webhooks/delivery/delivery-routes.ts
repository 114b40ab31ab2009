import type { Change } from '../../access/changes/changes.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import { SubscriptionPath } from '../subscriptions/schema.ts'
import { deliveriesOf, getDelivery, getReplay, redeliver, replaysOf, sendTest, startReplay } from './deliveries.ts'
import {
  Delivery,
  DeliveryList,
  DeliveryListQuery,
  DeliveryPath,
  Replay,
  ReplayInput,
  ReplayList,
  ReplayListQuery,
  ReplayPath,
} from './delivery-schema.ts'

export function deliveryRoutes(app: App, platform: Platform, change: Change) {
  const { sql, clock } = platform
  const tags = ['webhooks']

  app.get(
    '/v1/orgs/:id/webhooks/:sub_id/deliveries',
    {
      config: { role: 'admin', scope: 'webhooks:read' },
      schema: {
        operationId: 'listWebhookDeliveries',
        tags,
        summary: 'List deliveries',
        description:
          'The deliveries of a subscription of the last 30 days and those still pending, newest first, each with its attempts.',
        params: SubscriptionPath,
        querystring: DeliveryListQuery,
        response: { 200: DeliveryList },
      },
    },
    ({ caller, params, query }) => {
      const { orgId } = caller
      const id = requireId('subscription', params.sub_id)
      return sql.asOrgs([orgId], (tx) => deliveriesOf(tx, orgId, id, query))
    },
  )

  app.get(
    '/v1/orgs/:id/webhooks/:sub_id/deliveries/:delivery_id',
    {
      config: { role: 'admin', scope: 'webhooks:read' },
      schema: {
        operationId: 'getWebhookDelivery',
        tags,
        summary: 'Get a delivery',
        description: 'Returns one delivery with its attempts, while it is pending and for 30 days after it ended.',
        params: DeliveryPath,
        response: { 200: Delivery },
      },
    },
    ({ caller, params }) => {
      const { orgId } = caller
      const subscriptionId = requireId('subscription', params.sub_id)
      return sql.asOrgs([orgId], (tx) =>
        getDelivery(tx, orgId, subscriptionId, requireId('delivery', params.delivery_id)),
      )
    },
  )

  app.post(
    '/v1/orgs/:id/webhooks/:sub_id/deliveries/:delivery_id/redeliver',
    {
      config: { role: 'admin', scope: 'webhooks:write', errors: ['conflict'] },
      schema: {
        operationId: 'redeliverWebhook',
        tags,
        summary: 'Deliver an event again',
        description: 'Creates a new delivery of the same event, with the same ID and the same bytes, signed again.',
        params: DeliveryPath,
        response: { 200: Delivery },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const subscriptionId = requireId('subscription', request.params.sub_id)
      const deliveryId = requireId('delivery', request.params.delivery_id)
      return change(request, reply, { orgId }, (tools) => redeliver(platform, tools, orgId, subscriptionId, deliveryId))
    },
  )

  app.post(
    '/v1/orgs/:id/webhooks/:sub_id/test',
    {
      config: { role: 'admin', scope: 'webhooks:write', errors: ['conflict'] },
      schema: {
        operationId: 'testWebhook',
        tags,
        summary: 'Send a test event',
        description:
          'Sends a new event of kind `webhook.test` to this subscription only, whatever kinds it subscribes to. Mail has limits per hour: above them it is `rate_limited`.',
        params: SubscriptionPath,
        response: { 200: Delivery },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('subscription', request.params.sub_id)
      return change(request, reply, { orgId }, (tools) => sendTest(platform, tools, orgId, id))
    },
  )

  app.post(
    '/v1/orgs/:id/webhooks/:sub_id/replay',
    {
      config: { role: 'admin', scope: 'webhooks:write', errors: ['conflict'] },
      schema: {
        operationId: 'replayWebhook',
        tags,
        summary: 'Replay a window',
        description:
          'Delivers the events of a window again, in the order in which they happened, including those that were already delivered. Events are kept for 30 days.',
        params: SubscriptionPath,
        body: ReplayInput,
        response: { 200: Replay },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('subscription', request.params.sub_id)
      return change(request, reply, { orgId }, (tools) => startReplay(tools, orgId, id, clock.now(), request.body))
    },
  )

  app.get(
    '/v1/orgs/:id/webhooks/:sub_id/replays',
    {
      config: { role: 'admin', scope: 'webhooks:read' },
      schema: {
        operationId: 'listWebhookReplays',
        tags,
        summary: 'List replays',
        description: 'The replays of a subscription that are waiting, or finished in the last 30 days.',
        params: SubscriptionPath,
        querystring: ReplayListQuery,
        response: { 200: ReplayList },
      },
    },
    ({ caller, params, query }) => {
      const { orgId } = caller
      return sql.asOrgs([orgId], (tx) => replaysOf(tx, orgId, requireId('subscription', params.sub_id), query))
    },
  )

  app.get(
    '/v1/orgs/:id/webhooks/:sub_id/replays/:replay_id',
    {
      config: { role: 'admin', scope: 'webhooks:read' },
      schema: {
        operationId: 'getWebhookReplay',
        tags,
        summary: 'Get a replay',
        description: 'Returns one replay with its progress, until 30 days after its end.',
        params: ReplayPath,
        response: { 200: Replay },
      },
    },
    ({ caller, params }) => {
      const { orgId } = caller
      const subscriptionId = requireId('subscription', params.sub_id)
      return sql.asOrgs([orgId], (tx) => getReplay(tx, orgId, subscriptionId, requireId('replay', params.replay_id)))
    },
  )
}
