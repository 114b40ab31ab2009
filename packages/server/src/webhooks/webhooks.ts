export { deliverWebhooks } from './delivering.ts'
export { ensureKeptDays, ensureWebhookPartitions, keepWebhookPartitionsJob } from './partitions.ts'
