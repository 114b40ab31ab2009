/** The pure engine: commands and the state that was read become outcomes. No clock, no I/O. */
export type { AllowanceState, Delta } from './allowance-state.ts'
export {
  type BatchDecision,
  type ChargedItem,
  type Command,
  decide,
  decideVersion,
  type LimitCheck,
  type Movement,
  type NewHold,
  type Outcome,
  type Room,
  type SmallerHold,
} from './decide.ts'
export { type Actual, expiryGraceMs, type Hold, maxLeaseMs } from './hold-endings.ts'
