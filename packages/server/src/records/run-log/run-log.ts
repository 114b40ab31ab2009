export { buildParameters } from './column-queries.ts'
export { classesInUse, ensureRunPartitions, maxRunAgeDays } from './partition-queries.ts'
export {
  claimRuns,
  countUsage,
  deleteRunKeys,
  deleteRuns,
  type EndedRunRow,
  endedRunOf,
  insertRuns,
  type KnownKeyRow,
  type RunKey,
  readEndedRuns,
  readRunKeys,
  replaceRuns,
  tryRunKeys,
} from './queries.ts'
export {
  type Admission,
  type CostBasis,
  classFor,
  defaultRawDays,
  type EndedRun,
  type RunRecord,
  retentionClasses,
  type Tokens,
  tokensOf,
} from './rows.ts'
export { heldOutputOf, heldTokensOf, isRunHold, type RunHold, runningRun, type StoredRunFields } from './run-hold.ts'
export {
  Action,
  dimensionFields,
  ExternalId,
  endStatuses,
  Metadata,
  OperationName,
  Run,
  runStatuses,
  Tags,
} from './schema.ts'
export { bucketMs, type CountedRun, usageCounters } from './usage-deltas.ts'
export {
  detailFields,
  detailIn,
  Model,
  maxRunTokens,
  Provider,
  Units,
  type UsageCounts,
  UsageDetail,
  usageFaults,
  usageFields,
  usageNames,
} from './usage-schema.ts'
export { runningView, runView } from './views.ts'
