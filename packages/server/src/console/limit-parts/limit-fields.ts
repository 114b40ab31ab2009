import {
  type FormState,
  html,
  type Markup,
  moneyValue,
  nothing,
  optionField,
  segmentField,
  textField,
} from '../components/components.ts'
import { amountIn, countsIn, type FormValues } from '../frame/frame.ts'

const periods = ['day', 'week', 'month', 'quarter', 'year'] as const
type PeriodName = (typeof periods)[number]

/** Periods after which a limit starts again, as choices. */
const periodChoices = periods.map((value) => ({
  value,
  text: value.replace(/^./, (letter) => letter.toUpperCase()),
}))

const periodOf = (text: string | undefined): PeriodName => periods.find((unit) => unit === text) ?? 'month'

/** Returns the fields of a limit per period, as the API takes them. */
export const scheduleBody = ({ limit_usd, period, timezone = '', thresholds }: FormValues) => ({
  limit_usd: amountIn(limit_usd),
  period: periodOf(period),
  ...(timezone.trim() !== '' && { timezone: timezone.trim() }),
  thresholds: countsIn(thresholds),
})

/** Fields of a limit per period: amount, period, zone, what happens when it is used up, alerts. */
export const limitFields = (state: FormState, options: { readonly hasEnforcement: boolean }): Markup =>
  html`${textField(state, {
    name: 'limit_usd',
    label: 'Limit in US dollars',
    prefix: '$',
    hint: 'Written without commas, such as 1450 or 0.50. Empty for no limit.',
  })}${segmentField(state, { name: 'period', label: 'Starts again every', choices: periodChoices })}${textField(state, {
    name: 'timezone',
    label: 'Time zone',
    hint: 'Its periods begin at midnight there, such as Europe/Berlin.',
  })}${
    options.hasEnforcement
      ? optionField(state, {
          name: 'enforcement',
          label: 'When it is used up',
          choices: [
            {
              value: 'block',
              text: 'Stop',
              consequence: 'New calls are refused until it starts again. Calls that run now finish.',
            },
            {
              value: 'alert',
              text: 'Only alert',
              consequence: 'Nothing is refused. You see how many calls would have been.',
            },
          ],
        })
      : nothing
  }${textField(state, {
    name: 'thresholds',
    label: 'Alert at',
    hint: 'Percent of the limit, such as 50, 80, 95; up to ten. Each alerts once per period, by webhook.',
    isOptional: true,
  })}`

/** Returns the values of the fields of a limit that is set. A changed schedule that has not begun yet is the one to show. */
export const limitValues = (limit: {
  readonly limit_usd: string | null
  readonly period: string
  readonly timezone: string
  readonly thresholds: readonly number[]
  readonly enforcement?: string
  readonly next_schedule?: { readonly period: string; readonly timezone: string } | null
}) => ({
  limit_usd: limit.limit_usd === null ? '' : moneyValue(limit.limit_usd),
  period: limit.next_schedule?.period ?? limit.period,
  timezone: limit.next_schedule?.timezone ?? limit.timezone,
  enforcement: limit.enforcement ?? 'block',
  thresholds: limit.thresholds.join(', '),
})
