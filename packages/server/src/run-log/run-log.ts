export { isRunHold, type KeptRun, type RunHold, runningRun } from './held.ts'
export { classesInUse, ensureRunPartitions, maxRunAgeDays } from './partition-queries.ts'
export {
  claimRuns,
  countUsage,
  forgetRunKeys,
  forgetRuns,
  insertRuns,
  type KnownKeyRow,
  type RunKey,
  readRunKeys,
  replaceRuns,
} from './queries.ts'
export {
  type Admission,
  type CostBasis,
  classFor,
  defaultRawDays,
  type RunRecord,
  retentionClasses,
  type Tokens,
  tokensOf,
} from './rows.ts'
export {
  Action,
  dimensionFields,
  ExternalId,
  endStatuses,
  Metadata,
  Model,
  maxRunTokens,
  Operation,
  Provider,
  Run,
  runStatuses,
  Tags,
  usageFields,
  usageNames,
} from './schema.ts'
export { bucketMs, type Counted, usageCounters } from './usage-deltas.ts'
export { runningView, runView } from './views.ts'
