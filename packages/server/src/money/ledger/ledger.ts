export {
  type Allowance,
  type ApprovalGrant,
  allowanceAt,
  allowanceKey,
  allowanceOf,
  type Balance,
  type ChainBounds,
  type ChainPlace,
  type Charge,
  type Claim,
  type CustomerFacts,
  type DefaultLimit,
  decodeAmounts,
  emptyBalance,
  type Limit,
  type LimitKind,
  type LimitRefusal,
  type LimitUnit,
  limitsOn,
  type NamedAllowanceRow,
  type OrgLimits,
  type Pack,
  remainingOf,
  type ScopedLimit,
  thresholdsOf,
} from './allowances.ts'
export { capCounter, countingKind, maxAdmitted, maxCounter } from './counter-bounds.ts'
export { crossingsStatement } from './crossing-queries.ts'
export { crossingRows, emitCrossings, rearm } from './crossings.ts'
export { verifyLedgersJob } from './drift.ts'
export { amountOf, entryOf, getAdjustment, limitIdOf, listJournal, parseLimitId } from './journal.ts'
export { bookAdjustment, findAllowanceAt, findAllowances, lastBatch } from './journal-queries.ts'
export {
  amountFields,
  amountView,
  ascending,
  claimOn,
  defaultSchedule,
  LimitName,
  type LimitUsage,
  loadUsage,
  mergeSchedule,
  newSchedule,
  nextScheduleField,
  periodFields,
  periodView,
  reachedThresholds,
  readAtDatabaseTime,
  refusalAmounts,
  refusalMessage,
  replaceSchedule,
  requestedSchedule,
  rowTimes,
  rowTimesView,
  scheduleFaults,
  scheduleFields,
  scheduleInput,
  scheduleView,
  stopFields,
  stopView,
  Timezone,
  thresholdsInput,
  usageFields,
  usageView,
  usdOrNull,
  withRequestedSchedule,
} from './limit-fields.ts'
export { limitOf, plannedOf } from './limits.ts'
export { newSubjectGateOf, noSubject } from './new-subject-gate.ts'
export { isUsable, packAllowance, sortByDrawOrder } from './packs.ts'
export { ensureLedgerPartitions, maintainLedgerPartitionsJob } from './partitions.ts'
export {
  balancesOf,
  configVersion,
  endLimit,
  findLimit,
  inForce,
  insertLedger,
  insertLimit,
  type LimitRow,
  ledgerExists,
  limitsInForce,
  listLimits,
  lockLedger,
  lockLedgerForConfigChange,
  rearmAllSubjects,
  type ScheduleColumns,
  scheduleSelection,
  type UsedBalance,
  unusedBalance,
  updateLimit,
} from './queries.ts'
export { AdjustmentListQuery, AdjustmentPath, Journal, JournalEntry, limitIdTypes } from './schema.ts'
export { type Crossing, crossingsOf, quotaCrossings, stopOf, stoppedThreshold } from './thresholds.ts'
export { type FurtherCheck, type LedgerFault, verifyLedger, verifyLedgers } from './verification.ts'
