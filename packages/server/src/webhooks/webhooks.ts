export { deliverWebhooks } from './delivering.ts'
export { ensureKeptDays, ensureWebhookPartitions, keepWebhookPartitionsJob } from './partitions.ts'
export { resealWebhookSecrets } from './resealing.ts'
export { endSubscriptionsOf } from './subscriptions.ts'
