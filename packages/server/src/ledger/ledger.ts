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
  type CustomerDefault,
  type CustomerFacts,
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
export { crossingsStatement } from './crossing-queries.ts'
export { crossingRows, rearm, tellCrossings } from './crossings.ts'
export { verifyLedgersJob } from './drift.ts'
export { amountOf, entryOf, limitIdOf, parseLimitId } from './journal.ts'
export { bookAdjustment, findAllowanceAt, nameAllowances } from './journal-queries.ts'
export {
  amountFields,
  amountView,
  changedSchedule,
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
  rowTimes,
  rowTimesView,
  type Standing,
  scheduleFaults,
  scheduleInput,
  scheduleView,
  standings,
  Timezone,
  usageFields,
  usageView,
  usdOrNull,
  wantedSchedule,
} from './limit-fields.ts'
export { limitOf, plannedOf } from './limits.ts'
export { inDrawingOrder, isLive, type Pack, packAllowance } from './packs.ts'
export { ensureLedgerPartitions, keepLedgerPartitionsJob } from './partitions.ts'
export {
  balancesOf,
  configVersion,
  endLimit,
  findLimit,
  insertLedger,
  insertLimit,
  type LimitRow,
  ledgerExists,
  listLimits,
  liveLimits,
  lockBooks,
  lockLedger,
  rearmPassed,
  type ScheduleColumns,
  scheduleSelection,
  updateLimit,
} from './queries.ts'
export { JournalEntry } from './schema.ts'
export { type Crossing, crossingsOf, quotaCrossings } from './thresholds.ts'
export { verifyLedger, verifyLedgers } from './verification.ts'
