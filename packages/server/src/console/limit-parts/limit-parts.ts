/** Parts that pages of all kinds of limits share: their states, their fields, and what is frozen. */
export { type Frozen, freezeAction, freezesOf, frozenBadge, frozenNote } from './freeze-parts.ts'
export { limitTestButton, limitTestReport, whoWouldNotice } from './limit-backtest.ts'
export { amountColumns } from './limit-columns.ts'
export { limitFields, limitValues, scheduleBody } from './limit-fields.ts'
export {
  coverChoices,
  isStopped,
  kindChoice,
  kindText,
  spentText,
  stateOf,
} from './limit-states.ts'
export { type SingleLimit, singleLimitPages } from './single-limit.ts'
