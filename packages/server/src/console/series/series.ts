/** Usage of an organization or a person over time, as the pages that watch spend show it: windows, groups, charts. */
export { dayText } from './date-text.ts'
export { type Dimension, dimensionNamed, dimensions } from './dimensions.ts'
export { barFields, queryOption, querySelect, rangeFields } from './query-fields.ts'
export { axisTexts, usageBars } from './usage-chart.ts'
export {
  amountOf,
  type GroupSums,
  groupSums,
  metrics,
  metricValue,
  minus,
  noSums,
  plus,
  type ReadUsage,
  readPages,
  sumsOf,
  type UsageMetric,
  type UsageTotals,
} from './usage-sums.ts'
export {
  type BarLength,
  granularities,
  stepsOf,
  thisMonth,
  type UsageWindow,
  windowBefore,
  windowOf,
} from './usage-window.ts'
