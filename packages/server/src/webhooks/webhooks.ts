export { deliverWebhooks } from './delivering.ts'
export { ensureWebhookPartitions, keepWebhookPartitionsJob } from './partitions.ts'
