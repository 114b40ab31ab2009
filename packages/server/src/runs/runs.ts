export { ingestTask } from './bulk.ts'
export { type BulkRun, maxBulkRuns } from './bulk-schema.ts'
export type { Governance } from './governance.ts'
export { costOfUsage, partPricesAt } from './usage-cost.ts'
