export {
  type Allowance,
  type ApprovalGrant,
  allowanceAt,
  allowanceKey,
  allowanceOf,
  amountOf,
  amountSpent,
  amountTaken,
  type Balance,
  type ChainBounds,
  type ChainPlace,
  type Charge,
  type CustomerFacts,
  type DefaultLimit,
  decodeAmounts,
  emptyBalance,
  type Freeze,
  type Freezes,
  type Limit,
  type LimitScope,
  type LimitUnit,
  limitsOn,
  type NamedAllowanceRow,
  type OrgLimits,
  type OwnLimit,
  type Pack,
  remainingOf,
  type ScopedLimit,
  type ScopeKind,
  scopeKinds,
} from './allowances.ts'
export { capCounter, countingKind, maxAdmitted, maxCounter } from './counter-bounds.ts'
export { crossingsStatement } from './crossing-queries.ts'
export { crossedAmounts, crossingRows, emitCrossings, eventSubject, rearm, stoppedAmounts } from './crossings.ts'
export { verifyLedgersJob } from './drift.ts'
export { type FreezeRow, freezesOf } from './freeze-queries.ts'
export { freezeKind, loadFreezes, withFrozenLimits } from './freezes.ts'
export {
  decodeHold,
  encodeHold,
  type HoldInputs,
  type HoldPayload,
  readingsOf,
} from './hold-payload.ts'
export {
  bookAdjustment,
  findAllowanceAt,
  findAllowances,
  findMovement,
  lastBatch,
  listMovements,
  type MovementRow,
  movementsInOrder,
} from './journal-queries.ts'
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
export {
  type Claim,
  type Crossing,
  type LimitKind,
  type LimitRefusal,
  limitIdIn,
  type Refuser,
  type Surface,
  thresholdsOf,
} from './limit-kind.ts'
export { limitOf, plannedOf } from './limits.ts'
export { gateNames, isDefault, newSubjectGateOf, noSubject } from './new-subject-gate.ts'
export { isUsable, packAllowance, sortByDrawOrder } from './packs.ts'
export { ensureLedgerPartitions, maintainLedgerPartitionsJob } from './partitions.ts'
export {
  balancesOf,
  changeEveryConfiguration,
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
export { countLimitsInForce, limitsNear } from './room-queries.ts'
export { limitsMet } from './scopes.ts'
export { listShownLimits, shownLimits, shownUsage } from './shown-limits.ts'
export { crossingsOf, stopOf, stoppedThreshold } from './thresholds.ts'
export { type FurtherCheck, type LedgerFault, verifyLedger, verifyLedgers } from './verification.ts'
