export {
  type Allowance,
  allowanceAt,
  allowanceKey,
  allowanceOf,
  amountsIn,
  type Balance,
  type ChainBounds,
  type ChainPlace,
  type Charge,
  type Claim,
  type CustomerFacts,
  type DefaultLimit,
  emptyBalance,
  type Grant,
  type Limit,
  type LimitKind,
  limitsOn,
  type NamedAllowanceRow,
  type OrgLimits,
  type Refusal,
  remainingOf,
  type ScopedLimit,
  thresholdsOf,
  type Unit,
} from './allowances.ts'
export { countable, countingKind, mostAdmitted, mostCounted } from './counting.ts'
export { crossingsStatement } from './crossing-queries.ts'
export { crossingRows, rearm, tellCrossings } from './crossings.ts'
export { verifyLedgersJob } from './drift.ts'
export { amountOf, entryOf, getAdjustment, limitIdOf, listJournal, parseLimitId } from './journal.ts'
export { bookAdjustment, findAllowanceAt, lastBatch, nameAllowances } from './journal-queries.ts'
export {
  amountFields,
  amountView,
  ascending,
  asLastWanted,
  claimOn,
  LimitName,
  lastWanted,
  newSchedule,
  nextScheduleField,
  periodFields,
  periodView,
  plainSchedule,
  reachedOf,
  readNow,
  refusedAmounts,
  refusedMessage,
  replacedSchedule,
  rowTimes,
  rowTimesView,
  type Standing,
  scheduleFaults,
  scheduleFields,
  scheduleInput,
  scheduleView,
  standings,
  stopFields,
  stopView,
  Timezone,
  thresholdsInput,
  usageFields,
  usageView,
  usdOrNull,
  wantedSchedule,
} from './limit-fields.ts'
export { limitOf, plannedOf } from './limits.ts'
export { newcomersOf, nobody } from './newcomers.ts'
export { inDrawingOrder, isLive, type Pack, packAllowance } from './packs.ts'
export { ensureLedgerPartitions, keepLedgerPartitionsJob } from './partitions.ts'
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
  listLimits,
  liveLimits,
  lockBooks,
  lockLedger,
  rearmAll,
  type ScheduleColumns,
  scheduleSelection,
  type UsedBalance,
  unusedBalance,
  updateLimit,
} from './queries.ts'
export { AdjustmentListQuery, AdjustmentPath, Journal, JournalEntry, limitKinds } from './schema.ts'
export { type Crossing, crossingsOf, quotaCrossings, stopOf, stopped } from './thresholds.ts'
export { type Fault, type FurtherCheck, verifyLedger, verifyLedgers } from './verification.ts'
