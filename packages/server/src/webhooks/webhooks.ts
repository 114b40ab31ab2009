export { startWebhookDelivery } from './delivery/delivery-worker.ts'
export { ensureRetainedPartitions, ensureWebhookPartitions, webhookPartitionsJob } from './delivery/partitions.ts'
export { resealWebhookSecrets } from './subscriptions/reseal.ts'
export { endSubscriptionsOfGrant } from './subscriptions/subscriptions.ts'
