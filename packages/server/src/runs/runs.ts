export { ingestTask } from './bulk.ts'
export { type BulkRun, maxBulkRuns } from './bulk-schema.ts'
export { costOfTokens } from './cost.ts'
export type { Governance } from './governance.ts'
