/** Parts that pages are made of, and the one place where money, counts and times become text. */
export {
  type BarChart,
  barChart,
  type ChartBar,
  type ChartValue,
  chartLegend,
  type ExpectedBar,
  forecastKey,
} from './bar-chart.ts'
export { dimensions, dimensionText } from './dimension-words.ts'
export {
  actionButton,
  checkField,
  checkGroup,
  type FieldChoice,
  type FormKeys,
  type FormState,
  faultSummary,
  fileField,
  form,
  freshForm,
  optionField,
  reasonField,
  segmentField,
  selectField,
  textArea,
  textField,
} from './form.ts'
export { countGauge, freeOf, gauge, shareBar, type Tone } from './gauge.ts'
export { type IconName, icon, mark, sprite } from './icons.ts'
export { type Content, html, joined, type Markup, nothing, when } from './markup.ts'
export {
  axisMoney,
  changeText,
  counted,
  countText,
  money,
  moneyText,
  moneyValue,
  percentOf,
  percentText,
  sumUsd,
  tokensText,
} from './number-text.ts'
export {
  type BadgeKind,
  badge,
  blank,
  code,
  curl,
  type Figure,
  facts,
  figures,
  type LiveKind,
  linkButton,
  liveRegion,
  note,
  pageHead,
  section,
  shortId,
  tabs,
} from './parts.ts'
export { sparkline } from './sparkline.ts'
export { type Column, table } from './table.ts'
export { createTimes, durationText, type Times } from './time-text.ts'
