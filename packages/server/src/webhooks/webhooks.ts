export { startWebhookDelivery } from './delivering.ts'
export { ensureRetainedPartitions, ensureWebhookPartitions, webhookPartitionsJob } from './partitions.ts'
export { resealWebhookSecrets } from './resealing.ts'
export { endSubscriptionsOfGrant } from './subscriptions.ts'
